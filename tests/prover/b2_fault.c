/* The processors beside a device run out of memory, or the device fails while they multiply: a
 * status, a sentence, and nothing left behind. And what is measured, as pure functions. */
#include "support.h"
#include <cpu/cpu.h>
#include <prover/b2/b2.h>
#include <prover/b2/kept.h>
#include <prover/b2/pool.h>
#include <prover/prove.h>

#include <stdatomic.h>

#include "support/counted.h"
#include "support/test.h"

const pail_backend *backend; /* declared in support.h: the CPU backend by another name */
pail_context *context;

static const pail_backend *cpu;
static pail_backend device;
static struct support_case files;
static atomic_int losses; /* multiplications of the device that are still to be lost */
static atomic_int no_memory = PAIL_ERR_DEVICE_MEMORY; /* or a budget, which is an argument */
static atomic_bool small; /* the device has no memory for B2 beside the others */

static pail_status losing_finish(pail_pending **pending, pail_msm_result *results, size_t n,
                                 pail_stats *stats)
{
    const pail_status status = cpu->msm_finish(pending, results, n, stats);
    return atomic_fetch_sub(&losses, 1) > 0 ? PAIL_ERR_DEVICE_LOST : status;
}

static pail_status small_start(pail_context *own, pail_pending **pending, const pail_msm_job *jobs,
                               size_t n, const pail_msm_config *config)
{
    if (atomic_load(&small) && n == PAIL_ZKEY_MSMS)
        return (pail_status)atomic_load(&no_memory);
    return cpu->msm_start(own, pending, jobs, n, config);
}

int support_setup(void **state)
{
    (void)state;
    static const pail_host usual = {
        .struct_size = sizeof(usual), .abi_major = PAIL_ABI_MAJOR, .abi_minor = PAIL_ABI_MINOR};
    static const pail_host counted = {.struct_size = sizeof(counted),
                                      .abi_major = PAIL_ABI_MAJOR,
                                      .abi_minor = PAIL_ABI_MINOR,
                                      .alloc = counted_alloc,
                                      .free = counted_free};
    const pail_context_params params = {.struct_size = sizeof(params), .threads = 2};
    if (pail_cpu_open(&usual, &cpu) != PAIL_OK ||
        cpu->context_create(&usual, &context, &params) != PAIL_OK)
        return -1;
    device = *cpu;
    device.name = "other";
    device.msm_finish = losing_finish;
    device.msm_start = small_start;
    backend = &device;
    pail_b2_pool_host = &counted;
    atomic_store(&counted_left, -1);
    support_make_case(&files, &(struct circuit_params){PAIL_CURVE_BN254, 40, 1, 1});
    return 0;
}

int support_teardown(void **state)
{
    (void)state;
    support_case_free(&files);
    backend->context_destroy(&context);
    return atomic_load(&counted_blocks) == 0 ? 0 : -1;
}

static pail_status open_key(pail_groth16_key **key, uint32_t b2, char error[512])
{
    pail_groth16_key_params params = support_params(&files.zkey);
    params.b2 = b2;
    params.b2_threads = 2;
    params.cache_dir = "";
    error[0] = '\0';
    *key = NULL;
    return pail_groth16_key_open(key, backend, context, &params, error, 512);
}

PAIL_TEST(opening)
{
    pail_status status = PAIL_ERR_HOST_MEMORY;
    char error[512];
    long failures = 0;
    for (; status != PAIL_OK && failures < 1000; failures++) {
        pail_groth16_key *key;
        atomic_store(&counted_left, failures);
        status = open_key(&key, PAIL_GROTH16_B2_CPU, error);
        assert_true(status == PAIL_OK || status == PAIL_ERR_HOST_MEMORY);
        assert_true((status == PAIL_OK) == (error[0] == '\0'));
        assert_true((status == PAIL_OK) == (key != NULL));
        pail_groth16_key_close(&key);
        assert_int_equal(atomic_load(&counted_blocks), 0);
    }
    assert_true(status == PAIL_OK && failures > 3); /* a context and points at least */
    /* The device has B2 where nobody asked for the processors. */
    for (long n = 0; n < failures; n++) {
        pail_groth16_key *key;
        pail_groth16_key_info info = {.struct_size = sizeof(info)};
        atomic_store(&counted_left, n);
        assert_int_equal(open_key(&key, PAIL_GROTH16_B2_AUTO, error), PAIL_OK);
        assert_int_equal(pail_groth16_key_get_info(key, &info), PAIL_OK);
        assert_int_equal(info.b2,
                         n == failures - 1 ? PAIL_GROTH16_B2_AUTO : PAIL_GROTH16_B2_DEVICE);
        pail_groth16_key_close(&key);
        assert_int_equal(atomic_load(&counted_blocks), 0);
    }
    atomic_store(&counted_left, -1);
}

static uint32_t proved_on; /* pail_groth16_b2 */

