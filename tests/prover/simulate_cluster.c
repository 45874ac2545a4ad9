/* SPDX-License-Identifier: Apache-2.0 */
/* The model of many cards: what it says of one is what was measured, and what it says of more was
 * computed by hand from the formulas of docs/scaling.md. */
#include <math.h>
#include <unistd.h>

#include <simulate/cluster/cluster.h>

#include "support/test.h"

static const uint64_t ONE = 1;

static struct pail_cluster_facts usual(void)
{
    struct pail_cluster_facts facts;
    pail_cluster_facts_default(&facts, PAIL_CURVE_BN254, PAIL_G1);
    return facts;
}

/* Card: 1 ms and 1 ms more for each 1000 points, up to any number. */
static struct pail_cluster_facts plain(void)
{
    struct pail_cluster_facts facts = usual();
    facts.card_scale = 1;
    facts.card_gib = 1;
    facts.resident = 1;
    facts.scratch_bytes = 0;
    facts.pcie_gbs = 0.064; /* 1 ms for 1000 points, half as much for their scalars */
    facts.host_gbs = 0.256;
    facts.network_gbs = 0.032; /* 1 ms for 1000 scalars */
    facts.latency_us = 100;
    facts.sum_bytes = 3200; /* 0.1 ms */
    facts.outcome_bytes = 0;
    facts.ordinary_gbs = 0.096; /* to two cards 0.048 each */
    facts.several_ms = 0;
    facts.sizes = (struct pail_cluster_sizes){
        .n = 2, .at = {{0, 1.001, {0.5, 3}}, {30, 1 + 1073741.824, {0.5, 3}}}};
    return facts;
}

static struct pail_cluster_time multiply(const struct pail_cluster_facts *facts, uint64_t n,
                                         uint32_t nodes, uint32_t cards,
                                         enum pail_cluster_scalars scalars,
                                         enum pail_cluster_points points)
{
    struct pail_cluster_time time;
    const struct pail_cluster_job job = {.n = n, .scalars = scalars, .points = points};
    const struct pail_cluster_shape shape = {.nodes = nodes, .cards = cards};
    pail_cluster_multiply(&time, facts, &job, &shape);
    double sum = 0;
    for (enum pail_cluster_part part = 0; part < PAIL_CLUSTER_PARTS; part++) {
        assert_true(isfinite(time.part_ms[part]) && time.part_ms[part] >= 0);
        assert_true(time.part_ms[part] <= time.part_ms[time.bound]);
        sum += time.part_ms[part];
    }
    assert_true(fabs(sum - time.wall_ms) < 1e-9 * sum);
    return time;
}

static void expect(const char *what, double got, double wanted)
{
    if (!(fabs(got - wanted) <= 1e-6 * fmax(fabs(wanted), 1e-3)))
        fail_msg("%s: %.9g, but it is %.9g", what, got, wanted);
}

PAIL_TEST(one_card_is_what_was_measured)
{
    struct pail_cluster_facts facts = usual();
    expect("2^24 on an H100",
           multiply(&facts, ONE << 24, 1, 1, PAIL_CLUSTER_DEVICE, PAIL_CLUSTER_FIT).wall_ms, 46.6);
    facts.card_scale = 1;
    for (uint32_t i = 0; i < facts.sizes.n; i++)
        expect("a size", pail_cluster_card_ms(&facts, exp2(facts.sizes.at[i].log2)),
               facts.sizes.at[i].ms);
    expect("2^25", pail_cluster_card_ms(&facts, exp2(25)), 44.9 + 135.6 / 3);
    expect("2^27", pail_cluster_card_ms(&facts, exp2(27)), 180.5 + (180.5 - 44.9) * 4 / 3);
    expect("one point", pail_cluster_card_ms(&facts, 1), 0.40);
    expect("none", pail_cluster_card_ms(&facts, 0), 0);
    /* 46.7 in docs/performance.md, of which the share has three digits. */
    const double pinned =
        multiply(&facts, ONE << 24, 1, 1, PAIL_CLUSTER_ROOT, PAIL_CLUSTER_FIT).wall_ms;
    assert_true(fabs(pinned - 46.7) < 0.01);
}

/* Measurements that are no number of the model are within 3 %, and 7 % with two cards. */
PAIL_TEST(checks)
{
    struct pail_cluster_check check;
    uint32_t n = 0;
    for (; pail_cluster_check(&check, n); n++)
        if (fabs(check.predicted / check.measured - 1) > (strcmp(check.unit, "ms") ? 0.07 : 0.03))
            fail_msg("%s: %.3f, but %.3f was measured", check.what, check.predicted,
                     check.measured);
    assert_int_equal(n, 13);
}

