/* SPDX-License-Identifier: Apache-2.0 */
#include "msm.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pail/encoding.h>

#include <curves/curve_ops.h>
#include <curves/inputs.h>
#include <formats/bytes.h>
#include <pail/groth16.h>

#include <platform/clock.h>
#include <platform/memory.h>

#include "options/names.h"
#include "output/progress.h"

enum { SCALAR_BYTES = 32, BASES_AT_ONCE = 1024 };

static size_t point_bytes(const struct pail_msm_options *options)
{
    const size_t field = options->curve == PAIL_CURVE_BLS12_381 ? 48 : 32;
    return 2 * field * (options->group == PAIL_G2 ? 2 : 1);
}

/* True in a process that has all of the scalars: not on ranks that are sent theirs. */
static bool has_all(const struct pail_msm_options *options)
{
    return !options->ranks || options->ranks->rank == 0;
}

/* NULL, with a sentence, when there is none. */
static uint8_t *allocate(size_t count, size_t size, const char *what, struct pail_error *error)
{
    uint8_t *const memory = calloc(count + (count == 0), size);
    if (!memory)
        (void)pail_fail(error, PAIL_ERR_HOST_MEMORY, "no memory for %zu %s of %zu bytes", count,
                        what, size);
    return memory;
}

static pail_status load_zkey(struct pail_msm_input *input, const struct pail_msm_options *options,
                             struct pail_error *error)
{
    pail_status status =
        pail_told(error, pail_zkey_open(&input->key, options->zkey, PAIL_SENTENCE(error)));
    if (status == PAIL_OK && has_all(options))
        status =
            pail_told(error, pail_wtns_open(&input->witness, options->wtns, PAIL_SENTENCE(error)));
    if (status != PAIL_OK)
        return status;
    if (!has_all(options)) /* rank 0 looks at the scalars */
        input->witness = (struct pail_wtns){.curve = input->key.curve, .count = input->key.n_vars};
    if (input->key.curve != options->curve || input->witness.curve != options->curve)
        return pail_fail(error, PAIL_ERR_DATA, "%s: is over %s; --curve says %s",
                         input->key.curve != options->curve ? options->zkey : options->wtns,
                         pail_name_of(pail_curve_names, input->key.curve != options->curve
                                                            ? input->key.curve
                                                            : input->witness.curve),
                         pail_name_of(pail_curve_names, options->curve));
    if (input->witness.count != input->key.n_vars)
        return pail_fail(error, PAIL_ERR_DATA,
                         "%s: has %zu values, but %s has %" PRIu32 " variables", options->wtns,
                         input->witness.count, options->zkey, input->key.n_vars);
    const struct pail_zkey_points *const points = &input->key.points[options->section];
    pail_zkey_points_part(&input->part, &input->key, options->section);
    input->bases_part = &input->part;
    input->n = points->count;
    input->encoding = PAIL_ENCODING_MONTGOMERY;
    (void)snprintf(input->bases_label, sizeof(input->bases_label), "section %s of %s",
                   pail_zkey_msm_name(options->section), options->zkey);
    (void)snprintf(input->scalars_label, sizeof(input->scalars_label), "%s%s",
                   points->first_witness == SIZE_MAX ? "quotient by " : "", options->wtns);
    if (!has_all(options))
        return PAIL_OK;
    if (points->first_witness != SIZE_MAX) {
        input->scalars = input->witness.values + SCALAR_BYTES * points->first_witness;
        return PAIL_OK;
    }
    input->made_scalars = allocate(input->n, SCALAR_BYTES, "scalars", error);
    if (!input->made_scalars)
        return PAIL_ERR_HOST_MEMORY;
    input->made_n = input->n;
    input->scalars = input->made_scalars;
    const pail_groth16_key_params key = {.struct_size = sizeof(key), .path = options->zkey};
    const pail_groth16_witness witness = {.struct_size = sizeof(witness),
                                          .values = input->witness.values,
                                          .n_values = input->witness.count,
                                          .name = options->wtns};
    struct pail_progress progress;
    pail_progress_begin(&progress, "computing the scalars of H");
    status = pail_told(error,
                       pail_groth16_h_scalars(input->made_scalars, input->n, &key, &witness,
                                              pail_progress_tick, &progress, PAIL_SENTENCE(error)));
    (void)pail_progress_end(&progress);
    return status;
}

