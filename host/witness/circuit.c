/* SPDX-License-Identifier: Apache-2.0 */
/* Circuits: files, limits, and a thread for each run of the engine. */
#include <pail/circuit.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "caller.h"
#include "engine.h"
#include "loader/transport.h"
#include "wasm.h"
#include <formats/report.h>
#include <platform/clock.h>
#include <platform/memory.h>
#include <platform/thread.h>

enum { VALUE_BYTES = 32, SMALL_BYTES = 64 << 20, LOOK_NS = 10000000 };

struct pail_circuit {
    char *name;
    uint8_t *wasm; /* [n_wasm] */
    size_t n_wasm;
    bool quick;
    void *file; /* from dlopen */
    const pail_engine *engine;
    pthread_mutex_t mutex; /* guards what follows */
    pthread_cond_t changed;
    bool compiling; /* a run is */
    void *module;   /* compiled; NULL: not yet */
};

/* ---- Opening --------------------------------------------------------------------------------- */

static bool take_engine(const void **table, void *symbol, char **reason)
{
    pail_engine_open_fn open;
    const pail_engine *engine = NULL;
    memcpy(&open, &symbol, sizeof(open));
    if (open(PAIL_ENGINE_ABI, &engine) != PAIL_OK || !engine ||
        engine->struct_size != sizeof(*engine)) {
        *reason = strdup("is of another release of Pail");
        return false;
    }
    *table = engine;
    return true;
}

static const struct pail_module_kind engine_kind = {
    .name = PAIL_ENGINE_NAME,
    .symbol = PAIL_ENGINE_SYMBOL,
    .take = take_engine,
    .use = "which runs circuits",
    .needs = "SpiderMonkey (Debian: libmozjs-102-dev)",
};

static pail_status open_engine(struct pail_circuit *circuit, char *error, size_t capacity)
{
    const void *table = NULL;
    const pail_status status =
        pail_module_load(&circuit->file, &table, &engine_kind, NULL, error, capacity);
    circuit->engine = table;
    return status;
}

static pail_status read_wasm(struct pail_circuit *circuit, const pail_circuit_params *params,
                             char *error, size_t capacity)
{
    const uint64_t limit = params->memory_limit != 0 ? params->memory_limit : (uint64_t)4 << 30;
    uint64_t memory = 0;
    struct pail_bytes read = {.data = params->bytes, .size = params->n_bytes};
    pail_status status = PAIL_OK;
    if (params->path)
        status = pail_file_load_whole(&read, params->path, error, capacity);
    if (status == PAIL_OK)
        status = pail_wasm_limit(&circuit->wasm, &circuit->n_wasm, circuit->name, &read, limit,
                                 &memory, error, capacity);
    circuit->quick = (params->flags & PAIL_CIRCUIT_ONCE) != 0 && memory <= SMALL_BYTES;
    if (params->path)
        pail_bytes_free(&read, false);
    return status;
}

static pail_status check_params(const pail_circuit_params *params, char *error, size_t capacity)
{
    if ((params->flags & ~(uint32_t)PAIL_CIRCUIT_ONCE) != 0)
        return pail_report(error, capacity, PAIL_ERR_ARGUMENT, "params: there are no flags 0x%x",
                           params->flags);
    if (!params->path == !params->bytes)
        return pail_report(error, capacity, PAIL_ERR_ARGUMENT,
                           "params: a circuit is either a path or bytes");
    return PAIL_OK;
}

static struct pail_circuit *make_circuit(const char *name)
{
    struct pail_circuit *const made = calloc(1, sizeof(*made));
    if (!made)
        return NULL;
    made->name = strdup(name);
    if (made->name && pthread_mutex_init(&made->mutex, NULL) == 0) {
        if (pail_clock_cond_init(&made->changed) == 0)
            return made;
        (void)pthread_mutex_destroy(&made->mutex);
    }
    free(made->name);
    free(made);
    return NULL;
}

pail_status pail_circuit_open(pail_circuit **circuit, const pail_circuit_params *theirs,
                              char *error, size_t capacity)
{
    pail_circuit_params params;
    pail_clear_error(error, capacity);
    if (!circuit)
        return pail_report(error, capacity, PAIL_ERR_ARGUMENT, "circuit is NULL");
    *circuit = NULL;
    pail_status status = pail_take(&params, sizeof(params), theirs, "params", error, capacity);
    if (status == PAIL_OK)
        status = pail_check_process(error, capacity);
    if (status == PAIL_OK)
        status = check_params(&params, error, capacity);
    if (status != PAIL_OK)
        return status;
    const char *const name = params.name ? params.name : params.path ? params.path : "the circuit";
    struct pail_circuit *made = make_circuit(name);
    if (!made)
        return pail_report(error, capacity, PAIL_ERR_HOST_MEMORY, "%s: no memory for a circuit",
                           name);
    status = read_wasm(made, &params, error, capacity);
    if (status == PAIL_OK)
        status = open_engine(made, error, capacity);
    if (status == PAIL_OK)
        *circuit = made;
    else
        pail_circuit_close(&made);
    return status;
}

