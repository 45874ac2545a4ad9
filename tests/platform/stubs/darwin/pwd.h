/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations of manual pages of macOS, as far as Pail asks: for the compiler alone. */
#ifndef STUB_PWD_H
#define STUB_PWD_H
#include <sys/types.h>
struct passwd {
    char *pw_name, *pw_passwd;
    uid_t pw_uid;
    gid_t pw_gid;
    time_t pw_change;
    char *pw_class, *pw_gecos, *pw_dir, *pw_shell;
    time_t pw_expire;
};
#endif
