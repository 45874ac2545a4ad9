/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster.h"

#include <math.h>

#include <cache/rates.h>

/* A set that is streamed has CHUNKS or more, and the first is cut once more at a quarter
 * (decision 109). */
enum { CHUNKS = 4 };

static const double GIB = 1024.0 * 1024.0 * 1024.0;

const char *pail_cluster_part_name(enum pail_cluster_part part)
{
    static const char *const names[PAIL_CLUSTER_PARTS] = {"card", "fixed", "pcie", "network",
                                                          "reduction"};
    return names[part];
}

const char *pail_cluster_proof_bound_name(enum pail_cluster_proof_bound bound)
{
    static const char *const names[] = {"card", "network", "queue"};
    return names[bound];
}

static double ms_of(double bytes, double gbs)
{
    return bytes / (gbs * 1e6);
}

/* ---- One card ------------------------------------------------------------------------------- */
/* Straight lines between what was measured, the last one further on. Fewer than the least size take
 * as long as that. */
static double measured_ms(const struct pail_cluster_sizes *sizes, double n)
{
    uint32_t i = 1;
    if (n <= 0)
        return 0;
    if (n <= exp2(sizes->at[0].log2))
        return sizes->at[0].ms;
    while (i + 1 < sizes->n && n > exp2(sizes->at[i].log2))
        i++;
    const struct pail_cluster_size *const a = &sizes->at[i - 1], *const b = &sizes->at[i];
    return pail_rate_ms(pail_rate_through(exp2(a->log2), a->ms, exp2(b->log2), b->ms), n);
}

double pail_cluster_card_ms(const struct pail_cluster_facts *facts, double n)
{
    return facts->card_scale * measured_ms(&facts->sizes, n);
}

/* The least time for a point that any number of them has. */
static double best_ms(const struct pail_cluster_facts *facts)
{
    const struct pail_cluster_sizes *const sizes = &facts->sizes;
    const struct pail_cluster_size *const last = &sizes->at[sizes->n - 1];
    double best =
        1e-6 * pail_rate_through(exp2(last[-1].log2), last[-1].ms, exp2(last->log2), last->ms)
                   .unit_ns; /* beyond the last */
    for (uint32_t i = 0; i < sizes->n; i++)
        best = fmin(best, sizes->at[i].ms / exp2(sizes->at[i].log2));
    return facts->card_scale * best;
}

/* Linear in the logarithm, as at the ends beyond them. All of it where nothing was measured. */
static double exposed_part(const struct pail_cluster_sizes *sizes, enum pail_cluster_memory memory,
                           double n)
{
    const struct pail_cluster_size *before = NULL;
    const double at = log2(n);
    for (uint32_t i = 0; i < sizes->n; i++) {
        const struct pail_cluster_size *const size = &sizes->at[i];
        const double part = size->exposed[memory];
        if (part < 0)
            continue;
        if (at <= size->log2 && !before)
            return part;
        if (at <= size->log2)
            return before->exposed[memory] + (part - before->exposed[memory]) *
                                                 (at - before->log2) / (size->log2 - before->log2);
        before = size;
    }
    return before ? before->exposed[memory] : 1;
}

static bool fits(const struct pail_cluster_facts *facts, double n)
{
    return n * (facts->resident * facts->point_bytes + facts->scratch_bytes) <=
           facts->card_gib * GIB;
}

/* The work of a chunk begins when its copy is there and the work before it is done. */
static double stream(double *work, const struct pail_cluster_facts *facts, double n, double bytes,
                     double gbs)
{
    const double place = 2 * facts->resident * facts->point_bytes + facts->scratch_bytes;
    const double chunks = fmax(CHUNKS, ceil(n * place / (facts->card_gib * GIB)));
    const double first[2] = {n / chunks / 4, n / chunks * 3 / 4};
    double copied = 0, done = 0;
    *work = 0;
    for (int i = 0; i < 2; i++) {
        const double ms = pail_cluster_card_ms(facts, first[i]);
        copied += ms_of(bytes * first[i], gbs);
        done = fmax(copied, done) + ms;
        *work += ms;
    }
    /* The others are equal: the slower of copying and working, for all but one of them. */
    const double ms = pail_cluster_card_ms(facts, n / chunks);
    const double copy = ms_of(bytes * n / chunks, gbs), last = chunks - 1;
    *work += last * ms;
    return fmax(fmax(done + last * ms, copied + copy + last * ms), copied + last * copy + ms);
}

