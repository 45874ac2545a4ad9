/* SPDX-License-Identifier: Apache-2.0 */
#include "point_ntt.h"

#include <inttypes.h>
#include <string.h>

#include <curves/twiddles.h>

enum {
    CONVERTED = 4096, /* points of a task that decodes, encodes or converts */
    LEAST = 32,       /* butterflies of a task: with fewer, inversions are most of it */
    MULTIPLES = POINTS_MULTIPLES,
};

/* ---- A task's multiplications ---------------------------------------------------------------- */
/* Points that are multiplied, with scratch for as many as a batch has. Multiple k + 1 of point i is
 * multiples[k * n + i], its image under the endomorphism images[k * n + i]. */
struct products {
    const struct pail_cpu_points *points;
    size_t n, most;
    uint64_t *at;              /* [n] numbers of points */
    const uint32_t **twiddles; /* [n] */
    bool *begun;               /* [n] sums that have a digit */
    struct pail_cpu_pair *pairs;
    unsigned char *sums, *multiples, *images;
    void *adding; /* the adder's scratch */
};

static size_t round_up(size_t bytes)
{
    return (bytes + PAIL_CPU_ALIGNMENT - 1) / PAIL_CPU_ALIGNMENT * PAIL_CPU_ALIGNMENT;
}

/* Lays scratch out; at: NULL to count its bytes. */
static size_t lay_out(struct products *p, const struct pail_cpu_points *points, unsigned char *at)
{
    const size_t most = points->batch, of_point = points->adder->point_bytes;
    size_t sizes[] = {
        points->adder->scratch_bytes, most * of_point,         MULTIPLES * most * of_point,
        MULTIPLES * most * of_point,  most * sizeof *p->at,    most * sizeof *p->twiddles,
        most * sizeof *p->pairs,      most * sizeof *p->begun,
    };
    void *places[sizeof sizes / sizeof sizes[0]];
    size_t bytes = 0;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        places[i] = at ? at + bytes : NULL;
        bytes += round_up(sizes[i]);
    }
    *p = (struct products){
        .points = points,
        .most = most,
        .adding = places[0],
        .sums = places[1],
        .multiples = places[2],
        .images = places[3],
        .at = places[4],
        .twiddles = places[5],
        .pairs = places[6],
        .begun = places[7],
    };
    return bytes;
}

static unsigned char *point_at(const struct pail_cpu_points *points, uint64_t i)
{
    return points->points + (size_t)i * points->adder->point_bytes;
}

/* A product that is not known: of a finite point, by a number that is not 1. */
static void add_product(struct products *p, uint64_t point, const uint32_t *twiddle)
{
    if (pail_twiddle_is_one(twiddle) ||
        pail_cpu_is_infinity(point_at(p->points, point), p->points->adder->point_bytes))
        return;
    p->at[p->n] = point;
    p->twiddles[p->n++] = twiddle;
}

static void twice(struct products *p, void *to, const void *from, size_t n)
{
    const struct pail_cpu_adder *const adder = p->points->adder;
    if (n == 0)
        return;
    if (adder->twice)
        adder->twice(to, from, p->pairs, n, p->adding);
    else
        adder->add(to, from, from, p->pairs, n, p->adding);
}

/* Multiple `to` of each point from multiples a and b. */
static void make_multiple(struct products *p, uint32_t to, uint32_t a, uint32_t b)
{
    const uint32_t n = (uint32_t)p->n;
    for (uint32_t i = 0; i < n; i++)
        p->pairs[i] = (struct pail_cpu_pair){
            .p = 2 * ((a - 1) * n + i), .q = 2 * ((b - 1) * n + i), .to = (to - 1) * n + i};
    if (a == b)
        twice(p, p->multiples, p->multiples, n);
    else
        p->points->adder->add(p->multiples, p->multiples, p->multiples, p->pairs, n, p->adding);
}

