/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L

#include "load.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <pail/prover.h>

#include <platform/clock.h>
#include <platform/thread.h>

#include "output/files.h"

/* ---- The trace ------------------------------------------------------------------------------- */

enum { FIRST_SPANS = 1024 };

const struct pail_load_kind pail_load_kinds[PAIL_PROVER_SPAN_KINDS] = {
    [PAIL_PROVER_WAIT_PRODUCER] = {"wait for a producer", "wait"},
    [PAIL_PROVER_WAIT_HOST_MEMORY] = {"wait for host memory", "wait"},
    [PAIL_PROVER_PRODUCE] = {"produce", "producer"},
    [PAIL_PROVER_WAIT_SLOT] = {"wait for a slot", "wait"},
    [PAIL_PROVER_WAIT_DEVICE_MEMORY] = {"wait for device memory", "wait"},
    [PAIL_PROVER_LOAD] = {"load", "upload"},
    [PAIL_PROVER_UPLOAD] = {"upload", "upload"},
    [PAIL_PROVER_DEVICE] = {"device", "device"},
    [PAIL_PROVER_WAIT_FINISHER] = {"wait for a finisher", "wait"},
    [PAIL_PROVER_FINISH] = {"finish", "host"},
    [PAIL_PROVER_RELEASE] = {"release", "reclaim"},
};

/* A span listener for pail_prover_params; user: struct pail_load_trace. */
static void load_trace_add(void *user, const pail_prover_span *span)
{
    struct pail_load_trace *const trace = user;
    if (trace->n == trace->capacity) {
        const size_t capacity = trace->capacity == 0 ? FIRST_SPANS : 2 * trace->capacity;
        pail_prover_span *const spans = realloc(trace->spans, capacity * sizeof(*spans));
        if (!spans) {
            trace->failed = true;
            return;
        }
        trace->spans = spans;
        trace->capacity = capacity;
    }
    trace->spans[trace->n++] = *span;
}

static const char head[] = "{\"proof\":";
const struct pail_magic pail_load_trace_head = {.bytes = head, .n = sizeof(head) - 1};

void pail_load_trace_write(FILE *out, const void *what)
{
    const struct pail_load_trace *const trace = what;
    bool first = true;
    for (size_t i = 0; i < trace->n; i++) {
        const pail_prover_span *const span = &trace->spans[i];
        const struct pail_load_kind *const kind = &pail_load_kinds[span->kind];
        if (span->job < trace->first || span->begin_ns < trace->begin_ns)
            continue;
        (void)fprintf(out,
                      "%s%" PRIu64 ",\"lane\":\"%s\",\"begin_ns\":%" PRIu64 ",\"end_ns\":%" PRIu64
                      ",\"kind\":\"%s\",\"device_ns\":%" PRIu64 "}\n",
                      first ? "" : head, /* the first one is the file's */
                      span->job - trace->first, kind->lane, span->begin_ns - trace->begin_ns,
                      span->end_ns - trace->begin_ns, kind->name, span->device_ns);
        first = false;
    }
}

void pail_load_trace_clear(struct pail_load_trace *trace)
{
    free(trace->spans);
    *trace = (struct pail_load_trace){0};
}

/* ---- The load -------------------------------------------------------------------------------- */

enum { SCALAR_BYTES = 32, WARM_UPS = 8 };

const struct pail_load_knob_row pail_load_knobs[PAIL_LOAD_KNOBS] = {
    [PAIL_LOAD_JOBS] = {"jobs", 1024},
    [PAIL_LOAD_INFLIGHT] = {"inflight", 64},
    [PAIL_LOAD_PRODUCERS] = {"producers", 1024},
    [PAIL_LOAD_HOST_THREADS] = {"host-threads", 1024},
    [PAIL_LOAD_HOST_BUCKET_MB] = {"host-bucket-mb", 1 << 20},
    [PAIL_LOAD_MEM_BUDGET] = {"mem-budget", 1 << 30},
    [PAIL_LOAD_VRAM_BUDGET] = {"vram-budget", 1 << 30},
    [PAIL_LOAD_LEDGER] = {"ledger", 1},
    [PAIL_LOAD_RECLAIMER] = {"reclaimer", 1},
    [PAIL_LOAD_WHOLE_SLOTS] = {"whole-slots", 1},
    [PAIL_LOAD_ALL_THREADS] = {"all-threads", 1},
    [PAIL_LOAD_THROTTLE] = {"throttle", 1},
    [PAIL_LOAD_SHARE] = {"share", 16},
};

