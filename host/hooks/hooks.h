/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of other libraries, by their names, over a backend of Pail: a program calls them if it
 * is linked with libpail_hooks.so in place of (or before) their library. docs/hooks.md says how.
 *
 * Types are named here, and laid out as their owners do. Points are affine and scalars are elements
 * of Fr, both in Montgomery form, little-endian, unless stated otherwise: the forms of
 * <pail/bases.h> and <pail/msm.h>, in which they go to the device as they are. Sums come back in
 * the peer's form, with Z = 1, or as the peer writes the point at infinity.
 *
 * All functions are thread-safe. The backend is chosen as pail_registry_find does, by the first
 * call, and kept. */
#ifndef PAIL_HOOKS_H
#define PAIL_HOOKS_H

#include <stddef.h>
#include <stdint.h>

#include <pail/pail.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Pail's own ------------------------------------------------------------------------------ */

/* The sentence of this thread's last failed call of a function below; empty if the last call did
 * not fail. Valid until the thread's next call. */
PAIL_API const char *pail_hooks_error(void);

/* Releases a handle of prepare_msm, for which sppark has no function. May be NULL. */
PAIL_API void pail_hooks_drop_msm(void *msm);

/* Releases the backend and the cached sets. No call may be running, and every handle must have been
 * released. A later call opens the backend again. */
PAIL_API void pail_hooks_close(void);

/* ---- blst: layouts that c-kzg and rust-kzg have ----------------------------------------------
 */
typedef struct pail_blst_fr {
    uint64_t l[4];
} pail_blst_fr;

typedef struct pail_blst_p1_affine {
    uint64_t x[6], y[6]; /* both 0: infinity */
} pail_blst_p1_affine;

typedef struct pail_blst_p1 {
    uint64_t x[6], y[6], z[6]; /* Jacobian: (x / z^2, y / z^3); z = 0: infinity */
} pail_blst_p1;

/* ---- c-kzg -----------------------------------------------------------------------------------
 * C_KZG_RET: 0 OK, 1 BADARGS (a coordinate or a scalar that is not reduced), 2 ERROR, 3 MALLOC. */

/* out = the sum of coeffs[i] p[i], all zero for infinity and on failure. p: [len], any Jacobian
 * points, which the device makes affine; coeffs: [len]. Sets of at least 512 points are kept on the
 * device, four of them, and found again by their contents. */
PAIL_API int g1_lincomb_fast(pail_blst_p1 *out, const pail_blst_p1 *p, const pail_blst_fr *coeffs,
                             size_t len);

/* ---- sppark, as rust-kzg's blst-sppark builds it ---------------------------------------------
 * code: 0, or a pail_status. message: NULL, or of malloc and the caller's to free. */
typedef struct pail_rust_error {
    int code;
    char *message;
} pail_rust_error;

/* Registers points: [npoints], copied. Returns a handle, or NULL on failure. */
PAIL_API void *prepare_msm(const pail_blst_p1_affine points[], size_t npoints);

/* *out = the sum of scalars[i] times the prepared point i, i < npoints; zeroed on failure. */
PAIL_API pail_rust_error mult_pippenger_prepared(void *msm, pail_blst_p1 *out, size_t npoints,
                                                 const pail_blst_fr scalars[]);

/* The same with points that are registered for this call only. */
PAIL_API pail_rust_error mult_pippenger(pail_blst_p1 *out, const pail_blst_p1_affine points[],
                                        size_t npoints, const pail_blst_fr scalars[]);

/* ---- constantine -----------------------------------------------------------------------------
 * r = the sum of coefs[i] points[i], i < len. r: Jacobian (jac) or homogeneous (prj) coordinates x,
 * y, z. big: integers, little-endian; fr: elements of Fr, in Montgomery form. The functions return
 * nothing: on failure r is zeroed, which in jac reads as the neutral element, and pail_hooks_error
 * has the sentence, which is otherwise empty. */
#define PAIL_CTT_MSM(curve, group, form)                                                           \
    PAIL_API void ctt_##curve##_##group##_##form##_multi_scalar_mul_big_coefs_vartime(             \
        void *r, const void *coefs, const void *points, size_t len);                               \
    PAIL_API void ctt_##curve##_##group##_##form##_multi_scalar_mul_fr_coefs_vartime(              \
        void *r, const void *coefs, const void *points, size_t len);

/* The same; the pool is not used. */
#define PAIL_CTT_MSM_PARALLEL(curve, form)                                                         \
    PAIL_API void ctt_##curve##_g1_##form##_multi_scalar_mul_big_coefs_vartime_parallel(           \
        const void *tp, void *r, const void *coefs, const void *points, size_t len);               \
    PAIL_API void ctt_##curve##_g1_##form##_multi_scalar_mul_fr_coefs_vartime_parallel(            \
        const void *tp, void *r, const void *coefs, const void *points, size_t len);

PAIL_CTT_MSM(bn254_snarks, g1, jac)
PAIL_CTT_MSM(bn254_snarks, g1, prj)
PAIL_CTT_MSM(bn254_snarks, g2, jac)
PAIL_CTT_MSM(bn254_snarks, g2, prj)
PAIL_CTT_MSM(bls12_381, g1, jac)
PAIL_CTT_MSM(bls12_381, g1, prj)
PAIL_CTT_MSM(bls12_381, g2, jac)
PAIL_CTT_MSM(bls12_381, g2, prj)
PAIL_CTT_MSM_PARALLEL(bn254_snarks, jac)
PAIL_CTT_MSM_PARALLEL(bn254_snarks, prj)
PAIL_CTT_MSM_PARALLEL(bls12_381, jac)
PAIL_CTT_MSM_PARALLEL(bls12_381, prj)

#ifdef __cplusplus
}
#endif

#endif /* PAIL_HOOKS_H */