static void make_multiples(struct products *p)
{
    const struct pail_cpu_adder *const adder = p->points->adder;
    const size_t of_point = adder->point_bytes;
    for (size_t i = 0; i < p->n; i++)
        memcpy(p->multiples + i * of_point, point_at(p->points, p->at[i]), of_point);
    for (uint32_t k = 2; k <= MULTIPLES; k++)
        make_multiple(p, k, k / 2, k - k / 2);
    memcpy(p->images, p->multiples, MULTIPLES * p->n * of_point);
    adder->image(p->images, MULTIPLES * p->n);
}

/* Adds digit `digit` of a half to the sums. */
static void add_digits(struct products *p, size_t half, size_t digit)
{
    const struct pail_cpu_adder *const adder = p->points->adder;
    const size_t of_point = adder->point_bytes;
    const unsigned char *const table = half ? p->images : p->multiples;
    size_t n = 0;
    for (size_t i = 0; i < p->n; i++) {
        const int d = pail_twiddle_digit(p->twiddles[i], half, digit);
        if (d == 0)
            continue;
        const size_t entry = (size_t)((d < 0 ? -d : d) - 1) * p->n + i;
        if (p->begun[i]) {
            p->pairs[n++] = (struct pail_cpu_pair){
                .p = 2 * (uint32_t)i, .q = 2 * (uint32_t)entry + (d < 0), .to = (uint32_t)i};
            continue;
        }
        memcpy(p->sums + i * of_point, table + entry * of_point, of_point);
        if (d < 0)
            adder->negate(p->sums + i * of_point);
        p->begun[i] = true;
    }
    if (n)
        adder->add(p->sums, p->sums, table, p->pairs, n, p->adding);
}

/* Multiplies the points of the list in place, and empties it. */
static void multiply(struct products *p)
{
    const size_t of_point = p->points->adder->point_bytes;
    if (p->n == 0)
        return;
    make_multiples(p);
    memset(p->begun, 0, p->n * sizeof *p->begun);
    for (size_t digit = POINTS_DIGITS; digit-- > 0;) {
        for (size_t k = 0; k < POINTS_DIGIT_BITS; k++) {
            size_t n = 0;
            for (uint32_t i = 0; i < p->n; i++)
                if (p->begun[i])
                    p->pairs[n++] = (struct pail_cpu_pair){2 * i, 2 * i, i};
            twice(p, p->sums, p->sums, n);
        }
        add_digits(p, 0, digit);
        add_digits(p, 1, digit);
    }
    for (size_t i = 0; i < p->n; i++)
        memcpy(point_at(p->points, p->at[i]), p->sums + i * of_point, of_point);
    p->n = 0;
}

/* ---- Stages ---------------------------------------------------------------------------------- */
/* A butterfly of a stage. */
struct butterfly {
    uint64_t low, high;
    const uint32_t *twiddle;
};

static struct butterfly butterfly_of(const struct pail_cpu_points *points, uint32_t level,
                                     uint64_t i)
{
    const uint32_t log_half = points->log_n - 1 - level;
    const uint64_t blocks = i >> log_half, in_block = i & ((UINT64_C(1) << log_half) - 1);
    const uint64_t low = (blocks << (log_half + 1)) + in_block;
    const size_t block = (size_t)(blocks & ((UINT64_C(1) << level) - 1));
    return (struct butterfly){
        .low = low,
        .high = low + (UINT64_C(1) << log_half),
        .twiddle = points->twiddles + POINTS_TWIDDLE_WORDS * pail_twiddle_number(level, block),
    };
}

/* low + high and low - high, of butterflies first ... first + n - 1. */
static void add_and_subtract(struct products *p, uint32_t level, uint64_t first, size_t n)
{
    const struct pail_cpu_points *const points = p->points;
    const struct pail_cpu_adder *const adder = points->adder;
    const size_t of_point = adder->point_bytes;
    /* Indices of pairs are of 31 bits: points are counted from the first one on. */
    const uint64_t base = butterfly_of(points, level, first).low;
    unsigned char *const from = point_at(points, base);
    for (uint32_t i = 0; i < n; i++) {
        const struct butterfly b = butterfly_of(points, level, first + i);
        p->pairs[i] = (struct pail_cpu_pair){
            .p = 2 * (uint32_t)(b.low - base), .q = 2 * (uint32_t)(b.high - base), .to = i};
    }
    adder->add(p->sums, from, from, p->pairs, n, p->adding);
    for (uint32_t i = 0; i < n; i++) {
        p->pairs[i].to = p->pairs[i].q / 2;
        p->pairs[i].q++;
    }
    adder->add(from, from, from, p->pairs, n, p->adding);
    for (uint32_t i = 0; i < n; i++)
        memcpy(from + (size_t)(p->pairs[i].p / 2) * of_point, p->sums + i * of_point, of_point);
}

