/* The command line of `pail msm`. */
#ifndef PAIL_TOOL_MSM_MSM_OPTIONS_H
#define PAIL_TOOL_MSM_MSM_OPTIONS_H

#include <stdbool.h>

#include <pail/encoding.h>

#include "options/knobs.h"
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
    enum pail_zkey_msm section;
    /* PAIL_SOURCE_RAW */
    const char *bases, *scalars;
    uint32_t encoding; /* pail_encoding, of the bases */
    /* PAIL_SOURCE_PAIRS */
    const char *pairs, *encoding_name;
    uint32_t form; /* pail_point_form; 0: none */
    /* PAIL_SOURCE_GENERATED */
    uint64_t n, seed;
    enum pail_scalar_dist dist;
    enum pail_base_kind base_kind;

    struct pail_session_params session;
    struct pail_knobs knobs;
    uint64_t repeat;
    bool check, json, verbose;
    bool help; /* print pail_msm_help and do nothing */
};

extern const char pail_msm_help[];

/* Strings stay in argv. Returns PAIL_OK or PAIL_ERR_ARGUMENT with a sentence. */
pail_status pail_msm_options_read(struct pail_msm_options *options, int argc, char **argv,
                                  char *error, size_t error_cap);

#endif /* PAIL_TOOL_MSM_MSM_OPTIONS_H */
