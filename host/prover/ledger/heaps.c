/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L

#include "heaps.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <cpu/cpu.h>
#include <platform/machine.h>

enum { PATH_BYTES = 4096, LINE_BYTES = 256 };

/* Reads the number behind a word at the beginning of a line; false: there is none. */
static bool read_number(const char *path, const char *word, uint64_t *number)
{
    char line[LINE_BYTES];
    bool found = false;
    FILE *const file = fopen(path, "re");
    if (!file)
        return false;
    const size_t length = strlen(word);
    while (!found && fgets(line, sizeof(line), file))
        found = strncmp(line, word, length) == 0 &&
                sscanf(line + length, "%*[: ]%" SCNu64, number) == 1;
    (void)fclose(file);
    return found;
}

/* Reads a file that is a number; "max" and a missing file are no limit. */
static bool read_limit(const char *folder, const char *name, uint64_t *number)
{
    char path[PATH_BYTES + 32];
    (void)snprintf(path, sizeof(path), "%s/%s", folder, name);
    FILE *const file = fopen(path, "re");
    if (!file)
        return false;
    const bool found = fscanf(file, "%" SCNu64, number) == 1;
    (void)fclose(file);
    return found;
}

static void lower(uint64_t *value, uint64_t to)
{
    if (to < *value)
        *value = to;
}

static void look_at_group(void *user, const char *folder)
{
    struct pail_heap_reading *const reading = user;
    char path[PATH_BYTES + 32];
    uint64_t limit, current = 0, cache = 0;
    if (!read_limit(folder, "memory.max", &limit))
        return;
    lower(&reading->size, limit);
    (void)read_limit(folder, "memory.current", &current);
    (void)snprintf(path, sizeof(path), "%s/memory.stat", folder);
    (void)read_number(path, "inactive_file", &cache);
    const uint64_t held = current > cache ? current - cache : 0;
    lower(&reading->free, limit > held ? limit - held : 0);
}

void pail_read_host_memory(void *user, struct pail_heap_reading *reading)
{
    static const struct pail_host_files usual = {"/proc", "/sys/fs/cgroup"};
    const struct pail_host_files *const files = user ? user : &usual;
    char path[PATH_BYTES];
    uint64_t total, available;
    *reading = (struct pail_heap_reading){0};
    (void)snprintf(path, sizeof(path), "%s/meminfo", files->proc);
    if (!read_number(path, "MemTotal", &total) || !read_number(path, "MemAvailable", &available))
        return;
    *reading = (struct pail_heap_reading){
        .size = total * 1024, .free = available * 1024, .free_known = true};
    pail_each_group(files->proc, files->cgroup, look_at_group, reading);
}

/* Takes the driver's account, where it has one (context_device of the boundary). */
static void read_device_memory(void *user, struct pail_heap_reading *reading)
{
    const struct pail_device_heap *const heap = user;
    pail_device_info info = {.struct_size = sizeof(info)};
    *reading = (struct pail_heap_reading){0};
    if (heap->backend->context_device(heap->context, &info) != PAIL_OK)
        return;
    *reading =
        (struct pail_heap_reading){.size = info.heap_bytes,
                                   .free = info.budget_bytes,
                                   .free_known = (info.features & PAIL_FEATURE_MEMORY_BUDGET) != 0};
}

void pail_describe_device_heap(struct pail_ledger_heap *heap, struct pail_device_heap *device,
                               uint32_t host)
{
    pail_device_info info = {.struct_size = sizeof(info)};
    const bool on_host = device->backend->context_device(device->context, &info) == PAIL_OK &&
                         (info.features & PAIL_FEATURE_UNIFIED_MEMORY) != 0;
    /* The CPU backend's account is the host's. */
    const bool has_account = !pail_is_cpu(device->backend);
    *heap = (struct pail_ledger_heap){.name = "device",
                                      .within = on_host ? host + 1 : 0,
                                      .read = has_account ? read_device_memory : NULL,
                                      .user = device};
}