static void run_butterflies(const struct pail_cpu_points *points, uint32_t level, size_t task,
                            void *scratch)
{
    struct products p;
    (void)lay_out(&p, points, scratch);
    const uint64_t first = (uint64_t)task * points->batch, left = points->n / 2 - first;
    const size_t n = left < points->batch ? (size_t)left : points->batch;
    if (points->backward)
        add_and_subtract(&p, level, first, n);
    for (size_t i = 0; i < n; i++) {
        const struct butterfly b = butterfly_of(points, level, first + i);
        add_product(&p, b.high, b.twiddle);
    }
    multiply(&p);
    if (!points->backward)
        add_and_subtract(&p, level, first, n);
    for (size_t i = 0; i < n && points->backward && level == 0; i++)
        add_product(&p, butterfly_of(points, level, first + i).low, points->twiddles);
    multiply(&p);
}

/* ---- Encodings ------------------------------------------------------------------------------- */
/* Number of a point in its sequence, the other way round. */
static uint64_t reversed(const struct pail_cpu_points *points, uint64_t i)
{
    const uint64_t mask = (UINT64_C(1) << points->log_n) - 1;
    uint64_t r = 0, x = i & mask;
    for (uint32_t k = 0; k < points->log_n; k++, x >>= 1)
        r = r << 1 | (x & 1);
    return (i & ~mask) + r;
}

static size_t encoded_bytes(const struct pail_curve_ops *ops, struct pail_point_encoding e)
{
    return e.coordinates * ops->coordinate_bytes;
}

static void load(const struct pail_cpu_points *points, uint64_t first, size_t n)
{
    const size_t of_point = encoded_bytes(points->ops, points->from_encoding);
    pail_affine affine[PAIL_JACOBIAN_BATCH];
    uint8_t bytes[PAIL_JACOBIAN_BATCH * 3 * 2 * 48]; /* of the widest points, in their order here */
    for (size_t done = 0; done < n; done += PAIL_JACOBIAN_BATCH) {
        const size_t m = n - done < PAIL_JACOBIAN_BATCH ? n - done : PAIL_JACOBIAN_BATCH;
        for (size_t i = 0; i < m; i++) {
            const uint64_t to = first + done + i;
            const uint64_t from = points->from_reversed ? reversed(points, to) : to;
            memcpy(bytes + i * of_point, points->from + (size_t)from * of_point, of_point);
        }
        points->ops->load_points(affine, bytes, m, points->from_encoding);
        points->adder->import(point_at(points, first + done), affine, m);
    }
}

static void store(const struct pail_cpu_points *points, uint64_t first, size_t n)
{
    const size_t of_point = encoded_bytes(points->ops, points->to_encoding);
    for (size_t i = 0; i < n; i++) {
        const uint64_t to = first + i, from = points->to_reversed ? reversed(points, to) : to;
        pail_affine affine;
        points->adder->export(&affine, point_at(points, from));
        points->ops->store_point(points->to + (size_t)to * of_point, &affine, points->to_encoding);
    }
}

static void convert(const struct pail_cpu_points *points, uint64_t first, size_t n)
{
    const size_t of_point = encoded_bytes(points->ops, points->to_encoding);
    const unsigned char *const from = points->from + (size_t)first * of_point;
    unsigned char *const to = points->to + (size_t)first * of_point;
    if (points->from_encoding.montgomery != points->to_encoding.montgomery)
        points->ops->convert(to, from, n * points->to_encoding.coordinates,
                             points->to_encoding.montgomery);
    else
        memmove(to, from, n * of_point);
}