const char *const pail_load_metrics[PAIL_LOAD_METRICS] = {
    [PAIL_LOAD_PER_S] = "proofs_per_s",
    [PAIL_LOAD_MS] = "ms_per_proof",
    [PAIL_LOAD_AVERAGE] = "average_ms",
    [PAIL_LOAD_P50] = "p50_ms",
    [PAIL_LOAD_P95] = "p95_ms",
    [PAIL_LOAD_P99] = "p99_ms",
    [PAIL_LOAD_DEVICE_MS] = "device_ms",
    [PAIL_LOAD_SLOTS_PERCENT] = "slots_percent",
    [PAIL_LOAD_HELD_PERCENT] = "held_percent",
    [PAIL_LOAD_DEVICE_PERCENT] = "device_percent",
    [PAIL_LOAD_DEVICE_MIB] = "device_mib",
    [PAIL_LOAD_HOST_MIB] = "host_mib",
    [PAIL_LOAD_RESIDENT_MIB] = "resident_mib",
    [PAIL_LOAD_CPU_MS] = "cpu_ms",
};

struct run {
    const struct pail_load *load;
    pail_prover *prover;
    uint32_t key, n_devices;
    uint64_t count, warmed;     /* proofs; those before what is measured */
    atomic_uint_fast64_t next;  /* proof that nobody has begun */
    pail_groth16_proof *proofs; /* [count], as the rest */
    uint8_t *publics;
    size_t publics_bytes; /* of one proof */
    double *ms;
};

/* A client thread that requests proofs one at a time. */
struct client {
    pthread_t thread;
    struct run *run;
    struct pail_error error;
};

static pail_status prove(struct run *run, uint64_t i, struct pail_error *error)
{
    const pail_groth16_witness witness = {.struct_size = sizeof(witness),
                                          .path = run->load->witness};
    const pail_prover_request request = {
        .struct_size = sizeof(request), .key = run->key, .witness = &witness};
    pail_prover_job *job = NULL;
    const uint64_t begin_ns = pail_clock_ns();
    pail_status status =
        pail_told(error, pail_prover_submit(run->prover, &job, &request, PAIL_SENTENCE(error)));
    run->proofs[i].struct_size = sizeof(run->proofs[i]);
    if (status == PAIL_OK)
        status = pail_told(error, pail_prover_wait(run->prover, &job, UINT64_MAX, &run->proofs[i],
                                                   run->publics + i * run->publics_bytes, NULL,
                                                   PAIL_SENTENCE(error)));
    run->ms[i] = 1e-6 * (double)(pail_clock_ns() - begin_ns);
    return status;
}

static void *serve(void *argument)
{
    struct client *const client = argument;
    struct run *const run = client->run;
    uint64_t i;
    while (client->error.status == PAIL_OK && (i = atomic_fetch_add(&run->next, 1)) < run->count)
        (void)prove(run, i, &client->error);
    return NULL;
}

