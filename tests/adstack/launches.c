/* SPDX-License-Identifier: Apache-2.0 */
/* Launches that are found again: with other threads and heaps, with many bindings in turn, and
 * within bytes. With an argument it says how long that takes: unit_adstack_launches time. */
#include <platform/clock.h>

#include "service_support.h"
#include "support/test.h"

enum { LENGTH = 8 };

struct setting {
    struct stage stage;
    uint64_t kernel;
    int32_t a[LENGTH], b[LENGTH];
    int64_t n;
    pail_binding bindings[2];
    pail_task_launch task;
    pail_launch launch;
};

static struct setting *set_up(uint64_t cache_bytes)
{
    struct setting *s = calloc(1, sizeof(*s));
    assert_non_null(s);
    stage_open(&s->stage, false, 0);
    s->stage.service->env.cache_bytes = cache_bytes;
    s->kernel = stage_register_product(&s->stage);
    s->n = LENGTH;
    for (int i = 0; i < LENGTH; i++)
        s->a[i] = s->b[i] = i;
    s->bindings[0] = bind(0, 1, s->a, &s->n);
    s->bindings[1] = bind(1, 2, s->b, &s->n);
    s->task = (pail_task_launch){.struct_size = sizeof(s->task), .threads = 100};
    s->launch = (pail_launch){
        .struct_size = sizeof(s->launch),
        .kernel = s->kernel,
        .bindings = s->bindings,
        .n_bindings = 2,
        .tasks = &s->task,
        .n_tasks = 1,
    };
    return s;
}

static void tear_down(struct setting *s)
{
    stage_close(&s->stage);
    free(s);
}

static struct pail_adstack_result *again(struct setting *s)
{
    struct pail_error err = {0};
    struct pail_adstack_result *result;
    if (pail_adstack_evaluate(s->stage.service, &result, &s->launch, &err) != PAIL_OK)
        fail_msg("%s", err.text);
    return result;
}

static pail_task_size size_again(struct setting *s)
{
    struct pail_error err = {0};
    pail_task_size size = {.struct_size = sizeof(size)};
    struct pail_adstack_result *result = again(s);
    assert_int_equal(pail_adstack_task_size(result, &size, 0, &err), PAIL_OK);
    pail_ad_result_release(result);
    return size;
}

/* So many launches of so many different arrays in turn. */
static void in_turn(struct setting *s, uint64_t n_bindings, uint64_t n_launches)
{
    for (uint64_t i = 0; i < n_launches; i++) {
        s->bindings[0].identity = 100 + i % n_bindings;
        pail_ad_result_release(again(s));
    }
}

PAIL_TEST(many_bindings_in_turn)
{
    const uint64_t rows[][2] = {{10, 100}, {64, 640}, {500, 5000}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct setting *s = set_up(0);
        in_turn(s, rows[i][0], rows[i][1]);
        assert_int_equal(stage_stats(&s->stage).launch_hits, rows[i][1] - rows[i][0]);
        tear_down(s);
    }
}

/* Threads, rows and heaps are laid out, and nothing is computed for them. */
PAIL_TEST(other_threads)
{
    struct setting *s = set_up(0);
    const pail_task_size first = size_again(s);
    assert_int_equal(first.heap_float, 4 * first.stride_float * 100);
    const pail_adstack_stats cold = stage_stats(&s->stage);
    assert_true(cold.host_cells > 0);
    for (uint64_t threads = 1; threads < 50; threads++) {
        s->task.threads = threads;
        s->launch.heap_float = 10 * threads;
        const pail_task_size size = size_again(s);
        assert_int_equal(size.stride_float, first.stride_float);
        assert_int_equal(size.heap_float, 4 * first.stride_float * threads);
        assert_int_equal(size.grow_float,
                         size.heap_float > 20 * threads ? size.heap_float : 20 * threads);
    }
    s->task.flags = PAIL_TASK_LAUNCH_GATED;
    s->task.gated_rows = 3;
    assert_int_equal(size_again(s).heap_float, 4 * first.stride_float * 3);
    const pail_adstack_stats stats = stage_stats(&s->stage);
    assert_int_equal(stats.host_cells, cold.host_cells);
    assert_int_equal(stats.task_hits + stats.tree_hits + stats.spec_hits,
                     cold.task_hits + cold.tree_hits + cold.spec_hits);
    assert_int_equal(stats.launch_hits, stats.evaluations - 1);
    /* A size that is too large for one number of threads is an error, and changes nothing for
     * others. */
    struct pail_error err = {0};
    struct pail_adstack_result *result;
    s->task = (pail_task_launch){.struct_size = sizeof(s->task), .threads = UINT64_MAX / 2};
    assert_int_equal(pail_adstack_evaluate(s->stage.service, &result, &s->launch, &err),
                     PAIL_ERR_DATA);
    assert_non_null(strstr(err.text, "task 0: "));
    assert_null(result);
    s->task.threads = 100;
    s->launch.heap_float = 0;
    assert_int_equal(size_again(s).heap_float, first.heap_float);
    tear_down(s);
}

