/* SPDX-License-Identifier: Apache-2.0 */
/* Hit rates of the caches under sequences of uses, against the least recently used order. With an
 * argument it prints them: unit_adstack_turnover table. */
#include "service_support.h"
#include "support/test.h"

/* A sequence of keys, none of them 0. */
struct uses {
    uint64_t *keys;
    size_t n, capacity;
};

static void use(struct uses *uses, uint64_t key)
{
    if (uses->n == uses->capacity) {
        uses->capacity = 2 * uses->capacity + 1024;
        uses->keys = realloc(uses->keys, uses->capacity * sizeof(*uses->keys));
        assert_non_null(uses->keys);
    }
    uses->keys[uses->n++] = key;
}

static void cycle(struct uses *uses, uint64_t first, size_t n, size_t rounds)
{
    for (size_t i = 0; i < n * rounds; i++)
        use(uses, first + i % n);
}

/* The k-th of n keys as often as 1 / k says. */
static void zipf(struct uses *uses, size_t n, size_t n_uses)
{
    double sum = 0, *upto = malloc(n * sizeof(*upto));
    uint64_t random = 1;
    assert_non_null(upto);
    for (size_t i = 0; i < n; i++)
        upto[i] = sum += 1 / (double)(i + 1);
    for (size_t i = 0; i < n_uses; i++) {
        random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        const double at = sum * (double)(random >> 11) / (double)(UINT64_C(1) << 53);
        size_t low = 0, high = n - 1;
        while (low < high) {
            const size_t middle = (low + high) / 2;
            if (upto[middle] < at)
                low = middle + 1;
            else
                high = middle;
        }
        use(uses, 1 + low);
    }
    free(upto);
}

/* New keys, each of which comes twice, 40 uses apart. */
static void twice(struct uses *uses, uint64_t first, size_t n)
{
    for (size_t i = 0; i < n; i += 40)
        for (size_t k = 0; k < 80; k++)
            use(uses, first + i + k % 40);
}

/* ---- The caches ------------------------------------------------------------------------------ */
/* Hits of each use, in *hits. */
typedef void cache_fn(const struct uses *uses, size_t capacity, uint8_t *hits);

static void least_recent(const struct uses *uses, size_t capacity, uint8_t *hits)
{
    uint64_t *list = calloc(capacity, sizeof(*list)); /* from the newest on */
    assert_non_null(list);
    for (size_t i = 0; i < uses->n; i++) {
        size_t at = 0;
        while (at < capacity - 1 && list[at] != uses->keys[i])
            at++;
        hits[i] = list[at] == uses->keys[i];
        memmove(list + 1, list, at * sizeof(*list));
        list[0] = uses->keys[i];
    }
    free(list);
}

static void memo_of(const struct uses *uses, size_t capacity, uint8_t *hits)
{
    struct pail_ad_memo memo;
    uint64_t *memory = calloc(pail_ad_memo_words((uint32_t)capacity, 1, 1), sizeof(*memory));
    assert_non_null(memory);
    pail_ad_memo_init(&memo, memory, (uint32_t)capacity, 1, 1);
    for (size_t i = 0; i < uses->n; i++) {
        const uint64_t *found = pail_ad_memo_find(&memo, &uses->keys[i]);
        hits[i] = found != NULL;
        if (found)
            assert_int_equal(*found, 3 * uses->keys[i]);
        else
            *pail_ad_memo_store(&memo, &uses->keys[i]) = 3 * uses->keys[i];
    }
    free(memory);
}

static void keep(struct pail_ad_launches *launches, uint64_t key)
{
    static const struct pail_alloc alloc;
    struct pail_adstack_result *result, *old;
    struct pail_error err = {0};
    assert_int_equal(pail_ad_result_make(&result, 0, NULL, 1, &alloc, &err), PAIL_OK);
    result->key[0] = key;
    if (pail_ad_launches_forget(launches)) {
        uint64_t *ghosts = calloc(PAIL_AD_GHOSTS, sizeof(*ghosts));
        assert_null(pail_ad_launches_remember(launches, ghosts));
    }
    struct pail_ad_kept *fresh = calloc(1, sizeof(*fresh));
    assert_non_null(fresh);
    const uint64_t hash = pail_ad_launches_hash(launches, &key);
    (void)pail_ad_launches_free(pail_ad_launches_keep(launches, hash, result, fresh, &old), &alloc);
    assert_null(old);
    pail_ad_result_release(result);
}

