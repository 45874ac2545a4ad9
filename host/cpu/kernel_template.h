/* kernel.h for one group. Include it in one source file with
 *
 *   EC, FE               the group and the field of its coordinates, as in host/ref/ec_template.h
 *   EC_KERNEL            the name of the struct pail_cpu_kernel
 *   EC_CURVE, EC_GROUP   numbers at the boundary
 *
 * Signed-digit bucket method with additions in affine coordinates, BATCH of them to an inversion.
 * A block of points is sorted by bucket; then rounds add neighbours of the same bucket pairwise
 * until each bucket has one point, so the additions of a round are independent of each other and a
 * bucket that takes all points is as good as any. The additions are complete (host/ref), whatever
 * the points are.
 */
#include <string.h>

#include "digit.h"
#include "kernel.h"
#include "paste.h"

#define EC_(name) PAIL_PASTE(EC, name)
#define AFFINE    EC_(affine)
#define XYZZ      EC_(xyzz)
#define SCRATCH   EC_(scratch)

#define BATCH 512

typedef struct SCRATCH {
    AFFINE *points;   /* [block_points], sorted by bucket */
    AFFINE *buckets;  /* [n_buckets]; bucket b is for digits b + 1 and -(b + 1) */
    AFFINE *sums;     /* [BATCH] */
    AFFINE *addends;  /* [BATCH] */
    FE *inverses;     /* [2 BATCH] */
    AFFINE **places;  /* [BATCH], where the sums go */
    int32_t *digits;  /* [block_points] */
    uint32_t *counts; /* [n_buckets] */
    uint32_t *ends;   /* [n_buckets] */
    size_t n_batch, n_buckets;
    uint64_t adds;
} SCRATCH;

/* Cuts the scratch bytes up, or with bytes NULL only counts them. Widest elements first, so that
 * each part is aligned. */
static size_t EC_(carve)(SCRATCH *s, unsigned char *bytes, size_t block_points, uint32_t c)
{
    const size_t n_buckets = (size_t)1 << (c - 1);
    const size_t sizes[] = {
        block_points * sizeof *s->points, n_buckets * sizeof *s->buckets,
        BATCH * sizeof *s->sums,          BATCH * sizeof *s->addends,
        2 * BATCH * sizeof *s->inverses,  BATCH * sizeof *s->places,
        block_points * sizeof *s->digits, n_buckets * sizeof *s->counts,
        n_buckets * sizeof *s->ends,
    };
    enum { N_PARTS = sizeof sizes / sizeof sizes[0] };
    void *parts[N_PARTS];
    size_t used = 0;
    for (size_t i = 0; i < N_PARTS; i++) {
        parts[i] = bytes ? bytes + used : NULL;
        used += sizes[i];
    }
    *s = (SCRATCH){
        .points = parts[0],
        .buckets = parts[1],
        .sums = parts[2],
        .addends = parts[3],
        .inverses = parts[4],
        .places = parts[5],
        .digits = parts[6],
        .counts = parts[7],
        .ends = parts[8],
        .n_buckets = n_buckets,
    };
    return used;
}

static size_t EC_(scratch_bytes)(size_t block_points, uint32_t c)
{
    SCRATCH s;
    return EC_(carve)(&s, NULL, block_points, c);
}

static void EC_(flush)(SCRATCH *s)
{
    EC_(batch_add)(s->sums, s->addends, false, s->inverses, s->n_batch);
    for (size_t i = 0; i < s->n_batch; i++) {
        *s->places[i] = s->sums[i];
    }
    s->adds += s->n_batch;
    s->n_batch = 0;
}

/* *place = *p + *q, by the next flush at the latest. */
static inline void EC_(push)(SCRATCH *s, AFFINE *place, const AFFINE *p, const AFFINE *q)
{
    s->places[s->n_batch] = place;
    s->sums[s->n_batch] = *p;
    s->addends[s->n_batch] = *q;
    if (++s->n_batch == BATCH) {
        EC_(flush)(s);
    }
}

/* Fills points with the block's points by bucket and counts with how many each bucket has; returns
 * the largest count. Points at infinity and zero digits are left out. */
