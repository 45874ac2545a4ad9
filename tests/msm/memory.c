/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of the plugin at device addresses: what is written is read again, and jobs take scalars
 * from it and put results there. */

#include "support/plugin_group.h"
#include "support/test.h"

#include <curves/inputs.h>

static bool has_addresses(void)
{
    return (plugin.device.features & PAIL_FEATURE_DEVICE_ADDRESS) != 0;
}

static pail_memory *make(pail_memory_info *info, uint32_t kind, uint64_t bytes)
{
    pail_memory *memory;
    *info = (pail_memory_info){.struct_size = sizeof(*info)};
    if (plugin.api->memory_create(plugin.context, &memory, info, kind, bytes) != PAIL_OK)
        fail_msg("%s", plugin.api->error(plugin.context));
    assert_int_equal(info->kind, kind);
    assert_int_equal(info->bytes, bytes);
    assert_true(info->address != 0);
    assert_true((info->mapped != NULL) == (kind == PAIL_MEMORY_HOST));
    return memory;
}

PAIL_TEST(round_trip)
{
    enum { BYTES = 300007, FROM = 12345, PART = 200001 };
    static uint8_t in[BYTES], out[BYTES];
    if (!has_addresses())
        SKIP_BECAUSE("the device has no buffer device addresses");
    for (uint32_t kind = PAIL_MEMORY_DEVICE; kind <= PAIL_MEMORY_HOST; kind++) {
        pail_memory_info info;
        pail_memory *memory = make(&info, kind, BYTES);
        for (size_t i = 0; i < BYTES; i++)
            in[i] = (uint8_t)(i * 7 + kind);
        assert_int_equal(plugin.api->memory_write(memory, 0, in, BYTES), PAIL_OK);
        memset(in + FROM, 0x5a, PART);
        assert_int_equal(plugin.api->memory_write(memory, FROM, in + FROM, PART), PAIL_OK);
        assert_int_equal(plugin.api->memory_read(memory, out, 0, BYTES), PAIL_OK);
        assert_memory_equal(out, in, BYTES);
        assert_int_equal(plugin.api->memory_read(memory, out, FROM - 1, 3), PAIL_OK);
        assert_memory_equal(out, in + FROM - 1, 3);
        if (info.mapped)
            assert_memory_equal(info.mapped, in, BYTES);
        assert_int_equal(plugin.api->memory_write(memory, BYTES, NULL, 0), PAIL_OK);
        plugin.api->memory_destroy(plugin.context, &memory);
        assert_null(memory);
        plugin.api->memory_destroy(plugin.context, &memory);
    }
}

PAIL_TEST(refusals)
{
    pail_memory *memory = (pail_memory *)(void *)&plugin;
    pail_memory_info info = {.struct_size = sizeof(info), .bytes = 5};
    if (!has_addresses()) {
        assert_int_equal(
            plugin.api->memory_create(plugin.context, &memory, &info, PAIL_MEMORY_DEVICE, 64),
            PAIL_ERR_UNSUPPORTED);
        assert_null(memory);
        return;
    }
    assert_int_equal(plugin.api->memory_create(plugin.context, &memory, &info, 3, 64),
                     PAIL_ERR_ARGUMENT);
    assert_string_equal(plugin.api->error(plugin.context), "kind: 3 is not a pail_memory_kind");
    assert_null(memory);
    assert_int_equal(info.bytes, 0);
    assert_int_equal(
        plugin.api->memory_create(plugin.context, &memory, &info, PAIL_MEMORY_DEVICE, 0),
        PAIL_ERR_ARGUMENT);
    assert_int_equal(plugin.api->memory_create(NULL, &memory, NULL, PAIL_MEMORY_DEVICE, 64),
                     PAIL_ERR_ARGUMENT);
    uint8_t bytes[65] = {1};
    memory = make(&info, PAIL_MEMORY_DEVICE, 64);
    assert_int_equal(plugin.api->memory_write(memory, 0, bytes, 65), PAIL_ERR_ARGUMENT);
    assert_int_equal(plugin.api->memory_write(memory, UINT64_MAX, bytes, 2), PAIL_ERR_ARGUMENT);
    assert_int_equal(plugin.api->memory_write(memory, 0, NULL, 2), PAIL_ERR_ARGUMENT);
    assert_int_equal(plugin.api->memory_read(memory, bytes, 60, 5), PAIL_ERR_ARGUMENT);
    assert_int_equal(bytes[0], 1); /* nobody knows how many of them there are */
    assert_int_equal(plugin.api->memory_read(NULL, bytes, 0, 1), PAIL_ERR_ARGUMENT);
    plugin.api->memory_destroy(plugin.context, &memory);
}

