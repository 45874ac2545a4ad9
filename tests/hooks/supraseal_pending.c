/* SPDX-License-Identifier: Apache-2.0 */
/* The call in two parts: start returns while the device is held, and neither it nor what comes
 * after it reads the caller's arrays; handles are finished, or destroyed, in many threads, and
 * nothing of an assignment stays. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>

#include <pail/prover.h>
#include <platform/memory.h>

#include "abi/scan.h"
#include "held_plugin.h"
#include "srs.h"
#include "support/moved.h"
#include "support/test.h"
#include "supraseal_world.h"

enum { THREADS = 16, ROUNDS = 3, HANDLES = 3 };

static struct {
    __typeof__(held_shut) *shut;
    __typeof__(held_wait) *wait;
} held;

/* On a driver a proof takes seconds. */
static int fewer(int n)
{
    return getenv("PAIL_TEST_HELD") ? 1 + n / 6 : n;
}

static int setup(void **state)
{
    void *const plugin = dlopen(test_path(PAIL_TEST_HELD_PLUGIN).text, RTLD_NOW | RTLD_LOCAL);
    if (!plugin)
        fail_msg("%s", dlerror());
    *(void **)(void *)&held.shut = dlsym(plugin, "held_shut");
    *(void **)(void *)&held.wait = dlsym(plugin, "held_wait");
    assert_true(held.shut && held.wait);
    return supraseal_setup(state);
}

/* A caller's arrays, which go away. */
struct arrays {
    struct assigned own;
    supraseal_assignment provers[CIRCUITS];
    uint8_t r[CIRCUITS][32], s[CIRCUITS][32];
};

static void make_arrays(struct arrays *arrays)
{
    assigned_make(&arrays->own, CONSTRAINTS, PUBLIC, PAIL_ENCODING_MONTGOMERY);
    for (size_t i = 0; i < CIRCUITS; i++)
        arrays->provers[i] = supraseal_of(&arrays->own);
    memcpy(arrays->r, r_s, sizeof(arrays->r));
    memcpy(arrays->s, s_s, sizeof(arrays->s));
}

static void overwrite(struct arrays *arrays)
{
    const pail_groth16_assignment *const from = &arrays->own.assignment;
    for (int i = 0; i < 3; i++)
        memset(arrays->own.rows[i], 0xff, 32 * (size_t)from->n_constraints);
    memset(arrays->own.inputs, 0xff, 32 * (size_t)from->n_inputs);
    memset(arrays->own.aux, 0xff, 32 * (size_t)from->n_aux);
    assigned_free(&arrays->own);
    memset(arrays, 0xff, sizeof(*arrays));
}

static RustError start(const struct arrays *arrays, size_t n, const SRS *srs, void *resources,
                       void **pending)
{
    (void)resources;
    return its.generate_groth16_proofs_start_c(arrays->provers, n, arrays->r, arrays->s,
                                               srs MORE(resources), pending);
}

static void finalize(void *pending, size_t n)
{
    supraseal_proof proofs[CIRCUITS];
    memset(proofs, 0xa5, sizeof(proofs));
    expect_none(its.finalize_groth16_proof_c(pending, proofs));
    assert_memory_equal(proofs, expected, n * sizeof(proofs[0]));
}

/* Several starts return while the first proof cannot go on. The arrays are overwritten and freed
 * then, and the key dropped. */
PAIL_TEST(start_returns_before_the_proofs)
{
    static struct arrays arrays;
    void *pending[HANDLES] = {&pending, &pending, &pending};
    void *const resources = its.create_gpu_mutex();
    const _Atomic int32_t *const word = its.get_membw_throttle(resources);
    SRS srs = create(false);
    held.shut(true);
    for (int i = 0; i < HANDLES; i++) {
        make_arrays(&arrays);
        expect_none(start(&arrays, CIRCUITS, &srs, resources, &pending[i]));
        assert_non_null(pending[i]);
        assert_int_equal(atomic_load(word), 0); /* nothing of the arrays is read any more */
        overwrite(&arrays);
    }
    its.drop_SRS(&srs);
    its.destroy_gpu_mutex(resources); /* no handle uses them */
    held.wait(1);
    held.shut(false);
    for (int i = HANDLES - 1; i >= 0; i--)
        finalize(pending[i], CIRCUITS);
}

