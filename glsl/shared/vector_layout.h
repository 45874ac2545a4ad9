/* SPDX-License-Identifier: Apache-2.0 */
/* Layout that the kernels for vectors of scalars share with the code that records them. Included by
 * C and by GLSL.
 *
 * An element is 8 words, least significant first: x 2^256 mod r, below r (Montgomery form), unless
 * a line says otherwise. Places and lengths are in elements; `first` of a binding is where the
 * operand begins in it, since a binding begins at an alignment. */
#ifndef PAIL_SHARED_VECTOR_LAYOUT_H
#define PAIL_SHARED_VECTOR_LAYOUT_H

#include "types.h"

#define VECTOR_WORKGROUP     128
#define VECTOR_ELEMENT_WORDS 8

/* Operations of vector/arith. */
#define VECTOR_ADD     0
#define VECTOR_SUB     1
#define VECTOR_MUL     2
#define VECTOR_MUL_SUB 3

struct vector_arith_push {
    PAIL_U32 n;
    PAIL_U32 operation; /* VECTOR_ADD and its kin */
    PAIL_U32 first_a, first_b, first_c, first_r;
};

/* r[i] = a[i] low[(number + i) mod 2^low_bits] high[(number + i) / 2^low_bits], two parts of
 * `table`: powers of one number. */
struct vector_powers_push {
    PAIL_U32 n;
    PAIL_U32 first_a, first_r;
    PAIL_U32 number; /* number of the first element */
    PAIL_U32 low_bits;
    PAIL_U32 low, high; /* starts of the parts of the table */
};

/* Sums of products of a matrix's values: piece i has the values starts[i] to starts[i + 1] - 1. */
struct vector_spmv_push {
    PAIL_U32 n; /* pieces */
    PAIL_U32 first_a, first_r;
    PAIL_U32 starts, columns; /* structure: words where these begin */
    PAIL_U32 before;          /* values that are not in the binding */
    PAIL_U32 first_values;
};

/* r[i] is the sum of parts[starts[i]] to parts[starts[i + 1] - 1]. */
struct vector_sum_push {
    PAIL_U32 n;
    PAIL_U32 first_parts, first_r;
    PAIL_U32 starts; /* structure: word where they begin */
};

/* Between the canonical encoding and that of vectors. Decoded and reduced integers may be any of
 * 256 bits. */
#define VECTOR_DECODE 0 /* canonical to Montgomery */
#define VECTOR_ENCODE 1 /* Montgomery to canonical */
#define VECTOR_REDUCE 2 /* Montgomery, but for being below r, to Montgomery */

struct vector_encode_push {
    PAIL_U32 n;
    PAIL_U32 operation;
    PAIL_U32 first_a, first_r;
};

/* Each block of 2^log_n elements in bit-reversed order; r may be a. */
struct vector_reverse_push {
    PAIL_U32 n; /* elements of all blocks */
    PAIL_U32 log_n;
    PAIL_U32 first_a, first_r;
    PAIL_U32 in_place; /* 1: elements are read from first_r on, too */
};

/* Scalars of a multiplication from a vector, canonical, in the order of the bases that are kept. */
struct vector_scalars_push {
    PAIL_U32 n;
    PAIL_U32 first_a;   /* place of the vector's element that goes with original number map_base */
    PAIL_U32 number;    /* number of the chunk's first scalar, where not mapped */
    PAIL_U32 map_first; /* map: word that holds the number of scalar 0, or MSM_KEY_NONE */
    PAIL_U32 map_base;  /* subtracted from what the map says */
    PAIL_U32 target;    /* scalars: where scalar 0 of the chunk goes */
    PAIL_U32 bits;      /* promised: scalars below 2^bits */
    PAIL_U32 status;    /* index: word for the least number of a scalar that is not */
};

/* ---- Transforms -------------------------------------------------------------------------------
 * A transform of n = 2^log_n is at most three passes over memory. A pass has a transform of 2^log_k
 * elements for each of its columns; those of a workgroup are in its workgroup memory. Columns are
 * numbered by three parts: the low part, the high part, and the transform in the batch. */
#define NTT_SPEC_WORKGROUP 0 /* threads */
#define NTT_SPEC_LIMBS     1 /* limbs of an element that are exchanged at a time */
#define NTT_SPEC_ITEMS     2 /* elements of a thread: 2 or 4 */
#define NTT_WORKGROUP      128
#define NTT_LIMBS          1 /* the defaults */
#define NTT_ITEMS          4

#define NTT_IN_REVERSED  1   /* element x of a column is at place bit_reverse(x) */
#define NTT_OUT_REVERSED 2   /* result x of a column likewise */
#define NTT_TWIDDLE_IN   4   /* each element, times root^(low part of the column * x) */
#define NTT_TWIDDLE_OUT  8   /* each result, likewise */
#define NTT_SCALE_IN     16  /* element i of a transform, times power i of the scales */
#define NTT_SCALE_OUT    32  /* result i of a transform, likewise */
#define NTT_SCALE_ONE    64  /* the first power, for all: 1/n */
#define NTT_LOOSE        128 /* results are for the next pass alone: reduced as far as it needs */
#define NTT_ANY          256 /* elements are integers of 256 bits, not all of them below r */

struct ntt_pass_push {
    PAIL_U32 flags; /* NTT_IN_REVERSED and its kin, or-ed */
    PAIL_U32 columns;
    PAIL_U32 log_n, log_k;
    PAIL_U32 low_bits, high_bits; /* bits of a column's number */
    /* log2 of distances in the transform: of elements of a column, and of columns. */
    PAIL_U32 in_element, in_low, in_high;
    PAIL_U32 out_element, out_low, out_high;
    PAIL_U32 first_in, first_out;
    /* table, in elements in the form's radix: of 8 words; in form x29 of 12, 9 limbs and three
     * more; in form d51 of 6 doubles, 5 balanced digits and one more. 2^inner_bits powers of a root
     * of that order; twiddles by the low bits of the exponent, and by the others where there are
     * any; and scales likewise. */
    PAIL_U32 inner, inner_bits;
    PAIL_U32 twiddle_low, twiddle_high, twiddle_bits;
    PAIL_U32 scale_low, scale_high, scale_bits;
};

/* table[first + i] = table[low + i mod 2^low_bits] table[high + i / 2^low_bits]; parts of one
 * table, as above. */
struct ntt_table_push {
    PAIL_U32 n;
    PAIL_U32 low, high, low_bits;
    PAIL_U32 first;
};

#endif
