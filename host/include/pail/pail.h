/* Pail: the host library. Finds compute backends, loads them, and chooses one.
 *
 * The work itself goes through the table in <pail/backend.h>, whose rules hold here too. A minimal
 * program:
 *
 *     pail_registry *registry = NULL;
 *     const pail_backend *backend = NULL;
 *     char error[512];
 *     if (pail_registry_create(&registry, NULL, error, sizeof error) != PAIL_OK ||
 *         pail_registry_find(registry, &backend, NULL, error, sizeof error) != PAIL_OK) {
 *         ...error is the sentence...
 *     }
 *     ...backend->context_create(pail_registry_host(registry), &context, &params)...
 *     ...backend->context_destroy(&context)...
 *     pail_registry_destroy(&registry);
 *
 * Text of errors: functions that can fail in more than one way take a buffer of the caller's,
 * `error` with room for `capacity` bytes. On failure it receives one sentence, cut to fit and ended
 * with a zero byte; on success the empty string. It may be NULL when `capacity` is 0.
 */
#ifndef PAIL_PAIL_H
#define PAIL_PAIL_H

#include <pail/backend.h>

#if defined(__ELF__) /* elsewhere it is the linker that is told what to export */
#define PAIL_API __attribute__((visibility("default")))
#else
#define PAIL_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this library, "1.0.0". Static storage. */
PAIL_API const char *pail_version(void);

/* The enumerator of a status as text, "PAIL_ERR_DATA"; "unknown status" for any other value. Static
 * storage. */
PAIL_API const char *pail_status_name(pail_status status);

/* ---- Registry --------------------------------------------------------------------------------
 * The backends of this process: every plugin that was found, and the CPU backend, which is built
 * in. Immutable once made. Thread-safety: safe.
 *
 * Where plugins are looked for, in this order:
 *  1. the elements of PAIL_BACKEND_PATH (or of `path` below), separated by colons: a folder, or
 *     one file. The variable is ignored in a process with raised privileges (set-user-ID), as is
 *     every other variable of Pail;
 *  2. the folder that libpail.so was loaded from, and the folder `pail` in it;
 *  3. the folder `pail` in the library folder that libpail.so was installed to.
 * In a folder, the files named libpail-*.so are tried, in byte order of their names, but for
 * libpail-mpi.so, which is no backend (<pail/cluster.h>).
 *
 * What is never loaded, whoever asks for it:
 *  - anything named by a path that does not start with a slash, or by an empty element;
 *  - anything in the working directory, unless that is a folder of 2 or 3;
 *  - a file, or a file in or below a folder, that someone else could have put there: writable by
 *    everybody, by a group that is not trusted, or owned by somebody who is not trusted. Trusted
 *    are root, the user and group the process runs as, and whoever could as well replace
 *    libpail.so itself. A folder higher up may be writable by everybody when it is sticky, as /tmp
 *    is; the folder that holds the plugin may not. Access control lists count as modes do, and
 *    one that cannot be read is refused; nobody is trusted for being in a list;
 *  - a file that is cut off or damaged in its headers, or would look for the libraries it needs in
 *    the working directory.
 * All of this is judged after symbolic links are resolved. One file is loaded once. */
typedef struct pail_registry pail_registry;

typedef enum pail_registry_flag {
    PAIL_REGISTRY_PATH_ONLY = 1 << 0, /* look in no folder of 2 and 3 */
    PAIL_REGISTRY_FORCE_32 = 0x7fffffff
} pail_registry_flag;

typedef struct pail_registry_params {
    uint32_t struct_size;
    uint32_t flags;        /* pail_registry_flag */
    const pail_host *host; /* optional. Copied; what it points to must outlive the registry */
    const char *path;      /* optional: in place of the value of PAIL_BACKEND_PATH */
    /* optional, only read during the call: the name of the one backend that is wanted; otherwise
     * the value of PAIL_BACKEND, where that is set and not empty. It is what pail_registry_find
     * looks for when it is given no name. The CPU backend is there in any case, for it costs
     * nothing until a context is made. With "cpu", the name of what is built in, no plugin is
     * looked for and none is opened, though one may have that name. With another name plugins are
     * opened, for only then they tell theirs, but those of other names are not scored, so that
     * their drivers stay closed: their entries have a reason and no score. */
    const char *backend;
} pail_registry_params;

/* What became of one plugin, file or folder. Strings live as long as the registry. */
typedef struct pail_registry_entry {
    uint32_t struct_size;          /* in: set by the caller. Everything below: out */
    pail_status status;            /* PAIL_OK: usable. Otherwise `reason` says why it is not */
    uint32_t score;                /* higher is better; 0 when not usable */
    uint32_t abi_major, abi_minor; /* of the table; 0.0 when it was not opened */
    uint32_t reserved;
    const char *name;            /* of the backend; NULL when it was not opened */
    const char *version;         /* of the backend; NULL when it was not opened */
    const char *path;            /* with links resolved where possible; NULL: built in */
    const char *reason;          /* one sentence; empty when usable */
    const pail_backend *backend; /* NULL when it was not opened. Set, with score 0, when it was
                                    opened but has no device of its own to offer */
} pail_registry_entry;

