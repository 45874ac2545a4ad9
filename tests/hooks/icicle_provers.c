/* SPDX-License-Identifier: Apache-2.0 */
/* See icicle_provers.h. */
#include "icicle_provers.h"

#include <key/domain.h>

/* In functions that threads run, where an assertion of cmocka must not fail. */
#define TRY(call)                                                                                  \
    do {                                                                                           \
        if ((call) != SUCCESS)                                                                     \
            return false;                                                                          \
    } while (0)

const struct group_api *prover_group(const struct prover *prover, uint32_t group)
{
    return &prover->api->groups[group - PAIL_G1];
}

size_t prover_coordinate(const struct prover *prover, uint32_t group)
{
    return (prover->key.curve == PAIL_CURVE_BN254 ? 32u : 48u) * group;
}

/* ---- Keys ------------------------------------------------------------------------------------ */

/* Points of a list as gnark has them in memory: affine, in Montgomery form. */
static uint8_t *points_of_list(const struct prover *prover, enum pail_zkey_msm msm)
{
    static const VecOpsConfig config = {.batch_size = 1};
    const struct pail_zkey_points *const list = &prover->key.points[msm];
    const uint32_t group = pail_zkey_msm_group(msm);
    const size_t bytes = 2 * prover_coordinate(prover, group);
    uint8_t *const points = calloc(list->count + 1, bytes);
    assert_non_null(points);
    if (prover->key.form == PAIL_KEY_ZKEY) {
        memcpy(points, list->data, list->count * bytes);
        return points;
    }
    for (size_t i = 0; i < list->count; i++)
        assert_null(pail_params_point(points + i * bytes, list->data + i * bytes, group));
    expect_status(
        prover_group(prover, group)->affine_convert(points, list->count, true, &config, points),
        SUCCESS);
    return points;
}

static size_t reversed(size_t i, size_t n)
{
    size_t result = 0;
    for (size_t bit = 1; bit < n; bit <<= 1, i >>= 1)
        result = result << 1 | (i & 1);
    return result;
}

/* gnark's setup leaves the points of H in the order of the transform that gives their scalars. The
 * last coefficient is zero: its point is infinity here. */
static uint8_t *in_reversed_order(uint8_t *points, size_t n, size_t bytes)
{
    uint8_t *const result = calloc(n, bytes);
    assert_non_null(result);
    for (size_t i = 0; i < n - 1; i++)
        memcpy(result + reversed(i, n) * bytes, points + i * bytes, bytes);
    free(points);
    return result;
}

static void load_points(struct prover *prover)
{
    static const VecOpsConfig config = {
        .a_on_device = true, .result_on_device = true, .batch_size = 1};
    for (enum pail_zkey_msm msm = 0; msm < PAIL_ZKEY_MSMS; msm++) {
        const uint32_t group = pail_zkey_msm_group(msm);
        const size_t bytes = 2 * prover_coordinate(prover, group);
        size_t count = prover->key.points[msm].count;
        uint8_t *points = points_of_list(prover, msm);
        if (prover->assigned && msm == PAIL_ZKEY_H) {
            count = prover->n;
            points = in_reversed_order(points, count, bytes);
        }
        prover->points[msm] = icicle_upload(points, count * bytes);
        free(points);
        expect_status(
            prover_group(prover, group)
                ->affine_convert(prover->points[msm], count, false, &config, prover->points[msm]),
            SUCCESS);
    }
}

static void load_header(struct prover *prover)
{
    static const VecOpsConfig config = {.batch_size = 1};
    for (enum pail_zkey_point i = 0; i < PAIL_ZKEY_HEADER_POINTS; i++) {
        const struct group_api *const group = prover_group(prover, pail_zkey_point_group(i));
        uint8_t affine[POINT_MAX];
        memcpy(affine, prover->key.header[i], PAIL_ZKEY_POINT_MAX);
        if (prover->key.form == PAIL_KEY_ZKEY)
            expect_status(group->affine_convert(affine, 1, false, &config, affine), SUCCESS);
        group->from_affine(affine, prover->header[i]);
    }
}