static void *open_gate(void *argument)
{
    held.wait(1);
    held.shut(false);
    return argument;
}

/* A handle is destroyed with a proof on the device and others behind it: all places are free again,
 * and the last reference of the key closes the device. */
PAIL_TEST(destroyed_under_way)
{
    static struct arrays arrays;
    for (int round = 0; round < fewer(ROUNDS); round++) {
        pthread_t thread;
        void *pending[2];
        SRS srs = create(round == 1);
        pail_prover_stats stats = {.struct_size = sizeof(stats)};
        __typeof__(pail_prover_get_stats) *get_stats;
        *(void **)(void *)&get_stats = dlsym(supraseal_library(), "pail_prover_get_stats");
        assert_non_null(get_stats);
        held.shut(true);
        make_arrays(&arrays);
        expect_none(start(&arrays, CIRCUITS, &srs, NULL, &pending[0]));
        expect_none(start(&arrays, CIRCUITS, &srs, NULL, &pending[1]));
        overwrite(&arrays);
        assert_int_equal(pthread_create(&thread, NULL, open_gate, NULL), 0);
        its.destroy_pending_proof(pending[0]);
        assert_int_equal(pthread_join(thread, NULL), 0);
        its.destroy_pending_proof(pending[1]);
        pail_prover *const prover = ((const struct srs *)srs.ptr)->prover;
        assert_int_equal(get_stats(prover, &stats), PAIL_OK);
        assert_int_equal(stats.submitted, stats.ended);
        assert_true(stats.cancelled > 0);
        make_arrays(&arrays);
        expect_none(start(&arrays, CIRCUITS, &srs, NULL, &pending[0]));
        finalize(pending[0], CIRCUITS);
        assigned_free(&arrays.own);
        its.evict_SRS(&srs);
        its.drop_SRS(&srs);
    }
}

PAIL_TEST(bad_arguments)
{
    static struct arrays arrays;
    supraseal_proof proofs[CIRCUITS];
    void *pending = &pending;
    SRS srs = create(false), none = {NULL};
    make_arrays(&arrays);
    expect_error(start(&arrays, 1, &srs, NULL, NULL), "pending_out is NULL");
    expect_error(start(&arrays, 1, &none, NULL, &pending), "srs has no key");
    assert_null(pending);
    pending = &pending;
    arrays.provers[1].abc_size = 3;
    expect_error(start(&arrays, 2, &srs, NULL, &pending), "has 3 constraints");
    assert_null(pending);
    arrays.provers[1].abc_size = arrays.provers[0].abc_size;
    arrays.own.a_aux[0] ^= 1; /* found in the copy, while the proof before it may be under way */
    expect_error(start(&arrays, 2, &srs, NULL, &pending), "its densities count");
    arrays.own.a_aux[0] ^= 1;
    expect_error(its.generate_groth16_proofs_start_c(arrays.provers, SIZE_MAX / 16, arrays.r,
                                                     arrays.s, &srs MORE(NULL), &pending),
                 "num_circuits is 1152921504606846975");
    assert_null(pending);
    expect_none(start(&arrays, 2, &srs, NULL, &pending));
    expect_error(its.finalize_groth16_proof_c(pending, NULL), "proofs is NULL");
    finalize(pending, 2); /* the handle was kept */
    expect_none(start(&arrays, 0, &srs, NULL, &pending));
    expect_none(its.finalize_groth16_proof_c(pending, NULL));
    its.destroy_pending_proof(NULL);
    expect_error(its.finalize_groth16_proof_c(NULL, proofs), "pending is NULL");
    overwrite(&arrays);
    its.drop_SRS(&srs);
}

