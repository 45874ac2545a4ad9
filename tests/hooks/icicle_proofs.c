/* SPDX-License-Identifier: Apache-2.0 */
/* Proofs by ICICLE's functions, in the order in which two provers call them: icicle-snark, which
 * has a .zkey and a witness, and gnark, which has values of rows and leaves out points that are
 * infinity. Each proof is valid, the first is the one that Pail's own prover makes of the same r
 * and s, 16 threads share a key, and memory stays what it is.
 *
 * A long run makes 1000 proofs with each prover. */
#include "icicle_provers.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "support/long.h"

enum {
    THREADS = 16,
    FEW = 32, /* proofs of a prover in an ordinary run */
    LONG = 1000,
    CONSTRAINTS = 100,
    PUBLICS = 2,
    SLACK_KIB = 8192, /* an allocator keeps what threads have freed */
#ifdef PAIL_TEST_SANITIZED
    ROUNDS = 1 /* sanitizers keep what was freed */
#else
    ROUNDS = 3 /* in which a leak grows */
#endif
};

/* ---- The end of a proof, on the CPU ---------------------------------------------------------- */

static void put_affine(uint8_t *to, const struct prover *prover, uint32_t group, const void *point)
{
    uint8_t affine[POINT_MAX];
    prover_group(prover, group)->to_affine(point, affine);
    memcpy(to, affine, 2 * prover_coordinate(prover, group));
}

/* sum += factor * point; factor: optional */
static void add(uint8_t *sum, const struct group_api *group, const uint8_t *point,
                const uint8_t *factor)
{
    uint8_t product[POINT_MAX];
    if (factor)
        group->mul_scalar(point, factor, product);
    group->ecadd(sum, factor ? product : point, sum);
}

static void assemble(pail_groth16_proof *proof, const struct prover *prover, struct sums *sums,
                     const uint8_t *r, const uint8_t *s)
{
    const struct group_api *const g1 = prover_group(prover, PAIL_G1),
                                  *g2 = prover_group(prover, PAIL_G2);
    const uint8_t(*const header)[POINT_MAX] = prover->header;
    uint8_t rs[ELEMENT], product[POINT_MAX];
    *proof = (pail_groth16_proof){.struct_size = sizeof(*proof), .curve = prover->key.curve};
    add(sums->of[PAIL_ZKEY_A], g1, header[PAIL_ZKEY_ALPHA1], NULL);
    add(sums->of[PAIL_ZKEY_A], g1, header[PAIL_ZKEY_DELTA1], r);
    add(sums->of[PAIL_ZKEY_B1], g1, header[PAIL_ZKEY_BETA1], NULL);
    add(sums->of[PAIL_ZKEY_B1], g1, header[PAIL_ZKEY_DELTA1], s);
    add(sums->of[PAIL_ZKEY_B2], g2, header[PAIL_ZKEY_BETA2], NULL);
    add(sums->of[PAIL_ZKEY_B2], g2, header[PAIL_ZKEY_DELTA2], s);
    add(sums->of[PAIL_ZKEY_C], g1, sums->of[PAIL_ZKEY_H], NULL);
    add(sums->of[PAIL_ZKEY_C], g1, sums->of[PAIL_ZKEY_A], s);
    add(sums->of[PAIL_ZKEY_C], g1, sums->of[PAIL_ZKEY_B1], r);
    prover->api->field.mul(r, s, rs);
    g1->mul_scalar(header[PAIL_ZKEY_DELTA1], rs, product);
    g1->ecsub(sums->of[PAIL_ZKEY_C], product, sums->of[PAIL_ZKEY_C]);
    put_affine(proof->a, prover, PAIL_G1, sums->of[PAIL_ZKEY_A]);
    put_affine(proof->b, prover, PAIL_G2, sums->of[PAIL_ZKEY_B2]);
    put_affine(proof->c, prover, PAIL_G1, sums->of[PAIL_ZKEY_C]);
}

/* ---- Many proofs ----------------------------------------------------------------------------- */

struct run {
    const struct prover *prover;
    const Device *device;
    bool (*prove)(struct sums *sums, const struct prover *prover, size_t number);
    const uint8_t *publics;
    size_t n_proofs;
    atomic_size_t next, n_valid;
};

static bool make_one(struct run *run, size_t number, const uint8_t *blinding,
                     pail_groth16_proof *proof)
{
    struct sums sums;
    uint8_t random[2][ELEMENT];
    uint32_t valid = 0;
    run->prover->api->field.generate(random, 2);
    if (blinding)
        memcpy(random, blinding, sizeof(random));
    if (!run->prove(&sums, run->prover, number))
        return false;
    assemble(proof, run->prover, &sums, random[0], random[1]);
    return pail_groth16_verify(&valid, &run->prover->verifying, proof, run->publics, PUBLICS, NULL,
                               0) == PAIL_OK &&
           valid;
}

