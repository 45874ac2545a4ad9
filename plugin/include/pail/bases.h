/* SPDX-License-Identifier: Apache-2.0 */
/* Pail: curves, groups, encodings, and sets of points. Part of <pail/backend.h>, whose rules hold
 * here. */
#ifndef PAIL_BASES_H
#define PAIL_BASES_H

#include <stddef.h>
#include <stdint.h>

#include <pail/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pail_bases pail_bases; /* a registered set of points. Immutable. Safe */

typedef enum pail_curve {
    PAIL_CURVE_BN254 = 1, /* alt_bn128: y^2 = x^3 + 3 */
    PAIL_CURVE_BLS12_381 = 2,
    PAIL_CURVE_FORCE_32 = 0x7fffffff
} pail_curve;

typedef enum pail_group {
    PAIL_G1 = 1,
    PAIL_G2 = 2, /* coordinates in Fp2, c0 before c1 */
    PAIL_GROUP_FORCE_32 = 0x7fffffff
} pail_group;

/* Affine x then y, each as wide as the base field's modulus (32 or 48 bytes; twice that in G2). All
 * bytes zero is the point at infinity. Only for points: Jacobian x, y and z, for the point
 * (x / z^2, y / z^3). */
typedef enum pail_encoding {
    PAIL_ENCODING_CANONICAL = 0,  /* integers below p, little-endian */
    PAIL_ENCODING_MONTGOMERY = 1, /* x * 2^(8 * width) mod p, little-endian: .zkey, arkworks */
    /* Montgomery x, y, z: blst. z = 0 is infinity; x and y are not read then. (0, 0, z) is refused
     * with PAIL_VALIDATE_CURVE; otherwise it adds nothing, and may count as infinity. The device
     * converts points to affine coordinates when they are registered. Not an encoding of scalars.
     */
    PAIL_ENCODING_JACOBIAN = 2,
    /* From ABI 1.1 on, and only of PAIL_VECTOR_OP_POINTS_*: x, y, z, canonical or Montgomery, for
     * the point (x / z, y / z). z = 0 is infinity; written as (0, 1, 0). */
    PAIL_ENCODING_PROJECTIVE = 3,
    PAIL_ENCODING_PROJECTIVE_MONTGOMERY = 4,
    PAIL_ENCODING_FORCE_32 = 0x7fffffff
} pail_encoding;

typedef enum pail_validation {
    PAIL_VALIDATE_NONE = 0, /* only check that coordinates are below p */
    PAIL_VALIDATE_CURVE = 1,
    PAIL_VALIDATE_SUBGROUP = 2,
    PAIL_VALIDATE_FORCE_32 = 0x7fffffff
} pail_validation;

/* Memory in which registered points are stored. A set in host memory is streamed to the device in
 * each multiplication, so it may be larger than device memory. */
typedef enum pail_residency {
    PAIL_RESIDENCY_AUTO = 0, /* the device, if the set fits its memory and the budget */
    PAIL_RESIDENCY_DEVICE = 1,
    PAIL_RESIDENCY_HOST = 2,
    PAIL_RESIDENCY_FORCE_32 = 0x7fffffff
} pail_residency;

typedef enum pail_bases_flag {
    PAIL_BASES_KEEP_INFINITIES = 1 << 0, /* do not drop points at infinity */
    /* From ABI 1.1 on. Half the memory for slower multiplications: a device keeps x and the sign of
     * y, and each multiplication recovers y of a part of the points at a time, by a square root.
     * Scalars are then on the device a part at a time, too. Only points of G1 that stay on the
     * device without a table: G2 is PAIL_ERR_UNSUPPORTED, PAIL_RESIDENCY_HOST and a table_factor
     * above 1 are PAIL_ERR_ARGUMENT, and a set that does not fit the device is
     * PAIL_ERR_DEVICE_MEMORY. Points are checked to be on the curve, whatever `validation` is. The
     * CPU backend checks as much, and keeps the points as they are. */
    PAIL_BASES_COMPACT = 1 << 1,
    PAIL_BASES_FLAG_FORCE_32 = 0x7fffffff
} pail_bases_flag;