PAIL_TEST(by_hand)
{
    const struct pail_cluster_facts facts = plain();
    /* 8000 points over 2 nodes of 4 cards: 1000 each. */
    struct pail_cluster_time time =
        multiply(&facts, 8000, 2, 4, PAIL_CLUSTER_ROOT, PAIL_CLUSTER_FIT);
    assert_false(time.streamed);
    expect("card", time.part_ms[PAIL_CLUSTER_CARD], 1);
    expect("fixed", time.part_ms[PAIL_CLUSTER_FIXED], 1);
    expect("bus: half of 0.5 ms", time.part_ms[PAIL_CLUSTER_PCIE], 0.25);
    expect("4000 scalars and a message", time.part_ms[PAIL_CLUSTER_NETWORK], 4.1);
    expect("a sum, a reply", time.part_ms[PAIL_CLUSTER_REDUCTION], 0.1 + 0.1 + 0.1);
    expect("4000 points of a node", time.register_ms, 8);
    assert_int_equal(time.bound, PAIL_CLUSTER_NETWORK);
    /* 8 cards share 0.256 GB/s: 32 MB/s for each. */
    time = multiply(&facts, 8000, 1, 8, PAIL_CLUSTER_HOST, PAIL_CLUSTER_FIT);
    expect("a bus that is shared", time.part_ms[PAIL_CLUSTER_PCIE], 0.5);
    expect("no network", time.part_ms[PAIL_CLUSTER_NETWORK], 0);
    expect("no reduction", time.part_ms[PAIL_CLUSTER_REDUCTION], 0);
    /* 16 000 streamed: chunks of 1000, 3000 and three of 4000; works of 2, 4, 5, 5, 5. The copies
     * are there at 1, 4, 8, 12, 16; so the works end at 3, 8, 13, 18, 23. */
    time = multiply(&facts, 16000, 1, 1, PAIL_CLUSTER_DEVICE, PAIL_CLUSTER_STREAMED);
    assert_true(time.streamed);
    expect("streamed", time.wall_ms, 23);
    expect("what is not hidden", time.part_ms[PAIL_CLUSTER_PCIE], 2);
    /* With scalars copies take half as much again: 1.5, 6, 12, 18, 24; ends 3.5, 10, 17, 23, 29. */
    time = multiply(&facts, 16000, 1, 1, PAIL_CLUSTER_HOST, PAIL_CLUSTER_STREAMED);
    expect("streamed with scalars", time.wall_ms, 29);
    /* 2^24 points of 64 bytes are all of 1 GiB. */
    assert_false(multiply(&facts, ONE << 24, 1, 1, PAIL_CLUSTER_HOST, PAIL_CLUSTER_FIT).streamed);
    assert_true(
        multiply(&facts, (ONE << 24) + 1, 1, 1, PAIL_CLUSTER_HOST, PAIL_CLUSTER_FIT).streamed);
    /* Ordinary memory: 3 times the 0.5 ms of one card, whose bus is slower than that memory. Two
     * cards take 2000 scalars at 48 MB/s, and a time of their own. */
    time = multiply(&facts, 1000, 1, 1, PAIL_CLUSTER_MALLOC, PAIL_CLUSTER_FIT);
    expect("ordinary memory", time.part_ms[PAIL_CLUSTER_PCIE], 1.5);
    struct pail_cluster_facts several = facts;
    several.several_ms = 0.25;
    time = multiply(&several, 4000, 1, 2, PAIL_CLUSTER_MALLOC, PAIL_CLUSTER_FIT);
    expect("that two share", time.part_ms[PAIL_CLUSTER_PCIE], 4);
    expect("several cards", time.part_ms[PAIL_CLUSTER_FIXED], 1.25);
    /* Streamed points at 64 MB/s, and their scalars as before: as with pinned ones. */
    expect("streamed with ordinary scalars",
           multiply(&facts, 16000, 1, 1, PAIL_CLUSTER_MALLOC, PAIL_CLUSTER_STREAMED).wall_ms, 29);
    /* Nine points over eight cards: one has two. */
    expect("an uneven share",
           multiply(&facts, 9, 1, 8, PAIL_CLUSTER_DEVICE, PAIL_CLUSTER_FIT).wall_ms,
           multiply(&facts, 2, 1, 1, PAIL_CLUSTER_DEVICE, PAIL_CLUSTER_FIT).wall_ms);
}

/* More points never take less; no more speed than cards while points stay where they are; the bound
 * of an infinitely fast network is no network. */
