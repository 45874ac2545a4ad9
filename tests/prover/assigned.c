/* SPDX-License-Identifier: Apache-2.0 */
#include "assigned.h"

#include <unistd.h>

#include <curves/curve_ops.h>
#include <formats/r1cs.h>

#include "setup.h"
#include "support/test.h"

enum { VALUE_BYTES = 32, FILES = 4 };

static void *zeroed(size_t n, size_t size)
{
    void *const memory = calloc(n + 1, size);
    assert_non_null(memory);
    return memory;
}

static void add_to(uint8_t *sum, const struct pail_curve_ops *ops, const uint8_t *value,
                   const uint8_t *factor)
{
    pail_u256 s, v, f;
    pail_u256_from_bytes(&s, sum);
    pail_u256_from_bytes(&v, value);
    pail_u256_from_bytes(&f, factor);
    ops->scalar_mul(&v, &v, &f);
    ops->scalar_add(&s, &s, &v);
    pail_u256_to_bytes(sum, &s);
}

static void to_montgomery(uint8_t *values, const struct pail_curve_ops *ops, size_t n)
{
    pail_u256 radix = {{1}}, value;
    for (int i = 0; i < 256; i++)
        ops->scalar_add(&radix, &radix, &radix);
    for (size_t i = 0; i < n; i++) {
        pail_u256_from_bytes(&value, values + VALUE_BYTES * i);
        ops->scalar_mul(&value, &value, &radix);
        pail_u256_to_bytes(values + VALUE_BYTES * i, &value);
    }
}

/* Rows and densities, as bellman's prover collects them. */
static void evaluate(struct assigned *made, const struct pail_r1cs *circuit, const uint8_t *values)
{
    static const uint8_t zero[VALUE_BYTES], one[VALUE_BYTES] = {1};
    const struct pail_curve_ops *const ops = pail_curve_ops(PAIL_CURVE_BLS12_381, PAIL_G1);
    const size_t n_inputs = (size_t)circuit->n_public + 1;
    struct pail_r1cs_term term;
    for (struct pail_r1cs_cursor at = {0};
         pail_r1cs_next(&term, &at, circuit, NULL, 0) == PAIL_OK;) {
        const bool is_aux = term.wire >= n_inputs;
        const size_t bit = is_aux ? term.wire - n_inputs : term.wire;
        uint64_t *const density = term.combination == 0   ? (is_aux ? made->a_aux : NULL)
                                  : term.combination == 1 ? (is_aux ? made->b_aux : made->b_inputs)
                                                          : NULL;
        if (memcmp(term.value, zero, VALUE_BYTES) == 0)
            continue;
        add_to(made->rows[term.combination] + (size_t)VALUE_BYTES * term.constraint, ops,
               term.value, values + (size_t)VALUE_BYTES * term.wire);
        if (density)
            density[bit / 64] |= UINT64_C(1) << bit % 64;
    }
    for (size_t i = 0; i < n_inputs; i++)
        add_to(made->rows[0] + VALUE_BYTES * (circuit->n_constraints + i), ops, one,
               values + VALUE_BYTES * i);
}

