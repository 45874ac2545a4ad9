/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PAIL_DARWIN_SOCKET_H
#define PAIL_DARWIN_SOCKET_H

#include_next <sys/socket.h>

/* Flags that Linux takes with the kind of a socket are set by a second call; a child that is
 * started between the calls inherits the socket. Sockets are made so that none raises SIGPIPE. */
#define SOCK_CLOEXEC  0x10000000
#define SOCK_NONBLOCK 0x20000000
#define MSG_NOSIGNAL  0
int pail_socket(int family, int kind, int protocol);
#define socket pail_socket

#endif
