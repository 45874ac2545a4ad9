/* SPDX-License-Identifier: Apache-2.0 */
#include "platform/counters.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static const struct {
    const char *name;
    uint32_t type;
    uint64_t config;
} events[PAIL_COUNTERS] = {
    [PAIL_COUNTER_INSTRUCTIONS] = {"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
    [PAIL_COUNTER_CYCLES] = {"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
    [PAIL_COUNTER_TLB_MISSES] = {"TLB misses", PERF_TYPE_HW_CACHE,
                                 PERF_COUNT_HW_CACHE_DTLB | PERF_COUNT_HW_CACHE_OP_READ << 8 |
                                     PERF_COUNT_HW_CACHE_RESULT_MISS << 16},
};

static int open_event(enum pail_counter which)
{
    struct perf_event_attr attributes = {.type = events[which].type,
                                         .size = sizeof(attributes),
                                         .config = events[which].config,
                                         .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED |
                                                        PERF_FORMAT_TOTAL_TIME_RUNNING,
                                         .inherit = 1,
                                         .exclude_kernel = 1,
                                         .exclude_hv = 1};
    return (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

/* The limit of the kernel for users without privileges; 99: it is not there. */
static int paranoid(void)
{
    int level = 99;
    FILE *const file = fopen("/proc/sys/kernel/perf_event_paranoid", "re");
    if (!file)
        return level;
    if (fscanf(file, "%d", &level) != 1)
        level = 99;
    (void)fclose(file);
    return level;
}

static void explain(struct pail_counters *counters, enum pail_counter which, int number)
{
    char words[96];
    if (counters->reason[0] != '\0')
        return;
    const int level = paranoid();
    if ((number == EACCES || number == EPERM) && level != 99)
        (void)snprintf(counters->reason, sizeof(counters->reason),
                       "the kernel does not allow perf events (kernel.perf_event_paranoid is %d)",
                       level);
    else if (number == ENOSYS || number == EACCES || number == EPERM)
        (void)snprintf(counters->reason, sizeof(counters->reason),
                       "the system has no perf events, or a sandbox forbids them");
    else if (number == ENOENT || number == EOPNOTSUPP || number == ENODEV || number == EINVAL)
        (void)snprintf(counters->reason, sizeof(counters->reason),
                       "the processor, or the virtual machine, has no counter of %s",
                       events[which].name);
    else
        (void)snprintf(counters->reason, sizeof(counters->reason), "%s cannot be counted: %s",
                       events[which].name, strerror_r(number, words, sizeof(words)));
}

void pail_counters_begin(struct pail_counters *counters)
{
    *counters = PAIL_COUNTERS_NONE;
    for (enum pail_counter i = 0; i < PAIL_COUNTERS; i++) {
        counters->fds[i] = open_event(i);
        if (counters->fds[i] < 0)
            explain(counters, i, errno);
    }
}

bool pail_counters_read(struct pail_counters *counters, enum pail_counter which)
{
    struct pail_reading now;
    _Static_assert(sizeof(now) == 3 * sizeof(uint64_t), "as the kernel writes it");
    if (counters->fds[which] < 0)
        return false;
    if (read(counters->fds[which], &now, sizeof(now)) != (ssize_t)sizeof(now) || now.running == 0) {
        if (counters->reason[0] == '\0')
            (void)snprintf(counters->reason, sizeof(counters->reason),
                           "the counter of %s never ran: others have it", events[which].name);
        return false;
    }
    const bool ran = pail_counted_between(&counters->values[which], &counters->last[which], &now);
    counters->last[which] = now;
    return ran;
}

void pail_counters_end(struct pail_counters *counters)
{
    for (size_t i = 0; i < PAIL_COUNTERS; i++)
        if (counters->fds[i] >= 0)
            (void)close(counters->fds[i]);
    *counters = PAIL_COUNTERS_NONE;
}