/* Reads points for bases_create, for example from a file. It is only called while bases_create
 * runs.
 *
 * In:  user    read_user of the pail_bases_desc
 *      offset  of the first byte, in an array of all points: point i begins at byte i * stride
 *      bytes   number of bytes, at least 1. Requests cover whole points, with their infinity bytes,
 *              and do not exceed the last point. Of points that are far apart each is asked for
 *              alone, and its infinity byte by itself
 * Out: to      [bytes], of any alignment. All bytes must be written. It may be memory that is slow
 *              to read: write it once, in order, and do not read it
 * Returns PAIL_OK, or a status with which bases_create then fails; its message has the bytes. Any
 * other number counts as PAIL_ERR_IO.
 *
 * Order and repetition: bytes may be requested in any order, several times, or never. A backend may
 * read all points twice, to count infinities first, and a third time if the device lacks memory for
 * them. A byte must have the same value each time. If it does not, each registered point is one
 * that was read at some time and was checked by `validation`, or bases_create fails with
 * PAIL_ERR_DATA.
 *
 * Threads: it is called concurrently, in the thread that called bases_create and in threads of the
 * backend. Those have signals blocked (docs/abi.md, "The process") and stacks of 8 MiB. After a
 * failed call no further one begins, and running ones are waited for. It must not call into the
 * plugin, nor wait for a thread that does, because locks are held. It must not leave by longjmp or
 * an exception. */
typedef pail_status (*pail_read_points)(void *user, void *to, uint64_t offset, size_t bytes);

typedef struct pail_bases_desc {
    uint32_t struct_size;
    uint32_t curve, group, encoding, validation; /* enums above */
    uint32_t infinity_byte; /* with stride: 1 + offset of a byte that is non-zero at infinity */
    size_t stride;          /* distance of points in bytes; 0: packed */
    const void *points;     /* [n_points]; NULL with read_points or address, or if n_points is 0 */
    pail_read_points read_points; /* optional: instead of points. Not called if n_points is 0 */
    void *read_user;              /* optional: passed to read_points */
    size_t n_points;              /* any number, including 0 */
    uint32_t residency;           /* pail_residency */
    uint32_t flags;               /* pail_bases_flag, or-ed */
    /* Precomputed table: most copies of each point, all but the first of them shifted. More copies
     * mean fewer buckets and larger windows. Computed once, when registering; only for sets that
     * stay on the device. 1: no copies. 0: no table, but the backend may keep one further copy
     * (GLV) if it has memory to spare; device_bytes includes it. */
    uint32_t table_factor;
    uint32_t reserved;
    /* From ABI 1.1 on. Instead of points: where they lie in a pail_memory of the context, packed,
     * at a multiple of 4 bytes from its beginning; stride and infinity_byte are 0. They pass
     * through host memory only if they stay there, and are read after all earlier work. A device
     * keeps points at infinity among them then, and does not count them. 0: none. */
    uint64_t address;
} pail_bases_desc;

/* Properties of a registered set of bases. */
typedef struct pail_bases_info {
    uint32_t struct_size; /* in. Everything below: out */
    uint32_t curve, group;
    uint32_t residency;    /* PAIL_RESIDENCY_DEVICE or PAIL_RESIDENCY_HOST */
    uint32_t order_known;  /* 1: every point has order r (or 1), so scalars are reduced modulo r */
    uint32_t table_factor; /* copies of each point; 1: no table */
    uint32_t table_bits; /* window size of the table: other window_bits are refused; 0: no table */
    uint32_t reserved;
    uint64_t n_points;     /* given to bases_create */
    uint64_t n_infinities; /* points at infinity among them, as far as they were counted */
    uint64_t n_kept;       /* stored points: n_points less dropped infinities */
    uint64_t device_bytes, host_bytes;
    uint64_t table_bytes; /* part of device_bytes for the table */
    double table_ms;      /* time of computing the table, without pipelines */
} pail_bases_info;

#ifdef __cplusplus
}
#endif

#endif /* PAIL_BASES_H */
