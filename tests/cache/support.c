/* SPDX-License-Identifier: Apache-2.0 */
#include "support.h"
#include "support/test.h"

const struct pail_cache_device test_device = {
    .uuid = {0xa0, 0xa1, 0xa2, 0xa3, 0xa4, 0xa5, 0xa6, 0xa7, 0xa8, 0xa9, 0xaa, 0xab, 0xac, 0xad,
             0xae, 0xaf},
    .vendor = 0x10de,
    .device = 0x2335,
    .driver = 0x89abcdef,
};

struct pail_cache_key test_key(unsigned number)
{
    struct pail_cache_key key = {
        .kind = PAIL_CACHE_PIPELINE,
        .task = number,
        .code_hash = UINT64_C(0x1122334455667788),
        .n_specs = 2,
        .specs = {64, number},
        .n_bindings = 4,
        .push_bytes = 32,
        .device = test_device,
    };
    (void)snprintf(key.name, sizeof(key.name), "test/kernel%u", number);
    return key;
}

void test_payload(uint8_t *payload, size_t bytes, unsigned number, unsigned version)
{
    uint32_t state = number * 2654435761u + version * 40503u + 1;
    for (size_t i = 0; i < bytes; i++) {
        state = state * 1664525u + 1013904223u;
        payload[i] = (uint8_t)(state >> 24);
    }
}

void test_log(void *user, bool trouble, const char *line)
{
    struct test_log *log = user;
    (void)trouble;
    log->n++;
    (void)snprintf(log->last, sizeof(log->last), "%s", line);
    if (getenv("PAIL_TEST_LOG"))
        (void)fprintf(stderr, "%s\n", line);
}

struct pail_cache_params test_params(const char *dir, struct test_log *log)
{
    return (struct pail_cache_params){
        .device = test_device,
        .log = log ? test_log : NULL,
        .log_user = log,
        .dir = dir,
        .layers = "",
        .max_bytes = UINT64_C(1) << 28,
    };
}

struct pail_cache *test_open(const char *dir, struct test_log *log)
{
    const struct pail_cache_params params = test_params(dir, log);
    struct pail_cache *cache = pail_cache_open(&params);
    assert_non_null(cache);
    return cache;
}

void test_put(struct pail_cache *cache, unsigned number, unsigned version)
{
    const struct pail_cache_key key = test_key(number);
    uint8_t payload[1024];
    assert_true(100 + number <= sizeof(payload));
    test_payload(payload, 100 + number, number, version);
    pail_cache_put(cache, &key, payload, 100 + number);
}

int test_get(struct pail_cache *cache, unsigned number)
{
    const struct pail_cache_key key = test_key(number);
    size_t bytes = 1;
    uint8_t *payload = pail_cache_get(cache, &key, &bytes);
    if (!payload) {
        assert_int_equal(bytes, 0);
        return -1;
    }
    assert_int_equal(bytes, 100 + number);
    assert_int_equal((uintptr_t)payload % 16, 0);
    int version = 0;
    for (; version < 8; version++) {
        uint8_t expected[1024];
        test_payload(expected, bytes, number, (unsigned)version);
        if (memcmp(payload, expected, bytes) == 0)
            break;
    }
    if (version == 8)
        fail_msg("entry %u has a payload that nobody put", number);
    pail_cache_release(cache, payload);
    return version;
}
