/* A proof leaves nothing of its witness in the memory of the process, nor of r and s. */
#include <stdlib.h>
#include <string.h>

#include <platform/wipe.h>

#include "abi/scan.h"
#include "support.h"
#include "support/cmocka_all.h"

enum { CONSTRAINTS = 500, EVERY = 7 };

/* Secret number 0 in place of every 7th private value, 1 in all others but the constant, so that
 * each way of going through the witness meets them. */
static void hide(uint8_t *values, const struct scan *scan)
{
    for (size_t i = 2; i < CONSTRAINTS + 2; i++)
        scan_reveal(scan, i % EVERY == 0 ? 0 : 1, values + 32 * i);
}

static void nothing_stays(void **state)
{
    (void)state;
    struct scan scan;
    struct support_case files;
    support_make_case(&files, &(struct circuit_params){PAIL_CURVE_BN254, CONSTRAINTS, 1, 1});
    pail_groth16_key *key = support_open(&files.zkey);
    uint64_t size;
    uint8_t *const values = support_section(&files.wtns, 2, &size);
    scan_begin(&scan);
    (void)scan_make(&scan);
    (void)scan_make(&scan);
    (void)scan_make(&scan); /* r */
    (void)scan_make(&scan); /* s */
    for (int way = 0; way < 4; way++) {
        pail_groth16_options options = {.struct_size = sizeof(options),
                                        .flags = PAIL_GROTH16_FIXED_BLINDING};
        pail_groth16_proof proof = {.struct_size = sizeof(proof)};
        uint8_t publics[32];
        const bool bad = way >= 2;
        if (way % 2 == 1)
            options.flags |= PAIL_GROTH16_STAGES;
        hide(values, &scan);
        scan_reveal(&scan, 2, options.r);
        scan_reveal(&scan, 3, options.s);
        if (bad) /* the last value is not below r, which is found behind all others */
            memset(values + 32 * (CONSTRAINTS + 1), 0xff, 32);
        const pail_groth16_witness witness = {
            .struct_size = sizeof(witness), .wtns = files.wtns.data, .n_wtns = files.wtns.size};
        assert_true(scan_count(&scan, NULL) >= CONSTRAINTS);
        assert_int_equal(
            pail_groth16_prove(key, &proof, publics, NULL, &witness, &options, NULL, 0),
            bad ? PAIL_ERR_DATA : PAIL_OK);
        pail_wipe(values, (size_t)size);
        pail_wipe(&options, sizeof(options));
        values[0] = 1;
        assert_int_equal(scan_count(&scan, bad ? "a bad witness" : "a proof"), 0);
    }
    scan_end(&scan);
    pail_groth16_key_close(&key);
    support_case_free(&files);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_stays)};
    return cmocka_run_group_tests(tests, support_setup, support_teardown);
}
