/* SPDX-License-Identifier: Apache-2.0 */
/* Pail: the host library. Finds compute backends, loads them, and chooses one.
 *
 * Computation is done by the functions of the table in <pail/backend.h>; the rules of that header
 * also apply here. A minimal program:
 *
 *     pail_registry *registry = NULL;
 *     const pail_backend *backend = NULL;
 *     char error[512];
 *     if (pail_registry_create(&registry, NULL, error, sizeof error) != PAIL_OK ||
 *         pail_registry_find(registry, &backend, NULL, error, sizeof error) != PAIL_OK) {
 *         ...error has the message...
 *     }
 *     ...backend->context_create(pail_registry_host(registry), &context, &params)...
 *     ...backend->context_destroy(&context)...
 *     pail_registry_destroy(&registry);
 *
 * Error messages: functions that can fail in several ways take a buffer `error` of `capacity`
 * bytes. On failure it receives one sentence, truncated to fit and zero-terminated; on success the
 * empty string. It may be NULL if `capacity` is 0. */
#ifndef PAIL_PAIL_H
#define PAIL_PAIL_H

#include <pail/backend.h>

#if defined(__ELF__) /* elsewhere the linker has a list of exports */
#define PAIL_API __attribute__((visibility("default")))
#else
#define PAIL_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this library, "1.0.0". Static storage. */
PAIL_API const char *pail_version(void);

/* The name of a status, such as "PAIL_ERR_DATA"; "unknown status" for other values. Static storage.
 */
PAIL_API const char *pail_status_name(pail_status status);

/* ---- Registry --------------------------------------------------------------------------------
 * The list of backends of this process: every plugin that was found, and the built-in CPU backend.
 * Immutable. Thread-safety: safe.
 *
 * Plugins are searched in this order:
 *  1. the elements of PAIL_BACKEND_PATH (or of `path` below), separated by colons: folders or
 *     files. Processes with raised privileges (set-user-ID) ignore the variable, like every other
 *     variable of Pail;
 *  2. the folder of the loaded libpail.so, and its subfolder `pail`;
 *  3. the subfolder `pail` of the library folder of the installation.
 * In a folder, files named libpail-*.so are tried, sorted by name, except libpail-mpi.so, which is
 * not a backend (<pail/cluster.h>).
 *
 * Never loaded are:
 *  - relative paths and empty elements;
 *  - files in the working directory, unless that is a folder of 2 or 3;
 *  - files that another user could have written: the file, or a folder above it, is writable by
 *    everybody or by an untrusted group, or has an untrusted owner. Trusted are root, the user and
 *    group of the process, and those who could replace libpail.so itself. A sticky folder writable
 *    by everybody, such as /tmp, is accepted above the plugin's folder, but not as that folder.
 *    Access control lists are checked as modes are. A list that cannot be read is refused, and no
 *    user is trusted because a list names it;
 *  - files with truncated or damaged headers, or with a library search path that includes the
 *    working directory.
 * Symbolic links are resolved before these checks. A file is loaded once. */
typedef struct pail_registry pail_registry;

typedef enum pail_registry_flag {
    PAIL_REGISTRY_PATH_ONLY = 1 << 0, /* do not search the folders of 2 and 3 */
    PAIL_REGISTRY_FORCE_32 = 0x7fffffff
} pail_registry_flag;

typedef struct pail_registry_params {
    uint32_t struct_size;
    uint32_t flags; /* pail_registry_flag */
    /* optional. Copied; objects that it points to must outlive the registry. */
    const pail_host *host;
    const char *path; /* optional: replaces PAIL_BACKEND_PATH */
    /* optional, only read during the call: the name of the requested backend; the default is the
     * value of PAIL_BACKEND, if set and not empty. pail_registry_find uses it when called without a
     * name. The registry always has the CPU backend. With "cpu" no plugin is searched or opened.
     * With another name, plugins are opened to learn their names, but those of other names are not
     * scored, so that their drivers stay closed: their entries have a reason and no score. */
    const char *backend;
} pail_registry_params;

