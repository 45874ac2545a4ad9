/* SPDX-License-Identifier: Apache-2.0 */
/* Registry ids: the hash, and what happens when two names have the same one. */
#include <core/ids.h>

#include <curves/registry_id.h>

#include "support/test.h"

static uint32_t id_of(const char *name, uint64_t task)
{
    return pail_registry_id(name, strlen(name), task);
}

PAIL_TEST(known_ids)
{
    static const struct {
        const char *name;
        uint64_t task;
        uint32_t id;
    } known[] = {
        {"", 0, 0xd968e745},
        {"", 1, 0xcf74a1d3},
        {"kernel_a", 0, 0xca332149},
        {"kernel_b", 3, 0x6f0f84bd},
        {"different_kernel", 5, 0x524bd42f},
        {"compute_grad", 3, 0xd5619350},
        {"compute_other", 3, 0x12b4cff7},
        {"compute_grad_diag", 4, 0x374e575c},
        {"any_kernel", 0, 0x36b21d47},
        {"k", 0, 0x09c10950},
        {"compute", UINT32_MAX, 0x9167c52c}, /* task -1, as 32 bits */
        {"na\xc3\xafve", 0, 0x09a6538f},
    };
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        assert_int_equal(id_of(known[i].name, known[i].task), known[i].id);
}

/* All eight bytes of the task count, the upper ones too. */
PAIL_TEST(tasks_have_64_bits)
{
    for (int i = 0; i < 64; i++)
        for (int k = 0; k < i; k++)
            assert_int_not_equal(id_of("k", UINT64_C(1) << i), id_of("k", UINT64_C(1) << k));
}

/* Puts names into a set one after another and says what ids they were given. */
static void put_all(const char *const names[], const uint64_t tasks[], size_t n, uint32_t ids[])
{
    const struct pail_alloc alloc = {0};
    struct pail_ids set = {0};
    struct pail_error err;
    int values[8];
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(pail_ids_reserve(&set, &alloc, &err), PAIL_OK);
        ids[i] = pail_ids_put(&set, id_of(names[i], tasks[i]), &values[i]);
    }
    for (size_t i = 0; i < n; i++)
        assert_ptr_equal(pail_ids_find(&set, ids[i]), &values[i]);
    pail_ids_free(&set, &alloc);
}

PAIL_TEST(collisions_take_the_next)
{
    static const struct {
        const char *names[2];
        uint64_t tasks[2];
        uint32_t id;
    } pairs[] = {
        {{"k8076", "k36556"}, {0, 3}, 0x77fc5151},
        {{"k6004", "k37139"}, {0, 2}, 0xba5e727d},
        {{"k41472", "k47263"}, {2, 3}, 0x53b369fb},
    };
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        uint32_t ids[2];
        assert_int_equal(id_of(pairs[i].names[0], pairs[i].tasks[0]), pairs[i].id);
        assert_int_equal(id_of(pairs[i].names[1], pairs[i].tasks[1]), pairs[i].id);
        put_all(pairs[i].names, pairs[i].tasks, 2, ids);
        assert_int_equal(ids[0], pairs[i].id);
        assert_int_equal(ids[1], pairs[i].id + 1);
    }
}

/* After ffffffff comes 1; a hash of 0 is 1. */
PAIL_TEST(the_end_and_zero)
{
    const char *const names[] = {"w15976", "w148186", "w26958", "w164638", "w41082"};
    const uint64_t tasks[] = {40011, 34436, 30857, 49652, 45210};
    const uint32_t hashes[] = {UINT32_MAX, UINT32_MAX, 1, 1, 1};
    const uint32_t given[] = {UINT32_MAX, 1, 2, 3, 4};
    uint32_t ids[5];
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(id_of(names[i], tasks[i]), hashes[i]);
    put_all(names, tasks, 5, ids);
    assert_memory_equal(ids, given, sizeof(given));
    assert_int_equal(pail_registry_next(UINT32_MAX), 1);
}

PAIL_TEST(many)
{
    enum { N = 5000 };
    const struct pail_alloc alloc = {0};
    struct pail_ids set = {0};
    struct pail_error err;
    static uint32_t values[N];
    assert_null(pail_ids_find(&set, 1));
    for (uint32_t i = 0; i < N; i++) {
        assert_int_equal(pail_ids_reserve(&set, &alloc, &err), PAIL_OK);
        values[i] = pail_ids_put(&set, i % 7, &values[i]); /* 0 is taken as 1 */
    }
    for (uint32_t i = 0; i < N; i++) {
        assert_int_equal(values[i] != 0, 1);
        assert_ptr_equal(pail_ids_find(&set, values[i]), &values[i]);
    }
    assert_null(pail_ids_find(&set, 0));
    assert_null(pail_ids_find(&set, N + 7));
    pail_ids_free(&set, &alloc);
}

static void *no_memory(void *user, size_t size)
{
    (void)user;
    (void)size;
    return NULL;
}

static void no_free(void *user, void *ptr)
{
    (void)user;
    free(ptr);
}

PAIL_TEST(without_memory)
{
    const struct pail_alloc none = {NULL, no_memory, no_free};
    struct pail_ids set = {0};
    struct pail_error err = {0};
    assert_int_equal(pail_ids_reserve(&set, &none, &err), PAIL_ERR_HOST_MEMORY);
    assert_non_null(strstr(err.text, "no host memory for 64 ids"));
    assert_null(set.slots);
}
