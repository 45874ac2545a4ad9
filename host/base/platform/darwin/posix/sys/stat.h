/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PAIL_DARWIN_STAT_H
#define PAIL_DARWIN_STAT_H

#include_next <sys/stat.h>

/* The names of POSIX for its members. */
#define st_mtim st_mtimespec

#endif
