/* SPDX-License-Identifier: Apache-2.0 */
/* `pail adstack eval`: sizes of a case, computed in several ways and compared. */
#include "eval.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <curves/registry_id.h>
#include <platform/clock.h>
#include <platform/process.h>
#include <platform/text.h>

#include "case.h"
#include "commands.h"
#include "error/error.h"
#include "options/table.h"
#include "output/json.h"
#include "output/progress.h"
#include "process/process.h"
#include "process/session.h"

/* ---- Evaluating ------------------------------------------------------------------------------ */

const char *const pail_sizing_way_names[PAIL_WAYS] = {
    [PAIL_WAY_HOST] = "host",
    [PAIL_WAY_DEVICE] = "device",
    [PAIL_WAY_AUTO] = "auto",
    [PAIL_WAY_CACHED] = "cached",
};

/* Numbers of claims in metadata. */
enum { CLAIM_NUMBERS = 5 };

bool pail_sizing_has_claims(const pail_task_desc *task)
{
    for (size_t i = 0; i < task->n_stacks; i++)
        if (task->stacks[i].heap == PAIL_HEAP_FLOAT_CLAIMS ||
            task->stacks[i].heap == PAIL_HEAP_INT_CLAIMS)
            return true;
    return false;
}

size_t pail_sizing_n_words(const pail_task_desc *task)
{
    const bool wide = (task->flags & PAIL_TASK_WIDE_METADATA) != 0;
    const size_t claims = pail_sizing_has_claims(task) ? CLAIM_NUMBERS : 0;
    size_t n = task->n_stacks;
    while (n > 0 && task->stacks[n - 1].heap >= PAIL_HEAP_ROWS)
        n--;
    return wide ? 2 * (2 + 2 * n + claims) : 3 + 2 * n + claims;
}

size_t pail_sizing_words_of(const struct pail_sizing_case *made, size_t task)
{
    return 2 * (2 + CLAIM_NUMBERS) * task + 4 * (size_t)made->first_stack[task];
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
static pail_status eval_evaluate(const struct pail_sizing_run *run, pail_adstack_result **result,
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
    if (!answer->plan)
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
    if (!answer->tasks || !answer->stacks || !answer->words || !answer->words_status)
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
        size_t n_words = pail_sizing_n_words(&made->kernel.tasks[t]);
        answer->words_status[t] = backend->adstack_metadata(
            result, answer->words + pail_sizing_words_of(made, t), &n_words, t);
    }
    return status == PAIL_OK ? read_plan(answer, made, backend, result) : status;
}

/* The first evaluation in a way, with its plan. Only what has nothing to do with the trees fails.
 */
static pail_status evaluate_way(struct pail_sizing_run *run, struct pail_sizing_case *made,
                                enum pail_sizing_way way, pail_adstack_kernel kernel,
                                uint32_t flags, struct pail_error *error)
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
        if (eval_evaluate(run, &result, &launch, &ignored) == PAIL_OK)
            backend->adstack_release(result);
        launch.flags |= PAIL_LAUNCH_EXPLAIN;
        result = NULL;
    }
    backend->adstack_reset_stats(context);
    const double begin_ms = pail_now_ms();
    answer->asked = true;
    answer->error.status = blame_file(eval_evaluate(run, &result, &launch, &answer->error));
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
            const pail_status status = eval_evaluate(run, &result, &launch, &told);
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
            x->layout != y->layout || a->words_status[t] != b->words_status[t] ||
            memcmp(a->words + words, b->words + words,
                   pail_sizing_n_words(&run->made->kernel.tasks[t]) * sizeof(*a->words)) != 0) {
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

/* Registers the kernel, evaluates and compares. What an evaluation fails of is in its answer.
 * Memory is the case's. One that was stopped by a limit, or by the flag, ends all of it. */
static pail_status sizing_evaluate(struct pail_sizing_run *run, struct pail_sizing_case *made,
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
        if (!run->ids || !answer->ms || !answer->device_ms)
            return pail_fail(error, PAIL_ERR_HOST_MEMORY, "no memory for the times");
    }
    pail_adstack_kernel kernel = 0;
    pail_status status =
        backend->adstack_register(session->context, &kernel, run->ids, &made->kernel);
    if (status != PAIL_OK)
        return pail_fail(error, blame_file(status), "%s: %s", made->path,
                         backend->error(session->context));
    /* Without a device the backend has no device addresses either. */
    const bool has_device = pail_backend_can(backend, PAIL_ABILITY_MEMORY);
    run->begin_ms = pail_now_ms();
    run->first = options->device_only ? PAIL_WAY_DEVICE : PAIL_WAY_HOST;
    for (int way = 0; way < PAIL_WAYS && status == PAIL_OK; way++) {
        const bool left_out = (options->host_only && way != PAIL_WAY_HOST) ||
                              (options->device_only && way != PAIL_WAY_DEVICE) ||
                              (way == PAIL_WAY_DEVICE && !has_device);
        if (!left_out)
            status = evaluate_way(run, made, (enum pail_sizing_way)way, kernel,
                                  flags_of((enum pail_sizing_way)way, options), error);
    }
    if (status == PAIL_OK)
        status = measure(run, kernel, options, error);
    if (status == PAIL_OK)
        compare(run);
    (void)backend->adstack_unregister(session->context, kernel);
    return status;
}