static void launches_of(const struct uses *uses, size_t capacity, uint8_t *hits)
{
    static const struct pail_alloc alloc;
    struct pail_ad_launches *launches = calloc(1, sizeof(*launches));
    assert_non_null(launches);
    assert_int_equal(capacity, PAIL_AD_LAUNCHES);
    launches->n_key = launches->n_sized = 1;
    launches->max_bytes = UINT64_MAX;
    for (size_t i = 0; i < uses->n; i++) {
        const uint64_t hash = pail_ad_launches_hash(launches, &uses->keys[i]);
        bool exact;
        hits[i] = pail_ad_launches_find(launches, &uses->keys[i], hash, &exact) != NULL;
        if (!hits[i])
            keep(launches, uses->keys[i]);
        assert_true(launches->n <= PAIL_AD_LAUNCHES);
    }
    (void)pail_ad_launches_free(pail_ad_launches_take(launches, NULL, NULL), &alloc);
    assert_null(launches->guest);
    assert_int_equal(launches->n, 0);
    assert_int_equal(launches->bytes, 0);
    free(launches->turnover.ghosts);
    free(launches);
}

/* Percent of the uses from `from` on that hit, at most `n` of them. */
static double rate(cache_fn *cache, size_t capacity, const struct uses *uses, size_t from, size_t n)
{
    uint8_t *hits = malloc(uses->n);
    size_t sum = 0;
    assert_non_null(hits);
    cache(uses, capacity, hits);
    if (n > uses->n - from)
        n = uses->n - from;
    for (size_t i = from; i < from + n; i++)
        sum += hits[i];
    free(hits);
    return 100 * (double)sum / (double)n;
}

/* ---- What is expected ------------------------------------------------------------------------ */
static const struct {
    size_t capacity;
    cache_fn *cache;
    const char *name;
} caches[] = {{PAIL_AD_LAUNCHES, launches_of, "launches"},
              {PAIL_AD_TASK_WAYS, memo_of, "tasks"},
              {PAIL_AD_SLOT_WAYS, memo_of, "reductions"}};

enum { N_CACHES = sizeof(caches) / sizeof(caches[0]) };

/* All entries but the one for newcomers stay, from the second round on. Few ghosts cannot tell that
 * a use is one of a very long cycle. */
PAIL_TEST(cycles_hit_what_fits)
{
    for (size_t c = 0; c < N_CACHES; c++) {
        const size_t n = caches[c].capacity;
        const size_t lengths[] = {n, n + 1, n + n / 2, 2 * n, 4 * n, 8 * n};
        for (size_t i = 0; i < (n == PAIL_AD_LAUNCHES ? 6 : 5); i++) {
            struct uses uses = {0};
            cycle(&uses, 1, lengths[i], 20);
            const size_t fit = lengths[i] > n ? n - 1 : n;
            const double best = 100 * (double)fit / (double)lengths[i];
            const double got = rate(caches[c].cache, n, &uses, 4 * lengths[i], SIZE_MAX);
            if (got < 0.98 * best || got > best + 1e-6)
                fail_msg("%s, %zu in turn: %.2f%% hit, and %.2f%% fit", caches[c].name, lengths[i],
                         got, best);
            free(uses.keys);
        }
    }
}

/* Another set of keys is there in its fourth round, whatever came before; one that fits hits in
 * its second where what came before fitted. */