/* Proves `count` times, by `n` clients. */
static pail_status prove_all(struct run *run, uint64_t count, uint64_t n, struct pail_error *error)
{
    uint64_t started = 0;
    struct client *const clients = calloc(n, sizeof(*clients));
    if (!clients)
        return pail_fail(error, PAIL_ERR_HOST_MEMORY, "no memory for %" PRIu64 " jobs", n);
    run->count = count;
    atomic_store(&run->next, 0);
    while (started < n) {
        clients[started].run = run;
        if (pail_thread_start(&clients[started].thread, "pail-client", PAIL_STACK_FOREIGN, serve,
                              &clients[started]) != 0)
            break;
        started++;
    }
    if (started < n)
        atomic_store(&run->next, count);
    for (uint64_t i = 0; i < started; i++) {
        pthread_join(clients[i].thread, NULL);
        if (error->status == PAIL_OK && clients[i].error.status != PAIL_OK)
            *error = clients[i].error;
    }
    free(clients);
    if (error->status == PAIL_OK && started < n)
        return pail_fail(error, PAIL_ERR_HOST_MEMORY, "no threads for %" PRIu64 " jobs", n);
    return error->status;
}

static pail_status verify_all(const struct run *run, uint64_t count, struct pail_error *error)
{
    const pail_groth16_verifying_key *const key = &run->load->verifying->key;
    for (uint64_t i = 0; i < count; i++) {
        uint32_t valid = 0;
        if (pail_told(error, pail_groth16_verify(&valid, key, &run->proofs[i],
                                                 run->publics + i * run->publics_bytes,
                                                 key->n_public, PAIL_SENTENCE(error))) != PAIL_OK)
            return error->status;
        if (valid == 0) {
            pail_differs(error, "%s does not satisfy the circuit of %s: its proof is not valid",
                         run->load->witness, run->load->key.path);
            return PAIL_OK;
        }
    }
    return PAIL_OK;
}

/* Time of all processors that the process has had. */
static uint64_t processors_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* ---- The most that was resident ------------------------------------------------------------- */
/* Starts the peak of resident memory anew, where the system can; it otherwise counts from the
 * process's beginning. */
static void forget_resident(void)
{
    FILE *const file = fopen("/proc/self/clear_refs", "we");
    if (!file)
        return;
    (void)fputs("5", file);
    (void)fclose(file);
}

/* 0: unknown. */
static double resident_mib(void)
{
    char line[128];
    unsigned long kib = 0;
    FILE *const file = fopen("/proc/self/status", "re");
    if (!file)
        return 0;
    while (fgets(line, sizeof(line), file) && kib == 0)
        if (strncmp(line, "VmHWM:", 6) == 0)
            kib = strtoul(line + 6, NULL, 10);
    (void)fclose(file);
    return (double)kib / 1024;
}

/* ---- What is measured ----------------------------------------------------------------------- */
static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The least of the sorted times that so many of a hundred do not exceed (nearest rank). */
static double percentile(const double *sorted, uint64_t n, uint64_t percent)
{
    const uint64_t rank = (n * percent + 99) / 100;
    return sorted[rank == 0 ? 0 : rank - 1];
}

static void measure(double values[PAIL_LOAD_METRICS], struct run *run, double wall_ms,
                    const pail_prover_stats *before, const pail_prover_stats *after)
{
    const uint64_t n = run->load->count;
    const double count = (double)n, mib = 1 << 20;
    const double devices = (double)run->n_devices;
    const double slots = devices * (double)run->load->knobs[PAIL_LOAD_INFLIGHT];
    double sum = 0;
    for (uint64_t i = 0; i < n; i++)
        sum += run->ms[i];
    qsort(run->ms, n, sizeof(run->ms[0]), compare);
    values[PAIL_LOAD_PER_S] = 1e3 * count / wall_ms;
    values[PAIL_LOAD_MS] = wall_ms / count;
    values[PAIL_LOAD_AVERAGE] = sum / count;
    values[PAIL_LOAD_P50] = percentile(run->ms, n, 50);
    values[PAIL_LOAD_P95] = percentile(run->ms, n, 95);
    values[PAIL_LOAD_P99] = percentile(run->ms, n, 99);
    values[PAIL_LOAD_DEVICE_MS] = (after->device_ms - before->device_ms) / count;
    values[PAIL_LOAD_SLOTS_PERCENT] = 100 * (after->slot_ms - before->slot_ms) / (slots * wall_ms);
    values[PAIL_LOAD_HELD_PERCENT] = 100 * (after->busy_ms - before->busy_ms) / (devices * wall_ms);
    values[PAIL_LOAD_DEVICE_PERCENT] =
        100 * (after->device_ms - before->device_ms) / (devices * wall_ms);
    values[PAIL_LOAD_DEVICE_MIB] = (double)after->device_peak_bytes / mib;
    values[PAIL_LOAD_HOST_MIB] = (double)after->host_peak_bytes / mib;
    values[PAIL_LOAD_RESIDENT_MIB] = resident_mib();
}