static pail_status prove(const pail_groth16_key *key, uint32_t flags, char error[512])
{
    static const pail_groth16_proof zero;
    const pail_groth16_options options = {.struct_size = sizeof(options), .flags = flags};
    const pail_groth16_witness witness = {
        .struct_size = sizeof(witness), .wtns = files.wtns.data, .n_wtns = files.wtns.size};
    pail_groth16_proof proof = {.struct_size = sizeof(proof)};
    pail_groth16_timings timings = {.struct_size = sizeof(timings)};
    uint8_t publics[32];
    error[0] = '\0';
    const pail_status status =
        pail_groth16_prove(key, &proof, publics, &timings, &witness, &options, error, 512);
    proved_on = timings.b2;
    assert_true((status == PAIL_OK) == (error[0] == '\0'));
    assert_true((memcmp(proof.a, zero.a, sizeof(proof.a)) == 0) == (status != PAIL_OK));
    return status;
}

PAIL_TEST(proving)
{
    pail_groth16_key *key;
    char error[512];
    assert_int_equal(open_key(&key, PAIL_GROTH16_B2_CPU, error), PAIL_OK);
    const long before = atomic_load(&counted_blocks);
    for (uint32_t flags = 0; flags <= PAIL_GROTH16_STAGES; flags += PAIL_GROTH16_STAGES) {
        pail_status status = PAIL_ERR_HOST_MEMORY;
        long failures = 0;
        for (; status != PAIL_OK && failures < 1000; failures++) {
            atomic_store(&counted_left, failures);
            status = prove(key, flags, error);
            assert_true(status == PAIL_OK || status == PAIL_ERR_HOST_MEMORY);
            if (status != PAIL_OK)
                support_expect_words(error, "cpu|B2");
            assert_int_equal(atomic_load(&counted_blocks), before);
        }
        assert_true(status == PAIL_OK && failures > 1);
    }
    atomic_store(&counted_left, -1);
    pail_groth16_key_close(&key);
}

/* The device has no memory for B2, or the processors have none: the other place has it from there
 * on, where the key may choose. */
PAIL_TEST(no_room)
{
    for (int i = 0; i < 3; i++) {
        const int cpu_has = i > 0;
        pail_groth16_key *key;
        pail_groth16_key_info info = {.struct_size = sizeof(info)};
        char error[512];
        int moved = 0;
        assert_int_equal(open_key(&key, PAIL_GROTH16_B2_AUTO, error), PAIL_OK);
        assert_int_equal(prove(key, 0, error), PAIL_OK);
        atomic_store(&small, cpu_has);
        atomic_store(&counted_left, cpu_has ? -1 : 0);
        for (int p = 0; p < 4; p++, moved += info.b2 != PAIL_GROTH16_B2_AUTO) {
            assert_int_equal(prove(key, 0, error), PAIL_OK);
            assert_int_equal(pail_groth16_key_get_info(key, &info), PAIL_OK);
        }
        assert_true(moved > 0);
        assert_int_equal(info.b2, cpu_has ? PAIL_GROTH16_B2_CPU : PAIL_GROTH16_B2_DEVICE);
        pail_groth16_key_close(&key);
        /* A caller that asked for a place is told. */
        atomic_store(&counted_left, -1);
        assert_int_equal(
            open_key(&key, cpu_has ? PAIL_GROTH16_B2_DEVICE : PAIL_GROTH16_B2_CPU, error), PAIL_OK);
        atomic_store(&counted_left, cpu_has ? -1 : 0);
        assert_int_equal(prove(key, 0, error),
                         cpu_has ? (pail_status)atomic_load(&no_memory) : PAIL_ERR_HOST_MEMORY);
        atomic_store(&no_memory, i == 0 ? PAIL_ERR_DEVICE_MEMORY : PAIL_ERR_ARGUMENT);
        atomic_store(&small, false);
        atomic_store(&counted_left, -1);
        pail_groth16_key_close(&key);
    }
}

/* The device is lost while the processors multiply. */
PAIL_TEST(lost)
{
    pail_groth16_key *key;
    char error[512];
    assert_int_equal(open_key(&key, PAIL_GROTH16_B2_CPU, error), PAIL_OK);
    const long before = atomic_load(&counted_blocks);
    for (int i = 0; i < 20; i++) {
        atomic_store(&losses, 1);
        assert_int_equal(prove(key, 0, error), PAIL_ERR_DEVICE_LOST);
        assert_int_equal(atomic_load(&counted_blocks), before);
    }
    atomic_store(&losses, 0);
    assert_int_equal(prove(key, 0, error), PAIL_OK);
    pail_groth16_key_close(&key);
}