static void load_powers(struct prover *prover)
{
    uint8_t *const powers = calloc(prover->n, ELEMENT);
    assert_non_null(powers);
    powers[0] = 1;
    for (size_t i = 1; i < prover->n; i++)
        prover->api->field.mul(powers + (i - 1) * ELEMENT, prover->shift, powers + i * ELEMENT);
    prover->powers = icicle_upload(powers, prover->n * ELEMENT);
    free(powers);
}

static void load_inverse(struct prover *prover)
{
    uint8_t *const inverse = calloc(prover->n, ELEMENT);
    uint8_t one[ELEMENT] = {1};
    assert_non_null(inverse);
    prover->api->field.pow(prover->shift, (int)prover->n, inverse);
    prover->api->field.sub(inverse, one, inverse);
    prover->api->field.inv(inverse, inverse);
    for (size_t i = 1; i < prover->n; i++)
        memcpy(inverse + i * ELEMENT, inverse, ELEMENT);
    prover->inverse = icicle_upload(inverse, prover->n * ELEMENT);
    free(inverse);
}

/* Coefficients as they are in the file, value * R^2, less one R. */
static void load_coefficients(struct prover *prover)
{
    static const VecOpsConfig config = {
        .a_on_device = true, .result_on_device = true, .batch_size = 1};
    const size_t n = prover->key.n_coefficients;
    struct pail_zkey_coefficient entry;
    uint8_t *const values = calloc(n, ELEMENT);
    assert_non_null(values);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(pail_zkey_coefficient(&entry, &prover->key, i, NULL, 0), PAIL_OK);
        memcpy(values + i * ELEMENT, entry.value, ELEMENT);
    }
    prover->values = icicle_upload(values, n * ELEMENT);
    free(values);
    expect_status(prover->api->convert(prover->values, n, false, &config, prover->values), SUCCESS);
}

void prover_open(struct prover *prover, const struct curve_api *api,
                 const struct support_bytes *key)
{
    static const NTTInitDomainConfig config;
    struct pail_domain domain; /* bellman's root is another than ICICLE's */
    char error[256] = "";
    prover->api = api;
    if (pail_key_file_open(&prover->key, NULL, "the key", key->data, key->size, error,
                           sizeof(error)) != PAIL_OK)
        fail_msg("%s", error);
    prover->n = prover->key.domain_size;
    expect_status(icicle_set_device(icicle_tested()), SUCCESS);
    pail_domain_init_by(&domain, pail_curve_ops(api->curve, PAIL_G1),
                        pail_domain_log2((uint32_t)prover->n),
                        prover->assigned ? PAIL_DOMAIN_BELLMAN : PAIL_DOMAIN_SNARKJS);
    memcpy(prover->shift, domain.shift, ELEMENT);
    expect_status(api->init_domain(prover->shift, &config), SUCCESS);
    load_points(prover);
    load_header(prover);
    if (prover->assigned) {
        load_inverse(prover);
    } else {
        load_coefficients(prover);
        load_powers(prover);
    }
}

void prover_close(struct prover *prover)
{
    for (int i = 0; i < PAIL_ZKEY_MSMS; i++)
        expect_status(icicle_free(prover->points[i]), SUCCESS);
    void *const others[] = {prover->values, prover->powers, prover->inverse};
    for (size_t i = 0; i < 3; i++)
        if (others[i])
            expect_status(icicle_free(others[i]), SUCCESS);
    expect_status(prover->api->release_domain(), SUCCESS);
    pail_zkey_close(&prover->key);
}

static bool upload(void **pointer, const void *bytes, size_t size, void *stream)
{
    TRY(icicle_malloc_async(pointer, size, stream));
    return icicle_copy_to_device_async(*pointer, bytes, size, stream) == SUCCESS;
}

/* ---- As icicle-snark ------------------------------------------------------------------------- */