/* A scalar that is too large is found on the device: finalize says so, and zeroes every proof. */
PAIL_TEST(a_scalar_above_the_order)
{
    static const supraseal_proof nothing;
    static struct arrays arrays;
    supraseal_proof proofs[CIRCUITS];
    void *pending = NULL;
    SRS srs = create(false);
    make_arrays(&arrays);
    memset(arrays.own.rows[2], 0xff, 32);
    held.shut(true); /* otherwise start may be told */
    expect_none(start(&arrays, 2, &srs, NULL, &pending));
    held.shut(false);
    memset(proofs, 0xa5, sizeof(proofs));
    expect_error(its.finalize_groth16_proof_c(pending, proofs),
                 "c[0] is not below the group order");
    assert_memory_equal(&proofs[0], &nothing, sizeof(nothing));
    assert_memory_equal(&proofs[1], &nothing, sizeof(nothing));
    assert_int_equal(proofs[2].a[0], UINT64_C(0xa5a5a5a5a5a5a5a5));
    overwrite(&arrays);
    its.drop_SRS(&srs);
}

/* ---- Threads --------------------------------------------------------------------------------- */
struct task {
    SRS srs;
    int number;
    void *resources;
    supraseal_proof proofs[CIRCUITS];
    RustError error;
    bool wrong;
};

/* Every third handle is destroyed. */
static void *start_and_end(void *argument)
{
    struct task *const task = argument;
    for (int round = 0; round < fewer(ROUNDS) && task->error.code == 0; round++) {
        supraseal_assignment provers[CIRCUITS] = {given, given, given};
        void *pending = NULL;
        task->error = its.generate_groth16_proofs_start_c(
            provers, CIRCUITS, r_s, s_s, &task->srs MORE(task->resources), &pending);
        if (task->error.code == 0 && (round + task->number) % 3 == 0)
            its.destroy_pending_proof(pending);
        else if (task->error.code == 0)
            task->error = its.finalize_groth16_proof_c(pending, task->proofs);
        if ((round + task->number) % 3 != 0)
            task->wrong |= memcmp(task->proofs, expected, sizeof(expected)) != 0;
    }
    its.drop_SRS(&task->srs);
    return NULL;
}

PAIL_TEST(sixteen_threads)
{
    static struct task tasks[THREADS];
    pthread_t threads[THREADS];
    SRS srs = create(false);
    void *const resources = its.create_gpu_mutex();
    for (int i = 0; i < fewer(THREADS); i++) {
        tasks[i] = (struct task){.srs = its.clone_SRS(&srs), .number = i, .resources = resources};
        assert_int_equal(pthread_create(&threads[i], NULL, start_and_end, &tasks[i]), 0);
    }
    its.drop_SRS(&srs);
    for (int i = 0; i < fewer(THREADS); i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        expect_none(tasks[i].error);
        assert_false(tasks[i].wrong);
    }
    assert_int_equal(atomic_load((const _Atomic int32_t *)its.get_membw_throttle(resources)), 0);
    its.destroy_gpu_mutex(resources);
}

static void *generate(void *argument)
{
    struct task *const task = argument;
    supraseal_assignment provers[CIRCUITS] = {given, given, given};
    task->error = its.generate_groth16_proofs_c(provers, CIRCUITS, r_s, s_s, task->proofs,
                                                &task->srs MORE(task->resources));
    return NULL;
}

/* A host polls the word of a throttle: it is set as long as a call reads assignments. */
PAIL_TEST(throttle)
{
    static struct task task;
    pthread_t thread;
    task = (struct task){.srs = create(false), .resources = its.create_gpu_mutex()};
    assert_non_null(task.resources);
    const _Atomic int32_t *const word = its.get_membw_throttle(task.resources);
    assert_non_null(word);
    assert_null(its.get_membw_throttle(NULL));
    assert_int_equal(atomic_load(word), 0);
    held.shut(true);
    assert_int_equal(pthread_create(&thread, NULL, generate, &task), 0);
    held.wait(1);
    assert_int_equal(atomic_load(word), 1);
    held.shut(false);
    assert_int_equal(pthread_join(thread, NULL), 0);
    expect_none(task.error);
    assert_memory_equal(task.proofs, expected, sizeof(expected));
    assert_int_equal(atomic_load(word), 0);
    its.drop_SRS(&task.srs);
    its.destroy_gpu_mutex(task.resources);
}

