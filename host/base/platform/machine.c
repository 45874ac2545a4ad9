/* SPDX-License-Identifier: Apache-2.0 */
#include "platform/machine.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/processors.h"
#include "platform/thread.h"

enum { PATH_BYTES = 4096 + 32, LINE_BYTES = 4096, INDICES = 8, LEVEL = 3 };

/* The first line of a file of a cache; false: there is no such file. */
static bool read_line(char line[LINE_BYTES], const char *root, uint32_t processor, uint32_t index,
                      const char *name)
{
    char path[PATH_BYTES];
    (void)snprintf(path, sizeof(path), "%s/cpu%" PRIu32 "/cache/index%" PRIu32 "/%s", root,
                   processor, index, name);
    FILE *const file = fopen(path, "re");
    if (!file)
        return false;
    const bool found = fgets(line, LINE_BYTES, file);
    (void)fclose(file);
    return found;
}

static uint64_t bytes_of(const char *text)
{
    char *end;
    const uint64_t number = strtoull(text, &end, 10);
    return *end == 'K' ? number << 10 : *end == 'M' ? number << 20 : number;
}

static bool read_allowed(struct pail_processors *set, const char *proc)
{
    static const char word[] = "Cpus_allowed_list:";
    char path[PATH_BYTES], line[LINE_BYTES];
    bool found = false;
    (void)snprintf(path, sizeof(path), "%s/thread-self/status", proc);
    FILE *const file = fopen(path, "re");
    if (!file)
        return false;
    while (!found && fgets(line, sizeof(line), file))
        found = strncmp(line, word, sizeof(word) - 1) == 0;
    (void)fclose(file);
    if (found)
        (void)pail_processors_read(set, line + sizeof(word) - 1 +
                                            strspn(line + sizeof(word) - 1, " \t"));
    return found && set->count != 0;
}

/* The bytes of the cache of a processor, with the first of those allowed that share it. */
static uint64_t cache_of(const char *root, const struct pail_processors *allowed,
                         uint32_t processor)
{
    static _Thread_local struct pail_processors shared;
    char line[LINE_BYTES];
    for (uint32_t index = 0; index < INDICES; index++) {
        if (!read_line(line, root, processor, index, "level") || atoi(line) != LEVEL)
            continue;
        if (!read_line(line, root, processor, index, "shared_cpu_list"))
            return 0;
        (void)pail_processors_read(&shared, line);
        for (uint32_t i = 0; i < processor; i++)
            if (pail_processors_has(&shared, i) && pail_processors_has(allowed, i))
                return 0;
        return read_line(line, root, processor, index, "size") ? bytes_of(line) : 0;
    }
    return 0;
}

/* Time that a group has, in processors, rounded up. */
static void look_at_time(void *user, const char *folder)
{
    uint32_t *const processors = user;
    char path[PATH_BYTES];
    uint64_t quota, period;
    (void)snprintf(path, sizeof(path), "%s/cpu.max", folder);
    FILE *const file = fopen(path, "re");
    if (!file)
        return;
    if (fscanf(file, "%" SCNu64 " %" SCNu64, &quota, &period) == 2 && period != 0 &&
        quota / period < *processors)
        *processors = (uint32_t)(quota / period + (quota % period != 0));
    (void)fclose(file);
}

void pail_read_caches(struct pail_caches *caches, const struct pail_processor_files *files)
{
    static const struct pail_processor_files usual = {"/sys/devices/system/cpu", "/proc",
                                                      "/sys/fs/cgroup"};
    static _Thread_local struct pail_processors allowed;
    const struct pail_processor_files *const from = files ? files : &usual;
    if (!files)
        pail_processors_of_threads(&allowed);
    const bool known = files ? read_allowed(&allowed, from->proc) : allowed.count != 0;
    *caches = (struct pail_caches){.processors = known    ? allowed.count
                                                 : !files ? pail_team_processors()
                                                          : 1};
    for (uint32_t i = 0; i < PAIL_PROCESSORS_MAX && known; i++)
        if (pail_processors_has(&allowed, i))
            caches->l3_bytes += cache_of(from->cpus, &allowed, i);
    pail_each_group(from->proc, from->cgroup, look_at_time, &caches->processors);
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

/* ---- Control groups -------------------------------------------------------------------------- */

void pail_each_group(const char *proc, const char *cgroup,
                     void (*look)(void *user, const char *folder), void *user)
{
    char path[LINE_BYTES], line[LINE_BYTES / 2];
    (void)snprintf(path, sizeof(path), "%s/self/cgroup", proc);
    FILE *const file = fopen(path, "re");
    if (!file)
        return;
    bool found = false;
    while (!found && fgets(line, sizeof(line), file))
        found = strncmp(line, "0::/", 4) == 0;
    (void)fclose(file);
    if (!found)
        return;
    line[strcspn(line, "\n")] = '\0';
    (void)snprintf(path, sizeof(path), "%s%s", cgroup, line + 3);
    const size_t root = strlen(cgroup);
    for (char *slash = path + strlen(path); slash && slash >= path + root;
         slash = strrchr(path, '/')) {
        *slash = '\0';
        look(user, path);
        if (slash == path + root)
            break;
    }
}