/* Products of all coefficients with their witnesses, in host memory. */
static bool products(const struct prover *prover, uint8_t *chosen, uint8_t *result, void *stream)
{
    const size_t n = prover->key.n_coefficients;
    const VecOpsConfig in_place = {.stream = stream,
                                   .a_on_device = true,
                                   .result_on_device = true,
                                   .is_async = true,
                                   .batch_size = 1};
    VecOpsConfig to_host = in_place;
    struct pail_zkey_coefficient entry;
    void *on_device = NULL;
    to_host.b_on_device = true;
    to_host.result_on_device = false;
    for (size_t i = 0; i < n; i++) {
        TRY((int)pail_zkey_coefficient(&entry, &prover->key, i, NULL, 0));
        memcpy(chosen + i * ELEMENT, prover->witness + (size_t)entry.signal * ELEMENT, ELEMENT);
    }
    if (!upload(&on_device, chosen, n * ELEMENT, stream))
        return false;
    TRY(prover->api->convert(on_device, n, false, &in_place, on_device));
    TRY(prover->api->vector_mul(prover->values, on_device, (vector_size)n, &to_host, result));
    TRY(icicle_stream_synchronize(stream));
    return icicle_free(on_device) == SUCCESS;
}

/* Values of rows, of A and then of B. */
static bool evaluate(const struct prover *prover, uint8_t *rows, const uint8_t *result)
{
    struct pail_zkey_coefficient entry;
    for (size_t i = 0; i < prover->key.n_coefficients; i++) {
        TRY((int)pail_zkey_coefficient(&entry, &prover->key, i, NULL, 0));
        uint8_t *const row = rows + (entry.constraint + entry.matrix * prover->n) * ELEMENT;
        prover->api->field.add(row, result + i * ELEMENT, row);
    }
    return true;
}

/* Evaluations on the coset: of a b - c in the second part of `rows`. by_powers: with a product by
 * powers of the shift, as icicle-snark does by default, instead of a shift of the transform. */
static bool quotient_by_batch(const struct prover *prover, uint8_t *rows, bool by_powers,
                              void *stream)
{
    const struct curve_api *const api = prover->api;
    const size_t bytes = prover->n * ELEMENT;
    VecOpsConfig config = {.stream = stream,
                           .a_on_device = true,
                           .b_on_device = true,
                           .result_on_device = true,
                           .is_async = true,
                           .batch_size = 1};
    NTTConfig ntt = {.stream = stream,
                     .coset_gen = {1},
                     .batch_size = 3,
                     .in_on_device = true,
                     .out_on_device = true,
                     .is_async = true};
    const vector_size n = (vector_size)prover->n;
    uint8_t *const a = rows, *const b = rows + bytes, *const c = rows + 2 * bytes;
    TRY(api->vector_mul(a, b, n, &config, c));
    TRY(api->ntt(rows, (int)prover->n, 1, &ntt, rows));
    if (by_powers)
        for (size_t i = 0; i < 3; i++)
            TRY(api->vector_mul(rows + i * bytes, prover->powers, n, &config, rows + i * bytes));
    else
        memcpy(ntt.coset_gen, prover->shift, ELEMENT);
    TRY(api->ntt(rows, (int)prover->n, 0, &ntt, rows));
    TRY(icicle_stream_synchronize(stream));
    config.stream = NULL;
    config.is_async = false;
    TRY(api->vector_mul(a, b, n, &config, a));
    return api->vector_sub(a, c, n, &config, b) == SUCCESS;
}