void pail_circuit_close(pail_circuit **circuit)
{
    struct pail_circuit *const closed = circuit ? *circuit : NULL;
    if (!closed)
        return;
    *circuit = NULL;
    if (closed->engine)
        closed->engine->release(closed->module);
    pail_module_unload(&closed->file);
    (void)pthread_cond_destroy(&closed->changed);
    (void)pthread_mutex_destroy(&closed->mutex);
    free(closed->wasm);
    free(closed->name);
    free(closed);
}

/* ---- Running --------------------------------------------------------------------------------- */

struct run {
    struct pail_engine_job job; /* the first member: its functions get its address */
    struct pail_circuit *circuit;
    const uint32_t *cancel; /* NULL: none */
    uint64_t limit_ms, until_ns;
    bool cancelled, late;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    void *running; /* run of the engine, which can be interrupted; NULL: none */
    bool ended;
    pail_status status;
};

/* True once the run is cancelled, or its time is over. */
static bool must_stop(struct run *run)
{
    run->cancelled |= run->cancel && __atomic_load_n(run->cancel, __ATOMIC_RELAXED) != 0;
    run->late |= pail_clock_ns() >= run->until_ns;
    return run->cancelled || run->late;
}

/* Waits until something may have changed. */
static void await_change(const struct run *run, pthread_cond_t *changed, pthread_mutex_t *mutex)
{
    const bool looks = run->cancel || run->late;
    (void)pail_clock_cond_wait(changed, mutex, looks ? pail_clock_until(LOOK_NS) : run->until_ns);
}

/* module: NULL: none could be compiled. */
static void note_compiled(struct pail_engine_job *job, void *module)
{
    struct pail_circuit *const circuit = ((struct run *)job)->circuit;
    pthread_mutex_lock(&circuit->mutex);
    if (module)
        circuit->module = module;
    circuit->compiling = false;
    pthread_cond_broadcast(&circuit->changed);
    pthread_mutex_unlock(&circuit->mutex);
}

static void note_running(struct pail_engine_job *job, void *running)
{
    struct run *const run = (struct run *)job;
    pthread_mutex_lock(&run->mutex);
    run->running = running;
    pthread_cond_signal(&run->changed);
    pthread_mutex_unlock(&run->mutex);
}

static void *calculate(void *argument)
{
    struct run *const run = argument;
    const pail_status status = run->circuit->engine->calculate(&run->job);
    pail_wipe_stack();
    pthread_mutex_lock(&run->mutex);
    run->status = status;
    run->ended = true;
    pthread_cond_signal(&run->changed);
    pthread_mutex_unlock(&run->mutex);
    return NULL;
}

/* Interrupts the run when it must stop, and again: between two runs of code that can be
 * interrupted, an interrupt may be missed. */
static void await(struct run *run)
{
    pthread_mutex_lock(&run->mutex);
    while (!run->ended) {
        if (must_stop(run) && run->running)
            run->circuit->engine->interrupt(run->running);
        await_change(run, &run->changed, &run->mutex);
    }
    pthread_mutex_unlock(&run->mutex);
}

/* Returns an error of the system, or 0 with run->status. */
static int run_in_thread(struct run *run)
{
    pthread_t thread;
    int failed = pthread_mutex_init(&run->mutex, NULL);
    if (failed != 0)
        return failed;
    failed = pail_clock_cond_init(&run->changed);
    if (failed == 0) {
        failed = pail_thread_start(&thread, "pail-circuit", PAIL_STACK_FOREIGN, calculate, run);
        if (failed == 0) {
            await(run);
            (void)pthread_join(thread, NULL);
        }
        (void)pthread_cond_destroy(&run->changed);
    }
    (void)pthread_mutex_destroy(&run->mutex);
    return failed;
}

static pail_status check_signals(size_t *n_values, const pail_circuit_signal *signals,
                                 size_t n_signals, char *error, size_t capacity)
{
    *n_values = 0;
    if (!signals && n_signals > 0)
        return pail_report(error, capacity, PAIL_ERR_ARGUMENT, "signals is NULL");
    for (size_t i = 0; i < n_signals; i++) {
        if (!signals[i].name || (!signals[i].values && signals[i].n > 0))
            return pail_report(error, capacity, PAIL_ERR_ARGUMENT,
                               "signals[%zu]: the name or the values are missing", i);
        for (size_t j = 0; j < i; j++)
            if (strcmp(signals[i].name, signals[j].name) == 0)
                return pail_report(error, capacity, PAIL_ERR_DATA,
                                   "the input signal \"%s\" is given twice", signals[i].name);
        if (signals[i].n > UINT32_MAX / VALUE_BYTES - *n_values)
            return pail_report(error, capacity, PAIL_ERR_ARGUMENT,
                               "signals[%zu]: more values than a circuit can have", i);
        *n_values += signals[i].n;
    }
    return PAIL_OK;
}