PAIL_TEST(limits)
{
    static const struct pail_cluster_shape shapes[] = {{1, 1}, {1, 3}, {1, 8}, {2, 8}, {64, 8}};
    for (int curve = PAIL_CURVE_BN254; curve <= PAIL_CURVE_BLS12_381; curve++)
        for (int group = PAIL_G1; group <= PAIL_G2; group++)
            for (int scalars = PAIL_CLUSTER_ROOT; scalars <= PAIL_CLUSTER_MALLOC; scalars++)
                for (int points = PAIL_CLUSTER_RESIDENT; points <= PAIL_CLUSTER_STREAMED; points++)
                    for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
                        struct pail_cluster_facts facts;
                        double before = 0;
                        pail_cluster_facts_default(&facts, (pail_curve)curve, (pail_group)group);
                        for (uint32_t log2 = 10; log2 <= 36; log2++) {
                            const double ms =
                                multiply(&facts, ONE << log2, shapes[i].nodes, shapes[i].cards,
                                         (enum pail_cluster_scalars)scalars,
                                         (enum pail_cluster_points)points)
                                    .wall_ms;
                            assert_true(ms >= before * (1 - 1e-12)); /* sums are rounded */
                            before = ms;
                        }
                    }
    struct pail_cluster_facts facts = usual();
    const double one =
        multiply(&facts, ONE << 30, 1, 1, PAIL_CLUSTER_DEVICE, PAIL_CLUSTER_RESIDENT).wall_ms;
    const double many =
        multiply(&facts, ONE << 30, 64, 8, PAIL_CLUSTER_DEVICE, PAIL_CLUSTER_RESIDENT).wall_ms;
    assert_true(one / many <= 512 * 1.02 && one / many > 256);
    facts.network_gbs = 1e12;
    facts.latency_us = 0;
    const struct pail_cluster_time fast =
        multiply(&facts, ONE << 30, 64, 8, PAIL_CLUSTER_ROOT, PAIL_CLUSTER_RESIDENT);
    assert_true(fast.part_ms[PAIL_CLUSTER_NETWORK] < 1e-6);
    assert_true(fast.part_ms[PAIL_CLUSTER_REDUCTION] < 1e-6);
}

PAIL_TEST(where_it_stops)
{
    struct pail_cluster_shape shapes[PAIL_CLUSTER_SHAPES];
    struct pail_cluster_time times[PAIL_CLUSTER_SHAPES];
    struct pail_cluster_end end;
    assert_int_equal(pail_cluster_shapes(shapes, 8, 64), 10);
    assert_int_equal(shapes[3].cards, 8);
    assert_int_equal(shapes[9].nodes, 64);
    assert_int_equal(pail_cluster_shapes(shapes, 64, 65536), 23);
    assert_int_equal(pail_cluster_shapes(shapes, 1, 1), 1);
    assert_int_equal(pail_cluster_shapes(shapes, 6, 3), 6); /* 1 2 4 6 cards, 2 3 nodes */
    assert_int_equal(shapes[3].cards, 6);
    assert_int_equal(shapes[5].nodes, 3);

    /* 7000 points: 8, 4.5, 2.75, 1.875 ms on 1, 2, 4, 8 cards; the last step gives 1.467. */
    const struct pail_cluster_facts facts = plain();
    const uint32_t n = pail_cluster_shapes(shapes, 8, 1);
    for (uint32_t i = 0; i < n; i++)
        times[i] =
            multiply(&facts, 7000, 1, shapes[i].cards, PAIL_CLUSTER_DEVICE, PAIL_CLUSTER_FIT);
    pail_cluster_growth(&end, times, shapes, n);
    assert_true(end.found);
    assert_int_equal(end.last, 2);
    expect("gain", end.gain, 2.75 / 1.875);
    assert_int_equal(end.cause, PAIL_CLUSTER_FIXED);
    pail_cluster_growth(&end, times, shapes, 3);
    assert_false(end.found);
    assert_int_equal(end.last, 2);
    pail_cluster_growth(&end, times, shapes, 1);
    assert_false(end.found);
}

