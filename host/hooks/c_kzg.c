/* SPDX-License-Identifier: Apache-2.0 */
/* g1_lincomb_fast of c-kzg. Its points are Jacobian. They go to the device as they are, and the
 * device makes them affine. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "hooks.h"

enum { C_KZG_OK, C_KZG_BADARGS, C_KZG_ERROR, C_KZG_MALLOC };

/* Points are compared as a whole: the interface has no handle and does not say how long points stay
 * unchanged, so that an address identifies nothing. Columns of FK20, 64 points each and 128 of
 * them, would only evict a setup. */
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

static pail_status register_points(pail_bases **bases, const pail_blst_p1 *p, size_t n)
{
    return hook_bases_create(bases, &(struct hook_points){.curve = PAIL_CURVE_BLS12_381,
                                                          .group = PAIL_G1,
                                                          .points = p,
                                                          .n = n,
                                                          .jacobian = true});
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

/* Finds the set of these points. NULL: not there. The lock is held. */
static struct set *find(const pail_blst_p1 *p, size_t n)
{
    for (size_t i = 0; i < SETS; i++)
        if (sets[i].bases && sets[i].n == n && memcmp(sets[i].points, p, n * sizeof(*p)) == 0)
            return &sets[i];
    return NULL;
}

/* Returns the place of the least recently used set. NULL: all are in use. The lock is held. */
static struct set *make_room(void)
{
    struct set *oldest = NULL;
    for (size_t i = 0; i < SETS; i++)
        if (sets[i].users == 0 && (!oldest || sets[i].last_use < oldest->last_use))
            oldest = &sets[i];
    if (oldest)
        clear(oldest);
    return oldest;
}

/* Takes the set of the points. *set: NULL: there was no room, and *bases are the caller's. */
static pail_status take(struct set **set, pail_bases **bases, const pail_blst_p1 *p, size_t n)
{
    pail_status status = PAIL_OK;
    (void)pthread_mutex_lock(&lock);
    *set = find(p, n);
    if (!*set) {
        status = register_points(bases, p, n);
        pail_blst_p1 *const copy = status == PAIL_OK ? malloc(n * sizeof(*p)) : NULL;
        *set = copy ? make_room() : NULL;
        if (*set) {
            memcpy(copy, p, n * sizeof(*p));
            **set = (struct set){.points = copy, .bases = *bases, .n = n};
        } else {
            free(copy);
        }
    }
    if (*set) {
        (*set)->users++;
        (*set)->last_use = ++uses;
        *bases = (*set)->bases;
    }
    (void)pthread_mutex_unlock(&lock);
    return status;
}

static void give_back(struct set *set, pail_bases *bases)
{
    if (!set) {
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
    if (!out)
        return c_kzg_ret(hook_fail(PAIL_ERR_ARGUMENT, "out is NULL"));
    if (len > 0 && (!p || !coeffs)) {
        memset(out, 0, sizeof(*out));
        return c_kzg_ret(hook_fail(PAIL_ERR_ARGUMENT, "%s is NULL", !p ? "p" : "coeffs"));
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