/* All values behind each other, for the engine. */
static uint8_t *join_values(const pail_circuit_signal *signals, size_t n_signals, size_t n_values)
{
    uint8_t *const values = malloc(n_values * VALUE_BYTES + 1), *to = values;
    for (size_t i = 0; values && i < n_signals; i++) {
        if (signals[i].n > 0)
            memcpy(to, signals[i].values, signals[i].n * VALUE_BYTES);
        to += signals[i].n * VALUE_BYTES;
    }
    return values;
}

/* The first run compiles, and others wait for that. False: this one must stop. */
static bool begin(struct run *run)
{
    struct pail_circuit *const circuit = run->circuit;
    pthread_mutex_lock(&circuit->mutex);
    bool stops = must_stop(run);
    while (!stops && circuit->compiling) {
        await_change(run, &circuit->changed, &circuit->mutex);
        stops = must_stop(run);
    }
    run->job.module = circuit->module;
    if (!stops)
        circuit->compiling = !circuit->module;
    pthread_mutex_unlock(&circuit->mutex);
    return !stops;
}

static pail_status run_circuit(struct run *run, char *error, size_t capacity)
{
    const char *const name = run->circuit->name;
    int failed = 0;
    run->status = PAIL_ERR_STOPPED;
    if (begin(run)) {
        failed = run_in_thread(run);
        if (!run->job.module)
            note_compiled(&run->job, NULL);
    }
    if (failed != 0)
        return pail_report(error, capacity, PAIL_ERR_HOST_MEMORY,
                           "%s: no thread can be started: %s", name, strerror(failed));
    if (run->status == PAIL_ERR_STOPPED && run->cancelled)
        return pail_report(error, capacity, PAIL_ERR_STOPPED, "%s: was cancelled", name);
    if (run->status == PAIL_ERR_STOPPED && run->late)
        return pail_report(error, capacity, PAIL_ERR_STOPPED, "%s: has not ended within %llu ms",
                           name, (unsigned long long)run->limit_ms);
    return run->status == PAIL_OK
               ? PAIL_OK
               : pail_report(error, capacity, run->status, "%s: %s", name, run->job.error);
}

pail_status pail_circuit_witness(pail_circuit *circuit, void **wtns, size_t *bytes,
                                 const pail_circuit_signal *signals, size_t n_signals,
                                 const pail_circuit_options *theirs, char *error, size_t capacity)
{
    pail_circuit_options options;
    size_t n_values;
    pail_clear_error(error, capacity);
    if (wtns)
        *wtns = NULL;
    if (bytes)
        *bytes = 0;
    if (!circuit || !wtns || !bytes)
        return pail_report(error, capacity, PAIL_ERR_ARGUMENT, "circuit, wtns or bytes is NULL");
    pail_status status = pail_take(&options, sizeof(options), theirs, "options", error, capacity);
    if (status == PAIL_OK)
        status = pail_check_process(error, capacity);
    if (status == PAIL_OK && options.flags != 0)
        status = pail_report(error, capacity, PAIL_ERR_ARGUMENT, "options: there are no flags 0x%x",
                             options.flags);
    if (status == PAIL_OK)
        status = check_signals(&n_values, signals, n_signals, error, capacity);
    if (status != PAIL_OK)
        return status;
    uint8_t *const values = join_values(signals, n_signals, n_values);
    if (!values)
        return pail_report(error, capacity, PAIL_ERR_HOST_MEMORY, "%s: no memory for %zu values",
                           circuit->name, n_values);
    const uint64_t limit_ms = options.time_limit_ms;
    struct run run = {.circuit = circuit,
                      .cancel = options.cancel,
                      .limit_ms = limit_ms,
                      .until_ns = limit_ms == 0 || limit_ms > UINT64_MAX / 1000000
                                      ? UINT64_MAX
                                      : pail_clock_until(limit_ms * 1000000),
                      .job = {.wasm = circuit->wasm,
                              .n_wasm = circuit->n_wasm,
                              .quick = circuit->quick,
                              .signals = signals,
                              .n_signals = n_signals,
                              .n_values = n_values,
                              .values = values,
                              .log = options.log,
                              .user = options.user,
                              .begun = note_running,
                              .compiled = note_compiled}};
    status = run_circuit(&run, error, capacity);
    pail_wipe(values, n_values * VALUE_BYTES);
    free(values);
    if (status == PAIL_OK) {
        *wtns = run.job.wtns;
        *bytes = run.job.bytes;
    } else {
        pail_circuit_free(run.job.wtns, run.job.bytes);
    }
    return status;
}

void pail_circuit_free(void *wtns, size_t bytes)
{
    if (wtns)
        pail_wipe(wtns, bytes);
    free(wtns);
}