enum { N = 500 };

static uint8_t points[N * 64], scalars[N * 32];

static pail_bases *make_points(const struct pail_curve_ops *ops)
{
    pail_make_bases(ops, points, true, 0, N, PAIL_BASES_DISTINCT, 1);
    const pail_bases_desc desc =
        SIZED(pail_bases_desc, .curve = PAIL_CURVE_BN254, .group = PAIL_G1,
              .encoding = PAIL_ENCODING_MONTGOMERY, .points = points, .n_points = N);
    pail_bases *bases = NULL;
    if (plugin.api->bases_create(plugin.context, &bases, NULL, &desc) != PAIL_OK)
        fail_msg("%s", plugin.api->error(plugin.context));
    return bases;
}

/* With scalars from a place of one piece of memory, the result to a place of another. */
static void multiply_at(const pail_bases *bases, pail_memory *in, uint64_t from, uint64_t first,
                        pail_memory *out, uint64_t to, uint64_t last)
{
    const struct pail_curve_ops *ops = pail_curve_ops(PAIL_CURVE_BN254, PAIL_G1);
    pail_make_scalars(ops, scalars, N, PAIL_SCALARS_UNIFORM, from + first);
    assert_int_equal(plugin.api->memory_write(in, first, scalars, sizeof(scalars)), PAIL_OK);
    const pail_msm_job job =
        SIZED(pail_msm_job, .scalar_location = PAIL_LOCATION_DEVICE_ADDRESS, .bases = bases,
              .scalars = (const void *)(uintptr_t)(from + first), .n = N,
              .result_location = PAIL_LOCATION_DEVICE_ADDRESS, .result_address = to + last);
    pail_pending *pending = NULL;
    pail_msm_result result = {.struct_size = sizeof(result)};
    if (plugin.api->msm_start(plugin.context, &pending, &job, 1, NULL) != PAIL_OK ||
        plugin.api->msm_finish(&pending, &result, 1, NULL) != PAIL_OK)
        fail_msg("%s", plugin.api->error(plugin.context));
    pail_point expected;
    pail_expected_msm(ops, &expected, scalars, 0, N, PAIL_BASES_DISTINCT, 1);
    test_expect_result(ops, &result, &expected);
    uint8_t delivered[64];
    assert_int_equal(plugin.api->memory_read(out, delivered, last, 64), PAIL_OK);
    assert_memory_equal(delivered, result.x, 32);
    assert_memory_equal(delivered + 32, result.y, 32);
}

/* Scalars from one piece of memory, the result into another, of each kind. */
PAIL_TEST(multiply)
{
    if (!has_addresses())
        SKIP_BECAUSE("the device has no buffer device addresses");
    pail_bases *bases = make_points(pail_curve_ops(PAIL_CURVE_BN254, PAIL_G1));
    for (uint32_t kind = PAIL_MEMORY_DEVICE; kind <= PAIL_MEMORY_HOST; kind++) {
        pail_memory_info from, to;
        pail_memory *in = make(&from, kind, 32 * N), *out = make(&to, kind, 64);
        multiply_at(bases, in, from.address, 0, out, to.address, 0);
        plugin.api->memory_destroy(plugin.context, &in);
        plugin.api->memory_destroy(plugin.context, &out);
    }
    plugin.api->bases_destroy(plugin.context, &bases);
}