/* ---- All ------------------------------------------------------------------------------------- */
/* Loads, goes one way or both, between which a stage clears coefficients, and stores. */
uint32_t pail_cpu_points_stages(const struct pail_cpu_points *points)
{
    const uint32_t one_way = points->log_n + 1;
    const bool transforms = points->adder && !points->has_table;
    return transforms ? one_way + (points->forward ? one_way : 0) + 1 : 1;
}

static bool clears(const struct pail_cpu_points *points, uint32_t stage)
{
    return points->forward && stage == points->log_n + 1;
}

static bool is_butterflies(const struct pail_cpu_points *points, uint32_t stage)
{
    return stage > 0 && stage + 1 < pail_cpu_points_stages(points) && !clears(points, stage);
}

/* The upper halves of coefficients, of points first ... first + n - 1. */
static void clear(const struct pail_cpu_points *points, uint64_t first, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if ((first + i) >> (points->log_n - 1) & 1)
            memset(point_at(points, first + i), 0, points->adder->point_bytes);
}

size_t pail_cpu_points_tasks(const struct pail_cpu_points *points, uint32_t stage)
{
    const bool butterflies = is_butterflies(points, stage);
    if (points->has_table)
        return pail_cpu_point_sums_tasks(&points->sums);
    const uint64_t n = butterflies ? points->n / 2 : points->n;
    const uint64_t of_task = butterflies ? points->batch : CONVERTED;
    return (size_t)(n / of_task + (n % of_task != 0));
}

/* A truncation's way back to values. */
static void run_forward(const struct pail_cpu_points *points, uint32_t level, size_t task,
                        void *scratch)
{
    struct pail_cpu_points side = *points;
    side.backward = false;
    side.twiddles = points->forward;
    run_butterflies(&side, level, task, scratch);
}

void pail_cpu_points_run(const struct pail_cpu_points *points, uint32_t stage, size_t task,
                         void *scratch)
{
    const uint64_t first = (uint64_t)task * CONVERTED, left = points->n - first;
    const size_t n = left < CONVERTED ? (size_t)left : CONVERTED;
    if (points->has_table)
        pail_cpu_point_sums_run(&points->sums, task, scratch);
    else if (!points->adder)
        convert(points, first, n);
    else if (stage == 0)
        load(points, first, n);
    else if (stage + 1 == pail_cpu_points_stages(points))
        store(points, first, n);
    else if (clears(points, stage))
        clear(points, first, n);
    else if (points->forward && stage > points->log_n)
        run_forward(points, stage - points->log_n - 2, task, scratch);
    else
        run_butterflies(points, points->backward ? points->log_n - stage : stage - 1, task,
                        scratch);
}

size_t pail_cpu_points_scratch(const struct pail_cpu_points *points)
{
    struct products p;
    if (points->has_table)
        return pail_cpu_point_sums_scratch(&points->sums);
    return points->adder ? lay_out(&p, points, NULL) : 0;
}

static uint64_t all_bytes(const pail_vector_op *op, uint32_t encoding)
{
    return op->n *
           encoded_bytes(pail_curve_ops(op->curve, op->group), pail_point_encoding_of(encoding));
}

uint64_t pail_cpu_points_read(const pail_vector_op *op)
{
    return op->kind == PAIL_VECTOR_OP_POINTS_SUMS ? pail_cpu_point_sums_table(op)
                                                  : all_bytes(op, op->encoding);
}

uint64_t pail_cpu_points_written(const pail_vector_op *op)
{
    return op->kind == PAIL_VECTOR_OP_POINTS_TABLE ? pail_cpu_point_sums_table(op)
                                                   : all_bytes(op, op->to_encoding);
}