static void *work(void *args)
{
    struct run *const run = args;
    if (icicle_set_device(run->device) != SUCCESS)
        return NULL;
    for (size_t i; (i = atomic_fetch_add(&run->next, 1)) < run->n_proofs;) {
        pail_groth16_proof proof;
        if (!make_one(run, i, NULL, &proof))
            break;
        atomic_fetch_add(&run->n_valid, 1);
    }
    return NULL;
}

static void run_threads(struct run *run, size_t n)
{
    pthread_t threads[THREADS];
    run->device = icicle_tested();
    run->n_proofs = n;
    run->next = 0;
    run->n_valid = 0;
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, work, run), 0);
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    if (run->n_valid != n)
        fail_msg("%zu of %zu proofs are valid", (size_t)run->n_valid, n);
}

static long resident_kib(void)
{
    long pages = 0, resident = 0;
    FILE *const file = fopen("/proc/self/statm", "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%ld %ld", &pages, &resident), 2);
    (void)fclose(file);
    return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

/* expected: of the blinding r = 7, s = 9. */
static void prove_many(struct run *run, const struct support_proof *expected,
                       const uint8_t *blinding)
{
    const size_t n = test_long() ? LONG : FEW;
    pail_groth16_proof proof;
    for (size_t i = 0; i < 2; i++) {
        assert_true(make_one(run, i, blinding, &proof));
        assert_memory_equal(proof.a, expected->proof.a, sizeof(proof.a));
        assert_memory_equal(proof.b, expected->proof.b, sizeof(proof.b));
        assert_memory_equal(proof.c, expected->proof.c, sizeof(proof.c));
    }
    run_threads(run, n / 2);
    long settled = resident_kib();
    bool grows = true;
    for (int round = 0; round < ROUNDS && grows; round++) {
        run_threads(run, n - n / 2);
        const long end = resident_kib();
        print_message("# %zu proofs in %d threads, all valid; resident memory %ld KiB, then %ld\n",
                      n - n / 2, THREADS, settled, end);
        grows = end > settled + SLACK_KIB;
        settled = end;
    }
    if (grows && ROUNDS > 1)
        fail_msg("memory grew in %d rounds, to %ld KiB", ROUNDS, settled);
}

static const pail_groth16_options fixed = {
    .struct_size = sizeof(fixed), .flags = PAIL_GROTH16_FIXED_BLINDING, .r = {7}, .s = {9}};

PAIL_TEST(proofs_as_icicle_snark)
{
    uint8_t blinding[2][ELEMENT] = {{7}, {9}};
    for (size_t i = 0; i < 2; i++) {
        struct support_case files;
        struct support_proof expected;
        struct prover prover = {.verifying.struct_size = sizeof(prover.verifying)};
        uint64_t size;
        support_make_case(&files, &(struct circuit_params){.curve = icicle_curves[i].curve,
                                                           .n_constraints = CONSTRAINTS,
                                                           .n_public = PUBLICS,
                                                           .seed = 3});
        pail_groth16_key *key = support_open(&files.zkey);
        support_prove(&expected, key, &files.wtns, &fixed);
        prover.witness = support_section(&files.wtns, 2, &size);
        assert_int_equal(pail_groth16_key_verifying(key, &prover.verifying), PAIL_OK);
        prover_open(&prover, &icicle_curves[i], &files.zkey);
        prove_many(&(struct run){.prover = &prover,
                                 .prove = prover_as_icicle_snark,
                                 .publics = expected.publics},
                   &expected, blinding[0]);
        prover_close(&prover);
        support_proof_free(&expected);
        pail_groth16_key_close(&key);
        support_case_free(&files);
    }
}

PAIL_TEST(proofs_as_gnark)
{
    uint8_t blinding[2][ELEMENT] = {{7}, {9}};
    struct assigned made;
    struct support_proof expected;
    assigned_make(&made, CONSTRAINTS, PUBLICS, PAIL_ENCODING_MONTGOMERY);
    struct prover prover = {.assigned = &made, .verifying.struct_size = sizeof(prover.verifying)};
    pail_groth16_key *key = support_open(&made.params);
    assigned_prove(&expected, key, &made, &fixed);
    assert_int_equal(pail_groth16_key_verifying(key, &prover.verifying), PAIL_OK);
    prover_open(&prover, &icicle_curves[1], &made.params);
    prove_many(
        &(struct run){.prover = &prover, .prove = prover_as_gnark, .publics = expected.publics},
        &expected, blinding[0]);
    prover_close(&prover);
    support_proof_free(&expected);
    pail_groth16_key_close(&key);
    assigned_free(&made);
}

static int teardown(void **state)
{
    pail_icicle_close();
    return support_teardown(state);
}

PAIL_TEST_GROUP(support_setup, teardown)
