/* SPDX-License-Identifier: Apache-2.0 */
/* Sentences of launches about an index outside of an array: which one it was. */
#include "service_support.h"
#include "support/test.h"

#include <inttypes.h>

#include <trees.h>

enum { N = 4 };

struct setting {
    struct stage stage;
    int32_t a[N];
    int64_t shape[2];
    pail_binding bindings[2];
};

static void set_up(struct setting *s, bool on_device)
{
    static const int32_t values[N] = {2, 3, 1, 9};
    memcpy(s->a, values, sizeof(values));
    s->shape[0] = N;
    s->shape[1] = 5;
    stage_open(&s->stage, on_device, 0);
    s->bindings[0] = on_device ? bind_device(0, 1, s->a, s->shape) : bind(0, 1, s->a, s->shape);
    s->bindings[1] = (pail_binding){.struct_size = sizeof(s->bindings[1]),
                                    .source = 1,
                                    .identity = 2,
                                    .host = calloc(N * 5, 4),
                                    .size_bytes = N * 5 * 4,
                                    .dtype = PAIL_DTYPE_I32,
                                    .rank = 2,
                                    .shape = s->shape};
    assert_non_null(s->bindings[1].host);
}

static void tear_down(struct setting *s)
{
    free((void *)(uintptr_t)s->bindings[1].host);
    stage_close(&s->stage);
}

/* Puts a tree, has it refused twice (the second time from the cache) and looks at the sentence. */
static void expect(bool on_device, const char *tree, const char *sentence)
{
    struct setting s;
    struct pail_error err = {0};
    set_up(&s, on_device);
    struct kernel *kernel = kernel_make("wrong", "12");
    (void)kernel_task(kernel, 0);
    nodes_text(kernel_stack(kernel), tree, NULL);
    const uint64_t handle = stage_register(&s.stage, kernel);
    for (int again = 0; again < 2; again++) {
        assert_null(stage_launch(&s.stage, handle, 1, s.bindings, 2, 0, &err));
        assert_int_equal(err.status, PAIL_ERR_DATA);
        assert_string_equal(err.text, sentence);
    }
    kernel_free(kernel);
    tear_down(&s);
}

#define A_LITERAL        "(add (read 0 1) (read 0 7))"
#define A_VARIABLE       "(max_over i 1 10 (read 0 i))"
#define BEFORE_THE_FIRST "(sum_over i -2 3 (read 0 i))"
/* i - 1 > 0 ? b[i, a[i]] : 1, so that b[1, ...] is never asked for. */
#define COMPUTED "(max_over i 0 (shape 0 0) (select (sub i 1) (read 1 i (read 0 i)) 1))"
/* The inner range ends where the array says. */
#define IN_A_LOOP "(max_over i 0 (shape 0 0) (sum_over j 0 (read 0 i) (read 1 i j)))"
/* Wrong only after more cells than anybody looks at. */
#define FAR_AWAY "(max_over i 0 1048576 (read 0 (mul (sub i 1048574) 4)))"
/* The same, and the index is the variable itself: the ends of its range are known. */
#define FAR_ALONG "(max_over i 0 1048576 (select (sub i 1048574) (read 0 i) 1))"

/* How far the outer range goes is the value of another, of few cells or of many. */
#define NESTED(inner) "(max_over i 0 (min 7 " inner ") (read 1 i 0))"
#define OF_FEW        "(max_over j 0 (shape 0 0) (read 0 j))"
#define OF_MANY       "(max_over j 0 1048576 (floor_div j 7))"

#define AXIS_0 " on axis 0, which has 4 elements"

PAIL_TEST(exactly)
{
    expect(false, A_LITERAL,
           "task 0, stack 0 cannot be sized: node 1: an index is outside of source 0: 7" AXIS_0);
    expect(false, A_VARIABLE,
           "task 0, stack 0 cannot be sized: node 2: an index is outside of source 0: 4" AXIS_0);
    expect(false, BEFORE_THE_FIRST,
           "task 0, stack 0 cannot be sized: node 2: an index is outside of source 0: -2" AXIS_0);
    expect(false, COMPUTED,
           "task 0, stack 0 cannot be sized: node 7: an index is outside of source 1: 9 on axis 1, "
           "which has 5 elements");
    expect(false, IN_A_LOOP,
           "task 0, stack 0 cannot be sized: node 4: an index is outside of source 1: 5 on axis 1, "
           "which has 5 elements");
    expect(false, NESTED(OF_FEW),
           "task 0, stack 0 cannot be sized: node 7: an index is outside of source 1: 4" AXIS_0);
    expect(false, NESTED(OF_MANY),
           "task 0, stack 0 cannot be sized: node 9: an index is outside of source 1: 4" AXIS_0);
}

/* An index that the host cannot read, or that would take long, is described as far as it is known.
 * */
