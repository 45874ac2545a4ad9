/* SPDX-License-Identifier: Apache-2.0 */
#include "support.h"
#include "support/test.h"

static void *counted_alloc(void *user, size_t size)
{
    struct test_memory *memory = user;
    if (atomic_fetch_add(&memory->made, 1) + 1 == atomic_load(&memory->fail_at))
        return NULL;
    void *block = malloc(size);
    if (block) {
        memset(block, 0xaa, size); /* nobody may count on zeros */
        atomic_fetch_add(&memory->out, 1);
    }
    return block;
}

static void counted_free(void *user, void *block)
{
    struct test_memory *memory = user;
    if (block) {
        atomic_fetch_sub(&memory->out, 1);
        free(block);
    }
}

void test_cpu_host(struct test_cpu *cpu)
{
    atomic_init(&cpu->memory.out, 0);
    atomic_init(&cpu->memory.made, 0);
    atomic_init(&cpu->memory.fail_at, 0);
    cpu->host = (pail_host){
        .struct_size = sizeof cpu->host,
        .abi_major = PAIL_ABI_MAJOR,
        .abi_minor = PAIL_ABI_MINOR,
        .user = &cpu->memory,
        .alloc = counted_alloc,
        .free = counted_free,
    };
    cpu->context = NULL;
    assert_int_equal(pail_cpu_open(&cpu->host, &cpu->backend), PAIL_OK);
}

void test_cpu_begin(struct test_cpu *cpu, uint32_t threads)
{
    test_cpu_host(cpu);
    const pail_context_params params = {.struct_size = sizeof params, .threads = threads};
    assert_int_equal(cpu->backend->context_create(&cpu->host, &cpu->context, &params), PAIL_OK);
}

void test_cpu_end(struct test_cpu *cpu)
{
    cpu->backend->context_destroy(&cpu->context);
    assert_null(cpu->context);
    assert_int_equal(atomic_load(&cpu->memory.out), 0);
}

pail_bases *test_bases(struct test_cpu *cpu, const uint8_t *points, size_t n, bool montgomery)
{
    const pail_bases_desc desc =
        SIZED(pail_bases_desc, .curve = test_ops()->curve, .group = test_ops()->group,
              .encoding = montgomery ? PAIL_ENCODING_MONTGOMERY : PAIL_ENCODING_CANONICAL,
              .validation = PAIL_VALIDATE_CURVE, .points = points, .n_points = n);
    pail_bases *bases;
    size_t bad;
    assert_int_equal(cpu->backend->bases_create(cpu->context, &bases, &bad, &desc), PAIL_OK);
    assert_int_equal(bad, SIZE_MAX);
    return bases;
}

void test_msm(struct test_cpu *cpu, uint8_t point[POINT_MAX], const pail_msm_job *job,
              const pail_msm_config *config, pail_stats *stats)
{
    const pail_backend *backend = cpu->backend;
    pail_pending *pending;
    pail_msm_result result = {.struct_size = sizeof result};
    pail_status status = backend->msm_start(cpu->context, &pending, job, 1, config);
    if (status != PAIL_OK)
        fail_msg("%s", backend->error(cpu->context));
    if (stats)
        stats->struct_size = sizeof *stats;
    assert_int_equal(backend->pending_wait(pending, UINT64_MAX), PAIL_OK);
    assert_int_equal(backend->pending_poll(pending), PAIL_OK);
    assert_int_equal(backend->msm_finish(&pending, &result, 1, stats), PAIL_OK);
    assert_null(pending);
    const size_t width = test_ops()->coordinate_bytes;
    assert_int_equal(result.coordinate_bytes, width);
    memset(point, 0, POINT_MAX);
    memcpy(point, result.x, width);
    memcpy(point + width, result.y, width);
    const uint8_t zero[POINT_MAX] = {0};
    assert_int_equal(result.infinity, memcmp(point, zero, sizeof zero) == 0);
    for (size_t i = width; i < PAIL_COORDINATE_MAX; i++)
        assert_int_equal(result.x[i] | result.y[i], 0);
}

void test_encode(uint8_t bytes[POINT_MAX], const pail_point *p)
{
    pail_affine affine;
    memset(bytes, 0, POINT_MAX);
    test_ops()->to_affine(&affine, p);
    test_ops()->encode(bytes, &affine, false);
}

static const struct pail_curve_ops *chosen;

void test_choose(const struct pail_curve_ops *ops)
{
    assert_non_null(ops);
    chosen = ops;
}

const struct pail_curve_ops *test_ops(void)
{
    return chosen ? chosen : pail_curve_ops(PAIL_CURVE_BN254, PAIL_G1);
}

size_t test_point_bytes(void)
{
    return 2 * test_ops()->coordinate_bytes;
}
