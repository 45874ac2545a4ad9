/* The command line of `pail msm`. */
#ifndef PAIL_TOOL_MSM_MSM_OPTIONS_H
#define PAIL_TOOL_MSM_MSM_OPTIONS_H

#include <stdbool.h>

#include <pail/encoding.h>

#include "error/error.h"
#include "options/knobs.h"
#include "process/ranks.h"
#include "process/session.h"
#include <curves/inputs.h>
#include <formats/zkey.h>

enum pail_msm_source {
    PAIL_SOURCE_ZKEY,
    PAIL_SOURCE_RAW,
    PAIL_SOURCE_PAIRS,
    PAIL_SOURCE_GENERATED
};

struct pail_msm_options {
    uint32_t curve, group; /* pail_curve, pail_group */
    enum pail_msm_source source;
    /* PAIL_SOURCE_ZKEY */
    const char *zkey, *wtns;
    uint32_t section; /* pail_zkey_msm */
    /* PAIL_SOURCE_RAW */
    const char *bases, *scalars;
    uint32_t encoding; /* pail_encoding, of the bases */
    /* PAIL_SOURCE_PAIRS */
    const char *pairs, *encoding_name;
    uint32_t form; /* pail_point_form; 0: none */
    /* PAIL_SOURCE_GENERATED */
    uint64_t n, seed;
    uint32_t dist, base_kind; /* pail_scalar_dist, pail_base_kind */

    struct pail_session_params session;
    struct pail_knobs knobs;
    uint32_t cluster;         /* pail_cluster_names; 0: none */
    struct pail_ranks *ranks; /* NULL: none */
    uint64_t repeat;
    bool check, json, verbose;
};

/* Completes options that were read, by what was given. Returns PAIL_OK or PAIL_ERR_ARGUMENT with a
 * sentence. */
pail_status pail_msm_options_settle(struct pail_msm_options *options, const struct pail_call *call,
                                    struct pail_error *error);

/* The run of `pail msm`. */
void pail_msm_run_command(struct pail_error *error, void *options, const struct pail_call *call);

#endif /* PAIL_TOOL_MSM_MSM_OPTIONS_H */
