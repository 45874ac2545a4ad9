#define _GNU_SOURCE /* sched_getaffinity */

#include "pool_size.h"

#include <inttypes.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_BYTES = 512, LINE_BYTES = 256, INDICES = 8, LEVEL = 3 };

/* The first line of a file of a cache; false: there is no such file. */
static bool read_line(char line[LINE_BYTES], const char *root, uint32_t processor, uint32_t index,
                      const char *name)
{
    char path[PATH_BYTES];
    (void)snprintf(path, sizeof(path), "%s/cpu%" PRIu32 "/cache/index%" PRIu32 "/%s", root,
                   processor, index, name);
    FILE *const file = fopen(path, "re");
    if (file == NULL)
        return false;
    const bool found = fgets(line, LINE_BYTES, file) != NULL;
    (void)fclose(file);
    return found;
}

static uint64_t bytes_of(const char *text)
{
    char *end;
    const uint64_t number = strtoull(text, &end, 10);
    return *end == 'K' ? number << 10 : *end == 'M' ? number << 20 : number;
}

/* A cache counts with the first processor that shares it. */
static uint64_t cache_of(const char *root, uint32_t processor)
{
    char line[LINE_BYTES];
    for (uint32_t index = 0; index < INDICES; index++) {
        if (!read_line(line, root, processor, index, "level") || atoi(line) != LEVEL)
            continue;
        if (!read_line(line, root, processor, index, "shared_cpu_list") ||
            strtoul(line, NULL, 10) != processor)
            return 0;
        return read_line(line, root, processor, index, "size") ? bytes_of(line) : 0;
    }
    return 0;
}

void pail_read_caches(struct pail_caches *caches, const char *root)
{
    cpu_set_t set;
    const bool known = root == NULL && sched_getaffinity(0, sizeof(set), &set) == 0;
    const long all = sysconf(_SC_NPROCESSORS_CONF);
    *caches = (struct pail_caches){0};
    for (uint32_t i = 0; i < CPU_SETSIZE; i++) {
        char line[LINE_BYTES];
        const bool there = root != NULL ? read_line(line, root, i, LEVEL, "level")
                           : known      ? CPU_ISSET(i, &set) != 0
                                        : (long)i < all;
        caches->processors += there;
        /* Of one that this process may not use, too: its cache is shared with those it may. */
        caches->l3_bytes += cache_of(root != NULL ? root : "/sys/devices/system/cpu", i);
    }
    if (caches->processors == 0)
        caches->processors = 1;
}

uint32_t pail_pool_threads(const struct pail_caches *caches, uint64_t cap_bytes,
                           uint64_t worker_bytes)
{
    const uint64_t cap = cap_bytes != 0 ? cap_bytes : caches->l3_bytes / 2;
    if (cap == 0 || worker_bytes == 0)
        return caches->processors;
    const uint64_t workers = cap / worker_bytes;
    return workers == 0 ? 1 : workers < caches->processors ? (uint32_t)workers : caches->processors;
}
