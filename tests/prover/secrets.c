/* A proof leaves nothing of its witness in the memory of the process, nor of r and s. */
#include <stdlib.h>
#include <string.h>

#include <pail/prover.h>
#include <platform/wipe.h>

#include "abi/scan.h"
#include "support.h"
#include "support/cmocka_all.h"
#include <curves/curve_ops.h>

enum { CONSTRAINTS = 500 };

enum { VALUE, MONTGOMERY_VALUE, BLIND_R, BLIND_S }; /* numbers of the secrets */

/* One secret as a value of the witness, which vectors keep in Montgomery form. */
static void make_secrets(struct scan *scan)
{
    const struct pail_curve_ops *const ops = pail_curve_ops(PAIL_CURVE_BN254, PAIL_G1);
    uint8_t bytes[SCAN_SECRET_BYTES];
    pail_u256 value, radix = {{1}};
    for (int i = 0; i < 256; i++)
        ops->scalar_add(&radix, &radix, &radix);
    scan_begin(scan);
    (void)scan_make(scan);
    scan_reveal(scan, VALUE, bytes);
    pail_u256_from_bytes(&value, bytes);
    ops->scalar_mul(&value, &value, &radix);
    pail_u256_to_bytes(bytes, &value);
    (void)scan_add(scan, bytes);
    (void)scan_make(scan);
    (void)scan_make(scan);
    pail_wipe(&value, sizeof(value));
    pail_wipe_stack();
}

static void hide(uint8_t *values, const struct scan *scan)
{
    for (size_t i = 2; i < CONSTRAINTS + 2; i++)
        scan_reveal(scan, VALUE, values + 32 * i);
}

/* Over several devices whatever moves between them goes through the host's memory. */
static pail_groth16_key *open_spread(const struct support_bytes *zkey)
{
    pail_groth16_key *key = NULL;
    char error[512] = "";
    const pail_groth16_key_params params = support_params(zkey);
    pail_prover_device devices[3];
    for (int i = 0; i < 3; i++)
        devices[i] = (pail_prover_device){
            .struct_size = sizeof(devices[i]), .backend = backend, .context = context};
    if (pail_groth16_key_open_on(&key, devices, 3, PAIL_GROTH16_SPREAD_EVERYWHERE, &params, error,
                                 sizeof(error)) != PAIL_OK)
        fail_msg("%s", error);
    return key;
}

/* The processors have the witness, too. */
static pail_groth16_key *open_beside(const struct support_bytes *zkey)
{
    static pail_backend device;
    pail_groth16_key *key = NULL;
    char error[512] = "";
    pail_groth16_key_params params = support_params(zkey);
    params.b2 = PAIL_GROTH16_B2_CPU;
    device = *backend;
    if (strcmp(device.name, "cpu") == 0)
        device.name = "other";
    if (pail_groth16_key_open(&key, &device, context, &params, error, sizeof(error)) != PAIL_OK)
        fail_msg("%s", error);
    return key;
}

enum way { ALONE, SPREAD, BESIDE };

static void nothing_stays_with(enum way keys)
{
    struct scan scan;
    struct support_case files;
    make_secrets(&scan); /* first, for it may skip */
    support_make_case(&files, &(struct circuit_params){PAIL_CURVE_BN254, CONSTRAINTS, 1, 1});
    pail_groth16_key *key = keys == SPREAD   ? open_spread(&files.zkey)
                            : keys == BESIDE ? open_beside(&files.zkey)
                                             : support_open(&files.zkey);
    uint64_t size;
    uint8_t *const values = support_section(&files.wtns, 2, &size);
    for (int way = 0; way < 4; way++) {
        pail_groth16_options options = {.struct_size = sizeof(options),
                                        .flags = PAIL_GROTH16_FIXED_BLINDING};
        pail_groth16_proof proof = {.struct_size = sizeof(proof)};
        uint8_t publics[32];
        const bool bad = way >= 2;
        if (way % 2 == 1)
            options.flags |= PAIL_GROTH16_STAGES;
        hide(values, &scan);
        scan_reveal(&scan, BLIND_R, options.r);
        scan_reveal(&scan, BLIND_S, options.s);
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

static void nothing_stays(void **state)
{
    (void)state;
    nothing_stays_with(ALONE);
}

static void nothing_stays_of_several_devices(void **state)
{
    (void)state;
    nothing_stays_with(SPREAD);
}

static void nothing_stays_on_the_processors(void **state)
{
    (void)state;
    nothing_stays_with(BESIDE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_stays),
                                       cmocka_unit_test(nothing_stays_of_several_devices),
                                       cmocka_unit_test(nothing_stays_on_the_processors)};
    return cmocka_run_group_tests(tests, support_setup, support_teardown);
}
