/* SPDX-License-Identifier: Apache-2.0 */
/* Signed-digit bucket method with affine additions that share inversions (adder.h). A block of
 * points is sorted by bucket. A bucket's odd point is added to its sum at once; rounds add the
 * others pairwise until each bucket has one, so the additions of a round are independent of each
 * other and a bucket that takes all points is as good as any. The sum over the buckets is brought
 * down in rounds of independent additions, too.
 */
#include "buckets.h"

#include <string.h>

#include "digit.h"

/* Buckets of a block that have equally many points: each in places of its own, one after the other,
 * of which the first `count` are taken. A bucket from LONG points on is alone. */
struct run {
    uint32_t first, places; /* places of the first bucket; places of each */
    uint32_t count, n_buckets;
};

/* Lengths below it are sorted by counting; the loops over a run need no guess at how often. */
#define LONG 64

/* Bucket i of a window is for digits i and -i, 1 <= i <= largest; in memory `stride` of them make a
 * window, of which the one at 0 stays empty. */
struct buckets {
    const struct pail_cpu_adder *adder;
    size_t point_bytes;
    size_t n_windows, largest, stride;
    unsigned char *sums;   /* points [n_windows][stride] */
    uint64_t *taken;       /* a bit for each of them: whether a point has come there */
    unsigned char *points; /* points of a block, by run, from the first round on */
    void *adder_scratch;
    struct pail_cpu_pair *pairs; /* [adder->batch] that wait */
    uint32_t *entries;           /* [n_windows][block_points]: as an operand of a pair */
    int32_t *digits;             /* [block_points] */
    uint32_t *counts, *ends;     /* [stride], of one window */
    uint32_t *order;             /* [n_windows][stride]: slots with points, by run */
    struct run *runs;
    size_t n_runs;
    /* Bases of the waiting pairs' indices: sums, and the two operands. */
    unsigned char *to;
    const unsigned char *p, *q;
    size_t n_pairs;
    uint64_t adds;
    unsigned char *end; /* end of what was written in the scratch */
};

static size_t rounded_up(size_t bytes)
{
    return (bytes + PAIL_CPU_ALIGNMENT - 1) / PAIL_CPU_ALIGNMENT * PAIL_CPU_ALIGNMENT;
}

static size_t taken_words(const struct buckets *b)
{
    return (b->n_windows * b->stride + 63) / 64;
}

/* Cuts the scratch up, or with NULL only counts its bytes. Arrays that are seldom filled are last,
 * so that memory behind them is never touched. */
static size_t carve(struct buckets *b, unsigned char *scratch, size_t block_points)
{
    const size_t slots = b->n_windows * b->stride, n_entries = b->n_windows * block_points;
    const size_t half = n_entries / 2; /* after the first round */
    const size_t n_runs = b->n_windows * LONG + n_entries / LONG;
    const size_t sizes[] = {
        slots * b->point_bytes,
        taken_words(b) * sizeof *b->taken,
        b->stride * sizeof *b->counts,
        b->stride * sizeof *b->ends,
        slots * sizeof *b->order,
        n_runs * sizeof *b->runs,
        block_points * sizeof *b->digits,
        b->adder->batch * sizeof *b->pairs,
        b->adder->scratch_bytes,
        n_entries * sizeof *b->entries,
        half * b->point_bytes,
    };
    enum { N_PARTS = sizeof sizes / sizeof sizes[0] };
    void *parts[N_PARTS];
    size_t used = PAIL_CPU_ALIGNMENT; /* to begin at a multiple of it */
    unsigned char *at = scratch ? pail_cpu_aligned(scratch) : NULL;
    for (size_t i = 0; i < N_PARTS; i++) {
        parts[i] = at;
        at = at ? at + rounded_up(sizes[i]) : NULL;
        used += rounded_up(sizes[i]);
    }
    b->sums = parts[0];
    b->taken = parts[1];
    b->counts = parts[2];
    b->ends = parts[3];
    b->order = parts[4];
    b->runs = parts[5];
    b->digits = parts[6];
    b->pairs = parts[7];
    b->adder_scratch = parts[8];
    b->entries = parts[9];
    b->points = b->end = parts[10];
    return used;
}

