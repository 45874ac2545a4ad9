/* SPDX-License-Identifier: Apache-2.0 */
#include "circuit.h"

#include <stdlib.h>

#include "container.h"
#include <curves/curve_ops.h>
#include <curves/rng.h>
#include <pail/backend.h>

enum { SUMMANDS = 4, LINEAR_EVERY = 4 };

/* The terms of constraint i: the same whenever it is asked for. */
struct wires {
    bool linear;
    uint32_t x, y, z; /* of the product */
    uint32_t sum[SUMMANDS];
};

static struct wires wires_of(uint32_t i)
{
    struct pail_rng rng;
    pail_rng_init(&rng, i);
    const uint32_t known = i + 1; /* wires 1 ... known have values */
    struct wires wires = {.linear = i % LINEAR_EVERY == LINEAR_EVERY - 1, .x = known};
    wires.y = 1 + (uint32_t)pail_rng_below(&rng, known);
    wires.z = 1 + (uint32_t)pail_rng_below(&rng, known / 3 + 1);
    for (int k = 0; k < SUMMANDS; k++)
        wires.sum[k] = 1 + (uint32_t)pail_rng_below(&rng, known);
    return wires;
}

/* A linear combination with small values. Readers may expect each wire once. */
struct combination {
    uint32_t n;
    struct {
        uint32_t wire, value;
    } terms[SUMMANDS];
};

static void add_term(struct combination *sum, uint32_t wire, uint32_t value)
{
    uint32_t i = 0;
    while (i < sum->n && sum->terms[i].wire != wire)
        i++;
    if (i == sum->n)
        sum->terms[sum->n++].wire = wire;
    sum->terms[i].value += value;
}

static void write_combination(struct container *out, const struct combination *sum)
{
    static const uint8_t zeros[24];
    container_u32(out, sum->n);
    for (uint32_t i = 0; i < sum->n; i++) {
        container_u32(out, sum->terms[i].wire);
        container_u64(out, sum->terms[i].value);
        container_bytes(out, zeros, sizeof(zeros));
    }
}

static void write_constraint(struct container *out, uint32_t i)
{
    const struct wires wires = wires_of(i);
    struct combination a = {0}, b = {0}, c = {0};
    if (wires.linear) {
        for (int k = 0; k < SUMMANDS; k++)
            add_term(&a, wires.sum[k], 1);
        add_term(&b, 0, 1);
    } else {
        add_term(&a, wires.x, 1);
        add_term(&a, wires.y, 3);
        add_term(&b, wires.z, 1);
        add_term(&b, 0, i);
    }
    add_term(&c, i + 2, 1);
    write_combination(out, &a);
    write_combination(out, &b);
    write_combination(out, &c);
}

static bool write_r1cs(const char *path, const struct circuit_params *params)
{
    struct container out;
    const uint32_t n_wires = params->n_constraints + 2;
    container_begin(&out, path, "r1cs", 1);
    /* Circom, too, has the header in second place. */
    container_section(&out, 2);
    for (uint32_t i = 0; i < params->n_constraints; i++)
        write_constraint(&out, i);
    container_section(&out, 1);
    container_scalar_prime(&out, params->curve);
    container_u32(&out, n_wires);
    container_u32(&out, params->n_public); /* outputs */
    container_u32(&out, 0);                /* public inputs */
    container_u32(&out, n_wires - params->n_public - 1);
    container_u64(&out, n_wires); /* labels */
    container_u32(&out, params->n_constraints);
    container_section(&out, 3);
    for (uint32_t i = 0; i < n_wires; i++)
        container_u64(&out, i);
    return container_end(&out);
}

/* value[i + 2] from those before it */
static void evaluate(pail_u256 *values, const struct pail_curve_ops *ops, uint32_t i)
{
    const struct wires wires = wires_of(i);
    pail_u256 left = {{0}}, right = {{i}};
    if (wires.linear) {
        for (int k = 0; k < SUMMANDS; k++)
            ops->scalar_add(&left, &left, &values[wires.sum[k]]);
        right = (pail_u256){{1}};
    } else {
        const pail_u256 three = {{3}};
        ops->scalar_mul(&left, &values[wires.y], &three);
        ops->scalar_add(&left, &left, &values[wires.x]);
        ops->scalar_add(&right, &right, &values[wires.z]);
    }
    ops->scalar_mul(&values[i + 2], &left, &right);
}

static bool write_wtns(const char *path, const struct circuit_params *params)
{
    const struct pail_curve_ops *const ops = pail_curve_ops(params->curve, PAIL_G1);
    const uint32_t n_wires = params->n_constraints + 2;
    pail_u256 *const values = calloc(n_wires, sizeof(*values));
    if (values == NULL)
        return false;
    struct pail_rng rng;
    pail_rng_init(&rng, params->seed);
    values[0].l[0] = 1;
    for (int i = 0; i < 4; i++)
        values[1].l[i] = pail_rng_next(&rng);
    ops->scalar_reduce(&values[1], &values[1]);
    for (uint32_t i = 0; i < params->n_constraints; i++)
        evaluate(values, ops, i);
    struct container out;
    container_begin(&out, path, "wtns", 2);
    container_section(&out, 1);
    container_scalar_prime(&out, params->curve);
    container_u32(&out, n_wires);
    container_section(&out, 2);
    for (uint32_t i = 0; i < n_wires; i++) {
        uint8_t bytes[32];
        pail_u256_to_bytes(bytes, &values[i]);
        container_bytes(&out, bytes, sizeof(bytes));
    }
    free(values);
    return container_end(&out);
}

bool circuit_write(const char *r1cs_path, const char *wtns_path,
                   const struct circuit_params *params)
{
    return write_r1cs(r1cs_path, params) && write_wtns(wtns_path, params);
}
