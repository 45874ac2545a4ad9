/* SPDX-License-Identifier: Apache-2.0 */
/* Pipelines that a deployment needs: options, a warm-up of one device, and its reports. */
#ifndef PAIL_TOOL_WARMUP_WARMUP_H
#define PAIL_TOOL_WARMUP_WARMUP_H

#include <stdbool.h>

#include <pail/backend.h>

#include "error/error.h"
#include "options/table.h"
#include "process/session.h"

/* The words that describe a shape, on the command line and in a manifest. */
enum pail_warm_key {
    PAIL_WARM_CURVE,
    PAIL_WARM_GROUP,
    PAIL_WARM_SIZES,
    PAIL_WARM_ACCUMULATORS,
    PAIL_WARM_KEYS
};

struct pail_warm_selection {
    bool all; /* every pipeline that a device can have; no items then */
    pail_warm_item *items;
    size_t n, capacity;
};

/* "curve", "group", "sizes", "accumulators" */
extern const char *const pail_warm_key_names[PAIL_WARM_KEYS];

void pail_warm_selection_free(struct pail_warm_selection *selection);

/* ---- Options --------------------------------------------------------------------------------- */

struct pail_warm_options {
    bool json;
    bool all, adstack, all_devices;
    bool expect_hits, verify;
    const char *manifest;
    const char *texts[PAIL_WARM_KEYS]; /* as given: --curve and its like; NULL: not given */
    const char *threads_text;          /* as given */
    const char *export_path, *import_path;
    struct pail_session_params session; /* with the folder of the cache */
};

enum { PAIL_WARM_ROWS = 23 };
extern const struct pail_option pail_warm_rows[PAIL_WARM_ROWS];

/* Completes options that were read. Returns PAIL_OK or PAIL_ERR_ARGUMENT with a sentence. Values of
 * the options that describe a shape are judged by pail_warm_options_select. */
pail_status pail_warm_options_check(struct pail_warm_options *options, struct pail_error *error);

/* True if there is anything to build: otherwise files are moved alone. */
bool pail_warm_options_build(const struct pail_warm_options *options);

/* Selects the pipelines to build. Returns as pail_warm_manifest_read, and PAIL_ERR_ARGUMENT. */
pail_status pail_warm_options_select(struct pail_warm_selection *selection,
                                     const struct pail_warm_options *options,
                                     struct pail_error *error);

/* ---- Running --------------------------------------------------------------------------------- */

struct pail_warm_tally {
    uint64_t memory, disk, compiled; /* pipelines that are there, by where they came from */
    uint64_t skipped;                /* not supported, and nobody asked for these in particular */
    uint64_t failed;
    uint64_t no_code; /* of those that are there: the driver keeps no code of them */
    uint64_t bytes;   /* of their entries */
    double ms;        /* of making them, summed over threads */
};

/* The fate of one pipeline. */
enum pail_warm_fate { PAIL_WARM_MADE, PAIL_WARM_SKIPPED, PAIL_WARM_FAILED };

struct pail_warm_device {
    const char *backend, *version; /* as long as the registry */
    pail_device_info info;
    pail_pipeline_info *rows; /* sorted by name and specialisation once the run is over */
    size_t n, capacity;
    struct pail_warm_tally tally;
    uint64_t unkept;         /* of the compiled ones: not in the file of the cache afterwards */
    char file[4352];         /* the cache file that pipelines are kept in */
    double wall_ms;          /* of everything: device, pipelines, writing the file */
    bool all;                /* the selection was */
    bool opened;             /* otherwise only the error says anything */
    struct pail_error error; /* the first failure */
};

struct pail_warm_listener {
    /* Called once the device is open. */
    void (*opened)(void *user, const struct pail_warm_device *device);
    /* Called after each pipeline, one call at a time, in any thread. */
    void (*made)(void *user, const struct pail_warm_device *device, const pail_pipeline_info *row);
    void *user;
};

enum pail_warm_fate pail_warm_fate_of(const struct pail_warm_device *device,
                                      const pail_pipeline_info *row);

/* "memory", "disk", "compiled" */
const char *pail_warm_origin_name(uint32_t origin);

/* Abilities that a backend must have (pail_ability, or-ed). */
uint32_t pail_warm_needs(const struct pail_warm_selection *selection);

/* Opens the device, builds, closes it, and looks whether the cache has kept what was built. The
 * outcome is in device->error: PAIL_ERR_UNSUPPORTED for a backend that compiles nothing, for
 * example. dir: folder of the cache.
 *
 * Out: *device: to be given to pail_warm_device_free in any case. */
void pail_warm_run(struct pail_warm_device *device, const pail_registry *registry,
                   const struct pail_session_params *params,
                   const struct pail_warm_selection *selection, const char *dir,
                   const struct pail_warm_listener *listener);

void pail_warm_device_free(struct pail_warm_device *device);

/* ---- A fresh process ------------------------------------------------------------------------- */

/* The report of the process. */
struct pail_warm_fresh {
    uint64_t pipelines, compiled;
    int exit; /* its status */
};

/* Runs this program anew with the same selection, --expect-hits and --json, and reads its summary;
 * its sentences go to standard error. Whatever its status is, PAIL_OK when it gave a summary;
 * otherwise PAIL_ERR_IO or PAIL_ERR_INTERNAL with a sentence. No context may be open. */
pail_status pail_warm_verify(struct pail_warm_fresh *fresh, const struct pail_warm_options *options,
                             struct pail_error *error);

#endif /* PAIL_TOOL_WARMUP_WARMUP_H */
