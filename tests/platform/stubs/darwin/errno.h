/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations of manual pages of macOS, as far as Pail asks: for the compiler alone. */
#ifndef STUB_ERRNO_H
#define STUB_ERRNO_H
int *__error(void);
#define errno        (*__error())
#define ENOENT       2
#define EINTR        4
#define EIO          5
#define ENXIO        6
#define EBADF        9
#define ENOMEM       12
#define EACCES       13
#define EEXIST       17
#define ENOTDIR      20
#define EISDIR       21
#define EINVAL       22
#define ENFILE       23
#define EMFILE       24
#define EFBIG        27
#define ENOSPC       28
#define EROFS        30
#define ERANGE       34
#define EAGAIN       35
#define EWOULDBLOCK  EAGAIN
#define ENOTSUP      45
#define ETIMEDOUT    60
#define ECONNREFUSED 61
#define ELOOP        62
#define ENAMETOOLONG 63
#define ENOTEMPTY    66
#define ENOSYS       78
#endif
