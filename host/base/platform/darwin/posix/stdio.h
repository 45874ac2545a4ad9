/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PAIL_DARWIN_STDIO_H
#define PAIL_DARWIN_STDIO_H

#include_next <stdio.h>

/* Same as in Linux; RENAME_NOREPLACE alone is known. A file system that cannot promise it:
 * EINVAL. */
#define RENAME_NOREPLACE 1
int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags);

#endif
