/* g1_lincomb_fast of c-kzg. Its points are Jacobian, and the boundary knows no such encoding. Those
 * with Z = 1, which is what a trusted setup and decoded commitments have, go to the device where
 * they are, with the stride of a Jacobian point. Others are made affine on the host first, with one
 * inversion for all of them, as c-kzg does itself. */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <curves/bls12_381.h>

#include "device.h"
#include "hooks.h"

typedef pail_bls12_381_fp element;

_Static_assert(sizeof(element) == sizeof(((pail_blst_p1 *)0)->x), "both have six limbs");

enum { C_KZG_OK, C_KZG_BADARGS, C_KZG_ERROR, C_KZG_MALLOC };

/* The interface has no handle and says nothing of how long points stay as they are, so that an
 * address identifies nothing: points are compared as a whole. Columns of FK20, 64 points each and
 * 128 of them, would only push a setup out. */
enum { SETS = 4, CACHED_MIN = 512 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct set {
    pail_blst_p1 *points; /* [n]: a copy */
    pail_bases *bases;
    size_t n;
    unsigned users;
    uint64_t last_use;
} sets[SETS];
static uint64_t uses;

static int c_kzg_ret(pail_status status)
{
    if (status == PAIL_OK)
        return C_KZG_OK;
    if (status == PAIL_ERR_HOST_MEMORY || status == PAIL_ERR_DEVICE_MEMORY)
        return C_KZG_MALLOC;
    if (status == PAIL_ERR_ARGUMENT || status == PAIL_ERR_DATA)
        return C_KZG_BADARGS;
    return C_KZG_ERROR;
}

static element element_of(const uint64_t limbs[6])
{
    element r;
    memcpy(&r, limbs, sizeof(r));
    return r;
}

/* Whether x and y are the affine coordinates, both 0 at infinity. */
static bool is_affine(const pail_blst_p1 *p)
{
    static const uint64_t zero[6];
    if (memcmp(p->z, &pail_bls12_381_fp_one, sizeof(p->z)) == 0)
        return true;
    return memcmp(p->z, zero, sizeof(zero)) == 0 && memcmp(p->x, zero, sizeof(zero)) == 0 &&
           memcmp(p->y, zero, sizeof(zero)) == 0;
}

static bool is_reduced(const uint64_t limbs[6])
{
    element unused;
    uint8_t bytes[sizeof(element)];
    memcpy(bytes, limbs, sizeof(bytes));
    return pail_bls12_381_fp_from_bytes(&unused, bytes, true);
}

/* inverses: [n], of each z; 0 stays 0. scratch: [n]. */
static pail_status normalize(pail_blst_p1_affine *affine, element *inverses, element *scratch,
                             const pail_blst_p1 *p, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (!is_reduced(p[i].x) || !is_reduced(p[i].y) || !is_reduced(p[i].z))
            return hook_fail(PAIL_ERR_DATA, "point %zu: a coordinate is not below p", i);
        inverses[i] = element_of(p[i].z);
    }
    pail_bls12_381_fp_batch_inv(inverses, scratch, n);
    for (size_t i = 0; i < n; i++) {
        element x = element_of(p[i].x), y = element_of(p[i].y), power;
        pail_bls12_381_fp_sqr(&power, &inverses[i]);
        pail_bls12_381_fp_mul(&x, &x, &power);
        pail_bls12_381_fp_mul(&power, &power, &inverses[i]);
        pail_bls12_381_fp_mul(&y, &y, &power);
        memcpy(affine[i].x, &x, sizeof(x));
        memcpy(affine[i].y, &y, sizeof(y));
    }
    return PAIL_OK;
}

static pail_status register_normalized(pail_bases **bases, const pail_blst_p1 *p, size_t n)
{
    pail_blst_p1_affine *const affine = calloc(n, sizeof(*affine));
    element *const inverses = calloc(n, sizeof(*inverses));
    element *const scratch = calloc(n, sizeof(*scratch));
    pail_status status = PAIL_OK;
    if (affine == NULL || inverses == NULL || scratch == NULL)
        status = hook_fail(PAIL_ERR_HOST_MEMORY, "no memory for %zu points", n);
    if (status == PAIL_OK)
        status = normalize(affine, inverses, scratch, p, n);
    if (status == PAIL_OK)
        status = hook_bases_create(
            bases, &(struct hook_points){
                       .curve = PAIL_CURVE_BLS12_381, .group = PAIL_G1, .points = affine, .n = n});
    free(scratch);
    free(inverses);
    free(affine);
    return status;
}

