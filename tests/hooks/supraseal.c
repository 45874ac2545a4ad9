/* SPDX-License-Identifier: Apache-2.0 */
/* A caller of supraseal-c2's functions, by each set of their arguments: proofs, errors, keys with
 * references, and threads. */
#include <pthread.h>

#include "support/test.h"
#include "supraseal_world.h"

enum { THREADS = 3 };

/* As many circuits as bellperson has in a call, which share densities. */
PAIL_TEST(proofs)
{
    supraseal_assignment provers[CIRCUITS];
    supraseal_proof proofs[CIRCUITS];
    SRS srs = create(false);
    for (size_t i = 0; i < CIRCUITS; i++)
        provers[i] = given;
    memset(proofs, 0xa5, sizeof(proofs));
    expect_none(
        its.generate_groth16_proofs_c(provers, CIRCUITS, r_s, s_s, proofs, &srs MORE(NULL)));
    assert_memory_equal(proofs, expected, sizeof(proofs));
    expect_none(its.generate_groth16_proofs_c(NULL, 0, NULL, NULL, NULL, &srs MORE(NULL)));
    its.drop_SRS(&srs);
}

PAIL_TEST(errors)
{
    static const supraseal_proof nothing;
    supraseal_assignment wrong[2] = {given, given};
    supraseal_proof proofs[2];
    SRS srs = {&srs};
    uint8_t above[32];
    expect_error(its.create_SRS(&srs, "/nowhere/k.params", true), "/nowhere/k.params");
    assert_null(srs.ptr);
    expect_error(its.create_SRS(&srs, "/dev/null", true), "/dev/null");
    expect_error(its.generate_groth16_proofs_c(wrong, 1, r_s, s_s, proofs, &srs MORE(NULL)),
                 "srs has no key");
    srs = create(false);
    wrong[1].aux_assignment_size--;
    memset(proofs, 0xa5, sizeof(proofs));
    expect_error(its.generate_groth16_proofs_c(wrong, 2, r_s, s_s, proofs, &srs MORE(NULL)),
                 "a_aux_bit_len is 59, but there are 58 values");
    assert_memory_equal(&proofs[0], &nothing, sizeof(nothing));
    assert_memory_equal(&proofs[1], &nothing, sizeof(nothing));
    wrong[1] = given;
    wrong[1].abc_size = 3;
    memset(proofs, 0xa5, sizeof(proofs));
    expect_error(its.generate_groth16_proofs_c(wrong, 2, r_s, s_s, proofs, &srs MORE(NULL)),
                 "has 3 constraints");
    assert_memory_equal(&proofs[0], &nothing, sizeof(nothing));
    memset(above, 0xff, sizeof(above));
    expect_error(its.generate_groth16_proofs_c(&given, 1, above, s_s, proofs, &srs MORE(NULL)),
                 "not below the group order");
    expect_error(its.generate_groth16_proofs_c(&given, 1, r_s, s_s, NULL, &srs MORE(NULL)),
                 "proofs is NULL");
    memset(proofs, 0xa5, sizeof(proofs));
    expect_error(
        its.generate_groth16_proofs_c(&given, SIZE_MAX / 16, r_s, s_s, proofs, &srs MORE(NULL)),
        "num_circuits is 1152921504606846975, more than");
    assert_int_equal(proofs[0].a[0], UINT64_C(0xa5a5a5a5a5a5a5a5));
    expect_error(its.generate_groth16_proofs_c(&given, 1, NULL, s_s, proofs, &srs MORE(NULL)),
                 "r_s is NULL");
    assert_memory_equal(&proofs[0], &nothing, sizeof(nothing));
    assert_int_equal(proofs[1].a[0], UINT64_C(0xa5a5a5a5a5a5a5a5));
    expect_none(its.generate_groth16_proofs_c(&given, 1, r_s, s_s, proofs, &srs MORE(NULL)));
    assert_memory_equal(&proofs[0], &expected[0], sizeof(expected[0]));
    its.drop_SRS(&srs);
}

/* A cached key is the same one until it is evicted, and lives on with its references. */
PAIL_TEST(references)
{
    supraseal_proof proof;
    SRS first = create(true), again = create(true), other = create(false);
    assert_ptr_equal(first.ptr, again.ptr);
    assert_ptr_not_equal(first.ptr, other.ptr);
    its.drop_SRS(&first);
    its.drop_SRS(&again);
    first = create(true); /* the cache has it */
    assert_ptr_equal(first.ptr, again.ptr);
    SRS copy = its.clone_SRS(&first);
    its.evict_SRS(&first);
    its.evict_SRS(&copy);
    its.drop_SRS(&first);
    again = create(true);
    assert_ptr_not_equal(again.ptr, copy.ptr);
    expect_none(its.generate_groth16_proofs_c(&given, 1, r_s, s_s, &proof, &copy MORE(NULL)));
    assert_memory_equal(&proof, &expected[0], sizeof(proof));
    its.evict_SRS(&again);
    its.drop_SRS(&copy);
    its.drop_SRS(&again);
    its.drop_SRS(&other);
}

struct task {
    SRS srs;
    supraseal_proof proofs[CIRCUITS];
    RustError error;
};

static void *generate(void *argument)
{
    struct task *const task = argument;
    supraseal_assignment provers[CIRCUITS];
    for (size_t i = 0; i < CIRCUITS; i++)
        provers[i] = given;
    task->error = its.generate_groth16_proofs_c(provers, CIRCUITS, r_s, s_s, task->proofs,
                                                &task->srs MORE(NULL));
    return NULL;
}

/* Calls of several threads, while a key is loaded and dropped. */
PAIL_TEST(threads)
{
    static struct task tasks[THREADS];
    pthread_t threads[THREADS];
    SRS srs = create(false);
    for (int i = 0; i < THREADS; i++) {
        tasks[i] = (struct task){.srs = its.clone_SRS(&srs)};
        assert_int_equal(pthread_create(&threads[i], NULL, generate, &tasks[i]), 0);
    }
    SRS other = create(true);
    its.evict_SRS(&other);
    its.drop_SRS(&other);
    its.drop_SRS(&srs);
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        expect_none(tasks[i].error);
        assert_memory_equal(tasks[i].proofs, expected, sizeof(expected));
        its.drop_SRS(&tasks[i].srs);
    }
}

PAIL_TEST_GROUP(supraseal_setup, supraseal_teardown)
