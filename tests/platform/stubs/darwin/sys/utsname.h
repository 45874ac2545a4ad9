/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations of manual pages of macOS, as far as Pail asks: for the compiler alone. */
#ifndef STUB_SYS_UTSNAME_H
#define STUB_SYS_UTSNAME_H
struct utsname {
    char sysname[256], nodename[256], release[256], version[256], machine[256];
};
int uname(struct utsname *name);
#endif