/* ---- All of them ---------------------------------------------------------------------------- */
static void of_card(struct pail_cluster_time *time, const struct pail_cluster_facts *facts,
                    const struct pail_cluster_job *job, double n, double cards)
{
    const bool scalars = job->scalars != PAIL_CLUSTER_DEVICE;
    const bool pinned = job->scalars != PAIL_CLUSTER_MALLOC;
    const double gbs = fmin(facts->pcie_gbs, facts->host_gbs / cards);
    const double ordinary_gbs = fmin(gbs, facts->ordinary_gbs / cards);
    double work = pail_cluster_card_ms(facts, n);
    time->streamed = job->points == PAIL_CLUSTER_STREAMED ||
                     (job->points == PAIL_CLUSTER_FIT && !fits(facts, n));
    if (time->streamed) {
        /* Bytes at the rate of the points. */
        const double scalar_bytes = facts->scalar_bytes * (pinned ? 1 : gbs / ordinary_gbs);
        const double bytes = facts->point_bytes + (scalars ? scalar_bytes : 0);
        const double all = stream(&work, facts, n, bytes, gbs);
        time->part_ms[PAIL_CLUSTER_PCIE] = fmax(all - work, 0);
    } else if (scalars)
        time->part_ms[PAIL_CLUSTER_PCIE] =
            exposed_part(&facts->sizes, pinned ? PAIL_CLUSTER_PINNED : PAIL_CLUSTER_ORDINARY, n) *
            ms_of(facts->scalar_bytes * n, pinned ? gbs : ordinary_gbs);
    time->part_ms[PAIL_CLUSTER_CARD] = n * best_ms(facts);
    time->part_ms[PAIL_CLUSTER_FIXED] =
        fmax(work - time->part_ms[PAIL_CLUSTER_CARD], 0) + (cards > 1 ? facts->several_ms : 0);
}

static void of_network(struct pail_cluster_time *time, const struct pail_cluster_facts *facts,
                       const struct pail_cluster_job *job, double nodes)
{
    const double others = nodes - 1, latency = facts->latency_us / 1000;
    if (others == 0)
        return;
    if (job->scalars == PAIL_CLUSTER_ROOT)
        time->part_ms[PAIL_CLUSTER_NETWORK] =
            others * latency +
            ms_of(facts->scalar_bytes * (double)job->n * others / nodes, facts->network_gbs);
    time->part_ms[PAIL_CLUSTER_REDUCTION] =
        others * (latency + ms_of(facts->sum_bytes, facts->network_gbs)) +
        ceil(log2(nodes)) * (latency + ms_of(facts->outcome_bytes, facts->network_gbs));
}

void pail_cluster_multiply(struct pail_cluster_time *time, const struct pail_cluster_facts *facts,
                           const struct pail_cluster_job *job,
                           const struct pail_cluster_shape *shape)
{
    const double cards = shape->cards, nodes = shape->nodes, all = (double)job->n;
    const double gbs = fmin(facts->pcie_gbs, facts->host_gbs / cards);
    const double n = ceil(all / (cards * nodes)), of_node = ceil(all / nodes);
    *time = (struct pail_cluster_time){.wall_ms = 0};
    of_card(time, facts, job, n, cards);
    of_network(time, facts, job, nodes);
    for (enum pail_cluster_part part = 0; part < PAIL_CLUSTER_PARTS; part++) {
        time->wall_ms += time->part_ms[part];
        if (time->part_ms[part] > time->part_ms[time->bound])
            time->bound = part;
    }
    time->register_ms = fmax(ms_of(of_node * facts->point_bytes, facts->network_gbs),
                             time->streamed ? 0 : ms_of(n * facts->point_bytes, gbs));
}

