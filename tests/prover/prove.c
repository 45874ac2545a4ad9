/* SPDX-License-Identifier: Apache-2.0 */
/* Proofs are valid, whatever the size and shape of a circuit, and what is not satisfied is not. */

#include <pthread.h>

#include "support.h"
#include "support/test.h"

enum { THREADS = 4 };
#ifdef PAIL_TEST_SANITIZED /* the same code */
enum { FULL = 255, LARGE = 300, ONCE = 300, SIZE_STEP = 2 };
#else
enum { FULL = 4095, LARGE = 1000, ONCE = 8000, SIZE_STEP = 1 }; /* constraints */
#endif

static const uint32_t curves[] = {PAIL_CURVE_BN254, PAIL_CURVE_BLS12_381};
enum { N_CURVES = sizeof(curves) / sizeof(curves[0]) };

static void expect_valid(const struct circuit_params *params)
{
    struct support_case files;
    struct support_proof made;
    support_make_case(&files, params);
    pail_groth16_key *key = support_open(&files.zkey);
    support_prove(&made, key, &files.wtns, NULL);
    if (!made.valid)
        fail_msg("curve %u, %u constraints, %u public: not valid", params->curve,
                 params->n_constraints, params->n_public);
    support_proof_free(&made);
    pail_groth16_key_close(&key);
    assert_null(key);
    support_case_free(&files);
}

/* Domains of 1, 2, 4 and so on, and around each power of two; no public values, and nothing else.
 */
PAIL_TEST(small_circuits)
{
    static const uint32_t sizes[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 14, 15, 16, 17};
    for (size_t c = 0; c < N_CURVES; c++) {
        for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i += SIZE_STEP) {
            const uint32_t all = sizes[i] + 1, some = sizes[i] / 3;
            expect_valid(&(struct circuit_params){curves[c], sizes[i], 0, 5});
            expect_valid(&(struct circuit_params){curves[c], sizes[i], some, 6});
            expect_valid(&(struct circuit_params){curves[c], sizes[i], all, 7});
        }
    }
}

PAIL_TEST(larger_circuits)
{
    for (size_t c = 0; c < N_CURVES; c++) {
        expect_valid(&(struct circuit_params){curves[c], LARGE, 3, 1});
        expect_valid(&(struct circuit_params){curves[c], FULL, 0, 2});
        expect_valid(&(struct circuit_params){curves[c], FULL - 5, 40, 3});
    }
}

static pail_groth16_options fixed(uint8_t r, uint8_t s, uint32_t flags)
{
    pail_groth16_options options = {.struct_size = sizeof(options),
                                    .flags = PAIL_GROTH16_FIXED_BLINDING | flags};
    options.r[0] = r;
    options.r[20] = r;
    options.s[0] = s;
    options.s[21] = s;
    return options;
}

/* The same r and s give the same bytes, in stages as well; drawn ones other bytes each time. */
PAIL_TEST(blinding)
{
    struct support_case files;
    struct support_proof first, again, staged, plain, drawn[2];
    support_make_case(&files, &(struct circuit_params){PAIL_CURVE_BN254, 100, 2, 1});
    pail_groth16_key *key = support_open(&files.zkey);
    const pail_groth16_options options = fixed(3, 9, 0), stages = fixed(3, 9, PAIL_GROTH16_STAGES),
                               zero = fixed(0, 0, 0);
    support_prove(&first, key, &files.wtns, &options);
    support_prove(&again, key, &files.wtns, &options);
    support_prove(&staged, key, &files.wtns, &stages);
    support_prove(&plain, key, &files.wtns, &zero);
    support_prove(&drawn[0], key, &files.wtns, NULL);
    support_prove(&drawn[1], key, &files.wtns, NULL);
    assert_true(first.valid && staged.valid && plain.valid && drawn[0].valid && drawn[1].valid);
    assert_memory_equal(&first.proof, &again.proof, sizeof(first.proof));
    assert_memory_equal(&first.proof, &staged.proof, sizeof(first.proof));
    assert_memory_not_equal(first.proof.a, plain.proof.a, sizeof(first.proof.a));
    assert_memory_not_equal(drawn[0].proof.a, drawn[1].proof.a, sizeof(first.proof.a));
    assert_memory_not_equal(drawn[0].proof.b, drawn[1].proof.b, sizeof(first.proof.b));
    assert_memory_not_equal(drawn[0].proof.c, drawn[1].proof.c, sizeof(first.proof.c));
    support_proof_free(&first);
    support_proof_free(&again);
    support_proof_free(&staged);
    support_proof_free(&plain);
    support_proof_free(&drawn[0]);
    support_proof_free(&drawn[1]);
    pail_groth16_key_close(&key);
    support_case_free(&files);
}