/* ---- A run ---------------------------------------------------------------------------------- */
/* Proofs that have to wait at a time before a key is worth a copy on each device; 0: there is one.
 */
static uint64_t copies_from(const struct run *run)
{
    return run->n_devices > 1 ? 2 * run->load->knobs[PAIL_LOAD_INFLIGHT] * run->n_devices + 1 : 0;
}

/* The number of proofs to warm up with: as many at a time as there are slots, so that each has its
 * memory; with several devices more than the slots, so that the key is worth another copy. */
static uint64_t warm_proofs(const struct run *run)
{
    return run->n_devices > 1 ? copies_from(run) : run->load->knobs[PAIL_LOAD_INFLIGHT];
}

static pail_status make_prover(struct run *run, struct pail_error *error)
{
    const struct pail_load *const load = run->load;
    const uint64_t *const knobs = load->knobs;
    pail_prover_device devices[PAIL_SESSION_DEVICES_MAX];
    if (pail_session_members(devices, &run->n_devices, load->session, error) != PAIL_OK)
        return error->status;
    const uint64_t warm = warm_proofs(run);
    const uint64_t most = knobs[PAIL_LOAD_JOBS] > warm ? knobs[PAIL_LOAD_JOBS] : warm;
    const pail_prover_params params = {
        .struct_size = sizeof(params),
        .flags = (knobs[PAIL_LOAD_LEDGER] == 0 ? PAIL_PROVER_NO_LEDGER : 0u) |
                 (knobs[PAIL_LOAD_RECLAIMER] == 0 ? PAIL_PROVER_NO_RECLAIMER : 0u) |
                 (knobs[PAIL_LOAD_WHOLE_SLOTS] != 0 ? PAIL_PROVER_WHOLE_SLOTS : 0u) |
                 (knobs[PAIL_LOAD_ALL_THREADS] != 0 ? PAIL_PROVER_ALL_THREADS : 0u) |
                 (knobs[PAIL_LOAD_THROTTLE] != 0 ? PAIL_PROVER_THROTTLE : 0u),
        .devices = devices,
        .n_devices = run->n_devices,
        .inflight = (uint32_t)knobs[PAIL_LOAD_INFLIGHT],
        .producers = (uint32_t)knobs[PAIL_LOAD_PRODUCERS],
        .host_threads = (uint32_t)knobs[PAIL_LOAD_HOST_THREADS],
        .queue_depth = (uint32_t)(2 * most), /* a finished job may still be being freed */
        .host_bucket_mb = (uint32_t)knobs[PAIL_LOAD_HOST_BUCKET_MB],
        .mem_budget = knobs[PAIL_LOAD_MEM_BUDGET] << 20,
        .vram_budget = knobs[PAIL_LOAD_VRAM_BUDGET] << 20,
        .share = (uint32_t)knobs[PAIL_LOAD_SHARE],
        .span = load->trace ? load_trace_add : NULL,
        .user = load->trace,
    };
    const pail_status status =
        pail_told(error, pail_prover_create(&run->prover, &params, PAIL_SENTENCE(error)));
    return status == PAIL_OK
               ? pail_told(error, pail_prover_add_key(run->prover, &run->key, &load->key,
                                                      PAIL_SENTENCE(error)))
               : status;
}

