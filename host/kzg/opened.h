/* SPDX-License-Identifier: Apache-2.0 */
/* An opened setup, and what the parts of its work share. */
#ifndef PAIL_KZG_OPENED_H
#define PAIL_KZG_OPENED_H

#include <pail/kzg.h>

#include <cpu/adder.h>
#include <cpu/ntt.h>
#include <cpu/scalars.h>
#include <curves/pairing.h>
#include <curves/words.h>
#include <formats/points.h>
#include <platform/thread.h>

enum {
    PAIL_KZG_WORDS = PAIL_CPU_SCALAR_WORDS,
    /* Windows of 4 bits of a half of a constant: 129 bits and a carry. */
    PAIL_KZG_CONSTANT_WINDOWS = 33,
};

/* A constant by which points are multiplied: k = k0 + k1 lambda, both in signed digits of 4 bits,
 * the lowest first. */
struct pail_kzg_constant {
    int8_t digits[2][PAIL_KZG_CONSTANT_WINDOWS];
};

/* Transforms of scalars; see scalars.c for what each does. */
enum pail_kzg_ntt {
    PAIL_KZG_NTT_COEFFICIENTS, /* n values in bit-reversed order to coefficients */
    PAIL_KZG_NTT_VALUES,       /* the inverse of that */
    PAIL_KZG_NTT_SECOND_HALF,  /* n coefficients to values at the odd roots of order 2 n */
    PAIL_KZG_NTT_COLUMNS,      /* cell_elements polynomials of n_cells coefficients to values */
    PAIL_KZG_NTT_WIDE,         /* 2 n coefficients to values at a coset */
    PAIL_KZG_NTT_WIDE_BACK,    /* 2 n values to coefficients */
    PAIL_KZG_NTT_COSET_BACK,   /* 2 n values at the coset to coefficients */
    PAIL_KZG_NTT_CELL_BACK,    /* cell_elements values to coefficients */
    PAIL_KZG_NTT_ZERO,         /* n_cells coefficients to values */
    PAIL_KZG_NTT_ZERO_COSET,   /* the same at the coset that WIDE has */
    PAIL_KZG_NTTS
};

/* Points of G2 that pairings have: tau^0, tau^1, tau^cell_elements. */
enum pail_kzg_fixed_g2 { PAIL_KZG_G2_ONE, PAIL_KZG_G2_TAU, PAIL_KZG_G2_CELL, PAIL_KZG_FIXED_G2S };

/* Memory for the results of a call on a device. */
struct pail_kzg_results {
    pail_memory *memory; /* NULL: there is none */
    uint64_t address, bytes;
};

/* Proofs of cells on a device. */
struct pail_kzg_device {
    pail_memory *table; /* of multiples of the columns' points; NULL: they are registered */
    uint64_t table_address;
    uint32_t bits, copies;
    pthread_mutex_t lock;            /* of what is below */
    struct pail_kzg_results results; /* of a call that has ended, for the next one */
};

struct pail_kzg {
    const pail_backend *backend;
    pail_context *context;
    uint64_t budget; /* bytes of points and tables */
    bool budget_given;
    bool on_host; /* the backend is the CPU's: nothing is asked of it */
    uint32_t threads;
    struct pail_helpers helpers;

    const struct pail_curve_ops *g1, *g2;
    const struct pail_cpu_adder *adder;
    const struct pail_cpu_scalars *scalars;
    struct pail_point_codec codec; /* of commitments and proofs */

    size_t n, cell_elements, n_cells, n_g2;
    uint32_t log_n, log_cells;

    /* Scalars. Elements are those of cpu/scalars.h. */
    uint64_t factor_in[PAIL_CPU_FACTOR_WORDS], factor_out[PAIL_CPU_FACTOR_WORDS];
    struct pail_cpu_ntt ntts[PAIL_KZG_NTTS];
    size_t ntt_scratch;  /* the most bytes that one takes */
    pail_u256 *roots;    /* [n] elements: n-th roots of unity, bit-reversed */
    pail_u256 wide_root; /* of order 2 n; an integer, as the next ones */
    pail_u256 n_inverse, cells_inverse;

    /* Points, affine, in the CPU's form. */
    unsigned char *powers; /* [cell_elements] of G1, for verification */
    pail_affine beta;      /* x of the endomorphism */
    /* Lines of points of G2, of which verification has pairings (curves/pairing.h). */
    const struct pail_pairing_ops *pairing;
    unsigned char *lines; /* [PAIL_KZG_FIXED_G2S][pairing->lines_bytes] */

    /* Tables on the host, in the adder's form. */
    void *shifted_block, *columns_block;
    uint32_t commit_bits, commit_windows;
    unsigned char *shifted; /* [n][commit_windows]: 2^(commit_bits w) times the Lagrange points */
    uint32_t table_bits, table_windows;
    unsigned char *columns; /* [n_cells][cell_elements][2^(table_bits - 1)] multiples from 1 on */
    struct pail_kzg_constant *forward, *backward; /* [n_cells / 2], of transforms of points */

    /* Sets on the device. */
    pail_bases *device_lagrange, *device_columns;
    struct pail_kzg_device device;

    pail_kzg_info info;
    struct pail_kzg_queue *queue;
};

static inline size_t pail_kzg_point_bytes(const struct pail_kzg *kzg)
{
    return kzg->adder->point_bytes;
}

/* The logarithm of a power of two. */
static inline uint32_t pail_kzg_log(uint64_t n)
{
    uint32_t log = 0;
    while (UINT64_C(1) << log < n)
        log++;
    return log;
}

#endif /* PAIL_KZG_OPENED_H */