PAIL_TEST(as_far_as_known)
{
    expect(true, A_LITERAL,
           "task 0, stack 0 cannot be sized: node 1: an index is outside of source 0: 7" AXIS_0);
    expect(true, A_VARIABLE,
           "task 0, stack 0 cannot be sized: node 2: an index is outside of source 0: 4" AXIS_0);
    expect(true, COMPUTED,
           "task 0, stack 0 cannot be sized: node 7: an index is outside of source 1, which is 4 x "
           "5");
    expect(true, NESTED(OF_FEW),
           "task 0, stack 0 cannot be sized: node 7: an index is outside of source 1: 4" AXIS_0);
    expect(false, FAR_ALONG,
           "task 0, stack 0 cannot be sized: node 5: an index is outside of source 0: one of those "
           "from 0 to 1048575" AXIS_0);
    expect(false, FAR_AWAY,
           "task 0, stack 0 cannot be sized: node 7: an index is outside of source 0, which is 4");
}

/* A part that trees have in common is named by the first of them. */
PAIL_TEST(in_common)
{
    struct setting s;
    struct pail_error err = {0};
    set_up(&s, false);
    struct kernel *kernel = kernel_make("wrong", "12");
    (void)kernel_task(kernel, 0);
    /* Stack 0 does not ask for it: 0 > 0 ? a[7] : 1. */
    struct nodes *t = kernel_stack(kernel);
    nodes_text(t, "(select (read 0 0) (read 0 7) 1)", NULL);
    nodes_text(kernel_stack(kernel), "(read 0 7)", NULL);
    const uint64_t handle = stage_register(&s.stage, kernel);
    s.a[0] = 0;
    assert_null(stage_launch(&s.stage, handle, 1, s.bindings, 2, 0, &err));
    assert_string_equal(err.text, "task 0, stack 1 cannot be sized: as task 0, stack 0, node 1: "
                                  "an index is outside of source 0: 7" AXIS_0);
    kernel_free(kernel);
    tear_down(&s);
}

/* ---- Random kernels -------------------------------------------------------------------------- */
/* Flags of the ways; the last two share a cache, so that the last one finds what is there. */
static const uint32_t ways[] = {PAIL_LAUNCH_HOST | PAIL_LAUNCH_NO_CACHE,
                                PAIL_LAUNCH_DEVICE | PAIL_LAUNCH_NO_CACHE, PAIL_LAUNCH_NO_CACHE, 0,
                                0};
enum { N_WAYS = sizeof(ways) / sizeof(ways[0]), MOST_SOURCES = 8 };

/* Launches a kernel in all ways. Returns true if its sizes cannot be computed, for which every way
 * has the same sentence. on_device: contents are there alone. */
static bool refused_alike(struct stage *stage, const struct trees_kernel *random, bool on_device)
{
    pail_binding bindings[MOST_SOURCES];
    uint32_t ids[8];
    uint64_t handle;
    struct pail_error errors[N_WAYS] = {0};
    const size_t n = random->desc.n_sources;
    assert_true(n <= MOST_SOURCES && random->desc.n_tasks <= 8);
    for (size_t i = 0; i < n; i++) {
        bindings[i] = random->bindings[i];
        if (on_device) {
            bindings[i].device_address = (uint64_t)(uintptr_t)bindings[i].host;
            bindings[i].host = NULL;
        }
    }
    assert_int_equal(pail_adstack_register(stage->service, &handle, ids, &random->desc, &errors[0]),
                     PAIL_OK);
    for (int way = 0; way < N_WAYS; way++) {
        struct pail_error *err = &errors[way];
        struct pail_adstack_result *result = stage_launch(
            stage, handle, (uint32_t)random->desc.n_tasks, bindings, n, ways[way], err);
        pail_ad_result_release(result);
        if (err->status != errors[0].status || strcmp(err->text, errors[0].text) != 0)
            fail_msg("seed %" PRIu64 ": way %d says \"%s\", and the first one \"%s\"", random->seed,
                     way, err->text, errors[0].text);
    }
    (void)pail_adstack_unregister(stage->service, handle, &errors[0]);
    return errors[0].status == PAIL_ERR_DATA;
}

/* PAIL_TEST_SEEDS: how many, for longer runs; PAIL_TEST_SEED: the first. */
static uint64_t from_environment(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    return text ? strtoull(text, NULL, 0) : otherwise;
}

/* The sentence is the same whatever way the sizes were computed, and from the cache. */
static void refused_alike_all(bool on_device)
{
    struct stage stage;
    const struct trees_options options = {.errors = 20};
    const uint64_t first = from_environment("PAIL_TEST_SEED", 1);
    const uint64_t n = from_environment("PAIL_TEST_SEEDS", 600);
    uint64_t refused = 0;
    stage_open(&stage, true, 0);
    for (uint64_t seed = first; seed < first + n; seed++) {
        struct trees_kernel *random = trees_make(seed, &options);
        assert_non_null(random);
        refused += refused_alike(&stage, random, on_device);
        trees_free(random);
    }
    stage_close(&stage);
    print_message("%" PRIu64 " of %" PRIu64 " kernels refused\n", refused, n);
    assert_true(n < 100 || refused > n / 2);
}

PAIL_TEST(in_all_ways)
{
    refused_alike_all(false);
}

PAIL_TEST(in_all_ways_on_a_device)
{
    refused_alike_all(true);
}