static pail_status load_raw(struct pail_msm_input *input, const struct pail_msm_options *options,
                            struct pail_error *error)
{
    pail_status status =
        pail_told(error, pail_raw_open(&input->base_file, options->bases, input->base_bytes,
                                       "point", PAIL_SENTENCE(error)));
    if (status == PAIL_OK && has_all(options))
        status = pail_told(error, pail_raw_load(&input->scalar_file, options->scalars, SCALAR_BYTES,
                                                "scalar", PAIL_SENTENCE(error)));
    if (status != PAIL_OK)
        return status;
    if (has_all(options) && input->base_file.count != input->scalar_file.count)
        return pail_fail(error, PAIL_ERR_DATA, "%s has %zu points, but %s %zu scalars",
                         options->bases, input->base_file.count, options->scalars,
                         input->scalar_file.count);
    pail_file_part_init(&input->part, &input->base_file.file, 0, input->base_file.file.size);
    input->bases_part = &input->part;
    input->scalars = input->scalar_file.bytes.data;
    input->n = input->base_file.count;
    input->encoding = options->encoding;
    (void)snprintf(input->bases_label, sizeof(input->bases_label), "%s (%s)", options->bases,
                   pail_name_of(pail_encoding_names, options->encoding));
    (void)snprintf(input->scalars_label, sizeof(input->scalars_label), "%s", options->scalars);
    return PAIL_OK;
}

/* As many powers as there are scalars; no others are read. */
static pail_status load_ptau(struct pail_msm_input *input, const struct pail_msm_options *options,
                             struct pail_error *error)
{
    const enum pail_ptau_section section = options->section - PAIL_MSM_PTAU_SECTIONS;
    const char *const name = pail_ptau_section_name(section);
    struct pail_ptau *const ptau = &input->ptau;
    pail_status status =
        pail_told(error, pail_ptau_open(ptau, options->ptau, NULL, PAIL_SENTENCE(error)));
    if (status == PAIL_OK && ptau->curve != options->curve)
        return pail_fail(error, PAIL_ERR_DATA, "%s: is over %s; --curve says %s", options->ptau,
                         pail_name_of(pail_curve_names, ptau->curve),
                         pail_name_of(pail_curve_names, options->curve));
    if (status == PAIL_OK) /* ranks that are sent their scalars count them alone */
        status = pail_told(error, (has_all(options) ? pail_raw_load : pail_raw_open)(
                                      &input->scalar_file, options->scalars, SCALAR_BYTES, "scalar",
                                      PAIL_SENTENCE(error)));
    if (status != PAIL_OK)
        return status;
    const size_t n = input->scalar_file.count, powers = ptau->points[section].count;
    if (n > powers)
        return pail_fail(error, PAIL_ERR_DATA,
                         "%s has %zu scalars, but section %s of %s %zu points", options->scalars, n,
                         name, options->ptau, powers);
    pail_ptau_points_part(&input->part, ptau, section, n);
    input->bases_part = &input->part;
    input->scalars = input->scalar_file.bytes.data;
    input->n = n;
    input->encoding = PAIL_ENCODING_MONTGOMERY;
    (void)snprintf(input->bases_label, sizeof(input->bases_label), "section %s of %s", name,
                   options->ptau);
    (void)snprintf(input->scalars_label, sizeof(input->scalars_label), "%s", options->scalars);
    return PAIL_OK;
}

/* Elements of this rank's part, and how many points of them are made. */
struct span {
    size_t first, n, bases;
};

static struct span own_span(const struct pail_msm_options *options, size_t n)
{
    uint64_t first = 0, count = n;
    if (options->ranks)
        pail_cluster_share(options->ranks->cluster, n, &first, &count);
    return (struct span){.first = (size_t)first, .n = (size_t)count, .bases = (size_t)count};
}

/* Ranks but the first, which checks and counts, read what is theirs alone; of text, all. */
static pail_status read_pairs(struct pail_msm_input *input, const struct pail_msm_options *options,
                              const struct pail_point_codec *codec, struct pail_error *error)
{
    size_t count = 0;
    bool is_text = true;
    pail_status status = PAIL_OK;
    if (!has_all(options))
        status = pail_told(error, pail_pairs_measure(&count, &is_text, options->pairs, codec,
                                                     PAIL_SENTENCE(error)));
    if (status != PAIL_OK)
        return status;
    if (is_text) {
        status = pail_told(
            error, pail_pairs_open(&input->pairs, options->pairs, codec, PAIL_SENTENCE(error)));
        input->n = input->pairs.count;
        return status;
    }
    const struct span span = own_span(options, count);
    input->n = count;
    input->made_first = span.first;
    return pail_told(error, pail_pairs_open_range(&input->pairs, options->pairs, codec, span.first,
                                                  span.n, PAIL_SENTENCE(error)));
}