PAIL_TEST(a_new_set_is_learnt)
{
    for (size_t c = 0; c < N_CACHES; c++) {
        const size_t n = caches[c].capacity;
        const size_t before[] = {n, n + n / 4, 2 * n}, after[] = {2, n / 2, n};
        for (size_t i = 0; i < 9; i++) {
            struct uses uses = {0};
            cycle(&uses, 1, before[i / 3], 20);
            const size_t from = uses.n, m = after[i % 3], round = before[i / 3] == n ? 1 : 3;
            cycle(&uses, 1000000, m, 20);
            const double got = rate(caches[c].cache, n, &uses, from + round * m, m);
            if (got < 95)
                fail_msg("%s, %zu after %zu in turn: %.1f%% hit in round %zu", caches[c].name, m,
                         before[i / 3], got, round + 1);
            free(uses.keys);
        }
    }
}

/* This order is as good as the least recently used one where that is good. */
PAIL_TEST(no_worse_than_the_least_recent)
{
    for (size_t c = 0; c < N_CACHES; c++) {
        const size_t n = caches[c].capacity;
        for (size_t i = 0; i < 3; i++) {
            struct uses uses = {0};
            size_t from = 20 * n;
            if (i < 2) {
                zipf(&uses, i ? 16 * n : 4 * n, 100 * n);
            } else {
                cycle(&uses, 1, 2 * n, 20);
                from = uses.n;
                twice(&uses, 1000000, 40 * n);
            }
            const double got = rate(caches[c].cache, n, &uses, from, SIZE_MAX);
            const double least = rate(least_recent, n, &uses, from, SIZE_MAX);
            if (got < least - 1)
                fail_msg("%s, sequence %zu: %.1f%% hit, of the least recently used %.1f%%",
                         caches[c].name, i, got, least);
            free(uses.keys);
        }
    }
}

/* ---- The table ------------------------------------------------------------------------------- */
static void print_row(const char *name, const struct uses *uses, size_t from, size_t n)
{
    const size_t capacity = PAIL_AD_LAUNCHES;
    (void)printf("%-44s %8.1f%% %8.1f%%\n", name, rate(least_recent, capacity, uses, from, n),
                 rate(launches_of, capacity, uses, from, n));
}

static void print_table(void)
{
    const size_t lengths[] = {1024, 1025, 1100, 1536, 2048, 4096, 8192};
    char name[64];
    (void)printf("%-44s %9s %9s\n", "uses of a cache of 1024 launches", "LRU", "Pail");
    for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
        struct uses uses = {0};
        cycle(&uses, 1, lengths[i], 20);
        (void)snprintf(name, sizeof(name), "%zu in turn, rounds 3 to 20", lengths[i]);
        print_row(name, &uses, 2 * lengths[i], SIZE_MAX);
        free(uses.keys);
    }
    for (size_t n = 4096; n <= 16384; n *= 4) {
        struct uses uses = {0};
        zipf(&uses, n, 100 * PAIL_AD_LAUNCHES);
        (void)snprintf(name, sizeof(name), "zipf over %zu", n);
        print_row(name, &uses, 20 * PAIL_AD_LAUNCHES, SIZE_MAX);
        free(uses.keys);
    }
    for (size_t before = 1024; before <= 2048; before *= 2)
        for (size_t round = 2; round <= 4; round++) {
            struct uses uses = {0};
            cycle(&uses, 1, before, 20);
            const size_t from = uses.n;
            cycle(&uses, 1000000, 1024, 4);
            (void)snprintf(name, sizeof(name), "1024 new ones after %zu in turn, round %zu", before,
                           round);
            print_row(name, &uses, from + (round - 1) * 1024, 1024);
            free(uses.keys);
        }
    struct uses uses = {0};
    cycle(&uses, 1, 2048, 20);
    const size_t from = uses.n;
    twice(&uses, 1000000, 40 * PAIL_AD_LAUNCHES);
    print_row("new ones, each twice, after 2048 in turn", &uses, from, SIZE_MAX);
    free(uses.keys);
}

PAIL_TEST_MAIN
{
    if (argc > 1 && strcmp(argv[1], "table") == 0) {
        print_table();
        return 0;
    }
    return test_run(NULL, NULL, NULL);
}
