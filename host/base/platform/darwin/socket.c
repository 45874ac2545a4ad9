#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#undef socket

int pail_socket(int family, int kind, int protocol)
{
    static const int on = 1;
    const int made = socket(family, kind & ~(SOCK_CLOEXEC | SOCK_NONBLOCK), protocol);
    if (made < 0)
        return made;
    if ((kind & SOCK_CLOEXEC && fcntl(made, F_SETFD, FD_CLOEXEC) != 0) ||
        (kind & SOCK_NONBLOCK && fcntl(made, F_SETFL, O_NONBLOCK) != 0) ||
        setsockopt(made, SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof(on)) != 0) {
        (void)close(made);
        return -1;
    }
    return made;
}