/* EIP-196 asks for points on the curve, which has no others; EIP-197 and EIP-2537 for points of the
 * subgroup. */
static pail_status load_pairs(struct pail_msm_input *input, const struct pail_msm_options *options,
                              struct pail_error *error)
{
    struct pail_point_codec codec;
    if (!pail_point_codec_init(&codec, options->curve, options->group, options->form))
        return pail_fail(error, PAIL_ERR_UNSUPPORTED,
                         "--encoding %s: there are no such points of %s %s", options->encoding_name,
                         pail_name_of(pail_curve_names, options->curve),
                         pail_name_of(pail_group_names, options->group));
    const pail_status status = read_pairs(input, options, &codec, error);
    if (status != PAIL_OK)
        return status;
    input->bases = input->pairs.points;
    input->scalars = input->pairs.scalars;
    input->encoding = PAIL_ENCODING_CANONICAL;
    input->validation = codec.ops->cofactor_one ? PAIL_VALIDATE_CURVE : PAIL_VALIDATE_SUBGROUP;
    (void)snprintf(input->bases_label, sizeof(input->bases_label), "%s (%s)", options->pairs,
                   options->encoding_name);
    (void)snprintf(input->scalars_label, sizeof(input->scalars_label), "%s", options->pairs);
    return PAIL_OK;
}

/* Scalars span.first ... of the whole, out of the blocks that they are in. */
static pail_status make_some_scalars(uint8_t *scalars, const struct pail_curve_ops *ops,
                                     struct span span, const struct pail_msm_options *options,
                                     struct pail_error *error)
{
    uint8_t *const block = allocate(PAIL_SCALARS_BLOCK, SCALAR_BYTES, "scalars", error);
    if (!block)
        return PAIL_ERR_HOST_MEMORY;
    for (size_t done = 0; done < span.n;) {
        const size_t at = (span.first + done) % PAIL_SCALARS_BLOCK;
        const size_t room = PAIL_SCALARS_BLOCK - at;
        const size_t count = span.n - done < room ? span.n - done : room;
        pail_make_scalar_block(ops, block, (span.first + done) / PAIL_SCALARS_BLOCK, at + count,
                               options->dist, options->seed);
        memcpy(scalars + done * SCALAR_BYTES, block + at * SCALAR_BYTES, count * SCALAR_BYTES);
        done += count;
    }
    free(block); /* made-up ones are no secrets */
    return PAIL_OK;
}

static pail_status make_up(struct pail_msm_input *input, const struct pail_msm_options *options,
                           struct pail_error *error)
{
    const struct pail_curve_ops *const ops = pail_curve_ops(options->curve, options->group);
    if (!ops)
        return pail_fail(error, PAIL_ERR_UNSUPPORTED, "--n: points of %s %s cannot be made up",
                         pail_name_of(pail_curve_names, options->curve),
                         pail_name_of(pail_group_names, options->group));
    if (options->n > SIZE_MAX)
        return pail_fail(error, PAIL_ERR_HOST_MEMORY,
                         "--n: %" PRIu64 " points do not fit the address space", options->n);
    const size_t n = (size_t)options->n;
    struct span own = own_span(options, n);
    if (has_all(options)) /* the check needs the points of all ranks, and the scalars */
        own = (struct span){.n = n, .bases = options->check ? n : own.n};
    input->made_bases = allocate(own.bases, input->base_bytes, "points", error);
    if (!input->made_bases)
        return PAIL_ERR_HOST_MEMORY;
    input->made_scalars = allocate(own.n, SCALAR_BYTES, "scalars", error);
    if (!input->made_scalars)
        return PAIL_ERR_HOST_MEMORY;
    input->made_n = own.n;
    struct pail_progress progress;
    pail_progress_begin(&progress, "making up points");
    for (size_t done = 0; done < own.bases; done += BASES_AT_ONCE) {
        const size_t count = own.bases - done < BASES_AT_ONCE ? own.bases - done : BASES_AT_ONCE;
        pail_make_bases(ops, input->made_bases + done * input->base_bytes, true, own.first + done,
                        count, options->base_kind, options->seed);
        pail_progress_tick(&progress, (double)done / (double)own.bases);
    }
    (void)pail_progress_end(&progress);
    pail_status status = PAIL_OK;
    if (has_all(options))
        pail_make_scalars(ops, input->made_scalars, n, options->dist, options->seed);
    else
        status = make_some_scalars(input->made_scalars, ops, own, options, error);
    input->bases = input->made_bases;
    input->scalars = input->made_scalars;
    input->made_first = own.first;
    input->n = n;
    input->encoding = PAIL_ENCODING_MONTGOMERY;
    (void)snprintf(input->bases_label, sizeof(input->bases_label), "made-up %s points",
                   pail_base_kind_name(options->base_kind));
    (void)snprintf(input->scalars_label, sizeof(input->scalars_label), "%s scalars, seed %" PRIu64,
                   pail_scalar_dist_name(options->dist), options->seed);
    return status;
}