/* ---- Secrets --------------------------------------------------------------------------------- */
static void hide(struct arrays *arrays, const struct scan *scan)
{
    const pail_groth16_assignment *const from = &arrays->own.assignment;
    for (size_t k = 0; k < from->n_aux; k++)
        scan_reveal(scan, 0, arrays->own.aux + 32 * k);
    for (size_t k = 0; k < from->n_constraints; k++)
        scan_reveal(scan, 0, arrays->own.rows[0] + 32 * k);
}

static void wipe(struct arrays *arrays)
{
    const pail_groth16_assignment *const from = &arrays->own.assignment;
    pail_wipe(arrays->own.aux, 32 * (size_t)from->n_aux);
    pail_wipe(arrays->own.rows[0], 32 * (size_t)from->n_constraints);
    pail_wipe_stack();
}

/* Copies are gone once a handle is finished, or destroyed with its proofs before the gate. */
PAIL_TEST(nothing_stays)
{
    static struct arrays arrays;
    struct scan scan;
    scan_begin(&scan); /* first, for it may skip */
    (void)scan_make(&scan);
    SRS srs = create(false);
    make_arrays(&arrays);
    for (int way = 0; way < 2; way++) {
        supraseal_proof proofs[CIRCUITS];
        void *pending;
        pthread_t thread;
        hide(&arrays, &scan);
        held.shut(true);
        expect_none(start(&arrays, CIRCUITS, &srs, NULL, &pending));
        wipe(&arrays);
        held.wait(1);
        assert_true(scan_count(&scan, NULL) >= arrays.own.assignment.n_aux); /* the copies */
        assert_int_equal(pthread_create(&thread, NULL, open_gate, NULL), 0);
        if (way == 1)
            its.destroy_pending_proof(pending);
        else
            expect_none(its.finalize_groth16_proof_c(pending, proofs));
        assert_int_equal(pthread_join(thread, NULL), 0);
        assert_int_equal(scan_count(&scan, way == 1 ? "destroyed" : "finished"), 0);
    }
    assigned_free(&arrays.own);
    its.drop_SRS(&srs);
    assert_int_equal(scan_count(&scan, "closed"), 0);
    scan_end(&scan);
}

/* ---- Several devices ------------------------------------------------------------------------- */
/* Circuits of a call are spread over all devices that PAIL_SUPRASEAL_DEVICES lists. */
PAIL_TEST(several_devices)
{
    static struct arrays arrays;
    void *pending;
    __typeof__(pail_prover_get_device) *get_device;
    if (!getenv("PAIL_SUPRASEAL_DEVICES"))
        SKIP_BECAUSE("PAIL_SUPRASEAL_DEVICES lists no devices");
    *(void **)(void *)&get_device = dlsym(supraseal_library(), "pail_prover_get_device");
    assert_non_null(get_device);
    SRS srs = create(false);
    pail_prover *const prover = ((const struct srs *)srs.ptr)->prover;
    make_arrays(&arrays);
    expect_none(start(&arrays, CIRCUITS, &srs, NULL, &pending));
    finalize(pending, CIRCUITS);
    for (uint32_t d = 0; d < 2; d++) {
        pail_prover_device_stats stats = {.struct_size = sizeof(stats)};
        assert_int_equal(get_device(prover, d, &stats), PAIL_OK);
        assert_true(stats.jobs > 0);
    }
    assigned_free(&arrays.own);
    its.drop_SRS(&srs);
}

PAIL_TEST_GROUP(setup, supraseal_teardown)