/* Any private value but one that nothing depends on. */
PAIL_TEST(unsatisfied)
{
    struct support_case files;
    struct support_proof made;
    support_make_case(&files, &(struct circuit_params){PAIL_CURVE_BN254, 50, 1, 1});
    pail_groth16_key *key = support_open(&files.zkey);
    uint64_t size;
    uint8_t *const values = support_section(&files.wtns, 2, &size);
    for (size_t wire = 1; wire < 52; wire += 10) {
        values[32 * wire] ^= 1;
        support_prove(&made, key, &files.wtns, NULL);
        assert_false(made.valid);
        support_proof_free(&made);
        values[32 * wire] ^= 1;
    }
    support_prove(&made, key, &files.wtns, NULL);
    assert_true(made.valid);
    made.publics[0] ^= 1;
    support_proof_free(&made);
    pail_groth16_key_close(&key);
    support_case_free(&files);
}

struct task {
    const pail_groth16_key *key;
    const struct support_bytes *wtns;
    pail_groth16_options options;
    pail_groth16_proof proof;
    uint8_t publics[64];
    pail_status status;
};

static void *prove_often(void *argument)
{
    struct task *const task = argument;
    const pail_groth16_witness witness = {
        .struct_size = sizeof(witness), .wtns = task->wtns->data, .n_wtns = task->wtns->size};
    for (int i = 0; i < 5 && task->status == PAIL_OK; i++) {
        task->proof.struct_size = sizeof(task->proof);
        task->status = pail_groth16_prove(task->key, &task->proof, task->publics, NULL, &witness,
                                          &task->options, NULL, 0);
    }
    return NULL;
}

