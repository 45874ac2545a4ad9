/* SPDX-License-Identifier: Apache-2.0 */
/* All devices of the plugin and the CPU backend as members of one context. */
#include <pail/devices.h>

#include "support/test.h"

enum { MOST = 1025 };
static uint8_t points[MOST][64], scalars[MOST][32];

static pail_status multiply(const pail_backend *backend, const pail_host *host, size_t n,
                            pail_msm_result *result, pail_context *context, pail_bases *bases)
{
    (void)host;
    const pail_msm_job job =
        SIZED(pail_msm_job, .bases = bases, .base_offset = MOST - n, .scalars = scalars, .n = n);
    *result = (pail_msm_result){.struct_size = sizeof *result};
    return pail_msm(backend, context, result, NULL, &job, NULL);
}

/* Rates of an earlier process would leave a device without points. */
static size_t get_nothing(void *user, void *value, size_t capacity, uint64_t key)
{
    (void)user;
    (void)value;
    (void)capacity;
    (void)key;
    return 0;
}

static void put_nothing(void *user, uint64_t key, const void *value, size_t size)
{
    (void)user;
    (void)key;
    (void)value;
    (void)size;
}

PAIL_TEST(results_are_those_of_one_device)
{
    pail_registry *registry = NULL;
    char error[512];
    pail_backend const *cpu = NULL;
    for (size_t i = 0; i < MOST; i++) { /* the generator of BN254 G1, and its negative */
        static const uint8_t p_less_2[32] = {0x45, 0xfd, 0x7c, 0xd8, 0x16, 0x8c, 0x20, 0x3c,
                                             0x8d, 0xca, 0x71, 0x68, 0x91, 0x6a, 0x81, 0x97,
                                             0x5d, 0x58, 0x81, 0x81, 0xb6, 0x45, 0x50, 0xb8,
                                             0x29, 0xa0, 0x31, 0xe1, 0x72, 0x4e, 0x64, 0x30};
        points[i][0] = 1;
        if (i % 3 == 0)
            memcpy(points[i] + 32, p_less_2, 32);
        else
            points[i][32] = 2;
        for (size_t k = 0; k < 32; k++)
            scalars[i][k] = (uint8_t)(i * 37 + k * k * 11 + (i >> 3));
    }
    assert_int_equal(pail_registry_create(&registry, NULL, error, sizeof error), PAIL_OK);
    const pail_devices_params all =
        SIZED(pail_devices_params, .devices = "all,cpu", .replicate_up_to = 16, .whole_below = 1);
    pail_devices *devices = NULL;
    if (pail_devices_create(&devices, registry, &all, error, sizeof error) != PAIL_OK)
        fail_msg("%s", error);
    print_message("%zu members\n", pail_devices_count(devices));
    assert_int_equal(pail_registry_find(registry, &cpu, "cpu", error, sizeof error), PAIL_OK);
    const pail_backend *const backend = pail_devices_backend(devices);
    const pail_host *const host = pail_devices_host(devices);
    const pail_cache_callbacks cache =
        SIZED(pail_cache_callbacks, .get = get_nothing, .put = put_nothing);
    const pail_context_params params =
        SIZED(pail_context_params, .device = PAIL_DEVICE_BEST, .cache = &cache);
    pail_context *context = NULL, *reference = NULL;
    if (backend->context_create(host, &context, &params) != PAIL_OK)
        fail_msg("%s", backend->error(NULL));
    assert_int_equal(cpu->context_create(pail_registry_host(registry), &reference, &params),
                     PAIL_OK);
    const pail_bases_desc desc =
        SIZED(pail_bases_desc, .curve = PAIL_CURVE_BN254, .group = PAIL_G1,
              .validation = PAIL_VALIDATE_CURVE, .points = points, .n_points = MOST);
    pail_bases *bases = NULL, *right = NULL;
    if (backend->bases_create(context, &bases, NULL, &desc) != PAIL_OK)
        fail_msg("%s", backend->error(context));
    assert_int_equal(cpu->bases_create(reference, &right, NULL, &desc), PAIL_OK);
    for (size_t n = 0; n <= MOST; n = n < 8 ? n + 1 : 2 * n + (n == 511)) {
        pail_msm_result one, other;
        if (multiply(backend, host, n, &one, context, bases) != PAIL_OK)
            fail_msg("n %zu: %s", n, backend->error(context));
        assert_int_equal(multiply(cpu, host, n, &other, reference, right), PAIL_OK);
        assert_memory_equal(&one, &other, sizeof one);
    }
    for (size_t i = 0; i < pail_devices_count(devices); i++) {
        pail_devices_member member = {.struct_size = sizeof member};
        assert_int_equal(pail_devices_get(devices, context, &member, i), PAIL_OK);
        print_message("%s: %llu points\n", member.name, (unsigned long long)member.points);
        assert_true(member.points > 0 && member.lost == 0);
    }
    /* A bad point is told by its index in the whole set. */
    size_t bad = 0;
    points[MOST - 1][5] ^= 1;
    pail_bases *none = NULL;
    assert_int_equal(backend->bases_create(context, &none, &bad, &desc), PAIL_ERR_DATA);
    assert_null(none);
    assert_int_equal(bad, MOST - 1);
    backend->bases_destroy(context, &bases);
    cpu->bases_destroy(reference, &right);
    backend->context_destroy(&context);
    cpu->context_destroy(&reference);
    pail_devices_destroy(&devices);
    pail_registry_destroy(&registry);
}

PAIL_TEST(words_are_checked)
{
    static const struct {
        const char *words, *says;
    } bad[] = {{"", "\"\""},           {"0,x", "\"x\""}, {"0,,cpu", "\"\""},
               {"cpu:1", "\"cpu:1\""}, {":0", "\":0\""}, {"nobody:0", "nobody"}};
    pail_registry *registry = NULL;
    char error[512];
    assert_int_equal(pail_registry_create(&registry, NULL, error, sizeof error), PAIL_OK);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        pail_devices_params params = SIZED(pail_devices_params, .devices = bad[i].words);
        pail_devices *devices = NULL;
        assert_int_equal(pail_devices_create(&devices, registry, &params, error, sizeof error),
                         PAIL_ERR_ARGUMENT);
        assert_null(devices);
        if (strstr(error, bad[i].says) == NULL)
            fail_msg("%s: %s", bad[i].words, error);
    }
    pail_registry_destroy(&registry);
}