/* ---- The commands ---------------------------------------------------------------------------- */

struct id_options {
    bool json;
};

static const struct pail_option id_rows[] = {
    {.argument = "NAME", .kind = PAIL_OPTION_WORDS, .help = "name of the kernel: any text"},
    {.argument = "TASK",
     .kind = PAIL_OPTION_WORDS,
     .help = "a whole number of 32 bits, which may be negative"},
    {PAIL_FLAG(struct id_options, json, "json", "print one JSON object")},
};

/* A decimal number of 32 bits. */
static bool read_task(int32_t *task, const char *text)
{
    const char *const digits = text + (text[0] == '-');
    if (digits[0] == '\0' || strspn(digits, "0123456789") != strlen(digits))
        return false;
    errno = 0;
    const long long number = strtoll(text, NULL, 10);
    *task = (int32_t)number;
    return errno == 0 && number >= INT32_MIN && number <= INT32_MAX;
}

static void run_id(struct pail_error *error, void *given, const struct pail_call *call)
{
    const struct id_options *const options = given;
    int32_t task;
    if (call->n != 2) {
        (void)pail_fail(error, PAIL_ERR_ARGUMENT,
                        "a name and the number of a task are needed; see pail adstack id --help");
        return;
    }
    if (!read_task(&task, call->words[1])) {
        (void)pail_fail(error, PAIL_ERR_ARGUMENT,
                        "invalid value \"%s\" of TASK, expected a whole number from %" PRId32
                        " to %" PRId32,
                        call->words[1], INT32_MIN, INT32_MAX);
        return;
    }
    const char *const name = call->words[0];
    const uint32_t id = pail_registry_id(name, strlen(name), (uint32_t)task);
    if (!options->json) {
        (void)pail_print(stdout, "%08" PRIx32 "\n", id);
        return;
    }
    struct pail_json object;
    pail_json_begin(&object);
    pail_json_set_text(&object, "name", name);
    pail_json_set(&object, "task", json_integer(task));
    pail_json_set(&object, "id", json_sprintf("%08" PRIx32, id));
    pail_json_set_number(&object, "number", id);
    (void)pail_json_print(stdout, &object, error);
}

const struct pail_command pail_adstack_id_command = {
    .name = "adstack id",
    .summary = "print the registry id of a kernel's task",
    .usage = "NAME TASK [--json]",
    .text = "Prints the registry id of a kernel's task, 8 hexadecimal digits: generated code "
            "reports overflows of history stacks with it (adstack.md in share/doc/pail). No device "
            "is needed. "
            "If another kernel has registered the id before, the next free one is used.",
    .examples = "adstack id relax_kernel 0",
    .parts = {{PAIL_PART(id_rows)}},
    .any_words = true,
    .size = sizeof(struct id_options),
    .run = run_id,
};

/* ---- eval ---------------------------------------------------------------------------------- */

/* Completes options that were read. Returns PAIL_OK or PAIL_ERR_ARGUMENT with a sentence. */
static pail_status sizing_options_check(struct pail_sizing_options *options,
                                        const struct pail_call *call, struct pail_error *error)
{
    const char *wrong = NULL;
    if (call->n != 1)
        wrong = call->n > 1 ? "more than one file is given" : "no file is given";
    else if (options->host_only && options->device_only)
        wrong = "--host-only and --device-only exclude each other";
    else if (options->interpret && options->specialise)
        wrong = "--interpret and --specialise exclude each other";
    else if (options->host_only && (options->interpret || options->specialise))
        wrong = "--interpret and --specialise are about the device, which --host-only leaves out";
    if (wrong)
        return pail_fail(error, PAIL_ERR_ARGUMENT, "%s; see pail adstack eval --help", wrong);
    options->file = call->words[0];
    if (options->device_only || options->interpret || options->specialise)
        options->session.needs |= PAIL_ABILITY_MEMORY; /* a backend with a device of its own */
    return PAIL_OK;
}

/* Settles the command's error by the answers of the ways. */
static void conclude(const struct pail_sizing_run *run, struct pail_error *error)
{
    const char *const path = run->made->path;
    if (run->difference[0] != '\0')
        pail_differs(error, "%s: %s", path, run->difference);
    for (int way = 0; way < PAIL_WAYS && pail_exit_of(error) == PAIL_EXIT_OK; way++) {
        const struct pail_error *const one = &run->answers[way].error;
        if (run->answers[way].asked && one->status != PAIL_OK)
            (void)pail_fail(error, one->status, "%s: %s: %s", path, pail_sizing_way_names[way],
                            one->sentence);
    }
}