void pail_cluster_prove(struct pail_cluster_rate *rate, const struct pail_cluster_facts *facts,
                        uint64_t n, const struct pail_cluster_shape *shape)
{
    const double nodes = shape->nodes, ranks = nodes * shape->cards;
    const double ms = facts->card_scale * measured_ms(&facts->proofs, (double)n);
    double per_ms = ranks / ms;
    rate->bound = PAIL_CLUSTER_PROOF_CARD;
    if (shape->nodes > 1) {
        const double witness = ms_of(facts->value_bytes * (double)n, facts->network_gbs);
        const double queue =
            2 * facts->latency_us / 1000 + ms_of(facts->proof_bytes, facts->network_gbs);
        if (witness * per_ms > nodes) {
            per_ms = nodes / witness;
            rate->bound = PAIL_CLUSTER_PROOF_NETWORK;
        }
        if (queue * per_ms > 1) {
            per_ms = 1 / queue;
            rate->bound = PAIL_CLUSTER_PROOF_QUEUE;
        }
    }
    rate->per_hour = per_ms * 3600e3;
}

/* ---- More and more cards --------------------------------------------------------------------- */
/* Twice `from`, or `most` where that is less. */
static uint32_t grown(uint32_t from, uint32_t most)
{
    return from > most / 2 ? most : 2 * from;
}

uint32_t pail_cluster_shapes(struct pail_cluster_shape shapes[PAIL_CLUSTER_SHAPES], uint32_t cards,
                             uint32_t nodes)
{
    uint32_t n = 0;
    struct pail_cluster_shape shape = {.nodes = 1, .cards = 1};
    shapes[n++] = shape;
    while (shape.cards < cards) {
        shape.cards = grown(shape.cards, cards);
        shapes[n++] = shape;
    }
    while (shape.nodes < nodes && n < PAIL_CLUSTER_SHAPES) {
        shape.nodes = grown(shape.nodes, nodes);
        shapes[n++] = shape;
    }
    return n;
}

/* The cards of the next shape over those of this one. */
static double step(const struct pail_cluster_shape *shapes)
{
    return ((double)shapes[1].nodes * shapes[1].cards) /
           ((double)shapes[0].nodes * shapes[0].cards);
}

static bool enough(struct pail_cluster_end *end, uint32_t at, double gain, double ratio)
{
    end->last = at;
    end->gain = gain;
    end->found = gain < pow(ratio, log2(PAIL_CLUSTER_LEAST_GAIN));
    return !end->found;
}

void pail_cluster_growth(struct pail_cluster_end *end, const struct pail_cluster_time *times,
                         const struct pail_cluster_shape *shapes, uint32_t n)
{
    *end = (struct pail_cluster_end){.last = n - 1};
    for (uint32_t i = 0; i + 1 < n; i++) {
        const double ratio = step(&shapes[i]);
        double most = -INFINITY;
        if (enough(end, i, times[i].wall_ms / times[i + 1].wall_ms, ratio))
            continue;
        for (enum pail_cluster_part part = 0; part < PAIL_CLUSTER_PARTS; part++) {
            const double lost = times[i + 1].part_ms[part] - times[i].part_ms[part] / ratio;
            if (lost > most) {
                most = lost;
                end->cause = part;
            }
        }
        return;
    }
    *end = (struct pail_cluster_end){.last = n - 1};
}

void pail_cluster_proof_growth(struct pail_cluster_end *end, const struct pail_cluster_rate *rates,
                               const struct pail_cluster_shape *shapes, uint32_t n)
{
    for (uint32_t i = 0; i + 1 < n; i++)
        if (!enough(end, i, rates[i + 1].per_hour / rates[i].per_hour, step(&shapes[i])))
            return;
    *end = (struct pail_cluster_end){.last = n - 1};
}