static pail_status make_transform(struct pail_cpu_points *points, const pail_vector_op *op,
                                  const struct pail_alloc *memory, uint64_t budget, uint64_t *held,
                                  struct pail_error *err)
{
    const size_t of_point = points->adder->point_bytes;
    const bool values = op->flags & PAIL_VECTOR_OP_BIT_REVERSED,
               coefficients = op->flags & PAIL_VECTOR_OP_COEFFICIENTS_REVERSED;
    pail_u256 root, shift;
    points->log_n = op->log_n;
    const bool truncates = op->kind == PAIL_VECTOR_OP_POINTS_TRUNCATE;
    points->backward = truncates || op->kind == PAIL_VECTOR_OP_POINTS_INTT;
    points->from_reversed = points->backward ? !values : coefficients;
    points->to_reversed = points->backward && !truncates ? coefficients : !values;
    if (points->n > (SIZE_MAX - PAIL_CPU_ALIGNMENT) / of_point)
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no memory for %" PRIu64 " points of %zu bytes",
                         points->n, of_point);
    points->block_bytes = (size_t)points->n * of_point + PAIL_CPU_ALIGNMENT;
    points->twiddles_bytes = (POINTS_TWIDDLE_WORDS * sizeof(uint32_t)) << op->log_n;
    *held += (uint64_t)points->block_bytes + (truncates ? 2 : 1) * points->twiddles_bytes;
    if (budget != 0 && *held > budget)
        return pail_fail(err, PAIL_ERR_DEVICE_MEMORY,
                         "the memory budget is %" PRIu64
                         " bytes; transforms of points need %" PRIu64,
                         budget, *held);
    points->block = pail_cpu_alloc(memory, 1, points->block_bytes);
    points->twiddles = pail_cpu_alloc(memory, 1, points->twiddles_bytes);
    if (truncates)
        points->forward = pail_cpu_alloc(memory, 1, points->twiddles_bytes);
    if (!points->block || !points->twiddles || (truncates && !points->forward))
        return pail_fail(err, PAIL_ERR_HOST_MEMORY,
                         "no memory for transforms of %" PRIu64 " points", points->n);
    points->points = pail_cpu_aligned(points->block);
    pail_u256_from_bytes(&root, op->root);
    pail_u256_from_bytes(&shift, op->shift);
    if ((shift.l[0] | shift.l[1] | shift.l[2] | shift.l[3]) == 0)
        shift.l[0] = 1;
    return pail_twiddles_make(points->twiddles, NULL, points->ops, op->log_n, points->backward,
                              &root, &shift) &&
                   (!truncates || pail_twiddles_make(points->forward, NULL, points->ops, op->log_n,
                                                     false, &root, &shift))
               ? PAIL_OK
               : pail_fail(err, PAIL_ERR_INTERNAL, "a twiddle of %s has more than 128 bits",
                           points->ops->curve_name);
}

pail_status pail_cpu_points_make(struct pail_cpu_points *points, const pail_vector_op *op,
                                 const unsigned char *from, unsigned char *to,
                                 const struct pail_cpu_adder *adder, size_t threads,
                                 const struct pail_alloc *memory, uint64_t budget, uint64_t *held,
                                 struct pail_error *err)
{
    const bool converts = op->kind == PAIL_VECTOR_OP_POINTS_CONVERT;
    *points = (struct pail_cpu_points){
        .ops = pail_curve_ops(op->curve, op->group),
        .adder = converts ? NULL : adder,
        .from_encoding = pail_point_encoding_of(op->encoding),
        .to_encoding = pail_point_encoding_of(op->to_encoding),
        .from = from,
        .to = to,
        .n = op->n,
    };
    points->has_table =
        op->kind == PAIL_VECTOR_OP_POINTS_TABLE || op->kind == PAIL_VECTOR_OP_POINTS_SUMS;
    if (points->has_table)
        pail_cpu_point_sums_make(&points->sums, op, from, to, adder);
    if (converts || points->has_table)
        return PAIL_OK;
    const uint64_t share = (op->n / 2 + threads - 1) / threads;
    points->batch = share < LEAST          ? LEAST
                    : share < adder->batch ? (uint32_t)share
                                           : (uint32_t)adder->batch;
    return make_transform(points, op, memory, budget, held, err);
}

void pail_cpu_points_free(struct pail_cpu_points *points, const struct pail_alloc *memory)
{
    pail_cpu_free_wiped(memory, points->block, 1, points->block_bytes);
    pail_cpu_free_wiped(memory, points->twiddles, 1, points->twiddles_bytes);
    pail_cpu_free_wiped(memory, points->forward, 1, points->twiddles_bytes);
}