/* ---- More than an allocation may have -------------------------------------------------------- */
/* Bytes across the places where allocations may end, and multiplications by scalars there. */
static void use_large(pail_memory *memory, const pail_memory_info *info, uint64_t piece)
{
    enum { PART = 4096 };
    uint8_t in[PART], out[PART];
    pail_bases *bases = make_points(pail_curve_ops(PAIL_CURVE_BN254, PAIL_G1));
    for (uint64_t end = piece; end < info->bytes; end += piece) {
        memset(in, (int)(end / piece), PART);
        assert_int_equal(plugin.api->memory_write(memory, end - PART / 2, in, PART), PAIL_OK);
        assert_int_equal(plugin.api->memory_read(memory, out, end - PART / 2, PART), PAIL_OK);
        assert_memory_equal(out, in, PART);
        multiply_at(bases, memory, info->address, end - sizeof(scalars) / 2 / 32 * 32, memory,
                    info->address, info->bytes - 64);
    }
    multiply_at(bases, memory, info->address, info->bytes - sizeof(scalars), memory, info->address,
                0);
    plugin.api->bases_destroy(plugin.context, &bases);
}

/* True if the device gives the memory; otherwise the sentence has the size that it gives. */
static bool try_large(uint32_t kind, uint64_t bytes, uint64_t piece)
{
    pail_memory_info info = {.struct_size = sizeof(info)};
    pail_memory *memory = NULL;
    const pail_status status =
        plugin.api->memory_create(plugin.context, &memory, &info, kind, bytes);
    if (status == PAIL_OK) {
        assert_true(info.bytes == bytes && info.address != 0);
        assert_true((info.mapped != NULL) == (kind == PAIL_MEMORY_HOST));
        use_large(memory, &info, piece);
        plugin.api->memory_destroy(plugin.context, &memory);
        return true;
    }
    const char *const sentence = plugin.api->error(plugin.context);
    char largest[64];
    snprintf(largest, sizeof(largest), "allows 1 to %llu", (unsigned long long)piece);
    assert_int_equal(status, PAIL_ERR_ARGUMENT);
    assert_null(memory);
    if (strstr(sentence, largest) == NULL)
        fail_msg("%s", sentence);
    return false;
}

static void large_with(const char *limits, uint64_t bytes, uint64_t piece)
{
    bool had[PAIL_MEMORY_HOST + 1];
    for (uint32_t kind = PAIL_MEMORY_DEVICE; kind <= PAIL_MEMORY_HOST; kind++)
        had[kind] = try_large(kind, bytes, piece);
    print_message("%s, %llu bytes: on the device %s, pinned %s\n", limits,
                  (unsigned long long)bytes, had[PAIL_MEMORY_DEVICE] ? "in pieces" : "refused",
                  had[PAIL_MEMORY_HOST] ? "granted" : "refused");
    if (strstr(limits, "sparse=0") != NULL)
        assert_true(!had[PAIL_MEMORY_DEVICE] && !had[PAIL_MEMORY_HOST]);
}

/* Small allocations, so that large memory of the device has many; and none in pieces. */
PAIL_TEST(in_many_pieces)
{
    static const char *const limits[] = {"allocation=4194304", "allocation=4194304,sparse=0"};
    enum { PIECE = 1 << 22 };
    char *before = getenv("PAIL_LIMITS");
    if (!has_addresses())
        SKIP_BECAUSE("the device has no buffer device addresses");
    before = before ? strdup(before) : NULL;
    plugin.api->context_destroy(&plugin.context);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(setenv("PAIL_LIMITS", limits[i], 1), 0);
        assert_int_equal(test_plugin_context(&plugin), 0);
        assert_int_equal(plugin.device.max_allocation_bytes, PIECE);
        large_with(limits[i], 4 * PIECE + 12345 / 32 * 32, PIECE);
        plugin.api->context_destroy(&plugin.context);
    }
    if (before)
        setenv("PAIL_LIMITS", before, 1);
    else
        unsetenv("PAIL_LIMITS");
    free(before);
    assert_int_equal(test_plugin_context(&plugin), 0);
}

/* A gigabyte more than the device allocates at a time. Software drivers have no sparse binding. */
PAIL_TEST(beyond_an_allocation)
{
    const uint64_t piece = plugin.device.max_allocation_bytes;
    if (!has_addresses())
        SKIP_BECAUSE("the device has no buffer device addresses");
    if (piece > UINT64_C(1) << 34)
        SKIP_BECAUSE("the device has no limit that this machine's memory reaches");
    large_with("no limits", piece + (UINT64_C(1) << 30), piece);
}

PAIL_TEST_GROUP(plugin_setup, plugin_teardown)
