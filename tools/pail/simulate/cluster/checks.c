#include "checks.h"

/* Measurements on one card, or times over two cards in place of one.
 * docs/lab/bases-from-the-host.md has the former; docs/devices.md those of one context, with
 * scalars in ordinary memory. The place of scalars was not noted for the other two. */
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
    {"2^24, two cards of one context", 2, 24, PAIL_CLUSTER_HOST, PAIL_CLUSTER_RESIDENT, 1.87},
    {"2^26, two cards of one context", 2, 26, PAIL_CLUSTER_HOST, PAIL_CLUSTER_RESIDENT, 2.00},
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
    pail_cluster_multiply(&one, &facts, &job, &(struct pail_cluster_shape){1, 1});
    pail_cluster_multiply(&two, &facts, &job, &(struct pail_cluster_shape){1, rows[i].cards});
    *check =
        (struct pail_cluster_check){.what = rows[i].what,
                                    .unit = times ? "times" : "ms",
                                    .predicted = times ? one.wall_ms / two.wall_ms : one.wall_ms,
                                    .measured = rows[i].measured};
    return true;
}
