/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations of manual pages of macOS, as far as Pail asks: for the compiler alone. */
#ifndef STUB_POLL_H
#define STUB_POLL_H
enum { POLLIN = 1 };
struct pollfd {
    int fd;
    short events, revents;
};
typedef unsigned int nfds_t;
int poll(struct pollfd files[], nfds_t n, int timeout_ms);
#endif
