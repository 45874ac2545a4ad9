#include "stats_json.h"

#include <inttypes.h>
#include <stdio.h>

#include "options/names.h"

json_t *pail_phases_array(const pail_stats *stats)
{
    struct pail_json phases, phase;
    pail_json_begin_list(&phases);
    for (uint32_t i = 0; i < stats->n_phases && i < PAIL_PHASES_MAX; i++) {
        pail_json_begin(&phase);
        pail_json_set_text(&phase, "name", stats->phases[i].name);
        pail_json_set_real(&phase, "ms", stats->phases[i].ms);
        pail_json_add(&phases, pail_json_take(&phase));
    }
    return pail_json_take(&phases);
}

void pail_json_set_stats(struct pail_json *json, const pail_stats *stats)
{
    pail_json_set_number(json, "window_bits", stats->window_bits);
    pail_json_set_number(json, "windows", stats->windows);
    pail_json_set_number(json, "batches", stats->batches);
    pail_json_set_number(json, "chunks", stats->chunks);
    pail_json_set_number(json, "blocks", stats->blocks);
    pail_json_set_number(json, "sorts", stats->sorts);
    pail_json_set_number(json, "submissions", stats->submissions);
    pail_json_set_real(json, "longest_submission_ms", stats->longest_submission_ms);
    pail_json_set_text(json, "accumulator",
                       pail_name_of(pail_accumulator_names, stats->accumulator));
    pail_json_set_text(json, "field", pail_name_of(pail_field_names, stats->field));
    pail_json_set_text(json, "placement",
                       stats->prefix_placement == PAIL_PLACEMENT_AUTO
                           ? "none"
                           : pail_name_of(pail_placement_names, stats->prefix_placement));
    pail_json_set_number(json, "slots", stats->slots);
    pail_json_set_number(json, "inversion_group", stats->inversion_group);
    pail_json_set_number(json, "workgroup", stats->workgroup);
    pail_json_set_number(json, "threads", stats->threads);
    pail_json_set_number(json, "adds", stats->adds);
    pail_json_set_number(json, "bytes_estimate", stats->bytes_estimate);
    pail_json_set_number(json, "bytes_requested", stats->bytes_requested);
    pail_json_set_number(json, "bytes_allocated", stats->bytes_allocated);
    pail_json_set_number(json, "bytes_bases", stats->bytes_bases);
    pail_json_set_number(json, "bytes_streamed", stats->bytes_streamed);
    pail_json_set_number(json, "bytes_wiped", stats->bytes_wiped);
    char hash[32];
    (void)snprintf(hash, sizeof(hash), "0x%016" PRIx64, stats->kernel_hash);
    pail_json_set_text(json, "kernel_hash", hash);
    struct pail_json pipelines;
    pail_json_begin(&pipelines);
    pail_json_set_number(&pipelines, "memory", stats->pipelines_memory);
    pail_json_set_number(&pipelines, "disk", stats->pipelines_disk);
    pail_json_set_number(&pipelines, "compiled", stats->pipelines_compiled);
    pail_json_set_real(&pipelines, "ms", stats->pipelines_ms);
    pail_json_set(json, "pipelines", pail_json_take(&pipelines));
}