static struct buckets shape(const struct pail_cpu_adder *adder, uint32_t n_windows, uint32_t c)
{
    const size_t largest = (size_t)1 << (c - 1);
    return (struct buckets){
        .adder = adder,
        .point_bytes = adder->point_bytes,
        .n_windows = n_windows,
        .largest = largest,
        .stride = largest + 1,
    };
}

size_t pail_cpu_buckets_bytes(const struct pail_cpu_adder *adder, size_t block_points,
                              uint32_t n_windows, uint32_t c)
{
    struct buckets b = shape(adder, n_windows, c);
    return carve(&b, NULL, block_points);
}

/* ---- Pairs ---------------------------------------------------------------------------------- */
static void flush(struct buckets *b)
{
    if (b->n_pairs > 0) {
        b->adder->add(b->to, b->p, b->q, b->pairs, b->n_pairs, b->adder_scratch);
        b->adds += b->n_pairs;
        b->n_pairs = 0;
    }
}

/* Sets what the pairs' indices count from, until the next call. None may wait. */
static void begin(struct buckets *b, unsigned char *to, const unsigned char *p,
                  const unsigned char *q)
{
    b->to = to;
    b->p = p;
    b->q = q;
}

/* to = p + q, by the next flush at the latest. */
static inline void push(struct buckets *b, size_t to, uint32_t p, uint32_t q)
{
    b->pairs[b->n_pairs] = (struct pail_cpu_pair){.p = p, .q = q, .to = (uint32_t)to};
    if (++b->n_pairs == b->adder->batch)
        flush(b);
}

/* The operand that is the point at an index. */
static inline uint32_t operand(size_t index)
{
    return (uint32_t)(2 * index);
}

/* Points are few times 32 bytes: a call for each would take longer. */
static inline void copy_point(const struct buckets *b, unsigned char *to, const unsigned char *from)
{
    for (size_t i = 0; i < b->point_bytes; i += 32)
        memcpy(to + i, from + i, 32);
}

static inline bool is_empty(const struct buckets *b, size_t slot)
{
    return pail_cpu_is_infinity(b->sums + slot * b->point_bytes, b->point_bytes);
}

/* Marks a bucket; whether it was marked before. To look at the sum would be to wait for it: where
 * it is depends on chance. A sum that has become infinity is added like any other. */
static inline bool take(struct buckets *b, size_t slot)
{
    uint64_t *const word = &b->taken[slot / 64];
    const uint64_t bit = UINT64_C(1) << slot % 64;
    const bool before = (*word & bit) != 0;
    *word |= bit;
    return before;
}

/* ---- A block of points into the buckets -------------------------------------------------------
 */

/* Signs are random: a branch on one costs as much as ten of these. */
static inline uint32_t bucket(int32_t digit)
{
    const uint32_t sign = (uint32_t)0 - (uint32_t)(digit < 0);
    return ((uint32_t)digit ^ sign) - sign;
}

/* Counts how many points each bucket of window w gets. Points at infinity have digit 0. */
static void count(struct buckets *b, size_t w, const struct pail_cpu_task *task, size_t first,
                  size_t n)
{
    uint32_t *counts = b->counts;
    const unsigned char *bases = task->bases;
    memset(counts, 0, b->stride * sizeof *counts);
    for (size_t i = 0; i < n; i++) {
        const size_t k = task->kept ? task->kept[first + i] - task->kept_from : first + i;
        int32_t digit =
            pail_cpu_digit(&task->scalars[k], task->first_window + (uint32_t)w, task->c);
        if (task->infinities && digit != 0 &&
            pail_cpu_is_infinity(bases + (first + i) * b->point_bytes, b->point_bytes))
            digit = 0;
        b->digits[i] = digit;
        counts[bucket(digit)]++;
    }
    counts[0] = 0;
}

/* Puts the buckets of window w that have points in the order of their counts, the largest first:
 * their runs, and where each one's entries end, which moves on as they arrive. *n_ordered slots and
 * *n_entries of earlier windows are there. */
