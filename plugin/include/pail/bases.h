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
 * bytes zero is the point at infinity. Of points alone: Jacobian x, y and z, for the point
 * (x / z^2, y / z^3). */
typedef enum pail_encoding {
    PAIL_ENCODING_CANONICAL = 0,  /* integers below p, little-endian */
    PAIL_ENCODING_MONTGOMERY = 1, /* x * 2^(8 * width) mod p, little-endian: .zkey, arkworks */
    /* Montgomery x, y, z: blst. z = 0 is infinity, whatever x and y are: they are not looked at.
     * (0, 0, z) is refused where the curve is asked for; otherwise it adds nothing, and may count
     * as infinity. The device makes such points affine when they are registered. No encoding of
     * scalars. */
    PAIL_ENCODING_JACOBIAN = 2,
    PAIL_ENCODING_FORCE_32 = 0x7fffffff
} pail_encoding;

typedef enum pail_validation {
    PAIL_VALIDATE_NONE = 0, /* coordinates below p are checked all the same */
    PAIL_VALIDATE_CURVE = 1,
    PAIL_VALIDATE_SUBGROUP = 2,
    PAIL_VALIDATE_FORCE_32 = 0x7fffffff
} pail_validation;

/* Where registered points are kept. A set in host memory is sent to the device piece by piece
 * during every multiplication, so it may be larger than the device's memory. */
typedef enum pail_residency {
    PAIL_RESIDENCY_AUTO = 0, /* the device, unless the set does not fit its memory or the budget */
    PAIL_RESIDENCY_DEVICE = 1,
    PAIL_RESIDENCY_HOST = 2,
    PAIL_RESIDENCY_FORCE_32 = 0x7fffffff
} pail_residency;

typedef enum pail_bases_flag {
    PAIL_BASES_KEEP_INFINITIES = 1 << 0, /* do not leave points at infinity out */
    PAIL_BASES_FLAG_FORCE_32 = 0x7fffffff
} pail_bases_flag;

/* Gives points to bases_create where they are not in memory, for instance from a
 * file. It is called while bases_create runs, and never after it has returned.
 *
 * In:  user    read_user of the pail_bases_desc
 *      offset  of the first byte that is wanted, from the first byte of point 0 on, as if all of
 *              them were in one array with the stride: point i begins at byte i * stride
 *      bytes   how many are wanted, at least 1. A point's own bytes, and its infinity byte, are
 *              always within what is asked for; after those of the last point nothing is
 * Out: to      [bytes], of any alignment. All of it must be written. It may be memory that the
 *              device copies from and that is slow to read: write it once, in order, and do not
 *              read it
 * Returns PAIL_OK, or another pail_status, with which bases_create then fails; its sentence names
 * the bytes. A number that is no failure there is counts as PAIL_ERR_IO.
 *
 * Order and repetition: any byte may be asked for in any order, more than once, and some may never
 * be. A backend may go through all points twice, to count infinities first, and once more where the
 * device turns out to have no room for them. The same byte must be the same each time: where it is
 * not, what is registered is the points as they were read at some time, each of them checked as
 * `validation` says, or bases_create fails with PAIL_ERR_DATA.
 *
 * Threads: it is called in the thread that called bases_create and in threads of the backend, in
 * several of them at a time. Those of the backend have signals blocked (docs/abi.md, "The process")
 * and stacks of 8 MiB. Once a call has failed no other is begun; those under way are waited for.
 * It must not call into the plugin, nor wait for a thread that does: a part of what other calls on
 * the context need is held meanwhile. It must not leave by longjmp or an exception. */
typedef pail_status (*pail_read_points)(void *user, void *to, uint64_t offset, size_t bytes);

typedef struct pail_bases_desc {
    uint32_t struct_size;
    uint32_t curve, group, encoding, validation; /* enums above */
    uint32_t infinity_byte; /* with stride: 1 + offset of a byte that is non-zero at infinity */
    size_t stride;          /* bytes from a point to the next; 0: packed */
    const void *points;     /* [n_points]; NULL with read_points, or when n_points is 0 */
    pail_read_points read_points; /* optional: in place of points. Not called when n_points is 0 */
    void *read_user;              /* optional: handed to read_points */
    size_t n_points;              /* any number, 0 included */
    uint32_t residency;           /* pail_residency */
    uint32_t flags;               /* pail_bases_flag, or-ed */
    /* Copies to keep of each point, at most, all but the first of them shifted: with more of them a
     * multiplication has fewer buckets, and wider windows pay. Made once, while registering; only
     * where the set stays on the device. 1: the points alone. 0: no table either, but where it has
     * memory to spare a backend may keep another copy for its own use, as device_bytes says. */
    uint32_t table_factor;
    uint32_t reserved;
} pail_bases_desc;

/* What a set of bases became. */
typedef struct pail_bases_info {
    uint32_t struct_size; /* in. Everything below: out */
    uint32_t curve, group;
    uint32_t residency;    /* PAIL_RESIDENCY_DEVICE or PAIL_RESIDENCY_HOST */
    uint32_t order_known;  /* 1: every point has order r (or 1), so scalars count modulo r */
    uint32_t table_factor; /* copies that there are of each point; 1: no table */
    uint32_t table_bits; /* of the windows that it is for: other window_bits are refused; 0: none */
    uint32_t reserved;
    uint64_t n_points;     /* as registered */
    uint64_t n_infinities; /* of them at infinity */
    uint64_t n_kept;       /* points that are held: n_points, less infinities left out */
    uint64_t device_bytes, host_bytes;
    uint64_t table_bytes; /* of device_bytes: what is there because of the table */
    double table_ms;      /* that making it took, without pipelines */
} pail_bases_info;

#ifdef __cplusplus
}
#endif

#endif /* PAIL_BASES_H */
