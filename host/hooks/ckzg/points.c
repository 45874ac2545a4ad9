/* SPDX-License-Identifier: Apache-2.0 */
/* Points of ckzg.h. */
#include "internal.h"

#include <curves/curve_ops.h>
#include <curves/pairing.h>
#include <pail/encoding.h>

typedef pail_bls12_381_fp coordinate;
typedef pail_bls12_381_g1_affine affine;

/* ---- Coordinates ----------------------------------------------------------------------------- */
point ckzg_point(const g1_t *a)
{
    coordinate c[3]; /* x, y, z with (x / z^2, y / z^3) */
    point p = {0};
    memcpy(c, a, sizeof(c));
    if (pail_bls12_381_fp_is_zero(&c[2]))
        return p;
    p.x = c[0];
    p.y = c[1];
    pail_bls12_381_fp_sqr(&p.zz, &c[2]);
    pail_bls12_381_fp_mul(&p.zzz, &p.zz, &c[2]);
    return p;
}

/* Without an inversion: zzz is taken for z, and zzz^2 is zz^3. */
void ckzg_store_point(g1_t *r, const point *a)
{
    coordinate c[3] = {0}, square;
    if (!pail_bls12_381_g1_is_infinity(a)) {
        pail_bls12_381_fp_sqr(&square, &a->zz);
        pail_bls12_381_fp_mul(&c[0], &a->x, &square);
        pail_bls12_381_fp_sqr(&square, &a->zzz);
        pail_bls12_381_fp_mul(&c[1], &a->y, &square);
        c[2] = a->zzz;
    }
    memcpy(r, c, sizeof(c));
}

/* blst's points are those of PAIL_ENCODING_JACOBIAN. */
static void from_canonical(void *points, uint32_t group, const uint8_t *canonical, size_t n)
{
    const struct pail_curve_ops *const ops = pail_curve_ops(PAIL_CURVE_BLS12_381, group);
    const size_t coordinate_bytes = ops->coordinate_bytes;
    for (size_t i = 0; i < n; i++) {
        pail_affine p;
        (void)ops->decode(&p, canonical + i * 2 * coordinate_bytes, false);
        ops->store_point((uint8_t *)points + i * 3 * coordinate_bytes, &p,
                         pail_point_encoding_of(PAIL_ENCODING_JACOBIAN));
    }
}

void ckzg_g1_from_canonical(g1_t *points, const uint8_t *canonical, size_t n)
{
    from_canonical(points, PAIL_G1, canonical, n);
}

void ckzg_g2_from_canonical(g2_t *points, const uint8_t *canonical, size_t n)
{
    from_canonical(points, PAIL_G2, canonical, n);
}

/* ---- Bytes ----------------------------------------------------------------------------------- */
static const pail_point_format format = {.struct_size = sizeof(format),
                                         .curve = PAIL_CURVE_BLS12_381,
                                         .group = PAIL_G1,
                                         .form = PAIL_POINT_ZCASH,
                                         .validation = PAIL_VALIDATE_SUBGROUP};

void bytes_from_g1(Bytes48 *out, const g1_t *in)
{
    const point p = ckzg_point(in);
    uint8_t canonical[2 * sizeof(coordinate)];
    affine a;
    pail_bls12_381_g1_to_affine(&a, &p);
    pail_bls12_381_g1_to_bytes(canonical, &a, false);
    /* A point that is not on the curve, which the caller has made, is written as zeros. */
    (void)pail_points_encode(out->bytes, NULL, &format, canonical, 1, NULL, 0);
}

static C_KZG_RET decode(g1_t *out, const Bytes48 *b)
{
    uint8_t canonical[2 * sizeof(coordinate)];
    char *const sentence = ckzg_begin();
    const pail_status status = pail_points_decode(
        canonical, NULL, &format, b->bytes, sizeof(b->bytes), 1, sentence, CKZG_SENTENCE_BYTES);
    ckzg_g1_from_canonical(out, canonical, 1);
    return ckzg_ret(status);
}

C_KZG_RET bytes_to_kzg_commitment(g1_t *out, const Bytes48 *b)
{
    return decode(out, b);
}

C_KZG_RET bytes_to_kzg_proof(g1_t *out, const Bytes48 *b)
{
    return decode(out, b);
}

/* ---- Arithmetic ------------------------------------------------------------------------------ */
void g1_add(g1_t *out, const g1_t *a, const g1_t *b)
{
    const point p = ckzg_point(a), q = ckzg_point(b);
    point r;
    pail_bls12_381_g1_add(&r, &p, &q);
    ckzg_store_point(out, &r);
}