static pail_status evaluate(struct pail_sizing_run *run, struct pail_sizing_case *made,
                            struct pail_session *session, const pail_registry *registry,
                            const struct pail_sizing_options *options, struct pail_error *error)
{
    pail_status status = pail_session_open(session, registry, &options->session, error);
    if (status == PAIL_OK)
        status = sizing_evaluate(run, made, session, options, error);
    if (status == PAIL_OK && options->json)
        return pail_sizing_print_json(stdout, run, error);
    if (status == PAIL_OK)
        pail_sizing_print(stdout, run);
    return status;
}

/* The run of `pail adstack eval`. */
static void sizing_run_eval(struct pail_error *error, void *given, const struct pail_call *call)
{
    struct pail_sizing_options *const options = given;
    struct pail_sizing_case made = {0};
    struct pail_sizing_run run = {0};
    struct pail_session session = {0};
    pail_registry *registry = NULL;
    const pail_host host = pail_log_host();
    const pail_registry_params params = {
        .struct_size = sizeof(params), .host = &host, .backend = options->session.backend};
    pail_status status = sizing_options_check(options, call, error);
    if (status == PAIL_OK)
        status = pail_sizing_case_read(&made, options->file, error);
    if (status == PAIL_OK && options->nodes) {
        (void)pail_sizing_print_nodes(stdout, &made, error);
    } else if (status == PAIL_OK) {
        status = pail_told(error, pail_registry_create(&registry, &params, PAIL_SENTENCE(error)));
        options->cancel = pail_interrupt_watch();
        if (status == PAIL_OK &&
            evaluate(&run, &made, &session, registry, options, error) == PAIL_OK)
            conclude(&run, error);
    }
    pail_session_close(&session);
    pail_registry_destroy(&registry);
    pail_sizing_case_free(&made);
    if (options->cancel && __atomic_load_n(options->cancel, __ATOMIC_RELAXED) != 0)
        pail_error_say(error); /* nobody comes to it once the signal ends the process */
    pail_interrupt_leave();
}

/* ---- Options of eval ------------------------------------------------------------------------- */

/* The limit of all evaluations together: far longer than a launch can wait for its stack sizes. */
#define DEFAULT_MAX_MS 10000u

#define OF struct pail_sizing_options
static const struct pail_option rows[] = {
    {.argument = "FILE",
     .kind = PAIL_OPTION_WORDS,
     .file = true,
     .help = "trees and arrays in JSON"},
    {PAIL_FLAG(OF, host_only, "host-only", "the host alone")},
    {PAIL_FLAG(OF, device_only, "device-only", "the device alone")},
    {PAIL_FLAG(OF, interpret, "interpret", "on the device with the interpreter")},
    {PAIL_FLAG(OF, specialise, "specialise",
               "on the device with kernels that are compiled for the trees")},
    {PAIL_U32(OF, runs, "runs", "N", "evaluate N times in each way, alternating, for the times"),
     .min = 1, .max = 1000000},
    {PAIL_U64(OF, max_cells, "max-cells", "N",
              "end an evaluation that takes more cells than this; by default any number")},
    {PAIL_U32(OF, max_ms, "max-ms", "N",
              "end when all evaluations together take longer than this; 0: any time")},
    {PAIL_FLAG(OF, nodes, "nodes",
               "print the trees as the nodes that a compiler registers, and evaluate nothing; "
               "needs no backend")},
    {PAIL_TEXT(OF, session.backend, "backend", "NAME",
               "use this backend; by default the best one that sizes stacks")},
    {PAIL_TEXT(OF, session.device, "device", "D", PAIL_HELP_DEVICE)},
    {PAIL_FILE(OF, session.cache_dir, "cache-dir", "DIR", "folder of the pipeline cache"),
     .not_empty = true},
    {PAIL_FLAG(OF, json, "json", "print one JSON object")},
};
#undef OF

const struct pail_command pail_adstack_eval_command = {
    .name = "adstack eval",
    .summary = "evaluate size expressions of history stacks from a file",
    .usage = "FILE [OPTIONS]",
    .text =
        "Evaluates the trees of a kernel's history stacks with the arrays of a JSON file "
        "(adstack-eval.md in share/doc/pail): on the host, on the device if the backend has one, "
        "by the backend's choice, and from its caches. Compares the results, also with those "
        "expected by the file.",
    .examples = "adstack eval launch.json\n"
                "adstack eval launch.json --host-only --json",
    .parts = {{PAIL_PART(rows)}},
    .tail =
        "Times are by the clock, from before the call until it has returned, in milliseconds; "
        "of software drivers they say nothing about a GPU. Status 1: results differ from each "
        "other, or from those expected by the file. Status 3: the file is wrong, or a tree cannot "
        "be computed. Status 5: among other things, an evaluation was ended by --max-cells or "
        "--max-ms. Ctrl-C ends an evaluation at once.",
    .size = sizeof(struct pail_sizing_options),
    .defaults = &(const struct pail_sizing_options){.runs = 5,
                                                    .max_ms = DEFAULT_MAX_MS,
                                                    .session = {.needs = PAIL_ABILITY_ADSTACK}},
    .run = sizing_run_eval,
};
