/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations of manual pages of macOS, as far as Pail asks: for the compiler alone. */
#ifndef STUB_SYS_WAIT_H
#define STUB_SYS_WAIT_H
#include <sys/types.h>
#define WIFEXITED(s)   (((s)&0177) == 0)
#define WEXITSTATUS(s) (((s) >> 8) & 0xff)
#define WIFSIGNALED(s) (((s)&0177) != 0177 && ((s)&0177) != 0)
#define WTERMSIG(s)    ((s)&0177)
enum { WNOHANG = 1 };
pid_t waitpid(pid_t process, int *status, int flags);
#endif