static pail_status make_room(struct run *run, uint64_t n, struct pail_error *error)
{
    run->publics_bytes = SCALAR_BYTES * (size_t)run->load->verifying->key.n_public;
    run->proofs = calloc(n, sizeof(run->proofs[0]));
    run->publics = calloc(n, run->publics_bytes + 1);
    run->ms = calloc(n, sizeof(run->ms[0]));
    return run->proofs && run->publics && run->ms
               ? PAIL_OK
               : pail_fail(error, PAIL_ERR_HOST_MEMORY, "no memory for %" PRIu64 " proofs", n);
}

/* True once each device has the key. */
static bool all_loaded(const struct run *run)
{
    for (uint32_t d = 0; d < run->n_devices; d++) {
        pail_prover_device_stats stats = {.struct_size = sizeof(stats)};
        if (pail_prover_get_device(run->prover, d, &stats) == PAIL_OK && stats.keys_loaded == 0 &&
            stats.lost == 0)
            return false;
    }
    return true;
}

static pail_status warm_up(struct run *run, struct pail_error *error)
{
    const uint64_t n = warm_proofs(run);
    pail_status status = PAIL_OK;
    for (int i = 0; i < WARM_UPS && status == PAIL_OK && !error->differs; i++) {
        status = prove_all(run, n, n, error);
        run->warmed += n;
        if (status == PAIL_OK)
            status = verify_all(run, n, error);
        if (all_loaded(run))
            return status;
    }
    return status == PAIL_OK && !error->differs
               ? pail_fail(error, PAIL_ERR_STOPPED,
                           "one of %u devices has no key after %d times %" PRIu64 " proofs",
                           run->n_devices, WARM_UPS, n)
               : status;
}

static pail_status run_timed(double values[PAIL_LOAD_METRICS], struct run *run,
                             struct pail_error *error)
{
    const struct pail_load *const load = run->load;
    pail_prover_stats before = {.struct_size = sizeof(before)}, after = before;
    pail_status status = pail_prover_get_stats(run->prover, &before);
    forget_resident();
    const uint64_t begin_ns = pail_clock_ns(), cpu_ns = processors_ns();
    if (load->trace) {
        load->trace->begin_ns = begin_ns;
        load->trace->first = 1 + run->warmed;
    }
    if (status == PAIL_OK)
        status = prove_all(run, load->count, load->knobs[PAIL_LOAD_JOBS], error);
    const double wall_ms = 1e-6 * (double)(pail_clock_ns() - begin_ns);
    const double cpu_ms = 1e-6 * (double)(processors_ns() - cpu_ns);
    if (status == PAIL_OK)
        status = pail_prover_get_stats(run->prover, &after);
    if (status == PAIL_OK)
        status = verify_all(run, load->count, error);
    if (status == PAIL_OK && !error->differs)
        measure(values, run, wall_ms, &before, &after);
    values[PAIL_LOAD_CPU_MS] = cpu_ms / (double)load->count;
    return status;
}

pail_status pail_load_run(double values[PAIL_LOAD_METRICS], const struct pail_load *load,
                          struct pail_error *error)
{
    struct run run = {.load = load};
    memset(values, 0, PAIL_LOAD_METRICS * sizeof(values[0]));
    pail_status status = make_prover(&run, error);
    const uint64_t warm = warm_proofs(&run);
    if (status == PAIL_OK)
        status = make_room(&run, load->count > warm ? load->count : warm, error);
    if (status == PAIL_OK)
        status = warm_up(&run, error);
    if (status == PAIL_OK && !error->differs)
        status = run_timed(values, &run, error);
    pail_prover_destroy(&run.prover); /* spans of proofs that are being freed come until here */
    free(run.proofs);
    free(run.publics);
    free(run.ms);
    if (status == PAIL_OK && load->trace && load->trace->failed)
        status = pail_fail(error, PAIL_ERR_HOST_MEMORY, "no memory for the trace");
    return status;
}
