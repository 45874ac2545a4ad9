#include <inttypes.h>
#include <stdio.h>

#include "info/info.h"
#include "warm_report.h"

static void set_hash(struct pail_json *json, const char *key, uint64_t hash)
{
    char text[32];
    (void)snprintf(text, sizeof(text), "0x%016" PRIx64, hash);
    pail_json_set_text(json, key, text);
}

static json_t *specs_array(const pail_pipeline_info *row)
{
    struct pail_json array;
    pail_json_begin_list(&array);
    for (uint32_t i = 0; i < row->n_specs; i++)
        pail_json_add(&array, json_integer((json_int_t)row->specs[i]));
    return pail_json_take(&array);
}

void pail_warm_put_device(struct pail_lines *lines, const struct pail_warm_device *device)
{
    struct pail_json row;
    pail_lines_begin(lines, &row, "device");
    pail_json_set_text(&row, "backend", device->backend);
    pail_json_set_text(&row, "backend_version", device->version);
    pail_json_set(&row, "device", pail_info_device_object(&device->info));
    pail_json_set_text(&row, "file", device->file);
    pail_lines_put(lines, &row);
}

void pail_warm_put_pipeline(struct pail_lines *lines, const struct pail_warm_device *device,
                            const pail_pipeline_info *pipeline)
{
    static const char *const fates[] = {"made", "skipped", "failed"};
    const enum pail_warm_fate fate = pail_warm_fate_of(device, pipeline);
    struct pail_json row;
    pail_lines_begin(lines, &row, "pipeline");
    pail_json_set_number(&row, "device", device->info.index);
    pail_json_set_text(&row, "name", pipeline->name);
    pail_json_set(&row, "id", json_sprintf("%08" PRIx32, pipeline->id));
    set_hash(&row, "task", pipeline->task);
    set_hash(&row, "code_hash", pipeline->code_hash);
    pail_json_set(&row, "specs", specs_array(pipeline));
    pail_json_set_text(&row, "outcome", fates[fate]);
    pail_json_set_text(&row, "status", pail_status_name((pail_status)pipeline->status));
    pail_json_set(&row, "origin",
                  fate == PAIL_WARM_MADE ? json_string(pail_warm_origin_name(pipeline->origin))
                                         : json_null());
    pail_json_set_real(&row, "ms", pipeline->ms);
    pail_json_set_number(&row, "bytes", pipeline->bytes);
    pail_json_set_bool(&row, "no_code", (pipeline->flags & PAIL_PIPELINE_NO_CODE) != 0);
    pail_json_set_number(&row, "done", pipeline->done);
    pail_json_set_number(&row, "total", pipeline->total);
    pail_lines_put(lines, &row);
}

static void set_optional(struct pail_json *json, const char *key, bool there, uint64_t number)
{
    pail_json_set(json, key, there ? json_integer((json_int_t)number) : json_null());
}

void pail_warm_put_summary(struct pail_lines *lines, const struct pail_warm_summary *summary)
{
    const struct pail_warm_tally *const tally = &summary->tally;
    struct pail_json row;
    pail_lines_begin(lines, &row, "summary");
    pail_json_set_number(&row, "exit", (uint64_t)pail_exit_of(&summary->error));
    pail_json_set_text(&row, "dir", summary->dir);
    pail_json_set_number(&row, "devices", summary->n_devices);
    pail_json_set_number(&row, "memory", tally->memory);
    pail_json_set_number(&row, "disk", tally->disk);
    pail_json_set_number(&row, "compiled", tally->compiled);
    pail_json_set_number(&row, "skipped", tally->skipped);
    pail_json_set_number(&row, "failed", tally->failed);
    pail_json_set_number(&row, "unkept", summary->unkept);
    pail_json_set_number(&row, "no_code", tally->no_code);
    pail_json_set_number(&row, "bytes", tally->bytes);
    pail_json_set_real(&row, "ms", tally->ms);
    pail_json_set_real(&row, "wall_ms", summary->wall_ms);
    set_optional(&row, "imported", summary->imported, summary->n_imported);
    set_optional(&row, "exported", summary->exported, summary->n_exported);
    set_optional(&row, "fresh_pipelines", summary->verified, summary->fresh.pipelines);
    set_optional(&row, "fresh_compiled", summary->verified, summary->fresh.compiled);
    pail_lines_put(lines, &row);
}
