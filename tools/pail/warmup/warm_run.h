/* A warm-up of one device, and what came of it. */
#ifndef PAIL_TOOL_WARMUP_WARM_RUN_H
#define PAIL_TOOL_WARMUP_WARM_RUN_H

#include "process/session.h"
#include "selection.h"

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

#endif /* PAIL_TOOL_WARMUP_WARM_RUN_H */
