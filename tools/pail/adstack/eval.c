#include "eval.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include <platform/clock.h>

#include "case_parts.h"
#include "output/progress.h"

const char *const pail_sizing_way_names[PAIL_WAYS] = {
    [PAIL_WAY_HOST] = "host",
    [PAIL_WAY_DEVICE] = "device",
    [PAIL_WAY_AUTO] = "auto",
    [PAIL_WAY_CACHED] = "cached",
};

size_t pail_sizing_words_of(const struct pail_sizing_case *made, size_t task)
{
    return 3 * task + 2 * (size_t)made->first_stack[task];
}

static uint32_t flags_of(enum pail_sizing_way way, const struct pail_sizing_options *options)
{
    const uint32_t form = (options->interpret ? (uint32_t)PAIL_LAUNCH_INTERPRET : 0) |
                          (options->specialise ? (uint32_t)PAIL_LAUNCH_SPECIALISE : 0);
    switch (way) {
    case PAIL_WAY_HOST:
        return PAIL_LAUNCH_HOST | PAIL_LAUNCH_NO_CACHE;
    case PAIL_WAY_DEVICE:
        return PAIL_LAUNCH_DEVICE | PAIL_LAUNCH_NO_CACHE | form;
    case PAIL_WAY_AUTO:
        return PAIL_LAUNCH_NO_CACHE | form;
    case PAIL_WAY_CACHED:
    case PAIL_WAYS:
        break;
    }
    return form;
}

/* Milliseconds that the evaluations still have, rounded up; 0: none, where there is a limit. */
static uint32_t left_ms(const struct pail_sizing_run *run)
{
    const double left = run->options->max_ms - (pail_now_ms() - run->begin_ms);
    return left > 0 ? (uint32_t)ceil(left) : 0;
}

/* Evaluates; without time left it does not begin to, for 0 would be any time. `told`: a sentence of
 * the failure. */
static pail_status evaluate(const struct pail_sizing_run *run, pail_adstack_result **result,
                            pail_launch *launch, struct pail_error *told)
{
    const pail_backend *const backend = run->session->backend;
    const uint32_t whole = run->options->max_ms, left = left_ms(run);
    launch->max_ms = left;
    if (whole != 0 && left == 0)
        return pail_fail(told, PAIL_ERR_STOPPED,
                         "not evaluated: the %" PRIu32
                         " ms of --max-ms, which are of all evaluations, have passed",
                         whole);
    const pail_status status = backend->adstack_evaluate(run->session->context, result, launch);
    if (status == PAIL_OK)
        return PAIL_OK;
    const char *const said = backend->error(run->session->context);
    if (status == PAIL_ERR_STOPPED && left < whole)
        return pail_fail(told, status, "%s (what was left of --max-ms %" PRIu32 ")", said, whole);
    return pail_fail(told, status, "%s", said);
}

static pail_launch launch_of(const struct pail_sizing_run *run, pail_adstack_kernel kernel,
                             uint32_t flags)
{
    return (pail_launch){
        .struct_size = sizeof(pail_launch),
        .flags = flags,
        .kernel = kernel,
        .bindings = run->made->bindings,
        .n_bindings = run->made->kernel.n_sources,
        .tasks = run->made->launches,
        .n_tasks = run->made->kernel.n_tasks,
        .max_cells = run->options->max_cells,
        .cancel = run->options->cancel,
    };
}

/* Arguments come from the file: a wrong one is the file's mistake, not that of the command line. */
static pail_status blame_file(pail_status status)
{
    return status == PAIL_ERR_ARGUMENT ? PAIL_ERR_DATA : status;
}

