/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations of manual pages of macOS, as far as Pail asks: for the compiler alone. */
#ifndef STUB_SYS_SOCKET_H
#define STUB_SYS_SOCKET_H
#include <sys/types.h>
typedef uint32_t socklen_t;
typedef uint8_t sa_family_t;
struct sockaddr {
    uint8_t sa_len;
    sa_family_t sa_family;
    char sa_data[14];
};
struct sockaddr_storage {
    uint8_t ss_len;
    sa_family_t ss_family;
    char opaque[126];
};
enum { AF_UNIX = 1, AF_INET = 2, AF_INET6 = 30 };
enum {
    SOCK_STREAM = 1,
    SOCK_DGRAM = 2,
    SOL_SOCKET = 0xffff,
    SO_REUSEADDR = 4,
    SO_NOSIGPIPE = 0x1022,
    SOMAXCONN = 128
};
int socket(int family, int kind, int protocol);
int bind(int socket, const struct sockaddr *address, socklen_t bytes);
int connect(int socket, const struct sockaddr *address, socklen_t bytes);
int accept(int socket, struct sockaddr *address, socklen_t *bytes);
int listen(int socket, int backlog);
int getsockname(int socket, struct sockaddr *address, socklen_t *bytes);
int setsockopt(int socket, int level, int name, const void *value, socklen_t bytes);
int shutdown(int socket, int how);
ssize_t sendto(int socket, const void *from, size_t bytes, int flags,
               const struct sockaddr *address, socklen_t address_bytes);
enum { SHUT_RD = 0, SHUT_WR = 1, SHUT_RDWR = 2 };
#endif
