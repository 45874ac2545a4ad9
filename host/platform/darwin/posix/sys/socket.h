#ifndef PAIL_DARWIN_SOCKET_H
#define PAIL_DARWIN_SOCKET_H

#include_next <sys/socket.h>

/* What Linux takes with the kind of a socket is said behind its back; a child that is started
 * meanwhile has it. No socket sends a signal when nobody reads from it any more. */
#define SOCK_CLOEXEC  0x10000000
#define SOCK_NONBLOCK 0x20000000
#define MSG_NOSIGNAL  0
int pail_socket(int family, int kind, int protocol);
#define socket pail_socket

#endif