/* The outcome for one plugin, file or folder. Strings live as long as the registry. */
typedef struct pail_registry_entry {
    uint32_t struct_size;          /* in: set by the caller. Everything below: out */
    pail_status status;            /* PAIL_OK: usable; otherwise see `reason` */
    uint32_t score;                /* higher is better; 0 when not usable */
    uint32_t abi_major, abi_minor; /* of the table; 0.0 if not opened */
    uint32_t reserved;
    const char *name;    /* of the backend; NULL if not opened */
    const char *version; /* of the backend; NULL if not opened */
    const char *path;    /* with links resolved if possible; NULL: built in */
    const char *reason;  /* one sentence; empty when usable */
    /* NULL if not opened. Set, with score 0, if it was opened but has no usable device. */
    const pail_backend *backend;
} pail_registry_entry;

/* Searches, opens and scores plugins. An unusable plugin is an entry with a reason, and a line in
 * the host's log; it is not a failure of this function.
 *
 * Out: *registry: owned by the caller; freed by pail_registry_destroy.
 * In:  params: optional.
 * Returns PAIL_OK, PAIL_ERR_ARGUMENT (also in a forked child of a process that has used the
 * library), PAIL_ERR_ABI (params->host has another MAJOR) or PAIL_ERR_HOST_MEMORY. */
PAIL_API pail_status pail_registry_create(pail_registry **registry,
                                          const pail_registry_params *params, char *error,
                                          size_t capacity);

/* Unloads the plugins. Objects made through their backends must have been destroyed; if a context
 * is left, Pail's plugin stays loaded until the context is destroyed and something calls dlclose.
 * In a forked child it only sets the handle to NULL. */
PAIL_API void pail_registry_destroy(pail_registry **registry);

/* Lets the calling thread, and threads that it makes from now on, run on some processors alone:
 * those of `cpus` that are of the NUMA nodes `numa`, of those that the thread may run on already.
 * Both are numbers as the kernel writes them, "0-3,8"; NULL or "": all. Call it before a registry
 * or a context is made, whose threads it is for; they touch their memory first, so that it is of
 * their node. Threads that are there stay where they are.
 *
 * Without a call, the variables PAIL_CPUS and PAIL_NUMA say the same of all threads that Pail makes
 * itself; pail_registry_create refuses what is wrong with them. After a call that chose processors
 * they count no more for this library. A backend in a library of its own still keeps to them as far
 * as they overlap: a program that calls removes them before.
 *
 * Returns PAIL_OK; PAIL_ERR_ARGUMENT for what is no such list, a node that is not there, or
 * processors of which this thread may run on none; PAIL_ERR_UNSUPPORTED: not on this system. On
 * failure nothing has changed. Thread-safety: safe. Since version 1.1 of the library. */
PAIL_API pail_status pail_processors_set(const char *cpus, const char *numa, char *error,
                                         size_t capacity);

/* The host struct with which the plugins were opened; pass it to the functions of a backend. Lives
 * as long as the registry. */
PAIL_API const pail_host *pail_registry_host(const pail_registry *registry);

/* The number of entries, at least 1. The CPU backend is the last one. */
PAIL_API size_t pail_registry_count(const pail_registry *registry);

/* Gets entry `index`. Returns PAIL_OK, or PAIL_ERR_ARGUMENT if there is no such entry. */
PAIL_API pail_status pail_registry_get(const pail_registry *registry, pail_registry_entry *entry,
                                       size_t index);

/* The requested backend: params->backend, or the value of PAIL_BACKEND. NULL: none; the score
 * decides. Lives as long as the registry. */
PAIL_API const char *pail_registry_wanted(const pail_registry *registry);

/* Chooses the backend with the highest score; of equal scores, the earlier entry. A GPU is
 * preferred to the CPU backend, and the CPU backend to a software Vulkan driver, which is slower.
 *
 * Out: *backend: lives as long as the registry.
 * In:  name: optional: consider only backends of that name; the default is the name requested of
 *      the registry, if any. There is no fallback to another name.
 * Returns PAIL_OK, PAIL_ERR_ARGUMENT if there is no backend of that name (the message lists the
 * available names, and plugins that could not be opened), or PAIL_ERR_UNSUPPORTED if it cannot be
 * used on this machine. */
