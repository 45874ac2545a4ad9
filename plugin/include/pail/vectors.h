/* SPDX-License-Identifier: Apache-2.0 */
/* Pail: vectors over the scalar field of a curve: number-theoretic transforms, sparse matrix
 * products, element-wise arithmetic; and transforms of points. Part of <pail/backend.h>, whose
 * rules hold here.
 *
 * A vector is stored on the device of its context. Work sees the writes of work that was started
 * earlier, including multiplications with scalars from a vector, so a chain needs no waits. Vectors
 * are secret: they are wiped before their memory is released or reused. */
#ifndef PAIL_VECTORS_H
#define PAIL_VECTORS_H

#include <stddef.h>
#include <stdint.h>

#include <pail/bases.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PAIL_SCALAR_BYTES 32u /* of an element in host memory, for both curves */

typedef struct pail_vector pail_vector; /* elements of Fr, r the group order. Safe */
typedef struct pail_matrix pail_matrix; /* a registered sparse matrix. Immutable. Safe */

/* Reads elements for vector_fill, for example from a file.
 *
 * In:  user    as passed to vector_fill
 *      offset  of the first byte, from element 0 of the call on
 *      bytes   number of bytes, at least 1: whole elements
 * Out: to      [bytes], of any alignment; all bytes must be written
 * Returns PAIL_OK, or a status with which vector_fill then fails; any other number counts as
 * PAIL_ERR_IO.
 *
 * Each element is requested at most once, in any order, by several threads concurrently; the rules
 * of pail_read_points about threads apply. Elements are secret, and copies of them are wiped. */
typedef pail_status (*pail_read_elements)(void *user, void *to, uint64_t offset, size_t bytes);

/* A sparse matrix in compressed sparse row form (CSR): row i has the entries row_starts[i] to
 * row_starts[i + 1] - 1. Values of equal columns in a row are added. */
typedef struct pail_matrix_desc {
    uint32_t struct_size;
    uint32_t curve;    /* pail_curve */
    uint32_t encoding; /* of values: pail_encoding, with respect to r and R = 2^256 */
    uint32_t reserved;
    uint64_t n_rows, n_columns; /* each below 2^32 */
    const uint64_t *row_starts; /* [n_rows + 1], non-decreasing, the first 0 */
    const uint32_t *columns;    /* [row_starts[n_rows]], each below n_columns */
    const void *values;         /* [row_starts[n_rows]] of 32 bytes, each below r */
} pail_matrix_desc;

/* Kinds of operations. Unless stated otherwise they are element-wise, on `n` elements of r from
 * r_offset on and of the operands from their offsets on. */
typedef enum pail_vector_op_kind {
    /* The number-theoretic transform of each of n / 2^log_n polynomials, whose coefficients are
     * consecutive in a: r[k] = the sum over j of a[j] (shift root^k)^j. */
    PAIL_VECTOR_OP_NTT = 1,
    PAIL_VECTOR_OP_INTT = 2, /* the inverse: from values at shift root^k to coefficients */
    PAIL_VECTOR_OP_SPMV = 3, /* r = matrix a: n is n_rows, a has n_columns elements */
    PAIL_VECTOR_OP_ADD = 4,  /* r = a + b */
    PAIL_VECTOR_OP_SUB = 5,  /* r = a - b */
    PAIL_VECTOR_OP_MUL = 6,  /* r = a b */
    PAIL_VECTOR_OP_MUL_SUB = 7 /* r = a b - c */,
    PAIL_VECTOR_OP_POWERS = 8, /* r[i] = scale shift^i a[i] */
    PAIL_VECTOR_OP_COPY = 9,   /* r = a */
    /* From ABI 1.1 on: between a vector and elements of 32 bytes in memory of the context,
     * `address` and `encoding` of which say where and how they are. The device converts them as it
     * copies them. Loaded elements may be any 256-bit integers, and mean those modulo r. */
    PAIL_VECTOR_OP_LOAD = 10,  /* r = elements at the address */
    PAIL_VECTOR_OP_STORE = 11, /* elements at the address = a; r is NULL, n counts elements of a */
    /* r = a with each block of 2^log_n elements in bit-reversed order: element k of a block goes to
     * index bit_reverse(k, log_n). From ABI 1.1 on. */
    PAIL_VECTOR_OP_BIT_REVERSE = 12,
    /* From ABI 1.1 on: on n points in memory of the context, from `address`, in `encoding`, to
     * `to_address`, in `to_encoding`. There is no vector; `curve` and `group` say of what points
     * are. Coordinates may be any integers of their width, and mean those modulo p. Points must be
     * on the curve and, in transforms, of order r (or infinity): of others the results are
     * undefined, and not checked.
     *
     * The transform of each of n / 2^log_n sequences of points of G1, as NTT and INTT of scalars:
     * point k of a result is the sum over j of (shift root^k)^j times point j. Results in Jacobian
     * or projective coordinates have any z, which differs among backends; infinity is (0, 0, 0) in
     * Jacobian coordinates and (0, 1, 0) in projective ones. The first start with another root or
     * shift makes a table of 2^log_n factors before it returns: a millisecond for 2^12, and more
     * than 100 for 2^19. */
    PAIL_VECTOR_OP_POINTS_NTT = 13,
    PAIL_VECTOR_OP_POINTS_INTT = 14,
    /* The same points in another encoding: between canonical and Montgomery form of affine or of
     * projective coordinates, G1 or G2. Each coordinate is converted, and no point is looked at. */
    PAIL_VECTOR_OP_POINTS_CONVERT = 15,
    /* NTT and INTT of n elements in memory of the context, from `address` to `to_address`: the same
     * range, or one that does not overlap it. There is no vector; `curve` names the field. Elements
     * may be any 256-bit integers, and mean those modulo r. Results are below r, in the encoding of
     * the elements: transforms are linear, and the same in every encoding. From ABI 1.1 on. */
    PAIL_VECTOR_OP_NTT_AT = 16,
    PAIL_VECTOR_OP_INTT_AT = 17,
    /* From ABI 1.1 on: sums of fixed points times scalars, for many sums at a time, and a transform
     * there and back. Points are of G1, as for POINTS_NTT; there is no r.
     *
     * POINTS_TABLE makes a table of n points, from `address`, at `to_address`, whose encoding
     * to_encoding is 0: `copies` times (2^(window_bits - 1)) n entries of two coordinates. Its
     * contents are the backend's own, and not for other contexts. For SUMS n is rows 2^log_n,
     * points in the order of [rows][2^log_n].
     *
     * POINTS_SUMS: sums of `rows` points each, 2^log_n at a time, n in all: result c of a batch is
     * the sum over k of scalar [k][c] of the batch times point [k][c] of the table at `address`,
     * which was made with the same log_n, rows, window_bits and copies. Scalars are those of the
     * vector a, from a_offset on: rows n of them. Sums are not constant-time.
     *
     * POINTS_TRUNCATE: points are values of polynomials at 2^log_n roots of unity, log_n at least
     * 2. Results are the values of their lower halves: POINTS_INTT, then POINTS_NTT of the
     * coefficients below 2^(log_n - 1), without the others. Both in natural order, or with
     * PAIL_VECTOR_OP_BIT_REVERSED in bit-reversed order. shift is 0 or 1. A device takes constants
     * of about 16 4^log_n bytes, which the host computes once for each root; where a binding has
     * less, TRUNCATE is PAIL_ERR_UNSUPPORTED: of 128 MiB, from log_n = 12 on. */
    PAIL_VECTOR_OP_POINTS_TABLE = 18,
    PAIL_VECTOR_OP_POINTS_SUMS = 19,
    PAIL_VECTOR_OP_POINTS_TRUNCATE = 20,
    PAIL_VECTOR_OP_FORCE_32 = 0x7fffffff
} pail_vector_op_kind;