/* A few of them share results. */
PAIL_TEST(layouts_are_kept)
{
    struct setting *s = set_up(0);
    struct pail_adstack_result *results[PAIL_AD_LAYOUTS];
    for (uint32_t i = 0; i < PAIL_AD_LAYOUTS; i++) {
        s->task.threads = 100 + i;
        results[i] = again(s);
        if (i == 0) { /* the first one said where its sizes came from */
            pail_ad_result_release(results[0]);
            results[0] = again(s);
        }
    }
    const unsigned long allocations = s->stage.allocations;
    for (uint32_t round = 0; round < 3; round++)
        for (uint32_t i = 0; i < PAIL_AD_LAYOUTS; i++) {
            s->task.threads = 100 + i;
            struct pail_adstack_result *result = again(s);
            assert_ptr_equal(result, results[i]);
            pail_ad_result_release(result);
        }
    assert_int_equal(s->stage.allocations, allocations);
    for (uint32_t i = 0; i < PAIL_AD_LAYOUTS; i++)
        pail_ad_result_release(results[i]);
    tear_down(s);
}

/* Values of before a write are found with no number of threads. */
PAIL_TEST(writes_count_for_all_layouts)
{
    struct setting *s = set_up(0);
    const pail_task_size first = size_again(s);
    s->task.threads = 7;
    (void)size_again(s);
    s->a[3] = 100;
    pail_ad_identities_bump(&s->stage.service->identities, 1);
    for (uint64_t threads = 5; threads < 9; threads++) {
        s->task.threads = threads;
        const pail_task_size size = size_again(s);
        assert_true(size.stride_float > first.stride_float);
        assert_int_equal(size.heap_float, 4 * size.stride_float * threads);
    }
    const uint64_t hits = stage_stats(&s->stage).launch_hits;
    pail_adstack_invalidate(s->stage.service, s->kernel);
    (void)size_again(s);
    assert_int_equal(stage_stats(&s->stage).launch_hits, hits);
    tear_down(s);
}

PAIL_TEST(bytes_are_bounded)
{
    struct setting *s = set_up(1);
    in_turn(s, 2, 10); /* the last one is kept, and no other */
    assert_int_equal(stage_stats(&s->stage).launch_hits, 0);
    in_turn(s, 1, 10);
    assert_true(stage_stats(&s->stage).launch_hits >= 9);
    tear_down(s);
    s = set_up(16384);
    in_turn(s, 1000, 1000);
    struct pail_ad_kernel *kernel;
    struct pail_error err = {0};
    assert_int_equal(pail_ad_registry_find(&s->stage.service->registry, &kernel, s->kernel, &err),
                     PAIL_OK);
    assert_true(kernel->launches.bytes <= 16384 && kernel->launches.n > 4);
    const uint32_t n = kernel->launches.n;
    pail_ad_kernel_release(kernel);
    /* The launches that were used last are there. */
    const uint64_t hits = stage_stats(&s->stage).launch_hits;
    for (uint64_t i = 1000 - n; i < 1000; i++) {
        s->bindings[0].identity = 100 + i;
        pail_ad_result_release(again(s));
    }
    assert_int_equal(stage_stats(&s->stage).launch_hits, hits + n);
    /* And however small they are, there are no more than so many. */
    tear_down(s);
    s = set_up(UINT64_MAX);
    in_turn(s, PAIL_AD_LAUNCHES + 1, PAIL_AD_LAUNCHES + 1);
    assert_int_equal(stage_stats(&s->stage).launch_hits, 0);
    in_turn(s, PAIL_AD_LAUNCHES + 1, PAIL_AD_LAUNCHES + 1);
    const uint64_t found = stage_stats(&s->stage).launch_hits;
    assert_true(found < PAIL_AD_LAUNCHES && found >= PAIL_AD_LAUNCHES - 3);
    tear_down(s);
}