static uint32_t EC_(sort)(SCRATCH *s, const struct pail_cpu_task *task, const AFFINE *bases,
                          const pail_u256 *scalars, size_t n)
{
    memset(s->counts, 0, s->n_buckets * sizeof *s->counts);
    for (size_t i = 0; i < n; i++) {
        int32_t digit = pail_cpu_digit(&scalars[i], task->window, task->c);
        if (digit != 0 && EC_(affine_is_infinity)(&bases[i])) {
            digit = 0;
        }
        s->digits[i] = digit;
        if (digit != 0) {
            s->counts[(digit < 0 ? -digit : digit) - 1]++;
        }
    }
    uint32_t begin = 0, largest = 0;
    for (size_t b = 0; b < s->n_buckets; b++) {
        s->ends[b] = begin; /* moves to the end as points arrive */
        begin += s->counts[b];
        largest = s->counts[b] > largest ? s->counts[b] : largest;
    }
    for (size_t i = 0; i < n; i++) {
        const int32_t digit = s->digits[i];
        if (digit > 0) {
            s->points[s->ends[digit - 1]++] = bases[i];
        } else if (digit < 0) {
            EC_(affine_neg)(&s->points[s->ends[-digit - 1]++], &bases[i]);
        }
    }
    return largest;
}

/* Adds the points of each bucket in pairs; the sums, and the odd point out, move to the front. What
 * is written lies before what is still to be read, whenever the batch is flushed. */
static void EC_(halve)(SCRATCH *s)
{
    size_t read = 0, write = 0;
    for (size_t b = 0; b < s->n_buckets; b++) {
        const uint32_t count = s->counts[b], pairs = count / 2;
        for (uint32_t j = 0; j < pairs; j++) {
            EC_(push)(s, &s->points[write++], &s->points[read], &s->points[read + 1]);
            read += 2;
        }
        if (count % 2 == 1) {
            s->points[write++] = s->points[read++];
        }
        s->counts[b] = pairs + count % 2;
    }
    EC_(flush)(s);
}

/* Adds the one point that is left of each bucket to the buckets. */
static void EC_(merge)(SCRATCH *s)
{
    const AFFINE *point = s->points;
    for (size_t b = 0; b < s->n_buckets; b++) {
        if (s->counts[b] == 0) {
            continue;
        }
        if (EC_(affine_is_infinity)(&s->buckets[b])) {
            s->buckets[b] = *point;
        } else {
            EC_(push)(s, &s->buckets[b], &s->buckets[b], point);
        }
        point++;
    }
    EC_(flush)(s);
}

static void EC_(run)(pail_point *result, uint64_t *adds, const struct pail_cpu_task *task,
                     void *scratch)
{
    const AFFINE *bases = task->bases;
    SCRATCH s;
    EC_(carve)(&s, scratch, task->block_points, task->c);
    memset(s.buckets, 0, s.n_buckets * sizeof *s.buckets);
    for (size_t begin = 0; begin < task->n; begin += task->block_points) {
        const size_t left = task->n - begin;
        const size_t n = left < task->block_points ? left : task->block_points;
        uint32_t largest = EC_(sort)(&s, task, bases + begin, task->scalars + begin, n);
        for (; largest > 1; largest -= largest / 2) {
            EC_(halve)(&s);
        }
        EC_(merge)(&s);
    }
    /* The sum of (b + 1) B_b is the sum over b of the sums of the buckets from b on. */
    XYZZ running = {0}, sum = {0};
    for (size_t b = s.n_buckets; b-- > 0;) {
        EC_(add_affine)(&running, &running, &s.buckets[b]);
        EC_(add)(&sum, &sum, &running);
    }
    memcpy(result->limbs, &sum, sizeof sum);
    *adds += s.adds;
}

static const struct pail_cpu_kernel EC_KERNEL = {
    .curve = EC_CURVE,
    .group = EC_GROUP,
    .scratch_bytes = EC_(scratch_bytes),
    .run = EC_(run),
};

#undef BATCH
#undef EC_
#undef AFFINE
#undef XYZZ
#undef SCRATCH
