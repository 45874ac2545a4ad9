/* SPDX-License-Identifier: Apache-2.0 */
/* A backend with a context on a device: the choice of the backend, devices by their names. */
#ifndef PAIL_TOOL_PROCESS_SESSION_H
#define PAIL_TOOL_PROCESS_SESSION_H

#include <stdbool.h>

#include <pail/devices.h>
#include <pail/pail.h>
#include <pail/prover.h>

#include "error/error.h"
#include "options/table.h"

struct pail_choice {
    pail_status status;          /* of pail_registry_find; otherwise reason is its sentence */
    const pail_backend *backend; /* for multiplications, without --backend; NULL: none */
    const pail_backend *sizer;   /* for sizes of stacks; NULL: none */
    const pail_backend *builder; /* for pipelines and measured choices; NULL: none */
    char reason[1024];
};

void pail_choice_explain(struct pail_choice *choice, const pail_registry *registry);

/* ---- Devices by their names ------------------------------------------------------------------ */

/* Reads the facts of one of a backend's devices. Makes no context. */
pail_status pail_device_read(pail_device_info *info, const pail_backend *backend,
                             const pail_host *host, const char *wanted, struct pail_error *error);

/* The same of the device that a context is made on where none is named. PAIL_ERR_UNSUPPORTED: there
 * is no such device. */
pail_status pail_device_read_best(pail_device_info *info, const pail_backend *backend,
                                  const pail_host *host, struct pail_error *error);

/* Calls `visit` for each device of a backend. On failure returns the backend's sentence, which is
 * valid until the next call into it; otherwise NULL. */
const char *pail_device_each(const pail_registry *registry, const pail_backend *backend,
                             void (*visit)(void *user, const pail_device_info *info), void *user);

/* ---- Sessions -------------------------------------------------------------------------------- */

/* For commands that multiply often enough for queues to pay. */
enum { PAIL_SESSION_SIDE_QUEUES = 5 };

struct pail_session {
    const pail_registry *registry;
    pail_registry *own_registry; /* NULL: the registry is somebody else's */
    const pail_backend *backend;
    pail_devices *devices; /* NULL: one device */
    pail_context *context;
    pail_device_info device;
    const char *cache_dir; /* as in the params */
    uint32_t side_queues;  /* the same */
    bool built_in;         /* the CPU backend */
    bool gave_way;         /* to it: a better backend is there, and its context cannot be made */
    char fallback[1024];   /* why it is the CPU backend though nobody asked for it; else empty */
};

struct pail_session_params {
    /* optional: a name; otherwise what the registry was made for, or the best backend. A registry
     * that is opened for one session alone gets it, too, so that nothing else is touched. */
    const char *backend;
    /* optional: an index, a part of the name of exactly one device, "all", or words of
     * pail_devices_params with a comma between them */
    const char *device;
    uint32_t needs;   /* pail_ability, or-ed: without them the backend is of no use here */
    uint32_t prefers; /* the same: the best backend that has them goes first, if none is named */
    uint32_t threads; /* of the CPU; 0: as many as there are processors */
    uint32_t side_queues; /* as in pail_context_params */
    /* optional: numbers of processors and of NUMA nodes on which threads of the session run, and
     * the thread of the call from then on. */
    const char *cpus, *numa;
    /* optional: the folder of the pipeline cache. Must stay valid as long as the session. */
    const char *cache_dir;
};

/* Rows of struct pail_session_params that commands have in common: --backend, --device,
 * --cpu-threads, --cpus and --numa. */
enum { PAIL_SESSION_ROWS = 5 };
extern const struct pail_option pail_session_rows[PAIL_SESSION_ROWS];
#define PAIL_SESSION_PART(type, member)                                                            \
    .rows = pail_session_rows, .n = PAIL_SESSION_ROWS, .offset = offsetof(type, member)
#define PAIL_HELP_DEVICE "index of a device, or a part of its name; several: 0,1 or all"
#define PAIL_HELP_B2                                                                               \
    "where to compute B2, the multiplication in G2: on the device, or on the CPU at the same "     \
    "time; auto: on a GPU, or beside a software driver"
#define PAIL_HELP_SHARE   "deprecated: 1 to 16 are accepted, and have no effect"
#define PAIL_HELP_VERBOSE "print the backend's log"

/* Notes what a function of the backend has returned, with its name and its sentence if it failed.
 * context: that of the call, or NULL. Returns the status. */
pail_status pail_backend_said(struct pail_error *error, const pail_backend *backend,
                              const pail_context *context, pail_status status);
pail_status pail_session_said(struct pail_error *error, const struct pail_session *session,
                              pail_status status);

/* The backend that a session would be opened on, if no device is named. Returns PAIL_OK or a status
 * with a sentence in *error. */
pail_status pail_session_choose(const pail_backend **backend, const pail_registry *registry,
                                const struct pail_session_params *params, struct pail_error *error);

/* A backend that nobody named and whose context cannot be made gives way to the CPU backend, if
 * that can do what is needed, unless a device was named. Returns PAIL_OK or a status with a
 * sentence in *error. */
pail_status pail_session_open(struct pail_session *session, const pail_registry *registry,
                              const struct pail_session_params *params, struct pail_error *error);

/* Says on standard error, in time, if the CPU backend is used though nobody asked for it. */
void pail_session_notice(const struct pail_session *session);

/* The same with a registry of its own, made for the backend that is named, if one is, so that
 * nothing else is touched, and with that notice. To be closed in any case. host: must stay valid as
 * long as the session. */
pail_status pail_session_begin(struct pail_session *session, const pail_host *host,
                               const struct pail_session_params *params, struct pail_error *error);

/* The CPU backend, to check others against. */
pail_status pail_session_open_cpu(struct pail_session *session, const pail_registry *registry,
                                  uint32_t threads, struct pail_error *error);

/* A new context on the same device. Everything made with the one before must be gone. On failure
 * there is none. */
pail_status pail_session_renew(struct pail_session *session, uint32_t threads,
                               struct pail_error *error);

enum { PAIL_SESSION_DEVICES_MAX = 16 }; /* as many as a prover has at most */

/* The devices of the session one by one, for provers; one where it has one. They live as long as
 * the session. Out: devices: [PAIL_SESSION_DEVICES_MAX]; *n. Returns PAIL_OK or a status with a
 * sentence. */
pail_status pail_session_members(pail_prover_device *devices, uint32_t *n,
                                 const struct pail_session *session, struct pail_error *error);

/* A context of its own on the same device, beside the session's, and nothing else that would have
 * to be closed: for when that is lost. Out: fresh: without a context on failure. */
pail_status pail_session_again(struct pail_session *fresh, const struct pail_session *session,
                               uint32_t threads, struct pail_error *error);

/* Legal on a session that is zeroed or failed to open. */
void pail_session_close(struct pail_session *session);

#endif /* PAIL_TOOL_PROCESS_SESSION_H */
