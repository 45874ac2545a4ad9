/* SPDX-License-Identifier: Apache-2.0 */
#include "supraseal_world.h"

#include <dlfcn.h>
#include <unistd.h>

#include <curves/curve_ops.h>

#include "support/moved.h"
#include "support/test.h"

#define FIND(name) *(void **)(void *)&its.name = dlsym(library, #name), assert_non_null(its.name);

struct supraseal_functions its;
static struct assigned made;
static char path[] = "/tmp/pail-supraseal-XXXXXX";
supraseal_assignment given;
uint8_t r_s[CIRCUITS][32], s_s[CIRCUITS][32];
supraseal_proof expected[CIRCUITS];

static void put(void *to, uint32_t group, const uint8_t *from)
{
    const struct pail_curve_ops *const ops = pail_curve_ops(PAIL_CURVE_BLS12_381, group);
    pail_affine affine;
    assert_true(ops->decode(&affine, from, false));
    ops->encode(to, &affine, true);
}

/* r and s of the circuits, in Montgomery form, and what Pail's own functions make of them. */
static void expect_proofs(void)
{
    const struct pail_curve_ops *const ops = pail_curve_ops(PAIL_CURVE_BLS12_381, PAIL_G1);
    char error[512] = "";
    pail_groth16_key *key = NULL;
    const pail_groth16_key_params params = support_params(&made.params);
    assert_int_equal(pail_groth16_key_open(&key, backend, context, &params, error, sizeof(error)),
                     PAIL_OK);
    for (uint8_t i = 0; i < CIRCUITS; i++) {
        struct support_proof proof;
        pail_u256 value;
        pail_groth16_options options = {.struct_size = sizeof(options),
                                        .flags = PAIL_GROTH16_FIXED_BLINDING};
        r_s[i][0] = i + 1;
        s_s[i][5] = i + 9;
        pail_u256_from_bytes(&value, r_s[i]);
        ops->scalar_from_montgomery(&value, &value);
        pail_u256_to_bytes(options.r, &value);
        pail_u256_from_bytes(&value, s_s[i]);
        ops->scalar_from_montgomery(&value, &value);
        pail_u256_to_bytes(options.s, &value);
        assigned_prove(&proof, key, &made, &options);
        assert_true(proof.valid);
        put(expected[i].a, PAIL_G1, proof.proof.a);
        put(expected[i].b, PAIL_G2, proof.proof.b);
        put(expected[i].c, PAIL_G1, proof.proof.c);
        support_proof_free(&proof);
    }
    pail_groth16_key_close(&key);
}

static size_t ones(const uint64_t *words, size_t n)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        count += words[i / 64] >> i % 64 & 1;
    return count;
}

supraseal_assignment supraseal_of(const struct assigned *assigned)
{
    const pail_groth16_assignment *const from = &assigned->assignment;
    return (supraseal_assignment){.a_aux_density = from->a_aux_density,
                                  .a_aux_bit_len = from->n_aux,
                                  .a_aux_popcount = ones(from->a_aux_density, from->n_aux),
                                  .b_inp_density = from->b_input_density,
                                  .b_inp_bit_len = from->n_inputs,
                                  .b_inp_popcount = ones(from->b_input_density, from->n_inputs),
                                  .b_aux_density = from->b_aux_density,
                                  .b_aux_bit_len = from->n_aux,
                                  .b_aux_popcount = ones(from->b_aux_density, from->n_aux),
                                  .a = from->a,
                                  .b = from->b,
                                  .c = from->c,
                                  .abc_size = from->n_constraints,
                                  .inp_assignment_data = from->inputs,
                                  .inp_assignment_size = from->n_inputs,
                                  .aux_assignment_data = from->aux,
                                  .aux_assignment_size = from->n_aux};
}

static void write_file(const char *folder, const char *name, const void *bytes, size_t size)
{
    char to[512];
    (void)snprintf(to, sizeof(to), "%s/%s", folder, name);
    FILE *const file = fopen(to, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* Writes the case for callers in other languages. */
static void write_files(const char *folder)
{
    const size_t rows = 32 * given.abc_size, words = given.a_aux_bit_len / 64 + 1;
    write_file(folder, "key.params", made.params.data, made.params.size);
    write_file(folder, "a", given.a, rows);
    write_file(folder, "b", given.b, rows);
    write_file(folder, "c", given.c, rows);
    write_file(folder, "inputs", given.inp_assignment_data, 32 * given.inp_assignment_size);
    write_file(folder, "aux", given.aux_assignment_data, 32 * given.aux_assignment_size);
    write_file(folder, "a_aux", given.a_aux_density, 8 * words);
    write_file(folder, "b_aux", given.b_aux_density, 8 * words);
    write_file(folder, "b_inputs", given.b_inp_density, 8 * (given.b_inp_bit_len / 64 + 1));
    write_file(folder, "r", r_s, sizeof(r_s));
    write_file(folder, "s", s_s, sizeof(s_s));
    write_file(folder, "proofs", expected, sizeof(expected));
}

void *supraseal_library(void)
{
    void *const library = dlopen(test_path(PAIL_TEST_SUPRASEAL).text, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        fail_msg("%s", dlerror());
    return library;
}

int supraseal_setup(void **state)
{
    void *const library = supraseal_library();
    FUNCTIONS(FIND)
#if PAIL_SUPRASEAL_ARGUMENTS >= 1
    FUNCTIONS_IN_PARTS(FIND)
#endif
    if (support_setup(state) != 0)
        return -1;
    assigned_make(&made, CONSTRAINTS, PUBLIC, PAIL_ENCODING_MONTGOMERY);
    given = supraseal_of(&made);
    expect_proofs();
    if (getenv("PAIL_TEST_FILES"))
        write_files(getenv("PAIL_TEST_FILES"));
    FILE *const file = fdopen(mkstemp(path), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(made.params.data, 1, made.params.size, file), made.params.size);
    assert_int_equal(fclose(file), 0);
    return 0;
}

int supraseal_teardown(void **state)
{
    assert_int_equal(unlink(path), 0);
    assigned_free(&made);
    return support_teardown(state);
}

void expect_none(RustError error)
{
    if (error.code != 0)
        fail_msg("%d: %s", error.code, error.message);
    assert_null(error.message);
}

void expect_error(RustError error, const char *words)
{
    assert_int_not_equal(error.code, 0);
    assert_non_null(error.message);
    support_expect_words(error.message, words);
    free(error.message);
}

SRS create(bool cache)
{
    SRS srs = {NULL};
    expect_none(its.create_SRS(&srs, path, cache));
    assert_non_null(srs.ptr);
    return srs;
}