PAIL_TEST(proofs)
{
    struct pail_cluster_facts facts = usual();
    struct pail_cluster_rate rate;
    pail_cluster_prove(&rate, &facts, ONE << 20, &(struct pail_cluster_shape){1, 1});
    expect("one card", rate.per_hour, 3600e3 / 21.1);
    assert_int_equal(rate.bound, PAIL_CLUSTER_PROOF_CARD);
    pail_cluster_prove(&rate, &facts, ONE << 20, &(struct pail_cluster_shape){64, 8});
    expect("512 cards", rate.per_hour, 512 * 3600e3 / 21.1);
    /* Two messages of 5 us and 5500 bytes at 50 GB/s for each proof. */
    pail_cluster_prove(&rate, &facts, ONE << 16, &(struct pail_cluster_shape){64, 8});
    expect("the queue", rate.per_hour, 3600e3 / (0.01 + 5500 / 50e6));
    assert_int_equal(rate.bound, PAIL_CLUSTER_PROOF_QUEUE);
    /* A node gets 32 MiB for each proof, at 1 GB/s. */
    facts.network_gbs = 1;
    pail_cluster_prove(&rate, &facts, ONE << 20, &(struct pail_cluster_shape){2, 8});
    expect("witnesses", rate.per_hour, 2 * 3600e3 / 33.554432);
    assert_int_equal(rate.bound, PAIL_CLUSTER_PROOF_NETWORK);
}

static void write_file(char path[64], const char *text)
{
    (void)snprintf(path, 64, "/tmp/pail-cluster-XXXXXX");
    const int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, text, strlen(text)), (ssize_t)strlen(text));
    assert_int_equal(close(file), 0);
}

PAIL_TEST(files)
{
    static const struct {
        const char *text, *words;
    } cases[] = {
        {"pcie_gbs 20\npice_gbs 9\n", ":2: a cluster has no \"pice_gbs\""},
        {"pcie_gbs fast\n", ":1: pcie_gbs is no number from 1e-06 to 1e+12: \"fast\""},
        {"pcie_gbs 0\n", ":1: pcie_gbs is no number from 1e-06"},
        {"latency_us -1\n", ":1: latency_us is no number from 0"},
        {"pcie_gbs nan\n", ":1: pcie_gbs is no number"},
        {"pcie_gbs\n", ":1: pcie_gbs is no number"},
        {"pcie_gbs 1 2\n", ":1: there is more than a name and a number"},
        {"size 20 3\n", ": one line \"size\" is too few, two are needed"},
        {"size 20 3\nsize 20 4\n", ":2: sizes and times have to ascend"},
        {"size 20 3\nsize 21 2\n", ":2: sizes and times have to ascend"},
        {"size 41 3\n", ":1: an exponent is no number from 0 to 40: \"41\""},
        {"size 20\n", ":1: milliseconds are no number from 1e-06"},
        {"size 20 3 101\n", ":1: the part that is not hidden is no number from 0 to 100: \"101\""},
        {"size 20 3 1 -1\n", ":1: the part that is not hidden is no number from 0 to 100: \"-1\""},
        {"proof 16 4\nproof 20 9 1\n", ":2: there is more than a size"},
    };
    char path[64];
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct pail_cluster_facts facts = usual();
        const struct pail_cluster_facts before = facts;
        struct pail_error error = {.status = PAIL_OK};
        write_file(path, cases[i].text);
        assert_int_equal(pail_cluster_facts_read(&facts, path, &error), PAIL_ERR_DATA);
        assert_int_equal(unlink(path), 0);
        if (strstr(error.sentence, cases[i].words) == NULL)
            fail_msg("\"%s\", but not \"%s\"", error.sentence, cases[i].words);
        assert_memory_equal(&facts, &before, sizeof(facts));
    }
    struct pail_cluster_facts facts = usual();
    struct pail_error error = {.status = PAIL_OK};
    write_file(path,
               "# another\npcie_gbs 20 # slower\n\nlatency_us 0\nsize 10 1\nsize 20 5 0.25\n");
    assert_int_equal(pail_cluster_facts_read(&facts, path, &error), PAIL_OK);
    assert_int_equal(unlink(path), 0);
    expect("pcie", facts.pcie_gbs, 20);
    expect("latency", facts.latency_us, 0);
    assert_int_equal(facts.sizes.n, 2);
    expect("exposed", facts.sizes.at[1].exposed[PAIL_CLUSTER_PINNED], 0.25);
    assert_int_equal(facts.proofs.n, 3);
    assert_int_equal(pail_cluster_facts_read(&facts, "/no/such", &error), PAIL_ERR_IO);

    error.status = PAIL_OK;
    assert_int_equal(pail_cluster_facts_set(&facts, "pcie_gbs=30", "--set", &error), PAIL_OK);
    expect("set", facts.pcie_gbs, 30);
    static const char *const bad[] = {"", "=", "pcie_gbs", "pcie_gbs=", "pcie_gbs=x", "x=1"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        error.status = PAIL_OK;
        assert_int_equal(pail_cluster_facts_set(&facts, bad[i], "--set", &error),
                         PAIL_ERR_ARGUMENT);
        assert_non_null(strstr(error.sentence, "--set: "));
        expect("kept", facts.pcie_gbs, 30);
    }
}