/* ---- What an evaluation says ---------------------------------------------------------------- */
static pail_status read_plan(struct pail_sizing_answer *answer, struct pail_sizing_case *made,
                             const pail_backend *backend, const pail_adstack_result *result)
{
    size_t size = 0;
    if (!PAIL_HAS(backend, adstack_explain) ||
        backend->adstack_explain(result, NULL, &size) != PAIL_OK)
        return PAIL_OK; /* the sizes are what matters */
    answer->plan = pail_sizing_alloc(made, size + 1, 1);
    if (answer->plan == NULL)
        return PAIL_ERR_HOST_MEMORY;
    return backend->adstack_explain(result, answer->plan, &size);
}

static pail_status read_result(struct pail_sizing_answer *answer, struct pail_sizing_case *made,
                               const pail_backend *backend, const pail_adstack_result *result)
{
    const size_t n_tasks = made->kernel.n_tasks, n_stacks = (size_t)made->first_stack[n_tasks];
    answer->tasks = pail_sizing_alloc(made, n_tasks, sizeof(*answer->tasks));
    answer->stacks = pail_sizing_alloc(made, n_stacks, sizeof(*answer->stacks));
    answer->words =
        pail_sizing_alloc(made, pail_sizing_words_of(made, n_tasks), sizeof(*answer->words));
    answer->words_status = pail_sizing_alloc(made, n_tasks, sizeof(*answer->words_status));
    if (answer->tasks == NULL || answer->stacks == NULL || answer->words == NULL ||
        answer->words_status == NULL)
        return PAIL_ERR_HOST_MEMORY;
    pail_status status = PAIL_OK;
    for (size_t t = 0; t < n_tasks && status == PAIL_OK; t++) {
        answer->tasks[t].struct_size = sizeof(answer->tasks[t]);
        status = backend->adstack_task_size(result, &answer->tasks[t], t);
        const size_t n = (size_t)(made->first_stack[t + 1] - made->first_stack[t]);
        for (size_t s = 0; s < n && status == PAIL_OK; s++) {
            pail_stack_size *const size = &answer->stacks[made->first_stack[t] + s];
            size->struct_size = sizeof(*size);
            status = backend->adstack_stack_size(result, size, t, s);
        }
        size_t n_words = 3 + 2 * n;
        answer->words_status[t] = backend->adstack_metadata(
            result, answer->words + pail_sizing_words_of(made, t), &n_words, t);
    }
    return status == PAIL_OK ? read_plan(answer, made, backend, result) : status;
}

/* The first evaluation in a way, with its plan. Only what has nothing to do with the trees fails.
 */
static pail_status ask(struct pail_sizing_run *run, struct pail_sizing_case *made,
                       enum pail_sizing_way way, pail_adstack_kernel kernel, uint32_t flags,
                       struct pail_error *error)
{
    const pail_backend *const backend = run->session->backend;
    struct pail_sizing_answer *const answer = &run->answers[way];
    pail_context *const context = run->session->context;
    pail_adstack_result *result = NULL;
    pail_launch launch = launch_of(run, kernel, flags | PAIL_LAUNCH_EXPLAIN);
    answer->stats.struct_size = sizeof(answer->stats);
    if (way == PAIL_WAY_CACHED) {        /* the run that fills the caches does not count */
        struct pail_error ignored = {0}; /* the next run fails alike */
        launch.flags = flags;
        if (evaluate(run, &result, &launch, &ignored) == PAIL_OK)
            backend->adstack_release(result);
        launch.flags |= PAIL_LAUNCH_EXPLAIN;
        result = NULL;
    }
    backend->adstack_reset_stats(context);
    const double begin_ms = pail_now_ms();
    answer->asked = true;
    answer->error.status = blame_file(evaluate(run, &result, &launch, &answer->error));
    answer->first_ms = pail_now_ms() - begin_ms;
    backend->adstack_stats(context, &answer->stats);
    if (answer->error.status != PAIL_OK) {
        if (answer->error.status == PAIL_ERR_STOPPED) /* the other ways are as long */
            return pail_fail(error, answer->error.status, "%s: %s: %s", made->path,
                             pail_sizing_way_names[way], answer->error.sentence);
        return PAIL_OK;
    }
    const pail_status status = read_result(answer, made, backend, result);
    if (status != PAIL_OK)
        (void)pail_fail(error, status, "%s: %s", made->path,
                        status == PAIL_ERR_HOST_MEMORY ? "no memory for the result"
                                                       : backend->error(context));
    backend->adstack_release(result);
    return status;
}

