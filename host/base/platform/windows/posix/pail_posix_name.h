/* SPDX-License-Identifier: Apache-2.0 */
/* A function of POSIX by its name for those who call it, and by one of our own for the linker: the
 * system has some by the same name that do something else. No macro, for members of structs and
 * local variables have these names, too. */
#ifndef PAIL_WINDOWS_NAME_H
#define PAIL_WINDOWS_NAME_H

#define PAIL_POSIX(name) __asm__("pail_posix_" #name)

#endif