/* Five multiplications of device memory in two streams, with results on the device. */
static bool commit(struct sums *sums, const struct prover *prover, const uint8_t *h)
{
    void *streams[2] = {NULL, NULL}, *witness = NULL, *results[PAIL_ZKEY_MSMS];
    TRY(icicle_create_stream(&streams[0]));
    TRY(icicle_create_stream(&streams[1]));
    if (!upload(&witness, prover->witness, (size_t)prover->key.n_vars * ELEMENT, streams[0]))
        return false;
    for (enum pail_zkey_msm msm = 0; msm < PAIL_ZKEY_MSMS; msm++) {
        const struct pail_zkey_points *const list = &prover->key.points[msm];
        const uint32_t group = pail_zkey_msm_group(msm);
        void *const stream = streams[group - PAIL_G1];
        const MSMConfig config = {.stream = stream,
                                  .precompute_factor = 1,
                                  .batch_size = 1,
                                  .shared = true,
                                  .scalars_on_device = true,
                                  .points_on_device = true,
                                  .results_on_device = true,
                                  .is_async = true};
        const uint8_t *const scalars =
            msm == PAIL_ZKEY_H ? h : (const uint8_t *)witness + list->first_witness * ELEMENT;
        TRY(icicle_malloc_async(&results[msm], 3 * prover_coordinate(prover, group), stream));
        TRY(prover_group(prover, group)
                ->msm(scalars, prover->points[msm], (int)list->count, &config, results[msm]));
    }
    for (enum pail_zkey_msm msm = 0; msm < PAIL_ZKEY_MSMS; msm++) {
        const uint32_t group = pail_zkey_msm_group(msm);
        TRY(icicle_copy_to_host_async(sums->of[msm], results[msm],
                                      3 * prover_coordinate(prover, group),
                                      streams[group - PAIL_G1]));
    }
    for (size_t i = 0; i < 2; i++) {
        TRY(icicle_stream_synchronize(streams[i]));
        TRY(icicle_destroy_stream(streams[i]));
    }
    for (int i = 0; i < PAIL_ZKEY_MSMS; i++)
        TRY(icicle_free(results[i]));
    return icicle_free(witness) == SUCCESS;
}

bool prover_as_icicle_snark(struct sums *sums, const struct prover *prover, size_t number)
{
    const size_t n = prover->key.n_coefficients, bytes = prover->n * ELEMENT;
    uint8_t *const chosen = malloc(2 * n * ELEMENT), *const rows = calloc(2, bytes);
    void *stream = NULL, *on_device = NULL;
    bool worked = chosen && rows && icicle_create_stream(&stream) == SUCCESS &&
                  products(prover, chosen, chosen + n * ELEMENT, stream) &&
                  evaluate(prover, rows, chosen + n * ELEMENT) &&
                  icicle_malloc_async(&on_device, 3 * bytes, stream) == SUCCESS &&
                  icicle_copy_to_device_async(on_device, rows, 2 * bytes, stream) == SUCCESS &&
                  quotient_by_batch(prover, on_device, number % 2 == 0, stream) &&
                  icicle_destroy_stream(stream) == SUCCESS &&
                  commit(sums, prover, (const uint8_t *)on_device + bytes) &&
                  icicle_free(on_device) == SUCCESS;
    free(chosen);
    free(rows);
    return worked;
}

/* ---- As gnark -------------------------------------------------------------------------------- */

/* Coefficients of the quotient, in bit-reversed order, on the device in rows[0]. */
static bool quotient_as_gnark(const struct prover *prover, void *rows[3])
{
    const struct curve_api *const api = prover->api;
    const pail_groth16_assignment *const from = &prover->assigned->assignment;
    const void *const values[3] = {from->a, from->b, from->c};
    const VecOpsConfig config = {
        .a_on_device = true, .b_on_device = true, .result_on_device = true, .batch_size = 1};
    const int n = (int)prover->n;
    uint8_t *const padded = calloc(prover->n, ELEMENT);
    bool worked = padded != NULL;
    for (size_t i = 0; worked && i < 3; i++) {
        NTTConfig ntt = {.coset_gen = {1},
                         .batch_size = 1,
                         .ordering = 4, /* natural to mixed */
                         .in_on_device = true,
                         .out_on_device = true,
                         .is_async = true};
        memcpy(padded, values[i], (size_t)from->n_constraints * ELEMENT);
        worked = icicle_create_stream(&ntt.stream) == SUCCESS &&
                 upload(&rows[i], padded, prover->n * ELEMENT, ntt.stream) &&
                 api->ntt(rows[i], n, 1, &ntt, rows[i]) == SUCCESS;
        ntt.ordering = 5; /* mixed to natural */
        memcpy(ntt.coset_gen, prover->shift, ELEMENT);
        worked = worked && api->ntt(rows[i], n, 0, &ntt, rows[i]) == SUCCESS &&
                 icicle_stream_synchronize(ntt.stream) == SUCCESS &&
                 icicle_destroy_stream(ntt.stream) == SUCCESS;
    }
    free(padded);
    if (!worked)
        return false;
    TRY(api->convert(rows[0], prover->n, false, &config, rows[0]));
    TRY(api->vector_mul(rows[0], rows[1], (vector_size)n, &config, rows[0]));
    TRY(api->vector_sub(rows[0], rows[2], (vector_size)n, &config, rows[0]));
    TRY(api->vector_mul(rows[0], prover->inverse, (vector_size)n, &config, rows[0]));
    NTTConfig ntt = {.batch_size = 1, .ordering = 1, .in_on_device = true, .out_on_device = true};
    memcpy(ntt.coset_gen, prover->shift, ELEMENT);
    TRY(api->ntt(rows[0], n, 1, &ntt, rows[0]));
    return api->convert(rows[0], prover->n, false, &config, rows[0]) == SUCCESS;
}

