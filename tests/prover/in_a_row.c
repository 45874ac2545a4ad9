/* SPDX-License-Identifier: Apache-2.0 */
/* Proof after proof with one open key: each is valid, none is as the one before, and memory stays
 * what it is. In a long run 10 000 of them, or as many as ten minutes give; PAIL_TEST_PROOFS and
 * PAIL_TEST_PROOFS_SECONDS say otherwise. */
#define _POSIX_C_SOURCE 200809L

#include <unistd.h>

#include <platform/clock.h>

#include "support.h"
#include "support/long.h"
#include "support/test.h"

enum {
    WITNESSES = 5,
    FEWEST = 100, /* proofs, however long they take */
    LONG = 10000,
    LONG_SECONDS = 600,
    /* Memory is looked at after a tenth, but not while a software driver still translates and
     * touches its buffers for the first time. */
    SETTLED = 50,
    PARTS = 10,
    SLACK_KIB = 2048 /* an allocator keeps what threads have freed */
};

static unsigned long number(const char *variable, unsigned long otherwise)
{
    const char *const text = getenv(variable);
    return text != NULL && *text != '\0' ? strtoul(text, NULL, 10) : otherwise;
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

PAIL_TEST(test_in_a_row)
{
    const unsigned long most = number("PAIL_TEST_PROOFS", test_long() ? LONG : FEWEST);
    const double most_ms = 1000.0 * (double)number("PAIL_TEST_PROOFS_SECONDS", LONG_SECONDS);
    if (most < FEWEST)
        fail_msg("PAIL_TEST_PROOFS: %lu are too few to say something of memory, which takes %d",
                 most, FEWEST);
    struct support_case files[WITNESSES];
    for (uint32_t i = 0; i < WITNESSES; i++)
        support_make_case(&files[i], &(struct circuit_params){.curve = PAIL_CURVE_BN254,
                                                              .n_constraints = 100,
                                                              .n_public = 2,
                                                              .seed = i + 1});
    pail_groth16_key *key = support_open(&files[0].zkey);
    pail_groth16_proof last = {0};
    const long begin_kib = resident_kib();
    long tenth_kib = 0;
    unsigned long n = 0;
    const double begin_ms = pail_now_ms();
    for (double ms = 0; n < most && (n < FEWEST || ms < most_ms); ms = pail_now_ms() - begin_ms) {
        struct support_proof made;
        uint64_t size;
        const struct support_bytes *const wtns = &files[n % WITNESSES].wtns;
        support_prove(&made, key, wtns, NULL);
        if (!made.valid)
            fail_msg("proof %lu is not valid", n);
        assert_memory_equal(made.publics, support_section(wtns, 2, &size) + 32, 64);
        assert_memory_not_equal(&made.proof, &last, sizeof(last));
        last = made.proof;
        support_proof_free(&made);
        n++;
        if (tenth_kib == 0 && n >= SETTLED && (n >= most / PARTS || ms >= most_ms / PARTS))
            tenth_kib = resident_kib();
    }
    const long end_kib = resident_kib();
    print_message(
        "# %lu proofs in %.0f s, all valid; resident memory %ld KiB, when settled %ld, at "
        "the end %ld\n",
        n, (pail_now_ms() - begin_ms) / 1000, begin_kib, tenth_kib, end_kib);
#ifndef PAIL_TEST_SANITIZED /* sanitizers keep what was freed */
    if (end_kib > tenth_kib + SLACK_KIB)
        fail_msg("memory grew from %ld to %ld KiB", tenth_kib, end_kib);
#endif
    pail_groth16_key_close(&key);
    for (int i = 0; i < WITNESSES; i++)
        support_case_free(&files[i]);
}

PAIL_TEST_GROUP(support_setup, support_teardown)