typedef enum pail_vector_op_flag {
    /* For transforms, of points as well. Values of a transform (r of NTT, a of INTT) are in
     * bit-reversed order: the value at shift root^k has index bit_reverse(k, log_n). Saves scratch
     * memory and the reordering. */
    PAIL_VECTOR_OP_BIT_REVERSED = 1 << 0,
    /* Coefficients of a transform (a of NTT, r of INTT) are in bit-reversed order, at the price of
     * BIT_REVERSE; of points at no price. From ABI 1.1 on. */
    PAIL_VECTOR_OP_COEFFICIENTS_REVERSED = 1 << 1,
    PAIL_VECTOR_OP_FLAG_FORCE_32 = 0x7fffffff
} pail_vector_op_flag;

#define PAIL_NTT_LOG_MAX     28u /* of log_n */
#define PAIL_WINDOW_BITS_MAX 12u /* of window_bits */

/* One operation. r may equal an operand at the same offset (in place), except in SPMV; otherwise no
 * operand may overlap r. Operands may overlap each other. */
typedef struct pail_vector_op {
    uint32_t struct_size;
    uint32_t kind;  /* pail_vector_op_kind */
    uint32_t flags; /* pail_vector_op_flag, or-ed */
    uint32_t log_n; /* of transforms and BIT_REVERSE: 0 to PAIL_NTT_LOG_MAX; 2^log_n divides n */
    pail_vector *r; /* r, a, b, c and matrix: referenced until the work has ended */
    const pail_vector *a, *b, *c;                    /* NULL if the kind has no such operand */
    const pail_matrix *matrix;                       /* SPMV */
    uint64_t r_offset, a_offset, b_offset, c_offset; /* in elements */
    uint64_t n;                                      /* elements of r; 0: no operation */
    /* Canonical, little-endian, below r. The caller chooses the root, because libraries use
     * different ones. */
    uint8_t root[PAIL_SCALAR_BYTES];  /* transforms: of order 2^log_n exactly */
    uint8_t shift[PAIL_SCALAR_BYTES]; /* transforms and POWERS; 0: 1 */
    uint8_t scale[PAIL_SCALAR_BYTES]; /* POWERS; 0: 1 */
    /* From ABI 1.1 on; 0 in kinds that have no memory. The address lies in a pail_memory of the
     * context, with all n elements from there on: at a multiple of 32 bytes from its beginning, of
     * points of 16. The memory must exist until the work has ended. */
    uint64_t address;
    uint32_t encoding; /* pail_encoding: canonical or Montgomery; of points, any */
    uint32_t curve;    /* pail_curve. curve, to_address: of POINTS_*, NTT_AT and INTT_AT */
    /* As the address. Points are packed. The two may be equal if elements or points of both
     * encodings have the same size; otherwise the ranges must not overlap. */
    uint64_t to_address;
    uint32_t group, to_encoding; /* POINTS_*: pail_group, pail_encoding */
    /* POINTS_TABLE and POINTS_SUMS; otherwise 0. */
    uint32_t rows;        /* POINTS_SUMS: points of a sum, at least 1 */
    uint32_t window_bits; /* of digits of scalars: 2 to PAIL_WINDOW_BITS_MAX */
    uint32_t copies;      /* copies of the points, shifted by whole windows: from 1 to the number of
                             windows, order_bits / window_bits + 1. With that many a sum takes no
                             doublings; with one copy it takes window_bits of them for each window
                             but one */
    uint32_t reserved;    /* 0 */
} pail_vector_op;

#ifdef __cplusplus
}
#endif

#endif /* PAIL_VECTORS_H */