PAIL_API pail_status pail_registry_find(const pail_registry *registry, const pail_backend **backend,
                                        const char *name, char *error, size_t capacity);

#define PAIL_CPU_NAME        "cpu" /* the name of the built-in CPU backend */
#define PAIL_CPU_THREADS_MAX 4096u /* the most threads of its contexts (pail_context_params) */

/* Optional features of backends. The CPU backend has PAIL_ABILITY_VECTORS and
 * PAIL_ABILITY_ADSTACK. */
typedef enum pail_ability {
    /* Memory at addresses of a device: memory_create and others. The CPU backend has those slots
     * from ABI 1.1 on, over host memory, but not this ability. */
    PAIL_ABILITY_MEMORY = 1 << 0,
    PAIL_ABILITY_ACCOUNT = 1 << 1, /* memory of a multiplication in advance: msm_memory */
    PAIL_ABILITY_BUCKETS = 1 << 2, /* msm_buckets */
    /* Sizes of history stacks: adstack_evaluate and others. A host that gives arrays at device
     * addresses, or records, asks for PAIL_ABILITY_MEMORY as well. */
    PAIL_ABILITY_ADSTACK = 1 << 3,
    PAIL_ABILITY_PIPELINES = 1 << 4, /* warm */
    PAIL_ABILITY_TUNING = 1 << 5,    /* tuning_get, tuning_set */
    PAIL_ABILITY_VECTORS = 1 << 6,   /* vectors of scalars: vector_start and others */
    PAIL_ABILITY_ALL = (1 << 7) - 1,
    PAIL_ABILITY_FORCE_32 = 0x7fffffff
} pail_ability;

/* Returns 1 if the table has all of the abilities (pail_ability, or-ed), 0 otherwise and for NULL.
 */
PAIL_API int pail_backend_can(const pail_backend *backend, uint32_t abilities);

/* As pail_registry_find, among the backends with all abilities in `needs` (pail_ability, or-ed).
 * For example, a host that sizes history stacks gets the Vulkan plugin, even where the CPU backend
 * has a higher score. PAIL_ERR_UNSUPPORTED also if no backend has them; the message says which lack
 * what. */
PAIL_API pail_status pail_registry_find_for(const pail_registry *registry,
                                            const pail_backend **backend, const char *name,
                                            uint32_t needs, char *error, size_t capacity);

/* ---- Conveniences ---------------------------------------------------------------------------- */

/* Computes one multi-scalar multiplication, and blocks until it is done: msm_start and msm_finish
 * of the table. On failure backend->error(context) returns the message. Thread-safety: as
 * msm_start.
 *
 * Out: result; stats: optional. The caller sets their struct_size.
 * In:  job; config: optional.
 * Returns what those functions return, PAIL_ERR_UNSUPPORTED if the table lacks them, or
 * PAIL_ERR_ARGUMENT if backend or result is NULL. */
PAIL_API pail_status pail_msm(const pail_backend *backend, pail_context *context,
                              pail_msm_result *result, pail_stats *stats, const pail_msm_job *job,
                              const pail_msm_config *config);

/* The root of unity that snarkjs and .zkey files use for transforms of 2^log_n elements, for `root`
 * of pail_vector_op: g^(2^(s - log_n)), where g = 5^((r - 1) / 2^s) and 2^s is the greatest power
 * of two that divides r - 1 (s is 28 on BN254, 32 on BLS12-381). Thread-safety: safe.
 *
 * Out: root: of order 2^log_n exactly; canonical, little-endian. Zeroed on failure.
 * In:  curve: pail_curve; log_n: 0 to s.
 * Returns PAIL_OK, or PAIL_ERR_ARGUMENT for an unknown curve, a log_n above s, or root NULL. Since
 * version 1.1 of the library. */
PAIL_API pail_status pail_root_of_unity(uint8_t root[PAIL_SCALAR_BYTES], uint32_t curve,
                                        uint32_t log_n);

#ifdef __cplusplus
}
#endif

#endif /* PAIL_PAIL_H */