PAIL_TEST(many_threads)
{
    struct support_case files;
    struct support_proof expected;
    struct task tasks[THREADS];
    pthread_t threads[THREADS];
    support_make_case(&files, &(struct circuit_params){PAIL_CURVE_BLS12_381, 300, 2, 1});
    pail_groth16_key *key = support_open(&files.zkey);
    for (uint8_t i = 0; i < THREADS; i++) {
        tasks[i] =
            (struct task){.key = key, .wtns = &files.wtns, .options = fixed(i, i + 1, i % 2 * 2U)};
        assert_int_equal(pthread_create(&threads[i], NULL, prove_often, &tasks[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(tasks[i].status, PAIL_OK);
        support_prove(&expected, key, &files.wtns, &tasks[i].options);
        assert_true(expected.valid);
        assert_memory_equal(&tasks[i].proof, &expected.proof, sizeof(expected.proof));
        assert_memory_equal(tasks[i].publics, expected.publics, sizeof(tasks[i].publics));
        support_proof_free(&expected);
    }
    pail_groth16_key_close(&key);
    support_case_free(&files);
}

static struct {
    uint32_t n_calls, n_of_g2;
    uint64_t quotient;
} warmed;

static pail_status spy_warm(pail_context *of, const pail_warm_item *items, size_t n_items,
                            void (*done)(void *user, const pail_pipeline_info *info), void *user)
{
    (void)of, (void)done, (void)user;
    warmed.n_calls++;
    for (size_t i = 0; i < n_items; i++) {
        assert_int_equal(items[i].curve, PAIL_CURVE_BN254);
        assert_int_equal(items[i].default_only, 1);
        warmed.n_of_g2 += items[i].group == PAIL_G2;
        warmed.quotient += items[i].quotient ? items[i].n : 0;
    }
    return PAIL_ERR_UNSUPPORTED; /* opening goes on */
}

/* A key that asks for it has the pipelines of a proof built, before it is open. */
PAIL_TEST(pipelines_while_opening)
{
    struct support_case files;
    support_make_case(&files, &(struct circuit_params){PAIL_CURVE_BN254, 20, 2, 1});
    pail_backend spied = *backend;
    spied.warm = spy_warm;
    for (uint32_t asked = 0; asked < 3; asked++) {
        const pail_groth16_key_params params = {.struct_size = sizeof(params),
                                                .flags = asked ? PAIL_GROTH16_KEY_WARM : 0u,
                                                .b2 = asked == 2 ? PAIL_GROTH16_B2_CPU
                                                                 : PAIL_GROTH16_B2_AUTO,
                                                .bytes = files.zkey.data,
                                                .n_bytes = files.zkey.size};
        pail_groth16_key *key = NULL;
        memset(&warmed, 0, sizeof(warmed));
        assert_int_equal(pail_groth16_key_open(&key, &spied, context, &params, NULL, 0), PAIL_OK);
        assert_int_equal(warmed.n_calls, asked != 0);
        assert_int_equal(warmed.quotient, asked ? 32 : 0);
        assert_int_equal(warmed.n_of_g2 != 0, asked == 1);
        pail_groth16_key_close(&key);
    }
    support_case_free(&files);
}

/* The ways to give a key and a witness, and what a key tells of itself. */
PAIL_TEST(ways)
{
    struct support_case files;
    struct support_proof expected;
    support_make_case(&files, &(struct circuit_params){PAIL_CURVE_BN254, 20, 2, 1});
    const pail_groth16_options options = fixed(1, 2, 0);
    pail_groth16_key *key = support_open(&files.zkey), *of_file = NULL;
    support_prove(&expected, key, &files.wtns, &options);

    char path[] = "/tmp/pail-prover-XXXXXX";
    const int fd = mkstemp(path);
    FILE *const file = fdopen(fd, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(files.zkey.data, 1, files.zkey.size, file), files.zkey.size);
    assert_int_equal(fclose(file), 0);
    const pail_groth16_key_params params = {
        .struct_size = sizeof(params), .flags = PAIL_GROTH16_KEY_HASH, .path = path};
    assert_int_equal(pail_groth16_key_open(&of_file, backend, context, &params, NULL, 0), PAIL_OK);
    assert_int_equal(remove(path), 0); /* nothing is read later */

    pail_groth16_key_info info = {.struct_size = sizeof(info)};
    assert_int_equal(pail_groth16_key_get_info(of_file, &info), PAIL_OK);
    assert_int_equal(info.n_vars, 22);
    assert_int_equal(info.n_public, 2);
    assert_int_equal(info.domain_size, 32);
    assert_int_equal(info.n_points, 3 * 22 + 19 + 32);
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < files.zkey.size; i++)
        hash = (hash ^ files.zkey.data[i]) * UINT64_C(0x100000001b3);
    assert_true(info.hash == hash);

    uint64_t size;
    const uint8_t *const values = support_section(&files.wtns, 2, &size);
    const pail_groth16_witness witness = {
        .struct_size = sizeof(witness), .values = values, .n_values = size / 32};
    pail_groth16_proof proof = {.struct_size = sizeof(proof)};
    pail_groth16_timings timings = {.struct_size = sizeof(timings)};
    uint8_t publics[64];
    assert_int_equal(
        pail_groth16_prove(of_file, &proof, publics, &timings, &witness, &options, NULL, 0),
        PAIL_OK);
    assert_memory_equal(&proof, &expected.proof, sizeof(proof));
    assert_memory_equal(publics, values + 32, sizeof(publics));
    assert_true(timings.wall_ms > 0);
    support_proof_free(&expected);
    pail_groth16_key_close(&of_file);
    pail_groth16_key_close(&key);
    support_case_free(&files);
}

/* The CPU backend's memory, counted. */
struct counted {
    pthread_mutex_t lock;
    size_t now, most;
};

static void *counted_alloc(void *user, size_t size)
{
    struct counted *const counted = user;
    size_t *const block = malloc(16 + size);
    if (block == NULL)
        return NULL;
    pthread_mutex_lock(&counted->lock);
    counted->now += size;
    if (counted->now > counted->most)
        counted->most = counted->now;
    pthread_mutex_unlock(&counted->lock);
    *block = size;
    return (char *)block + 16;
}

static void counted_free(void *user, void *memory)
{
    struct counted *const counted = user;
    if (memory == NULL)
        return;
    size_t *const block = (size_t *)(void *)((char *)memory - 16);
    pthread_mutex_lock(&counted->lock);
    counted->now -= *block;
    pthread_mutex_unlock(&counted->lock);
    free(block);
}

/* A proof by a key that is opened with the flags, on a context of its own; the most memory that
 * registered points, vectors and work took at a time. */
static size_t memory_of(const struct support_case *files, uint32_t flags, uint32_t how,
                        struct support_proof *made)
{
    struct counted counted = {.lock = PTHREAD_MUTEX_INITIALIZER};
    const pail_host host = {.struct_size = sizeof(host),
                            .abi_major = PAIL_ABI_MAJOR,
                            .abi_minor = PAIL_ABI_MINOR,
                            .user = &counted,
                            .alloc = counted_alloc,
                            .free = counted_free};
    const pail_context_params params = {.struct_size = sizeof(params), .threads = 1};
    pail_context *own = NULL;
    assert_int_equal(backend->context_create(&host, &own, &params), PAIL_OK);
    const pail_groth16_key_params opening = {.struct_size = sizeof(opening),
                                             .flags = flags,
                                             .bytes = files->zkey.data,
                                             .n_bytes = files->zkey.size};
    pail_groth16_key *key = NULL;
    assert_int_equal(pail_groth16_key_open(&key, backend, own, &opening, NULL, 0), PAIL_OK);
    const pail_groth16_options options = fixed(3, 9, how);
    support_prove(made, key, &files->wtns, &options);
    pail_groth16_key_info info = {.struct_size = sizeof(info)};
    assert_int_equal(pail_groth16_key_get_info(key, &info), PAIL_OK);
    assert_int_equal(info.n_points,
                     3 * info.n_vars + info.n_vars - info.n_public - 1 + info.domain_size);
    assert_true(info.device_bytes > 0);
    pail_groth16_key_close(&key);
    backend->context_destroy(&own);
    assert_int_equal(counted.now, 0);
    return counted.most;
}

/* A key for one proof gives the same bytes in less memory, and no second proof. */
PAIL_TEST(once)
{
    for (size_t c = 0; c < N_CURVES; c++) {
        struct support_case files;
        struct support_proof kept, one, staged;
        support_make_case(&files, &(struct circuit_params){curves[c], ONCE, 2, 1});
        const size_t most = memory_of(&files, 0, 0, &kept);
        const size_t less = memory_of(&files, PAIL_GROTH16_KEY_ONCE, 0, &one);
        (void)memory_of(&files, PAIL_GROTH16_KEY_ONCE, PAIL_GROTH16_STAGES, &staged);
        assert_true(kept.valid && one.valid && staged.valid);
        assert_memory_equal(&kept.proof, &one.proof, sizeof(kept.proof));
        assert_memory_equal(&kept.proof, &staged.proof, sizeof(kept.proof));
        /* Beside few points there is as much of other things. */
        if (ONCE >= 8000 && less > most - most / 4)
            fail_msg("%zu bytes, and %zu with all points there", less, most);
        support_proof_free(&kept);
        support_proof_free(&one);
        support_proof_free(&staged);
        support_case_free(&files);
    }
}

struct cancelling {
    uint32_t at, cancel;
};

static void cancel_at(void *user, uint32_t stage)
{
    struct cancelling *const cancelling = user;
    if (stage == cancelling->at)
        __atomic_store_n(&cancelling->cancel, 1, __ATOMIC_RELAXED);
}

/* Whichever stage a proof is cancelled in, it ends with nothing, and the key proves on. */
PAIL_TEST(cancelled)
{
    static const uint32_t ways[][2] = {{0, 0},
                                       {0, PAIL_GROTH16_STAGES},
                                       {PAIL_GROTH16_KEY_ONCE, 0},
                                       {PAIL_GROTH16_KEY_ONCE, PAIL_GROTH16_STAGES}};
    struct support_case files;
    support_make_case(&files, &(struct circuit_params){PAIL_CURVE_BN254, LARGE, 2, 1});
    const pail_groth16_witness witness = {
        .struct_size = sizeof(witness), .wtns = files.wtns.data, .n_wtns = files.wtns.size};
    for (size_t w = 0; w < sizeof(ways) / sizeof(ways[0]); w++) {
        for (uint32_t at = 0; at < PAIL_GROTH16_STAGE_ASSEMBLE; at++) {
            if ((ways[w][1] & PAIL_GROTH16_STAGES) == 0 && at > PAIL_GROTH16_STAGE_A)
                continue; /* called for all multiplications together */
            const pail_groth16_key_params params = {.struct_size = sizeof(params),
                                                    .flags = ways[w][0],
                                                    .bytes = files.zkey.data,
                                                    .n_bytes = files.zkey.size};
            pail_groth16_key *key = NULL;
            assert_int_equal(pail_groth16_key_open(&key, backend, context, &params, NULL, 0),
                             PAIL_OK);
            struct cancelling cancelling = {.at = at};
            pail_groth16_options options = fixed(3, 9, ways[w][1]);
            options.stage = cancel_at;
            options.user = &cancelling;
            options.cancel = &cancelling.cancel;
            pail_groth16_proof proof = {.struct_size = sizeof(proof)};
            uint8_t publics[64], zeros[sizeof(proof.a)] = {0};
            char said[128];
            memset(publics, 1, sizeof(publics));
            assert_int_equal(pail_groth16_prove(key, &proof, publics, NULL, &witness, &options,
                                                said, sizeof(said)),
                             PAIL_ERR_STOPPED);
            assert_string_equal(said, "the proof was cancelled");
            assert_memory_equal(proof.a, zeros, sizeof(proof.a));
            assert_memory_equal(publics, zeros, sizeof(publics));
            if (ways[w][0] == 0) {
                cancelling = (struct cancelling){.at = UINT32_MAX};
                assert_int_equal(pail_groth16_prove(key, &proof, publics, NULL, &witness, &options,
                                                    said, sizeof(said)),
                                 PAIL_OK);
            }
            pail_groth16_key_close(&key);
        }
    }
    support_case_free(&files);
}

PAIL_TEST(once_only)
{
    struct support_case files;
    struct support_proof made;
    char said[512];
    support_make_case(&files, &(struct circuit_params){PAIL_CURVE_BN254, 50, 1, 1});
    const pail_groth16_key_params params = {.struct_size = sizeof(params),
                                            .flags = PAIL_GROTH16_KEY_ONCE,
                                            .bytes = files.zkey.data,
                                            .n_bytes = files.zkey.size,
                                            .name = "key"};
    const pail_groth16_witness witness = {
        .struct_size = sizeof(witness), .wtns = files.wtns.data, .n_wtns = files.wtns.size};
    pail_groth16_proof proof = {.struct_size = sizeof(proof)};
    uint8_t publics[32];
    pail_groth16_key *key = NULL;
    assert_int_equal(pail_groth16_key_open(&key, backend, context, &params, NULL, 0), PAIL_OK);
    support_prove(&made, key, &files.wtns, NULL);
    assert_true(made.valid);
    support_proof_free(&made);
    /* Before anything of the second witness is looked at: its last value is not below r. */
    uint8_t last[32], *const value = files.wtns.data + files.wtns.size - sizeof(last);
    memcpy(last, value, sizeof(last));
    memset(value, 0xff, sizeof(last));
    assert_int_equal(
        pail_groth16_prove(key, &proof, publics, NULL, &witness, NULL, said, sizeof(said)),
        PAIL_ERR_ARGUMENT);
    support_expect_words(said, "key: was opened for one proof");
    memcpy(value, last, sizeof(last));
    pail_groth16_key_close(&key);

    /* Points that are wrong are found when their turn comes: coordinates of p and more, and a point
     * that is not on the curve. */
    static const struct {
        uint32_t section;
        const char *words;
    } bad[] = {{5, "section 5 (A)|not below"},
               {7, "section 7 (B2)|not below"},
               {9, "section 9 (H)|not below"}};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        uint64_t size;
        uint8_t *const points = support_section(&files.zkey, bad[i].section, &size);
        uint8_t before[32];
        memcpy(before, points, sizeof(before));
        memset(points, 0xff, sizeof(before));
        assert_int_equal(pail_groth16_key_open(&key, backend, context, &params, NULL, 0), PAIL_OK);
        assert_int_equal(
            pail_groth16_prove(key, &proof, publics, NULL, &witness, NULL, said, sizeof(said)),
            PAIL_ERR_DATA);
        support_expect_words(said, bad[i].words);
        static const uint8_t nothing[32];
        assert_memory_equal(publics, nothing, sizeof(nothing));
        assert_memory_equal(proof.a, nothing, sizeof(nothing));
        pail_groth16_key_close(&key);
        memcpy(points, before, sizeof(before));
    }
    support_case_free(&files);
}

PAIL_TEST_GROUP(support_setup, support_teardown)