void g1_sub(g1_t *out, const g1_t *a, const g1_t *b)
{
    const point p = ckzg_point(a), q = ckzg_point(b);
    point r;
    pail_bls12_381_g1_neg(&r, &q);
    pail_bls12_381_g1_add(&r, &p, &r);
    ckzg_store_point(out, &r);
}

void g1_mul(g1_t *out, const g1_t *a, const fr_t *b)
{
    const point p = ckzg_point(a);
    const scalar k = ckzg_scalar(b);
    uint64_t integer[4];
    point r;
    pail_bls12_381_fr_to_integer(integer, &k);
    pail_bls12_381_g1_mul(&r, &p, integer);
    ckzg_store_point(out, &r);
}

void g1_lincomb_naive(g1_t *out, const g1_t *p, const fr_t *coeffs, size_t len)
{
    g1_t sum = G1_IDENTITY, product; /* out may be one of the points */
    for (size_t i = 0; i < len; i++) {
        g1_mul(&product, &p[i], &coeffs[i]);
        g1_add(&sum, &sum, &product);
    }
    *out = sum;
}

static pail_status multiply(g1_t *out, const struct ckzg_world *world, const g1_t *p,
                            const fr_t *coeffs, size_t len, char *sentence)
{
    const pail_backend *const backend = world->backend;
    const pail_bases_desc desc = {.struct_size = sizeof(desc),
                                  .curve = PAIL_CURVE_BLS12_381,
                                  .group = PAIL_G1,
                                  .encoding = PAIL_ENCODING_JACOBIAN,
                                  .validation = PAIL_VALIDATE_NONE,
                                  .points = p,
                                  .n_points = len};
    pail_msm_job job = {.struct_size = sizeof(job),
                        .scalar_encoding = PAIL_ENCODING_MONTGOMERY,
                        .scalars = coeffs,
                        .n = len};
    pail_msm_result result = {.struct_size = sizeof(result)};
    pail_bases *bases = NULL;
    pail_status status = backend->bases_create(world->context, &bases, NULL, &desc);
    if (status == PAIL_OK) {
        job.bases = bases;
        status = pail_msm(backend, world->context, &result, NULL, &job, NULL);
    }
    if (status != PAIL_OK)
        (void)snprintf(sentence, CKZG_SENTENCE_BYTES, "%s: %s", backend->name,
                       backend->error(world->context));
    else if (result.infinity == 0) {
        uint8_t canonical[2 * sizeof(coordinate)];
        memcpy(canonical, result.x, sizeof(coordinate));
        memcpy(canonical + sizeof(coordinate), result.y, sizeof(coordinate));
        ckzg_g1_from_canonical(out, canonical, 1);
    }
    if (bases)
        backend->bases_destroy(world->context, &bases);
    return status;
}

C_KZG_RET g1_lincomb_fast(g1_t *out, const g1_t *p, const fr_t *coeffs, size_t len)
{
    char *const sentence = ckzg_begin();
    struct ckzg_world world;
    g1_t sum = G1_IDENTITY; /* out may be one of the points */
    pail_status status = PAIL_ERR_ARGUMENT;
    if (len == 0)
        (void)ckzg_fail(C_KZG_BADARGS, "0 points");
    else if ((status = ckzg_take_world(&world)) == PAIL_OK) {
        status = multiply(&sum, &world, p, coeffs, len, sentence);
        ckzg_give_world_back();
    }
    *out = sum;
    return ckzg_ret(status);
}

/* ---- Pairings -------------------------------------------------------------------------------- */
bool pairings_verify(const g1_t *a1, const g2_t *a2, const g1_t *b1, const g2_t *b2)
{
    const struct pail_curve_ops *const ops = pail_curve_ops(PAIL_CURVE_BLS12_381, PAIL_G2);
    const struct pail_point_encoding form = pail_point_encoding_of(PAIL_ENCODING_JACOBIAN);
    const point b = ckzg_point(b1);
    point a = ckzg_point(a1);
    affine p[2];
    pail_bls12_381_g2_affine q[2];
    pail_bls12_381_g1_neg(&a, &a);
    pail_bls12_381_g1_to_affine(&p[0], &a);
    pail_bls12_381_g1_to_affine(&p[1], &b);
    ops->load_points(&q[0], (const uint8_t *)a2, 1, form);
    ops->load_points(&q[1], (const uint8_t *)b2, 1, form);
    return pail_pairing_fast(PAIL_CURVE_BLS12_381)->are_one(p, q, 2);
}