static bool all_zero(const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (bytes[i] != 0)
            return false;
    return true;
}

/* Cuts this rank's part out of the loaded input. */
static pail_status cut(struct pail_msm_input *input, const struct pail_msm_options *options,
                       struct pail_error *error)
{
    const struct span span = own_span(options, input->n);
    struct pail_msm_range *const own = &input->own;
    const size_t before = input->base_bytes * span.first;
    *own = (struct pail_msm_range){.first = span.first, .n = span.n};
    input->own_n = span.n;
    if (input->bases_part) {
        pail_file_part_init(&input->own_part, input->part.file, input->part.offset + before,
                            input->base_bytes * span.n);
        own->bases_part = &input->own_part;
    } else if (input->bases) {
        own->bases = input->bases + before - input->base_bytes * input->made_first;
    }
    input->scatter = options->ranks && options->ranks->size > 1 &&
                     (options->source == PAIL_SOURCE_ZKEY || options->source == PAIL_SOURCE_RAW ||
                      options->source == PAIL_SOURCE_PTAU);
    if (input->scatter && !has_all(options)) {
        input->own_scalars = allocate(span.n, SCALAR_BYTES, "scalars", error);
        if (!input->own_scalars)
            return PAIL_ERR_HOST_MEMORY;
        own->scalars = input->own_scalars;
    } else if (input->scalars) {
        own->scalars = input->scalars + SCALAR_BYTES * (span.first - input->made_first);
    }
    return PAIL_OK;
}

static void count_special(struct pail_msm_input *input)
{
    for (size_t i = 0; i < input->n; i++) {
        const uint8_t *scalar = input->scalars + i * SCALAR_BYTES;
        if (all_zero(scalar + 1, SCALAR_BYTES - 1)) {
            input->zeros += scalar[0] == 0;
            input->ones += scalar[0] == 1;
        }
    }
}

pail_status pail_msm_input_load(struct pail_msm_input *input,
                                const struct pail_msm_options *options, struct pail_error *error)
{
    *input = (struct pail_msm_input){.base_bytes = point_bytes(options),
                                     .validation = PAIL_VALIDATE_CURVE};
    const double begin_ms = pail_now_ms();
    pail_status status = PAIL_ERR_INTERNAL;
    switch (options->source) {
    case PAIL_SOURCE_ZKEY:
        status = load_zkey(input, options, error);
        break;
    case PAIL_SOURCE_RAW:
        status = load_raw(input, options, error);
        break;
    case PAIL_SOURCE_PTAU:
        status = load_ptau(input, options, error);
        break;
    case PAIL_SOURCE_PAIRS:
        status = load_pairs(input, options, error);
        break;
    case PAIL_SOURCE_GENERATED:
        status = make_up(input, options, error);
        break;
    }
    if (status == PAIL_OK)
        status = cut(input, options, error);
    if (status != PAIL_OK) {
        pail_msm_input_free(input);
        return status;
    }
    if (has_all(options))
        count_special(input);
    input->load_ms = pail_now_ms() - begin_ms;
    return PAIL_OK;
}

void pail_msm_input_free(struct pail_msm_input *input)
{
    free(input->made_bases);
    if (input->made_scalars) /* the scalars of H are made of a witness */
        pail_wipe(input->made_scalars, input->made_n * SCALAR_BYTES);
    free(input->made_scalars);
    if (input->own_scalars)
        pail_wipe(input->own_scalars, input->own_n * SCALAR_BYTES);
    free(input->own_scalars);
    pail_raw_close(&input->base_file);
    pail_raw_close(&input->scalar_file);
    pail_pairs_free(&input->pairs);
    pail_wtns_close(&input->witness);
    pail_ptau_close(&input->ptau);
    pail_zkey_close(&input->key);
    *input = (struct pail_msm_input){0};
}