static void arrange(struct buckets *b, size_t w, size_t *n_ordered, uint32_t *n_entries)
{
    uint32_t shorter[LONG] = {0}; /* buckets of each length; then where they begin */
    uint32_t *const order = b->order + *n_ordered;
    uint32_t n_long = 0, end = *n_entries;
    for (size_t i = 1; i < b->stride; i++) {
        const uint32_t n = b->counts[i];
        if (n < LONG) {
            shorter[n]++;
            continue;
        }
        b->runs[b->n_runs++] = (struct run){.count = n, .n_buckets = 1};
        order[n_long++] = (uint32_t)(w * b->stride + i);
        b->ends[i] = end;
        end += n;
    }
    uint32_t begins[LONG], at = n_long, entry[LONG];
    for (uint32_t n = LONG; --n > 0;) {
        begins[n] = at;
        entry[n] = end;
        at += shorter[n];
        end += n * shorter[n];
        if (shorter[n] > 0)
            b->runs[b->n_runs++] = (struct run){.count = n, .n_buckets = shorter[n]};
    }
    begins[0] = at; /* behind all others, where no one looks */
    entry[0] = end;
    for (size_t i = 1; i < b->stride; i++) {
        const uint32_t n = b->counts[i];
        if (n >= LONG)
            continue;
        order[begins[n]] = (uint32_t)(w * b->stride + i);
        begins[n] += n > 0;
        b->ends[i] = entry[n];
        entry[n] += n;
    }
    *n_ordered += at;
    *n_entries = end;
}

/* Sorts the block's points by window, run and bucket. */
static void sort(struct buckets *b, const struct pail_cpu_task *task, size_t first, size_t n)
{
    uint32_t n_entries = 0;
    size_t n_ordered = 0;
    b->n_runs = 0;
    for (size_t w = 0; w < b->n_windows; w++) {
        count(b, w, task, first, n);
        arrange(b, w, &n_ordered, &n_entries);
        for (size_t i = 0; i < n; i++) {
            const int32_t digit = b->digits[i];
            if (digit != 0)
                b->entries[b->ends[bucket(digit)]++] = operand(i) + (uint32_t)(digit < 0);
        }
    }
}

/* The odd point of each bucket goes to the bucket at once: from where it is, and without a copy
 * once there is something in the bucket. */
static void add_odd(struct buckets *b, const unsigned char *bases)
{
    const uint32_t *entry = b->entries, *slot = b->order;
    begin(b, b->sums, b->sums, bases);
    for (const struct run *run = b->runs; run < b->runs + b->n_runs; run++) {
        for (uint32_t i = 0; run->count % 2 == 1 && i < run->n_buckets; i++) {
            const uint32_t odd = entry[(size_t)(i + 1) * run->count - 1];
            if (take(b, slot[i])) {
                push(b, slot[i], operand(slot[i]), odd);
                continue;
            }
            unsigned char *const sum = b->sums + slot[i] * b->point_bytes;
            copy_point(b, sum, bases + (size_t)(odd / 2) * b->point_bytes);
            if (odd % 2 == 1)
                b->adder->negate(sum);
        }
        entry += (size_t)run->count * run->n_buckets;
        slot += run->n_buckets;
    }
    flush(b);
}

/* The first round, from the bases: sums of pairs, by run. */
static void add_entries(struct buckets *b, const unsigned char *bases)
{
    const uint32_t *entry = b->entries;
    uint32_t to = 0;
    begin(b, b->points, bases, bases);
    for (struct run *run = b->runs; run < b->runs + b->n_runs; run++) {
        const uint32_t n = run->count;
        run->first = to;
        run->count = run->places = n / 2;
        for (uint32_t i = 0; i < run->n_buckets; i++, entry += n % 2)
            for (uint32_t pair = 0; pair < n / 2; pair++, entry += 2)
                push(b, to++, entry[0], entry[1]);
    }
    flush(b);
    unsigned char *const end = b->points + (size_t)to * b->point_bytes;
    b->end = end > b->end ? end : b->end;
}

/* A later round: of each bucket's points the second half is added to the first. The one in the
 * middle, if they are odd, stays where it is. Returns whether there is another round. */
static bool add_halves(struct buckets *b)
{
    bool more = false;
    begin(b, b->points, b->points, b->points);
    for (struct run *run = b->runs; run < b->runs + b->n_runs; run++) {
        const uint32_t half = run->count / 2, left = run->count - half;
        for (uint32_t i = 0; half > 0 && i < run->n_buckets; i++) {
            const uint32_t first = run->first + i * run->places;
            for (uint32_t k = first; k < first + half; k++)
                push(b, k, operand(k), operand(k + left));
        }
        run->count = left;
        more |= left > 1;
    }
    flush(b);
    return more;
}