static bool has_point(const uint64_t *density, size_t i)
{
    return !density || density[i / 64] >> i % 64 & 1;
}

/* Values that have a point in the list, in Montgomery form. */
static size_t filter(uint8_t *to, const pail_groth16_assignment *from, enum pail_zkey_msm msm)
{
    const bool is_b = msm == PAIL_ZKEY_B1 || msm == PAIL_ZKEY_B2;
    const uint64_t *const aux = is_b                 ? from->b_aux_density
                                : msm == PAIL_ZKEY_A ? from->a_aux_density
                                                     : NULL;
    size_t n = 0;
    for (size_t i = 0; msm != PAIL_ZKEY_C && i < from->n_inputs; i++)
        if (has_point(is_b ? from->b_input_density : NULL, i))
            memcpy(to + n++ * ELEMENT, (const uint8_t *)from->inputs + i * ELEMENT, ELEMENT);
    for (size_t i = 0; i < from->n_aux; i++)
        if (has_point(aux, i))
            memcpy(to + n++ * ELEMENT, (const uint8_t *)from->aux + i * ELEMENT, ELEMENT);
    return n;
}

/* One multiplication; scalars: NULL, or on the device. */
static bool multiply_as_gnark(struct sums *sums, const struct prover *prover,
                              enum pail_zkey_msm msm, const void *scalars)
{
    const VecOpsConfig in_place = {.a_on_device = true, .result_on_device = true, .batch_size = 1};
    const MSMConfig config = {.precompute_factor = 1,
                              .c = 16,
                              .batch_size = 1,
                              .shared = true,
                              .scalars_on_device = true,
                              .points_on_device = true};
    const struct group_api *const group = prover_group(prover, pail_zkey_msm_group(msm));
    size_t n = prover->n - 1; /* the last coefficient is zero */
    void *chosen = NULL;
    if (!scalars) {
        uint8_t *const values = malloc((size_t)prover->key.n_vars * ELEMENT);
        if (!values)
            return false;
        n = filter(values, &prover->assigned->assignment, msm);
        const bool sent =
            n == prover->key.points[msm].count && upload(&chosen, values, n * ELEMENT, NULL);
        free(values);
        if (!sent)
            return false;
        TRY(prover->api->convert(chosen, n, false, &in_place, chosen));
    }
    TRY(group->msm(scalars ? scalars : chosen, prover->points[msm], (int)n, &config,
                   sums->of[msm]));
    return scalars || icicle_free(chosen) == SUCCESS;
}

bool prover_as_gnark(struct sums *sums, const struct prover *prover, size_t number)
{
    void *rows[3] = {NULL, NULL, NULL};
    (void)number;
    if (!quotient_as_gnark(prover, rows))
        return false;
    for (enum pail_zkey_msm msm = 0; msm < PAIL_ZKEY_MSMS; msm++)
        if (!multiply_as_gnark(sums, prover, msm, msm == PAIL_ZKEY_H ? rows[0] : NULL))
            return false;
    for (size_t i = 0; i < 3; i++)
        TRY(icicle_free(rows[i]));
    return true;
}
