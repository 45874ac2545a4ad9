/* SPDX-License-Identifier: Apache-2.0 */
#include "platform/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

bool pail_probe_open(struct pail_probe *probe)
{
    if (pipe(probe->ends) != 0)
        return false;
    (void)fcntl(probe->ends[0], F_SETFD, FD_CLOEXEC);
    (void)fcntl(probe->ends[1], F_SETFD, FD_CLOEXEC);
    return true;
}

void pail_probe_close(struct pail_probe *probe)
{
    (void)close(probe->ends[0]);
    (void)close(probe->ends[1]);
}

/* Through a pipe: of an address that is none, write(2) says so instead of a fault. */
bool pail_probe_holds(const struct pail_probe *probe, uint64_t address, uint32_t word)
{
    const void *pointer = (const void *)(uintptr_t)address;
    uint32_t got = 0;
    ssize_t n;
    while ((n = write(probe->ends[1], pointer, sizeof(got))) < 0 && errno == EINTR)
        ;
    if (n != (ssize_t)sizeof(got))
        return false;
    while ((n = read(probe->ends[0], &got, sizeof(got))) < 0 && errno == EINTR)
        ;
    return n == (ssize_t)sizeof(got) && got == word;
}