/* Given up at any time. */
PAIL_TEST(abandoned)
{
    pail_groth16_key *key;
    char error[512];
    assert_int_equal(open_key(&key, PAIL_GROTH16_B2_CPU, error), PAIL_OK);
    const long before = atomic_load(&counted_blocks);
    const pail_groth16_options options = {.struct_size = sizeof(options)};
    const pail_groth16_witness witness = {
        .struct_size = sizeof(witness), .wtns = files.wtns.data, .n_wtns = files.wtns.size};
    for (int i = 0; i < 20; i++) {
        struct pail_proving *proving;
        assert_int_equal(
            pail_proving_create(&proving, key, &witness, &options, error, sizeof(error)), PAIL_OK);
        assert_int_equal(pail_proving_start(proving, 0, 0, error, sizeof(error)), PAIL_OK);
        if (i % 2 == 1)
            (void)pail_proving_wait(proving, (uint64_t)i * 10000);
        pail_proving_destroy(&proving);
        assert_int_equal(atomic_load(&counted_blocks), before);
    }
    pail_groth16_key_close(&key);
}

enum { BUSY = 8 };

/* Others have the processors. */
static void make_busy(const pail_groth16_key *key, struct pail_witness *source,
                      pail_pending *pending[BUSY])
{
    const pail_groth16_witness witness = {
        .struct_size = sizeof(witness), .wtns = files.wtns.data, .n_wtns = files.wtns.size};
    const struct pail_witness *all[PAIL_B2_STARTS_MAX];
    assert_int_equal(pail_witness_open(source, key, &witness, NULL, 0), PAIL_OK);
    for (int i = 0; i < PAIL_B2_STARTS_MAX; i++)
        all[i] = source;
    for (int i = 0; i < BUSY; i++)
        assert_int_equal(pail_b2_start(key, &pending[i], all, PAIL_B2_STARTS_MAX, NULL, 0),
                         PAIL_OK);
}

/* A proof that is measured does not wait for ever: the device has B2 as well then. */
PAIL_TEST(patience)
{
    pail_groth16_key *key;
    char error[512];
    struct pail_b2_turn turn;
    assert_int_equal(open_key(&key, PAIL_GROTH16_B2_AUTO, error), PAIL_OK);
    assert_int_equal(prove(key, 0, error), PAIL_OK);
    do { /* one of no time at all */
        pail_b2_enter(key, &turn, true);
        pail_b2_note_proof(key, &turn, 1e-6);
        pail_b2_leave(key, &turn);
    } while (turn.place != PAIL_B2_ON_DEVICE);
    for (int i = 0; i < 2; i++) { /* one for each place */
        struct pail_witness source;
        pail_pending *pending[BUSY] = {NULL};
        const bool busy = i == 0; /* with the processors */
        if (busy)
            make_busy(key, &source, pending);
        assert_int_equal(prove(key, 0, error), PAIL_OK);
        for (int j = 0; j < BUSY && busy; j++)
            pail_b2_abandon(key, &pending[j]);
        if (busy)
            pail_witness_close(&source);
        assert_int_equal(proved_on, PAIL_GROTH16_B2_DEVICE);
    }
    pail_groth16_key_close(&key);
}

PAIL_TEST(choosing)
{
    struct pail_b2_record record = {{0}, {0}};
    enum pail_b2_place place;
    assert_int_equal(pail_b2_next(&record, PAIL_B2_ON_CPU), PAIL_B2_ON_CPU);
    assert_int_equal(pail_b2_next(&record, PAIL_B2_ON_DEVICE), PAIL_B2_ON_DEVICE);
    assert_true(pail_b2_patience_ms(&record) == 0);
    static const double ms[PAIL_B2_PLACES][4] = {{9, 5, 6, 1}, {15, 4, 8, 1}};
    for (int i = 0; i < 3; i++)
        for (int p = PAIL_B2_ON_DEVICE; p < PAIL_B2_PLACES; p++) {
            assert_false(pail_b2_decided(&record, &place));
            assert_int_equal(pail_b2_next(&record, PAIL_B2_ON_DEVICE), p);
            pail_b2_note(&record, (enum pail_b2_place)p, ms[p][i]);
        }
    assert_true(pail_b2_decided(&record, &place));
    assert_int_equal(place, PAIL_B2_ON_CPU);
    pail_b2_note(&record, PAIL_B2_ON_DEVICE, ms[0][3]); /* comes too late */
    assert_true(record.least_ms[PAIL_B2_ON_DEVICE] == 5 && record.least_ms[PAIL_B2_ON_CPU] == 4);
    assert_true(pail_b2_patience_ms(&record) == 7.5);
    record = (struct pail_b2_record){{1, 1}, {5, 21}}; /* once is enough */
    assert_true(pail_b2_decided(&record, &place));
    assert_int_equal(place, PAIL_B2_ON_DEVICE);
    record = (struct pail_b2_record){{1, 1}, {21, 5}}; /* the device may have compiled */
    assert_false(pail_b2_decided(&record, &place));
}

PAIL_TEST_GROUP(support_setup, support_teardown)
