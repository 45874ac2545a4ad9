/* The points and scalars of a multiplication, wherever they come from. */
#ifndef PAIL_TOOL_MSM_MSM_INPUT_H
#define PAIL_TOOL_MSM_MSM_INPUT_H

#include <pail/backend.h>

#include "error/error.h"
#include "msm_options.h"
#include <formats/pairs.h>
#include <formats/raw.h>
#include <formats/wtns.h>
#include <formats/zkey.h>

/* Some of the points, one after the other, and their scalars. */
struct pail_msm_slice {
    const uint8_t *bases;              /* [n], packed; NULL: they are read from the part */
    struct pail_file_part *bases_part; /* [n], packed; NULL: they are in memory */
    const uint8_t *scalars;            /* [n * 32] */
    size_t first, n;                   /* of the whole */
};

struct pail_msm_input {
    struct pail_msm_slice own; /* the slice that is multiplied here: everything without --cluster */
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

/* All of it, as rank 0 has it; the points are there for a check. */
static inline struct pail_msm_slice pail_msm_whole(const struct pail_msm_input *input)
{
    return (struct pail_msm_slice){.bases = input->bases,
                                   .bases_part = input->bases_part,
                                   .scalars = input->scalars,
                                   .n = input->n};
}

/* Legal on an input that is zeroed or failed to load. */
void pail_msm_input_free(struct pail_msm_input *input);

#endif /* PAIL_TOOL_MSM_MSM_INPUT_H */
