/* SPDX-License-Identifier: Apache-2.0 */
#include "bench.h"

enum { SIZES_MOST = 16 }; /* of setups, in one program */

static void open_backend(struct bench *bench)
{
    const pail_context_params params = SIZED(pail_context_params, .threads = 2);
    ASSERT_OK(bench, pail_registry_create(&bench->registry, NULL, bench->error, CHARS));
    ASSERT_OK(bench,
              pail_registry_find(bench->registry, &bench->backend, NULL, bench->error, CHARS));
    assert_int_equal(bench->backend->context_create(pail_registry_host(bench->registry),
                                                    &bench->context, &params),
                     PAIL_OK);
}

struct bench *bench_open(size_t n, size_t length)
{
    return bench_open_of(PAIL_CURVE_BLS12_381, n, length);
}

/* A bench of a size without a backend. Its multiplications take longer than most cases, and every
 * case of the size has the same. */
static const struct bench *made_of(uint32_t curve, size_t n, size_t length)
{
    static struct bench *all[SIZES_MOST];
    size_t i = 0;
    for (; i < SIZES_MOST && all[i]; i++)
        if (all[i]->made.g1->curve == curve && all[i]->made.n == n && all[i]->made.length == length)
            return all[i];
    assert_true(i < SIZES_MOST);
    struct bench *const bench = calloc(1, sizeof(*bench));
    assert_non_null(bench);
    made_create(&bench->made, curve, n, length, length + 1);
    const size_t point = bench->made.point;
    pail_rng_init(&bench->rng, n);
    for (size_t b = 0; b < BLOBS; b++) {
        for (size_t k = 0; k < n; k++)
            if (b > 2 || (b == 1 && k == 0))
                bench->coefficients[b][k] = made_random(&bench->made, &bench->rng);
        if (b == 2)
            bench->coefficients[b][n - 1] = made_number(1);
        made_blob(&bench->made, bench->blobs + b * n * SCALAR, bench->coefficients[b]);
        const pail_u256 value = made_value(&bench->made, bench->coefficients[b], &bench->made.tau);
        made_point(&bench->made, bench->commitments + b * point, &value);
        made_cells(&bench->made, bench->cells + b * 2 * n * SCALAR,
                   bench->proofs + b * bench->made.cells * point, bench->coefficients[b]);
    }
    return all[i] = bench;
}

struct bench *bench_open_of(uint32_t curve, size_t n, size_t length)
{
    struct bench *const bench = malloc(sizeof(*bench));
    assert_non_null(bench);
    *bench = *made_of(curve, n, length);
    open_backend(bench);
    /* A context stays open. NVIDIA's driver is unloaded with the last instance, and the memory for
     * thread-local variables that glibc keeps free holds about twenty more loadings of it. */
    static struct bench kept;
    if (!kept.registry && strcmp(bench->backend->name, "cpu") != 0)
        open_backend(&kept);
    const pail_kzg_params params = made_params(&bench->made);
    ASSERT_OK(bench, pail_kzg_open(&bench->kzg, bench->backend, bench->context, &params,
                                   bench->error, CHARS));
    return bench;
}

static struct bench *shared[SIZES_MOST];

struct bench *bench_shared_of(uint32_t curve, size_t n, size_t length)
{
    const struct bench *const made = made_of(curve, n, length);
    for (size_t i = 0; i < SIZES_MOST; i++) {
        struct bench *const bench = shared[i];
        if (!bench)
            return shared[i] = bench_open_of(curve, n, length);
        if (bench->made.powers != made->made.powers)
            continue;
        pail_registry *const registry = bench->registry;
        const pail_backend *const backend = bench->backend;
        pail_context *const context = bench->context;
        pail_kzg *const kzg = bench->kzg;
        *bench = *made;
        bench->registry = registry;
        bench->backend = backend;
        bench->context = context;
        bench->kzg = kzg;
        return bench;
    }
    fail_msg("more than %d setups", (int)SIZES_MOST);
    return NULL;
}

void bench_close_shared(void)
{
    for (size_t i = 0; i < SIZES_MOST && shared[i]; i++) {
        bench_close(shared[i]);
        shared[i] = NULL;
    }
}

void bench_close(struct bench *bench)
{
    pail_kzg_close(&bench->kzg);
    assert_null(bench->kzg);
    bench->backend->context_destroy(&bench->context);
    pail_registry_destroy(&bench->registry);
    free(bench);
}

pail_kzg_request request_of(const struct bench *bench, uint32_t operation, uint64_t n)
{
    return (pail_kzg_request)SIZED(pail_kzg_request, .operation = operation, .n = n,
                                   .blobs = bench->blobs, .commitments = bench->commitments);
}

pail_kzg_request all_cells(const struct bench *bench, uint64_t *indices, uint8_t *commitments)
{
    const size_t cells = bench->made.cells, point = bench->made.point;
    for (size_t i = 0; i < BLOBS * cells; i++) {
        indices[i] = i % cells;
        memcpy(commitments + i * point, bench->commitments + i / cells * point, point);
    }
    return (pail_kzg_request)SIZED(pail_kzg_request, .operation = PAIL_KZG_VERIFY_CELLS,
                                   .n = BLOBS * cells, .commitments = commitments,
                                   .indices = indices, .cells = bench->cells,
                                   .proofs = bench->proofs);
}

void expect_setup(struct bench *bench, const pail_kzg_params *params, pail_status status,
                  const char *words)
{
    pail_kzg *kzg = (pail_kzg *)bench;
    const pail_status got =
        pail_kzg_open(&kzg, bench->backend, bench->context, params, bench->error, CHARS);
    if (got != status || strstr(bench->error, words) == NULL)
        fail_msg("%s: \"%s\" lacks \"%s\"", pail_status_name(got), bench->error, words);
    if (status != PAIL_OK)
        assert_null(kzg);
    pail_kzg_close(&kzg);
}