static void collect(struct assigned *made, const char *r1cs_path, uint32_t encoding)
{
    const struct pail_curve_ops *const ops = pail_curve_ops(PAIL_CURVE_BLS12_381, PAIL_G1);
    struct pail_r1cs circuit;
    uint64_t size;
    assert_int_equal(pail_r1cs_open(&circuit, r1cs_path, NULL, 0), PAIL_OK);
    const size_t n_inputs = (size_t)circuit.n_public + 1, n_aux = circuit.n_wires - n_inputs;
    const size_t n_rows = circuit.n_constraints + n_inputs;
    const uint8_t *const values = support_section(&made->files.wtns, 2, &size);
    for (int i = 0; i < 3; i++)
        made->rows[i] = zeroed(n_rows, VALUE_BYTES);
    made->inputs = zeroed(n_inputs, VALUE_BYTES);
    made->aux = zeroed(n_aux, VALUE_BYTES);
    made->a_aux = zeroed(n_aux / 64 + 1, sizeof(uint64_t));
    made->b_aux = zeroed(n_aux / 64 + 1, sizeof(uint64_t));
    made->b_inputs = zeroed(n_inputs / 64 + 1, sizeof(uint64_t));
    evaluate(made, &circuit, values);
    /* Bits behind the last are anything. */
    made->a_aux[n_aux / 64] |= UINT64_MAX << n_aux % 64;
    made->b_aux[n_aux / 64] |= UINT64_MAX << n_aux % 64;
    made->b_inputs[n_inputs / 64] |= UINT64_MAX << n_inputs % 64;
    memcpy(made->inputs, values, VALUE_BYTES * n_inputs);
    memcpy(made->aux, values + VALUE_BYTES * n_inputs, VALUE_BYTES * n_aux);
    if (encoding == PAIL_ENCODING_MONTGOMERY) {
        for (int i = 0; i < 3; i++)
            to_montgomery(made->rows[i], ops, n_rows);
        to_montgomery(made->inputs, ops, n_inputs);
        to_montgomery(made->aux, ops, n_aux);
    }
    made->assignment = (pail_groth16_assignment){.struct_size = sizeof(made->assignment),
                                                 .encoding = encoding,
                                                 .a = made->rows[0],
                                                 .b = made->rows[1],
                                                 .c = made->rows[2],
                                                 .n_constraints = n_rows,
                                                 .inputs = made->inputs,
                                                 .n_inputs = n_inputs,
                                                 .aux = made->aux,
                                                 .n_aux = n_aux,
                                                 .a_aux_density = made->a_aux,
                                                 .b_input_density = made->b_inputs,
                                                 .b_aux_density = made->b_aux};
    pail_r1cs_close(&circuit);
}

void assigned_make(struct assigned *made, uint32_t n_constraints, uint32_t n_public,
                   uint32_t encoding)
{
    char folder[] = "/tmp/pail-assigned-XXXXXX";
    char paths[FILES][64];
    char error[512] = "";
    static const char *const names[FILES] = {"r1cs", "wtns", "zkey", "params"};
    const struct circuit_params params = {PAIL_CURVE_BLS12_381, n_constraints, n_public, 5};
    assert_non_null(mkdtemp(folder));
    for (int i = 0; i < FILES; i++)
        (void)snprintf(paths[i], sizeof(paths[i]), "%s/c.%s", folder, names[i]);
    assert_true(circuit_write(paths[0], paths[1], &params));
    if (insecure_setup_both(paths[2], paths[3], paths[0], 7, error, sizeof(error)) != PAIL_OK)
        fail_msg("%s", error);
    *made = (struct assigned){.files = {.n_public = n_public}};
    support_read_file(&made->files.wtns, paths[1]);
    support_read_file(&made->files.zkey, paths[2]);
    support_read_file(&made->params, paths[3]);
    collect(made, paths[0], encoding);
    for (int i = 0; i < FILES; i++)
        assert_int_equal(unlink(paths[i]), 0);
    assert_int_equal(rmdir(folder), 0);
}

void assigned_free(struct assigned *made)
{
    support_case_free(&made->files);
    for (int i = 0; i < 3; i++)
        free(made->rows[i]);
    free(made->params.data);
    free(made->inputs);
    free(made->aux);
    free(made->a_aux);
    free(made->b_aux);
    free(made->b_inputs);
    *made = (struct assigned){0};
}

void assigned_prove(struct support_proof *made, const pail_groth16_key *key,
                    const struct assigned *from, const pail_groth16_options *options)
{
    char error[512] = "";
    pail_groth16_verifying_key verifying = {.struct_size = sizeof(verifying)};
    assert_int_equal(pail_groth16_key_verifying(key, &verifying), PAIL_OK);
    *made = (struct support_proof){.n_public = verifying.n_public};
    made->publics = malloc((size_t)verifying.n_public * VALUE_BYTES + 1);
    assert_non_null(made->publics);
    made->proof.struct_size = sizeof(made->proof);
    if (pail_groth16_prove_assignment(key, &made->proof, made->publics, NULL, &from->assignment,
                                      options, error, sizeof(error)) != PAIL_OK)
        fail_msg("%s", error);
    uint32_t valid = 0;
    if (pail_groth16_verify(&valid, &verifying, &made->proof, made->publics, made->n_public, error,
                            sizeof(error)) != PAIL_OK)
        fail_msg("%s", error);
    made->valid = valid != 0;
}
