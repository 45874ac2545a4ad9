#include "growth.h"

#include <math.h>

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