/* Adds the one point that is left of each bucket's pairs to the bucket. */
static void merge(struct buckets *b)
{
    const uint32_t *slot = b->order;
    begin(b, b->sums, b->sums, b->points);
    for (const struct run *run = b->runs; run < b->runs + b->n_runs; run++) {
        for (uint32_t i = 0; run->count > 0 && i < run->n_buckets; i++) {
            const size_t place = run->first + (size_t)i * run->places;
            if (take(b, slot[i]))
                push(b, slot[i], operand(slot[i]), operand(place));
            else
                copy_point(b, b->sums + slot[i] * b->point_bytes,
                           b->points + place * b->point_bytes);
        }
        slot += run->n_buckets;
    }
    flush(b);
}

/* ---- From buckets to the task's sum ---------------------------------------------------------
 */

/* Bucket `to` of every window += bucket `from`. */
static void join(struct buckets *b, size_t to, size_t from)
{
    for (size_t w = 0; w < b->n_windows; w++) {
        const size_t p = w * b->stride + to, q = w * b->stride + from;
        if (is_empty(b, q))
            continue;
        if (is_empty(b, p))
            copy_point(b, b->sums + p * b->point_bytes, b->sums + q * b->point_bytes);
        else
            push(b, p, operand(p), operand(q));
    }
}

/* The sum of i B_i is the sum of the odd ones plus twice the sum of k (B_2k + B_2k+1). So round by
 * round neighbours are added: number k of level l is at 2^l k, and the odd ones, which stay behind,
 * are added up in halves from the next round on, those of all levels being equally many by then. In
 * the end bucket 2^l has the sum of level l's odd ones. */
static void reduce(struct buckets *b)
{
    begin(b, b->sums, b->sums, b->sums);
    for (size_t round = 0; (size_t)1 << round < b->largest; round++) {
        const size_t step = (size_t)1 << round, left = b->largest / (2 * step);
        for (size_t level = 0; level < round; level++)
            for (size_t k = 0; k < left; k++)
                join(b, (2 * k + 1) << level, (2 * (k + left) + 1) << level);
        for (size_t at = 2 * step; at < b->largest; at += 2 * step)
            join(b, at, at + step);
        flush(b);
    }
}

/* sum = the sum over windows w of 2^(c w) times the sum of 2^l B_(2^l). A window has c of these, so
 * one doubling for each serves the bits within windows and those between them. */
static void weigh(pail_point *sum, const struct buckets *b, const struct pail_curve_ops *ops)
{
    *sum = (pail_point){{0}};
    for (size_t w = b->n_windows; w-- > 0;) {
        for (size_t bucket = b->largest; bucket > 0; bucket /= 2) {
            pail_affine affine;
            b->adder->export(&affine, b->sums + (w * b->stride + bucket) * b->point_bytes);
            ops->dbl(sum, sum);
            ops->add_affine(sum, sum, &affine);
        }
    }
}

size_t pail_cpu_buckets_run(pail_point *sum, uint64_t *adds, const struct pail_cpu_task *task,
                            void *scratch)
{
    struct buckets b = shape(task->adder, task->n_windows, task->c);
    const unsigned char *bases = task->bases;
    carve(&b, scratch, task->block_points);
    memset(b.sums, 0, b.n_windows * b.stride * b.point_bytes);
    memset(b.taken, 0, taken_words(&b) * sizeof *b.taken);
    for (size_t first = 0; first < task->n; first += task->block_points) {
        const size_t left = task->n - first;
        const size_t n = left < task->block_points ? left : task->block_points;
        sort(&b, task, first, n);
        add_odd(&b, bases + first * b.point_bytes);
        add_entries(&b, bases + first * b.point_bytes);
        while (add_halves(&b)) {
        }
        merge(&b);
    }
    *adds += b.adds;
    reduce(&b);
    weigh(sum, &b, task->ops);
    return (size_t)(b.end - (unsigned char *)scratch);
}
