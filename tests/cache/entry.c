/* SPDX-License-Identifier: Apache-2.0 */
/* Entries as bytes, and the keys in them. */
#include "support.h"
#include "support/test.h"

#include <curves/fnv.h>

static struct pail_cache_key example_key(void)
{
    return (struct pail_cache_key){
        .kind = PAIL_CACHE_SPIRV,
        .name = "msm/sort.toy",
        .task = UINT64_C(0x0102030405060708),
        .code_hash = UINT64_C(0x1122334455667788),
        .n_specs = 2,
        .specs = {64, 7},
        .n_bindings = 4,
        .push_bytes = 32,
        .device = test_device,
    };
}

static void store(uint8_t *at, uint64_t value, int n)
{
    for (int i = 0; i < n; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

static void seal(uint8_t entry[PAIL_CACHE_ENTRY_HEADER])
{
    store(entry + 192, pail_fnv1a64(entry, 192), 8);
}

/* Every field at its place, written down once more. */
PAIL_TEST(layout)
{
    const struct pail_cache_key key = example_key();
    static const uint8_t payload[4] = {0x03, 0x02, 0x23, 0x07};
    const struct pail_cache_entry entry = {
        .key = key, .id = 0x89abcdef, .payload = payload, .payload_bytes = sizeof(payload)};
    uint8_t expected[204] = {'P', 'A', 'I', 'E', 1, 0, 0, 0, 200, 0, 0, 0, 2, 0, 0, 0};
    store(expected + 16, 0x89abcdef, 4);
    store(expected + 20, 0x10de, 4);
    store(expected + 24, 0x2335, 4);
    store(expected + 28, 0x89abcdef, 4);
    memcpy(expected + 32, test_device.uuid, 16);
    store(expected + 48, UINT64_C(0x0102030405060708), 8);
    store(expected + 56, UINT64_C(0x1122334455667788), 8);
    store(expected + 64, 4, 4);
    store(expected + 68, 32, 4);
    store(expected + 72, 2, 4);
    store(expected + 76, 64, 4);
    store(expected + 80, 7, 4);
    memcpy(expected + 112, "msm/sort.toy", 12);
    store(expected + 176, 4, 8);
    store(expected + 184, pail_fnv1a64(payload, 4), 8);
    seal(expected);
    memcpy(expected + 200, payload, 4);

    uint8_t bytes[204];
    assert_int_equal(pail_cache_entry_bytes(4), sizeof(bytes));
    memset(bytes, 0xcc, sizeof(bytes));
    pail_cache_entry_encode(bytes, &entry);
    assert_memory_equal(bytes, expected, sizeof(bytes));

    struct pail_cache_entry back;
    assert_null(pail_cache_entry_decode(&back, bytes, sizeof(bytes)));
    assert_true(pail_cache_key_equal(&back.key, &key));
    assert_memory_equal(back.key.name, key.name, sizeof(key.name));
    assert_memory_equal(back.key.specs, key.specs, sizeof(key.specs));
    assert_int_equal(back.id, 0x89abcdef);
    assert_ptr_equal(back.payload, bytes + 200);
    assert_int_equal(back.payload_bytes, 4);

    /* Nothing but the payload's own fields when there is none. */
    const struct pail_cache_entry empty = {.key = key, .id = 1};
    pail_cache_entry_encode(bytes, &empty);
    assert_null(pail_cache_entry_decode(&back, bytes, 200));
    assert_int_equal(back.payload_bytes, 0);
}

/* The number is from an implementation in another language. */
PAIL_TEST(hash_is_the_same_everywhere)
{
    const struct pail_cache_key key = example_key();
    assert_int_equal(pail_cache_key_hash(&key), UINT64_C(0xaa185406f21783ab));
}

/* Each part of a key makes another hash, and another key. */
PAIL_TEST(every_part_counts)
{
    const struct pail_cache_key key = example_key();
    struct pail_cache_key other[14];
    for (size_t i = 0; i < 14; i++)
        other[i] = key;
    other[0].kind++;
    other[1].name[0]++;
    other[2].name[12] = 'x';
    other[3].task ^= UINT64_C(1) << 63;
    other[4].code_hash++;
    other[5].n_specs = 3; /* a third one that is 0 */
    other[6].specs[0]++;
    other[7].specs[1]++;
    other[8].n_bindings++;
    other[9].push_bytes += 4;
    other[10].device.uuid[15]++;
    other[11].device.vendor++;
    other[12].device.device++;
    other[13].device.driver++;
    for (size_t i = 0; i < 14; i++) {
        assert_false(pail_cache_key_equal(&key, &other[i]));
        assert_true(pail_cache_key_equal(&other[i], &other[i]));
        for (size_t j = 0; j < i; j++) {
            assert_int_not_equal(pail_cache_key_hash(&other[i]), pail_cache_key_hash(&other[j]));
            assert_false(pail_cache_key_equal(&other[i], &other[j]));
        }
        assert_int_not_equal(pail_cache_key_hash(&other[i]), pail_cache_key_hash(&key));
    }
    /* Bytes beyond the end of the name or the values do not. */
    struct pail_cache_key same = key;
    same.name[20] = 'x';
    same.specs[5] = 99;
    assert_true(pail_cache_key_equal(&key, &same));
    assert_int_equal(pail_cache_key_hash(&key), pail_cache_key_hash(&same));
}

static void expect_damaged(const uint8_t *bytes, size_t n, const char *why)
{
    /* Memory of its own size, so that a read beyond it is seen. */
    uint8_t *copy = malloc(n + (n == 0));
    assert_non_null(copy);
    memcpy(copy, bytes, n);
    struct pail_cache_entry entry, zero;
    memset(&entry, 0xcc, sizeof(entry));
    memset(&zero, 0, sizeof(zero));
    const char *said = pail_cache_entry_decode(&entry, copy, n);
    free(copy);
    assert_non_null(said);
    if (why)
        assert_string_equal(said, why);
    assert_memory_equal(&entry, &zero, sizeof(entry));
}

PAIL_TEST(damaged)
{
    uint8_t payload[37], bytes[256] = {0};
    test_payload(payload, sizeof(payload), 0, 0);
    const struct pail_cache_entry entry = {
        .key = example_key(), .id = 5, .payload = payload, .payload_bytes = sizeof(payload)};
    const size_t n = pail_cache_entry_bytes(sizeof(payload));
    pail_cache_entry_encode(bytes, &entry);
    for (size_t cut = 0; cut < n; cut++)
        expect_damaged(bytes, cut, NULL);
    expect_damaged(bytes, n + 1, "its size is wrong");
    for (size_t bit = 0; bit < 8 * n; bit++) {
        bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        expect_damaged(bytes, n, NULL);
        bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
}

/* Damage that no checksum finds: somebody wrote it so. */
PAIL_TEST(impossible)
{
    static const struct {
        size_t at;
        uint64_t value;
        int bytes;
        const char *why;
    } cases[] = {
        {0, 'p', 1, "it does not begin as an entry does"},
        {4, 0, 4, "its format is older"},
        {4, 2, 4, "its format is newer"},
        {8, 204, 4, "the size of its header is wrong"},
        {72, 9, 4, "it has too many specialisation values"},
        {72, UINT32_MAX, 4, "it has too many specialisation values"},
        {84, 1, 1, "there is something after its specialisation values"},
        {108, 1, 1, "there is something after its specialisation values"},
        {125, 'x', 1, "there is something after its name"},
        {175, 'x', 1, "there is something after its name"},
        {176, 3, 8, "its size is wrong"},
        {176, 5, 8, "its size is wrong"},
        {176, UINT64_MAX, 8, "its size is wrong"},
        {176, UINT64_MAX - 195, 8, "its size is wrong"}, /* 200 + this is 4 */
        {184, 1, 8, "its checksum is wrong"},
    };
    uint8_t payload[4] = {1, 2, 3, 4}, bytes[204];
    const struct pail_cache_entry entry = {
        .key = example_key(), .id = 5, .payload = payload, .payload_bytes = sizeof(payload)};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        pail_cache_entry_encode(bytes, &entry);
        store(bytes + cases[i].at, cases[i].value, cases[i].bytes);
        seal(bytes);
        expect_damaged(bytes, sizeof(bytes), cases[i].why);
    }
    pail_cache_entry_encode(bytes, &entry);
    memset(bytes + 112, 'n', 64);
    seal(bytes);
    expect_damaged(bytes, sizeof(bytes), "its name has no end");
}
