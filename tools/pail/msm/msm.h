/* SPDX-License-Identifier: Apache-2.0 */
/* `pail msm`: options, input, the run and its output. */
#ifndef PAIL_TOOL_MSM_MSM_H
#define PAIL_TOOL_MSM_MSM_H

#include <stdbool.h>
#include <stdio.h>

#include <pail/backend.h>

#include <formats/file.h>
#include <formats/pairs.h>
#include <formats/ptau.h>
#include <formats/wtns.h>
#include <formats/zkey.h>

#include "error/error.h"
#include "options/knobs.h"
#include "process/process.h"
#include "process/session.h"

/* Values of --section: of a proving key, then of powers of tau. */
enum {
    PAIL_MSM_PTAU_SECTIONS = PAIL_ZKEY_MSMS,
    PAIL_MSM_SECTIONS = PAIL_ZKEY_MSMS + PAIL_PTAU_SECTIONS
};

enum pail_msm_source {
    PAIL_SOURCE_ZKEY,
    PAIL_SOURCE_RAW,
    PAIL_SOURCE_PTAU,
    PAIL_SOURCE_PAIRS,
    PAIL_SOURCE_GENERATED
};

struct pail_msm_options {
    uint32_t curve, group; /* pail_curve, pail_group */
    enum pail_msm_source source;
    /* PAIL_SOURCE_ZKEY */
    const char *zkey, *wtns;
    uint32_t section; /* pail_zkey_msm; or, of PAIL_SOURCE_PTAU, PAIL_MSM_PTAU_SECTIONS + i */
    /* PAIL_SOURCE_RAW */
    const char *bases, *scalars; /* scalars: of PAIL_SOURCE_PTAU as well */
    uint32_t encoding;           /* pail_encoding, of the bases */
    /* PAIL_SOURCE_PTAU */
    const char *ptau;
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
    bool check, json;
};

/* Completes options that were read, by what was given. Returns PAIL_OK or PAIL_ERR_ARGUMENT with a
 * sentence. */
pail_status pail_msm_options_settle(struct pail_msm_options *options, const struct pail_call *call,
                                    struct pail_error *error);

/* The run of `pail msm`. */
void pail_msm_run_command(struct pail_error *error, void *options, const struct pail_call *call);

/* ---- Input ----------------------------------------------------------------------------------- */

/* Some of the points, one after the other, and their scalars. */
struct pail_msm_range {
    const uint8_t *bases;              /* [n], packed; NULL: they are read from the part */
    struct pail_file_part *bases_part; /* [n], packed; NULL: they are in memory */
    const uint8_t *scalars;            /* [n * 32] */
    size_t first, n;                   /* of the whole */
};

struct pail_msm_input {
    struct pail_msm_range own; /* the range that is multiplied here: everything without --cluster */
    bool scatter;              /* own.scalars come from rank 0 */
    const uint8_t *bases; /* [n], packed, of any alignment; NULL: they are read from the part */
    struct pail_file_part *bases_part; /* [n], packed; NULL: they are in memory */
    const uint8_t *scalars;            /* [n * 32], of any alignment */
    size_t n;
    size_t base_bytes;
    uint32_t encoding;     /* pail_encoding, of the bases */
    uint32_t validation;   /* pail_validation that the source asks for */
    size_t zeros, ones;    /* scalars that are */
    char bases_label[512]; /* for people: where they come from */
    char scalars_label[512];
    double load_ms;

    /* Memory that the pointers above point into. */
    struct pail_zkey key;
    struct pail_wtns witness;
    struct pail_ptau ptau;
    struct pail_raw base_file, scalar_file;
    struct pail_file_part part, own_part;
    struct pail_pairs pairs;
    uint8_t *made_bases, *made_scalars, *own_scalars;
    size_t made_n, own_n; /* scalars that were made, and that are this rank's */
    size_t made_first;    /* of the whole: what was made, or read of pairs, begins there */
};

/* Reads, computes or makes up what the options name; points that are in a file as they are stay
 * there. The input must stay where it is, and the strings of the options valid.
 * Returns PAIL_OK or a status with a sentence in *error; the input is zeroed then. */
pail_status pail_msm_input_load(struct pail_msm_input *input,
                                const struct pail_msm_options *options, struct pail_error *error);

/* Legal on an input that is zeroed or failed to load. */
void pail_msm_input_free(struct pail_msm_input *input);

/* ---- Running --------------------------------------------------------------------------------- */

struct pail_msm_run {
    pail_msm_result result; /* of all repetitions */
    pail_stats stats;       /* of the fastest one */
    double bases_ms;        /* registering the bases; reading them, where they are in a file */
    size_t infinities;      /* of them; SIZE_MAX: the backend does not say */
    uint64_t repeats;
    double min_ms, mean_ms, max_ms; /* wall time of the repetitions */
    pail_cluster_part *parts;       /* [ranks] of the last repetition; NULL: none */
};

/* The reference that a result was compared with. */
struct pail_msm_check {
    const char *against; /* for people; static storage */
    pail_msm_result expected;
    bool equal;
    double ms;
};

enum { PAIL_MSM_CHECKS_MAX = 2 };

/* Registers and multiplies `repeat` >= 1 times. */
pail_status pail_msm_run(struct pail_msm_run *run, const struct pail_session *session,
                         const struct pail_msm_input *input, const struct pail_msm_range *range,
                         const struct pail_msm_options *options, struct pail_error *error);

/* Computes the result in other ways: on the CPU backend or, if the session is that, as the plain
 * sum, one point after the other; and for made-up points also by the closed form.
 *
 * Out: checks, *n_checks: what was compared. A difference is no error here. */
pail_status pail_msm_check(struct pail_msm_check checks[PAIL_MSM_CHECKS_MAX], size_t *n_checks,
                           const struct pail_msm_run *run, const struct pail_session *session,
                           const struct pail_msm_input *input,
                           const struct pail_msm_options *options, struct pail_error *error);

/* ---- Output ---------------------------------------------------------------------------------- */

struct pail_msm_outcome {
    struct pail_msm_options *options;
    struct pail_msm_input *input;
    struct pail_session *session;
    struct pail_msm_run run;
    struct pail_msm_check checks[PAIL_MSM_CHECKS_MAX];
    size_t n_checks;
};

/* Prints for people. */
void pail_msm_print(FILE *out, const struct pail_msm_outcome *outcome);

/* Prints one JSON object and a newline. Returns PAIL_OK, or PAIL_ERR_HOST_MEMORY with a sentence;
 * failures of `out` are the stream's to keep. */
pail_status pail_msm_print_json(FILE *out, const struct pail_msm_outcome *outcome,
                                struct pail_error *error);

#endif /* PAIL_TOOL_MSM_MSM_H */
