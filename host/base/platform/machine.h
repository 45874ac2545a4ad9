/* SPDX-License-Identifier: Apache-2.0 */
/* The machine: memory, processors, control groups, installed drivers. */
#ifndef PAIL_PLATFORM_MACHINE_H
#define PAIL_PLATFORM_MACHINE_H

#include <stddef.h>
#include <stdint.h>

/* ---- Memory, processors and names of the machine --------------------------------------------- */

/* Bytes of memory, whoever has them; 0: it cannot be told. */
uint64_t pail_machine_memory(void);

/* Processors that are switched on; at least 1. pail_team_processors: those that this thread may
 * run on. */
uint32_t pail_machine_processors(void);

/* The C library's text for an error number; in words [capacity], or constant. */
const char *pail_machine_error(int error, char *words, size_t capacity);

/* Number of threads that a multiplication on the host may take: more buckets than the caches hold
 * make each thread slower, and everybody else as well. */

struct pail_caches {
    uint32_t processors; /* processors that this process may use at a time: by its affinity, and by
                          * the time that its control groups (version 2) give it */
    uint64_t l3_bytes;   /* size of the third-level caches of these processors; 0: unknown */
};

/* Files and folders in which the system describes processors. */
struct pail_processor_files {
    const char *cpus;   /* has cpu0/cache */
    const char *proc;   /* has thread-self/status and self/cgroup */
    const char *cgroup; /* mount point of the unified hierarchy */
};

/* files: NULL: the system's own. */
void pail_read_caches(struct pail_caches *caches, const struct pail_processor_files *files);

/* min(processors, cap / bytes of a worker), at least 1. cap_bytes 0: half of the third-level
 * caches; where these are unknown as well, all processors. */
uint32_t pail_pool_threads(const struct pail_caches *caches, uint64_t cap_bytes,
                           uint64_t worker_bytes);

/* ---- Control groups, version 2 --------------------------------------------------------------- */

/* Calls look with the folder of each group that the process is in, its own first and the root last.
 * proc: has self/cgroup. cgroup: where the unified hierarchy is mounted. */
void pail_each_group(const char *proc, const char *cgroup,
                     void (*look)(void *user, const char *folder), void *user);

/* ---- The terminal -----------------------------------------------------------------------------
 */

/* Columns of the terminal that the descriptor is; 0: it is none, or does not say. */
unsigned pail_terminal_columns(int descriptor);

/* ---- Drivers of devices that are installed, as far as files tell: none is opened ------------- */

/* Calls `each` with bytes that are other ones once a driver of Vulkan or of a graphics processor
 * was installed, removed or replaced, a device came or went, or the environment chooses other ones:
 * names, sizes and times of files, names of devices, values of variables. In any order. Where the
 * system keeps drivers elsewhere than in files, only variables are told. Takes less than a
 * millisecond and fails at nothing: what cannot be read is not told. */
void pail_drivers_tell(void (*each)(void *user, const void *bytes, size_t size), void *user);

/* The variables that choose drivers and devices; those of the loader of Vulkan and of its drivers,
 * and where plugins are. */

#define PAIL_DRIVERS_ENV                                                                           \
    "VK_DRIVER_FILES", "VK_ICD_FILENAMES", "VK_ADD_DRIVER_FILES", "VK_LOADER_DRIVERS_SELECT",      \
        "VK_LOADER_DRIVERS_DISABLE", "VK_LOADER_DEVICE_SELECT", "VK_INSTANCE_LAYERS",              \
        "MESA_VK_DEVICE_SELECT", "DRI_PRIME", "CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES",    \
        "XDG_DATA_HOME", "XDG_DATA_DIRS", "XDG_CONFIG_HOME", "XDG_CONFIG_DIRS",                    \
        "PAIL_BACKEND_PATH", "PAIL_LIMITS", "PAIL_DEBUG"

#endif /* PAIL_PLATFORM_MACHINE_H */
