/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PAIL_DARWIN_UNISTD_H
#define PAIL_DARWIN_UNISTD_H

#include_next <unistd.h>

/* fsync of the system leaves what was written in the disk's own memory. */
int pail_fsync(int file);
#define fsync pail_fsync

#endif
