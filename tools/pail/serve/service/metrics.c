/* SPDX-License-Identifier: Apache-2.0 */
/* The account in the text format of Prometheus (exposition format 0.0.4). */
#define _POSIX_C_SOURCE 200809L /* open_memstream */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <platform/clock.h>

#include "service_priv.h"

static void head(FILE *out, const char *name, const char *type, const char *help)
{
    (void)fprintf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void number(FILE *out, const char *name, const char *type, const char *help, uint64_t value)
{
    head(out, name, type, help);
    (void)fprintf(out, "%s %" PRIu64 "\n", name, value);
}

static void write_counts(FILE *out, const struct pail_service_counts *counts)
{
    head(out, "pail_jobs_total", "counter", "Jobs that have ended, by what came of them.");
    (void)fprintf(out, "pail_jobs_total{result=\"done\"} %" PRIu64 "\n", counts->done);
    (void)fprintf(out, "pail_jobs_total{result=\"failed\"} %" PRIu64 "\n", counts->failed);
    (void)fprintf(out, "pail_jobs_total{result=\"cancelled\"} %" PRIu64 "\n", counts->cancelled);
    number(out, "pail_jobs_refused_total", "counter", "Witnesses that were not taken.",
           counts->refused);
    number(out, "pail_jobs_redone_total", "counter",
           "Times that a job began again, for want of memory or a lost device.", counts->redone);
    number(out, "pail_witness_bytes_total", "counter", "Bytes of witnesses that were taken.",
           counts->witness_bytes);
    head(out, "pail_job_seconds", "histogram",
         "Time of a job that was done, from its witness to its proof.");
    for (size_t i = 0; i < PAIL_SERVICE_BUCKETS; i++)
        (void)fprintf(out, "pail_job_seconds_bucket{le=\"%g\"} %" PRIu64 "\n",
                      pail_service_bounds[i], counts->within[i]);
    (void)fprintf(out,
                  "pail_job_seconds_bucket{le=\"+Inf\"} %" PRIu64 "\npail_job_seconds_sum %.9g\n"
                  "pail_job_seconds_count %" PRIu64 "\n",
                  counts->done, counts->seconds, counts->done);
}

enum device_value {
    LOST,
    RESTORED,
    JOBS,
    LOADED,
    EVICTED,
    SLOT,
    BUSY,
    WORKED,
    RESERVED,
    CAPACITY,
    VALUES
};

static double value_of(const pail_prover_device_stats *stats, enum device_value value)
{
    const double values[VALUES] = {
        [LOST] = stats->lost,
        [RESTORED] = (double)stats->restored,
        [JOBS] = (double)stats->jobs,
        [LOADED] = (double)stats->keys_loaded,
        [EVICTED] = (double)stats->keys_evicted,
        [SLOT] = 1e-3 * stats->slot_ms,
        [BUSY] = 1e-3 * stats->busy_ms,
        [WORKED] = 1e-3 * stats->device_ms,
        [RESERVED] = (double)stats->bytes,
        [CAPACITY] = (double)stats->capacity,
    };
    return values[value];
}

/* All lines of a metric stand together. Names of devices are the drivers' and are not in labels. */
static void write_devices(FILE *out, struct pail_service *service)
{
    static const struct {
        const char *name, *type, *help;
    } rows[VALUES] = {
        [LOST] = {"pail_device_lost", "gauge", "1: the device was lost and gets no jobs."},
        [RESTORED] = {"pail_device_restored_total", "counter",
                      "Times that the device was lost and opened again."},
        [JOBS] = {"pail_device_jobs_total", "counter", "Jobs that the device was given."},
        [LOADED] = {"pail_device_keys_loaded_total", "counter", "Keys that were loaded."},
        [EVICTED] = {"pail_device_keys_evicted_total", "counter", "Keys that gave way to others."},
        [SLOT] = {"pail_device_slot_seconds_total", "counter",
                  "Time that slots were taken, summed."},
        [BUSY] = {"pail_device_busy_seconds_total", "counter", "Time that any slot was taken."},
        [WORKED] = {"pail_device_seconds_total", "counter",
                    "Time that the device worked, by its timestamps."},
        [RESERVED] = {"pail_device_reserved_bytes", "gauge", "Memory that is reserved."},
        [CAPACITY] = {"pail_device_capacity_bytes", "gauge", "Memory that can be reserved."},
    };
    for (unsigned v = 0; v < VALUES; v++) {
        head(out, rows[v].name, rows[v].type, rows[v].help);
        for (uint32_t d = 0; d < service->params.n_sessions; d++) {
            pail_prover_device_stats stats = {.struct_size = sizeof(stats)};
            (void)pail_prover_get_device(service->prover, d, &stats);
            (void)fprintf(out, "%s{device=\"%" PRIu32 "\",backend=\"%s\"} %.15g\n", rows[v].name, d,
                          service->params.sessions[d].backend->name,
                          value_of(&stats, (enum device_value)v));
        }
    }
}

static void write_all(FILE *out, struct pail_service *service)
{
    pail_prover_stats stats = {.struct_size = sizeof(stats)};
    (void)pail_prover_get_stats(service->prover, &stats);
    pthread_mutex_lock(&service->mutex);
    const struct pail_service_counts counts = service->counts;
    const size_t open = service->open, results = service->n_ended;
    const uint64_t bodies = service->bodies_bytes;
    const bool draining = service->draining;
    pthread_mutex_unlock(&service->mutex);
    head(out, "pail_build_info", "gauge", "1, with the version.");
    (void)fprintf(out, "pail_build_info{version=\"%s\"} 1\n", pail_version());
    number(out, "pail_uptime_seconds", "gauge", "Time since the service began.",
           (pail_clock_ns() - service->begun_ns) / 1000000000);
    number(out, "pail_draining", "gauge", "1: the service is ending and takes no more jobs.",
           draining);
    number(out, "pail_queue_taken", "gauge", "Jobs that have not ended.", open);
    number(out, "pail_queue_places", "gauge", "Jobs that the queue holds.", service->params.queue);
    number(out, "pail_results", "gauge", "Results that are kept.", results);
    number(out, "pail_witness_bytes", "gauge", "Memory of witnesses now.", bodies);
    number(out, "pail_host_reserved_bytes", "gauge", "Memory of the host that is reserved.",
           stats.host_bytes);
    number(out, "pail_host_capacity_bytes", "gauge", "Memory of the host that can be reserved.",
           stats.host_capacity);
    write_counts(out, &counts);
    write_devices(out, service);
}

char *pail_service_metrics_text(struct pail_service *service)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *const out = open_memstream(&text, &bytes);
    if (!out)
        return NULL;
    write_all(out, service);
    const bool failed = ferror(out) != 0;
    if (fclose(out) != 0 || failed) {
        free(text);
        return NULL;
    }
    return text;
}
