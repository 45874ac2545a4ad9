/* SPDX-License-Identifier: Apache-2.0 */
/* Common parts of the files behind ckzg.h: errors, and blst's types as Pail's. */
#ifndef PAIL_CKZG_INTERNAL_H
#define PAIL_CKZG_INTERNAL_H

#include <assert.h>
#include <string.h>

#include <ckzg.h>
#include <pail/kzg.h>

#include <curves/bls12_381.h>

typedef pail_bls12_381_fr scalar;
typedef pail_bls12_381_g1_xyzz point;

/* ---- Errors ---------------------------------------------------------------------------------- */

enum { CKZG_SENTENCE_BYTES = 512 };

/* The sentence of this thread, emptied: a call begins with it. [CKZG_SENTENCE_BYTES] */
char *ckzg_begin(void);
C_KZG_RET ckzg_ret(pail_status status);

/* Fails a call. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
C_KZG_RET
ckzg_fail(C_KZG_RET ret, const char *format, ...);

/* ---- Setups ---------------------------------------------------------------------------------- */

/* The opened setup; NULL, with a sentence: s is NULL or not loaded. */
pail_kzg *ckzg_setup(const KZGSettings *s);

/* The backend that all setups share, opened if no setup is loaded; each that was taken is given
 * back. */
struct ckzg_world {
    pail_registry *registry;
    const pail_backend *backend;
    pail_context *context;
};
pail_status ckzg_take_world(struct ckzg_world *world);
void ckzg_give_world_back(void);

/* Runs a request of one setup. */
C_KZG_RET ckzg_run(const KZGSettings *s, pail_kzg_result *result, pail_kzg_request *request);

/* ---- Types ----------------------------------------------------------------------------------- */
static_assert(sizeof(fr_t) == sizeof(scalar), "a scalar has four limbs");
static_assert(sizeof(g1_t) == 3 * sizeof(pail_bls12_381_fp), "a point has three coordinates");
static_assert(sizeof(g2_t) == 3 * sizeof(pail_bls12_381_fp2), "a point has three coordinates");

static inline scalar ckzg_scalar(const fr_t *a)
{
    scalar r;
    memcpy(&r, a, sizeof(r));
    return r;
}

static inline void ckzg_store(fr_t *r, const scalar *a)
{
    memcpy(r, a, sizeof(*r));
}

point ckzg_point(const g1_t *a);
void ckzg_store_point(g1_t *r, const point *a);

/* Jacobian points, z = 1 or infinity, from n canonical ones of <pail/encoding.h>. */
void ckzg_g1_from_canonical(g1_t *points, const uint8_t *canonical, size_t n);
void ckzg_g2_from_canonical(g2_t *points, const uint8_t *canonical, size_t n);

#endif /* PAIL_CKZG_INTERNAL_H */