static pail_status register_points(pail_bases **bases, const pail_blst_p1 *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!is_affine(&p[i]))
            return register_normalized(bases, p, n);
    return hook_bases_create(bases, &(struct hook_points){.curve = PAIL_CURVE_BLS12_381,
                                                          .group = PAIL_G1,
                                                          .points = p,
                                                          .n = n,
                                                          .stride = sizeof(*p)});
}

static void clear(struct set *set)
{
    hook_bases_destroy(&set->bases);
    free(set->points);
    *set = (struct set){0};
}

void hook_sets_clear(void)
{
    for (size_t i = 0; i < SETS; i++)
        clear(&sets[i]);
}

/* Counts a use. NULL: not there. The lock is held. */
static struct set *find(const pail_blst_p1 *p, size_t n)
{
    for (size_t i = 0; i < SETS; i++)
        if (sets[i].bases != NULL && sets[i].n == n &&
            memcmp(sets[i].points, p, n * sizeof(*p)) == 0)
            return &sets[i];
    return NULL;
}

/* The place of the set that was used longest ago. NULL: all are in use. The lock is held. */
static struct set *make_room(void)
{
    struct set *oldest = NULL;
    for (size_t i = 0; i < SETS; i++)
        if (sets[i].users == 0 && (oldest == NULL || sets[i].last_use < oldest->last_use))
            oldest = &sets[i];
    if (oldest != NULL)
        clear(oldest);
    return oldest;
}

/* *set: NULL: there was no room, and *bases are the caller's. */
static pail_status take(struct set **set, pail_bases **bases, const pail_blst_p1 *p, size_t n)
{
    pail_status status = PAIL_OK;
    (void)pthread_mutex_lock(&lock);
    *set = find(p, n);
    if (*set == NULL) {
        status = register_points(bases, p, n);
        pail_blst_p1 *const copy = status == PAIL_OK ? malloc(n * sizeof(*p)) : NULL;
        *set = copy != NULL ? make_room() : NULL;
        if (*set != NULL) {
            memcpy(copy, p, n * sizeof(*p));
            **set = (struct set){.points = copy, .bases = *bases, .n = n};
        } else {
            free(copy);
        }
    }
    if (*set != NULL) {
        (*set)->users++;
        (*set)->last_use = ++uses;
        *bases = (*set)->bases;
    }
    (void)pthread_mutex_unlock(&lock);
    return status;
}

static void give_back(struct set *set, pail_bases *bases)
{
    if (set == NULL) {
        hook_bases_destroy(&bases);
        return;
    }
    (void)pthread_mutex_lock(&lock);
    set->users--;
    (void)pthread_mutex_unlock(&lock);
}

int g1_lincomb_fast(pail_blst_p1 *out, const pail_blst_p1 *p, const pail_blst_fr *coeffs,
                    size_t len)
{
    hook_begin();
    if (out == NULL)
        return c_kzg_ret(hook_fail(PAIL_ERR_ARGUMENT, "out is NULL"));
    if (len > 0 && (p == NULL || coeffs == NULL)) {
        memset(out, 0, sizeof(*out));
        return c_kzg_ret(hook_fail(PAIL_ERR_ARGUMENT, "%s is NULL", p == NULL ? "p" : "coeffs"));
    }
    struct set *set = NULL;
    pail_bases *bases = NULL;
    pail_blst_p1 sum = {0}; /* out may be one of the points */
    pail_status status =
        len >= CACHED_MIN ? take(&set, &bases, p, len) : register_points(&bases, p, len);
    if (status == PAIL_OK) {
        status = hook_multiply(&sum, HOOK_BLST, bases, PAIL_CURVE_BLS12_381, PAIL_G1, coeffs,
                               PAIL_ENCODING_MONTGOMERY, len);
        give_back(set, bases);
    }
    *out = sum;
    return c_kzg_ret(status);
}