/* All ways in turn, each other round backwards. */
static pail_status measure(struct pail_sizing_run *run, pail_adstack_kernel kernel,
                           const struct pail_sizing_options *options, struct pail_error *error)
{
    const pail_backend *const backend = run->session->backend;
    for (uint32_t i = 0; i < run->runs; i++) {
        for (int k = 0; k < PAIL_WAYS; k++) {
            const int way = i % 2 == 0 ? k : PAIL_WAYS - 1 - k;
            struct pail_sizing_answer *const answer = &run->answers[way];
            if (!answer->asked || answer->error.status != PAIL_OK)
                continue;
            pail_launch launch =
                launch_of(run, kernel, flags_of((enum pail_sizing_way)way, options));
            pail_adstack_result *result = NULL;
            pail_adstack_stats stats = {.struct_size = sizeof(stats)};
            backend->adstack_reset_stats(run->session->context);
            const double begin_ms = pail_now_ms();
            struct pail_error told = {0};
            const pail_status status = evaluate(run, &result, &launch, &told);
            answer->ms[i] = pail_now_ms() - begin_ms;
            backend->adstack_stats(run->session->context, &stats);
            answer->device_ms[i] = (double)stats.device_ns / 1e6;
            if (status != PAIL_OK)
                return pail_fail(error, status, "%s: run %" PRIu32 " (%s): %s", run->made->path, i,
                                 pail_sizing_way_names[way], told.sentence);
            backend->adstack_release(result);
        }
    }
    return PAIL_OK;
}

/* ---- Comparison ----------------------------------------------------------------------------- */
static void compare_tasks(struct pail_sizing_run *run, enum pail_sizing_way way)
{
    const struct pail_sizing_answer *const a = &run->answers[run->first];
    const struct pail_sizing_answer *const b = &run->answers[way];
    const char *const names[] = {pail_sizing_way_names[run->first], pail_sizing_way_names[way]};
    for (size_t t = 0; t < run->made->kernel.n_tasks; t++) {
        const size_t first = (size_t)run->made->first_stack[t];
        const size_t last = (size_t)run->made->first_stack[t + 1];
        for (size_t s = first; s < last; s++) {
            const pail_stack_size *const x = &a->stacks[s], *const y = &b->stacks[s];
            if (x->raw == y->raw && x->capacity == y->capacity && x->offset == y->offset)
                continue;
            (void)snprintf(run->difference, sizeof(run->difference),
                           "task %zu, stack %zu: %s has raw %" PRId64 ", capacity %" PRIu64
                           ", offset %" PRIu64 ", and %s %" PRId64 ", %" PRIu64 ", %" PRIu64,
                           t, s - first, names[0], x->raw, x->capacity, x->offset, names[1], y->raw,
                           y->capacity, y->offset);
            return;
        }
        const pail_task_size *const x = &a->tasks[t], *const y = &b->tasks[t];
        const size_t words = pail_sizing_words_of(run->made, t);
        if (x->stride_float != y->stride_float || x->stride_int != y->stride_int ||
            x->heap_float != y->heap_float || x->heap_int != y->heap_int || x->id != y->id ||
            a->words_status[t] != b->words_status[t] ||
            memcmp(a->words + words, b->words + words, (3 + 2 * (last - first)) * 4) != 0) {
            (void)snprintf(run->difference, sizeof(run->difference),
                           "task %zu: %s and %s differ in strides, heaps or metadata, though all "
                           "stacks are equal",
                           t, names[0], names[1]);
            return;
        }
    }
}