/* Launches are kept longer than diagnosis remembers them: those of arrays that nobody looked at are
 * forgotten when one of the others turns out to be wrong. */
PAIL_TEST(long_ago)
{
    struct setting *s = set_up(0);
    struct pail_error err = {0};
    in_turn(s, 40, 40);
    const uint64_t before = size_again(s).stride_float;
    s->a[0] = 1000; /* nobody is told */
    struct pail_ad_kernel *kernel;
    assert_int_equal(pail_ad_registry_find(&s->stage.service->registry, &kernel, s->kernel, &err),
                     PAIL_OK);
    const uint32_t id = kernel->tasks[0].id;
    pail_ad_kernel_release(kernel);
    const pail_overflow record = SIZED(pail_overflow, .id = id, .count = 1000, .serial = 12345);
    pail_diagnosis diagnosis = {.struct_size = sizeof(diagnosis)};
    assert_int_equal(pail_adstack_diagnose(s->stage.service, &diagnosis, &record, &err), PAIL_OK);
    assert_int_equal(diagnosis.invalidated, 1);
    for (uint64_t i = 0; i < 40; i++) {
        s->bindings[0].identity = 100 + i;
        assert_true(size_again(s).stride_float > before);
    }
    tear_down(s);
}

/* Entries whose hashes are alike are told apart by their words. */
PAIL_TEST(words_are_compared)
{
    static const struct pail_alloc alloc;
    struct pail_ad_launches *launches = calloc(1, sizeof(*launches));
    struct pail_error err = {0};
    assert_non_null(launches);
    launches->n_key = 3;
    launches->n_sized = 2;
    launches->max_bytes = UINT64_MAX;
    for (uint64_t i = 0; i < 50; i++) {
        struct pail_adstack_result *result, *old;
        assert_int_equal(pail_ad_result_make(&result, 0, NULL, 3, &alloc, &err), PAIL_OK);
        result->key[0] = i;
        result->key[1] = 7;
        struct pail_ad_kept *fresh = calloc(1, sizeof(*fresh));
        assert_null(pail_ad_launches_keep(launches, 1, result, fresh, &old));
        assert_null(old);
        pail_ad_result_release(result);
    }
    for (uint64_t i = 0; i < 51; i++) {
        bool exact;
        const uint64_t key[] = {i, 7, i % 2};
        const struct pail_adstack_result *found = pail_ad_launches_find(launches, key, 1, &exact);
        assert_int_equal(found != NULL, i < 50);
        assert_int_equal(exact, found && i % 2 == 0);
        if (found)
            assert_int_equal(found->key[0], i);
    }
    assert_int_equal(pail_ad_launches_free(pail_ad_launches_take(launches, NULL, NULL), &alloc),
                     50);
    assert_int_equal(launches->n, 0);
    assert_int_equal(launches->bytes, 0);
    free(launches);
}

/* Hits among many cost what hits among few do. */
static void print_times(void)
{
    const uint64_t rows[] = {1, 8, 64, 1000};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        enum { HITS = 200000 };
        struct setting *s = set_up(0);
        in_turn(s, rows[i], rows[i]);
        const double start = pail_now_ms();
        in_turn(s, rows[i], HITS);
        print_message("%llu bindings in turn: %.3f us for a launch that hits\n",
                      (unsigned long long)rows[i], (pail_now_ms() - start) * 1e3 / HITS);
        assert_int_equal(stage_stats(&s->stage).launch_hits, HITS);
        tear_down(s);
    }
}

PAIL_TEST_MAIN
{
    if (argc > 1 && strcmp(argv[1], "time") == 0) {
        print_times();
        return 0;
    }
    return test_run(NULL, NULL, NULL);
}
