/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* SOCK_CLOEXEC */

#include "notify.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <platform/process.h>

void pail_notify(const char *text)
{
    const char *const path = pail_env("NOTIFY_SOCKET");
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const size_t chars = path ? strlen(path) : 0;
    if (chars == 0 || chars >= sizeof(address.sun_path) || (path[0] != '/' && path[0] != '@'))
        return;
    memcpy(address.sun_path, path, chars);
    if (path[0] == '@') /* an abstract one */
        address.sun_path[0] = '\0';
    const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return;
    (void)sendto(fd, text, strlen(text), MSG_NOSIGNAL, (const struct sockaddr *)&address,
                 (socklen_t)(offsetof(struct sockaddr_un, sun_path) + chars));
    (void)close(fd);
}

uint64_t pail_notify_watchdog_ns(void)
{
    const char *const usec = pail_env("WATCHDOG_USEC"), *const pid = pail_env("WATCHDOG_PID");
    if (!usec || (pid && strtol(pid, NULL, 10) != (long)getpid()))
        return 0;
    const unsigned long long value = strtoull(usec, NULL, 10);
    return value < UINT64_MAX / 1000 ? 1000 * value / 2 : 0;
}