static void compare(struct pail_sizing_run *run)
{
    const struct pail_sizing_answer *const a = &run->answers[run->first];
    for (int way = (int)run->first + 1; way < PAIL_WAYS && run->difference[0] == '\0'; way++) {
        const struct pail_sizing_answer *const b = &run->answers[way];
        if (!b->asked)
            continue;
        if (a->error.status == b->error.status &&
            strcmp(a->error.sentence, b->error.sentence) == 0) {
            if (a->error.status == PAIL_OK)
                compare_tasks(run, (enum pail_sizing_way)way);
            continue;
        }
        /* A way that is not available leaves nothing to compare. */
        if (a->error.status == PAIL_ERR_UNSUPPORTED || b->error.status == PAIL_ERR_UNSUPPORTED ||
            PAIL_STATUS_KIND(a->error.status) == PAIL_KIND_WORLD ||
            PAIL_STATUS_KIND(b->error.status) == PAIL_KIND_WORLD)
            continue;
        (void)snprintf(run->difference, sizeof(run->difference),
                       "%s says \"%.500s\", and %s \"%.500s\"", pail_sizing_way_names[run->first],
                       a->error.status == PAIL_OK ? "done" : a->error.sentence,
                       pail_sizing_way_names[way],
                       b->error.status == PAIL_OK ? "done" : b->error.sentence);
    }
    for (size_t t = 0; a->error.status == PAIL_OK && t < run->made->kernel.n_tasks; t++) {
        for (uint64_t s = run->made->first_stack[t]; s < run->made->first_stack[t + 1]; s++) {
            const struct pail_sizing_expectation *const expected = &run->made->expected[s];
            if (!expected->given || expected->raw == a->stacks[s].raw || run->difference[0] != '\0')
                continue;
            (void)snprintf(run->difference, sizeof(run->difference),
                           "tasks[%zu].stacks[%" PRIu64 "] is %" PRId64 ", and %" PRId64
                           " was expected",
                           t, s - run->made->first_stack[t], a->stacks[s].raw, expected->raw);
        }
    }
}

pail_status pail_sizing_evaluate(struct pail_sizing_run *run, struct pail_sizing_case *made,
                                 const struct pail_session *session,
                                 const struct pail_sizing_options *options,
                                 struct pail_error *error)
{
    const pail_backend *const backend = session->backend;
    *run = (struct pail_sizing_run){
        .made = made, .session = session, .options = options, .runs = options->runs};
    run->ids = pail_sizing_alloc(made, made->kernel.n_tasks, sizeof(*run->ids));
    for (int way = 0; way < PAIL_WAYS; way++) {
        struct pail_sizing_answer *const answer = &run->answers[way];
        answer->ms = pail_sizing_alloc(made, run->runs, sizeof(*answer->ms));
        answer->device_ms = pail_sizing_alloc(made, run->runs, sizeof(*answer->device_ms));
        if (run->ids == NULL || answer->ms == NULL || answer->device_ms == NULL)
            return pail_fail(error, PAIL_ERR_HOST_MEMORY, "no memory for the times");
    }
    pail_adstack_kernel kernel = 0;
    pail_status status =
        backend->adstack_register(session->context, &kernel, run->ids, &made->kernel);
    if (status != PAIL_OK)
        return pail_fail(error, blame_file(status), "%s: %s", made->path,
                         backend->error(session->context));
    run->begin_ms = pail_now_ms();
    run->first = options->device_only ? PAIL_WAY_DEVICE : PAIL_WAY_HOST;
    for (int way = 0; way < PAIL_WAYS && status == PAIL_OK; way++) {
        const bool left_out = (options->host_only && way != PAIL_WAY_HOST) ||
                              (options->device_only && way != PAIL_WAY_DEVICE);
        if (!left_out)
            status = ask(run, made, (enum pail_sizing_way)way, kernel,
                         flags_of((enum pail_sizing_way)way, options), error);
    }
    if (status == PAIL_OK)
        status = measure(run, kernel, options, error);
    if (status == PAIL_OK)
        compare(run);
    (void)backend->adstack_unregister(session->context, kernel);
    return status;
}
