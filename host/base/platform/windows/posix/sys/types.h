/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PAIL_WINDOWS_SYS_TYPES_H
#define PAIL_WINDOWS_SYS_TYPES_H

#include_next <sys/types.h>

#include <sys/stat.h>

#endif