/* ---- Checks -----------------------------------------------------------------------------------
 */
/* Measurements on one H100, or times over two cards in place of one.
 * docs/lab/bases-from-the-host.md has the former; docs/devices.md those of one context, on two
 * H200. The place of scalars was not noted for the other two. */
static const struct {
    const char *what;
    uint32_t cards, log2;
    enum pail_cluster_scalars scalars;
    enum pail_cluster_points points;
    double measured;
} rows[] = {
    {"2^24, resident, one card", 1, 24, PAIL_CLUSTER_DEVICE, PAIL_CLUSTER_RESIDENT, 46.6},
    {"2^26, resident, one card", 1, 26, PAIL_CLUSTER_DEVICE, PAIL_CLUSTER_RESIDENT, 188},
    {"2^24, streamed, one card", 1, 24, PAIL_CLUSTER_DEVICE, PAIL_CLUSTER_STREAMED, 54.3},
    {"2^26, streamed, one card", 1, 26, PAIL_CLUSTER_DEVICE, PAIL_CLUSTER_STREAMED, 203},
    {"2^24, two cards, scalars on them", 2, 24, PAIL_CLUSTER_DEVICE, PAIL_CLUSTER_RESIDENT, 1.90},
    {"2^24, two cards, scalars in host memory", 2, 24, PAIL_CLUSTER_HOST, PAIL_CLUSTER_RESIDENT,
     1.90},
    {"2^22, one context, scalars on two cards", 2, 22, PAIL_CLUSTER_DEVICE, PAIL_CLUSTER_RESIDENT,
     1.72},
    {"2^24, one context, scalars on two cards", 2, 24, PAIL_CLUSTER_DEVICE, PAIL_CLUSTER_RESIDENT,
     1.93},
    {"2^18, one context, ordinary memory", 2, 18, PAIL_CLUSTER_MALLOC, PAIL_CLUSTER_RESIDENT, 1.25},
    {"2^20, one context, ordinary memory", 2, 20, PAIL_CLUSTER_MALLOC, PAIL_CLUSTER_RESIDENT, 1.34},
    {"2^22, one context, ordinary memory", 2, 22, PAIL_CLUSTER_MALLOC, PAIL_CLUSTER_RESIDENT, 1.57},
    {"2^24, one context, ordinary memory", 2, 24, PAIL_CLUSTER_MALLOC, PAIL_CLUSTER_RESIDENT, 1.75},
    {"2^26, one context, ordinary memory", 2, 26, PAIL_CLUSTER_MALLOC, PAIL_CLUSTER_RESIDENT, 1.88},
};

bool pail_cluster_check(struct pail_cluster_check *check, uint32_t i)
{
    struct pail_cluster_facts facts;
    struct pail_cluster_time one, two;
    if (i >= sizeof(rows) / sizeof(rows[0]))
        return false;
    const struct pail_cluster_job job = {
        .n = UINT64_C(1) << rows[i].log2, .scalars = rows[i].scalars, .points = rows[i].points};
    const bool times = rows[i].cards == 2;
    pail_cluster_facts_default(&facts, PAIL_CURVE_BN254, PAIL_G1);
    facts.card_scale = times ? 1 : facts.card_scale;
    pail_cluster_multiply(&one, &facts, &job, &(struct pail_cluster_shape){1, 1});
    pail_cluster_multiply(&two, &facts, &job, &(struct pail_cluster_shape){1, rows[i].cards});
    *check =
        (struct pail_cluster_check){.what = rows[i].what,
                                    .unit = times ? "times" : "ms",
                                    .predicted = times ? one.wall_ms / two.wall_ms : one.wall_ms,
                                    .measured = rows[i].measured};
    return true;
}