/* Searches, opens, negotiates and scores. A plugin that cannot be used is an entry with a reason
 * (and a line in the host's log), never a failure of this function.
 *
 * Out: *registry: to be given to pail_registry_destroy.
 * In:  params: optional.
 * Returns PAIL_OK, PAIL_ERR_ARGUMENT (also in a child of fork of a process that has used the
 * library), PAIL_ERR_ABI (params->host has another MAJOR) or PAIL_ERR_HOST_MEMORY. */
PAIL_API pail_status pail_registry_create(pail_registry **registry,
                                          const pail_registry_params *params, char *error,
                                          size_t capacity);

/* Unloads the plugins. Every object that was made through one of the backends must be gone; a
 * plugin of Pail's that has a context left stays loaded until that is gone, and the first dlclose
 * of anything unloads it then. In a child of fork it only sets the handle to NULL. */
PAIL_API void pail_registry_destroy(pail_registry **registry);

/* The host struct that the plugins were opened with; the one to hand to the functions of a backend.
 * Lives as long as the registry. */
PAIL_API const pail_host *pail_registry_host(const pail_registry *registry);

/* How many entries there are: at least 1. The CPU backend is the last one. */
PAIL_API size_t pail_registry_count(const pail_registry *registry);

/* Returns PAIL_OK, or PAIL_ERR_ARGUMENT when there is no entry of that index. */
PAIL_API pail_status pail_registry_get(const pail_registry *registry, pail_registry_entry *entry,
                                       size_t index);

/* The name that the registry was made for: params->backend, or what PAIL_BACKEND said. NULL: none,
 * so that the score decides. Lives as long as the registry. */
PAIL_API const char *pail_registry_wanted(const pail_registry *registry);

/* Chooses a backend: the one with the highest score, the earlier entry of equals. A GPU comes
 * first, then the CPU backend, then a software Vulkan driver, which takes longer than the CPU
 * backend does.
 *
 * Out: *backend: lives as long as the registry.
 * In:  name: optional: only backends of that name; otherwise of the name that the registry was made
 *      for, if it was made for one. Nothing is ever taken in place of a name.
 * Returns PAIL_OK, PAIL_ERR_ARGUMENT when there is no backend of that name (the sentence lists the
 * names there are, and what could not be opened), or PAIL_ERR_UNSUPPORTED when it cannot be used on
 * this machine. */
PAIL_API pail_status pail_registry_find(const pail_registry *registry, const pail_backend **backend,
                                        const char *name, char *error, size_t capacity);

/* What not every backend can. The CPU backend multiplies and has vectors, and none of the rest. */
typedef enum pail_ability {
    PAIL_ABILITY_MEMORY = 1 << 0,    /* memory at device addresses: memory_create and its kin */
    PAIL_ABILITY_ACCOUNT = 1 << 1,   /* an account of a multiplication's memory: msm_memory */
    PAIL_ABILITY_BUCKETS = 1 << 2,   /* msm_buckets */
    PAIL_ABILITY_ADSTACK = 1 << 3,   /* sizes of history stacks: adstack_evaluate and its kin */
    PAIL_ABILITY_PIPELINES = 1 << 4, /* warm */
    PAIL_ABILITY_TUNING = 1 << 5,    /* tuning_get, tuning_set */
    PAIL_ABILITY_VECTORS = 1 << 6,   /* vectors of scalars: vector_start and its kin */
    PAIL_ABILITY_ALL = (1 << 7) - 1,
    PAIL_ABILITY_FORCE_32 = 0x7fffffff
} pail_ability;

/* Returns 1 when the table has the slots of all the abilities (pail_ability, or-ed); otherwise, and
 * for NULL, 0. */
PAIL_API int pail_backend_can(const pail_backend *backend, uint32_t abilities);

/* As pail_registry_find, among the backends that have all the abilities in `needs`: so a host that
 * sizes history stacks gets the Vulkan plugin on a machine where the CPU backend is the best.
 * PAIL_ERR_UNSUPPORTED also when there is none; the sentence says which lacks what. */
PAIL_API pail_status pail_registry_find_for(const pail_registry *registry,
                                            const pail_backend **backend, const char *name,
                                            uint32_t needs, char *error, size_t capacity);

/* ---- Conveniences ----------------------------------------------------------------------------
 */

/* Starts one multiplication, waits for it and delivers: msm_start and msm_finish of the table. On
 * failure backend->error(context) has the sentence.
 *
 * Out: result; stats: optional. struct_size of each is in.
 * In:  job; config: optional.
 * Returns what those functions return, PAIL_ERR_UNSUPPORTED when the table lacks them, or
 * PAIL_ERR_ARGUMENT when backend or result is NULL. */
PAIL_API pail_status pail_msm(const pail_backend *backend, pail_context *context,
                              pail_msm_result *result, pail_stats *stats, const pail_msm_job *job,
                              const pail_msm_config *config);

#ifdef __cplusplus
}
#endif

#endif /* PAIL_PAIL_H */
