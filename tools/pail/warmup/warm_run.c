/* SPDX-License-Identifier: Apache-2.0 */
#include "warmup.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cache/entry.h>
#include <cache/files.h>
#include <platform/clock.h>

#include "output/progress.h"

/* One call of `warm`. */
struct run {
    struct pail_warm_device *device;
    const struct pail_warm_listener *listener;
    struct pail_progress progress;
    bool out_of_memory;
};

enum pail_warm_fate pail_warm_fate_of(const struct pail_warm_device *device,
                                      const pail_pipeline_info *row)
{
    if (row->status == PAIL_OK)
        return PAIL_WARM_MADE;
    const bool unsupported = PAIL_STATUS_KIND(row->status) == PAIL_KIND_UNSUPPORTED;
    return device->all && unsupported ? PAIL_WARM_SKIPPED : PAIL_WARM_FAILED;
}

const char *pail_warm_origin_name(uint32_t origin)
{
    static const char *const names[] = {"memory", "disk", "compiled"};
    return origin < sizeof(names) / sizeof(names[0]) ? names[origin] : "unknown";
}

static void count_pipeline(struct pail_warm_device *device, const pail_pipeline_info *row)
{
    struct pail_warm_tally *const tally = &device->tally;
    const enum pail_warm_fate fate = pail_warm_fate_of(device, row);
    if (fate != PAIL_WARM_MADE) {
        tally->skipped += fate == PAIL_WARM_SKIPPED;
        tally->failed += fate == PAIL_WARM_FAILED;
        return;
    }
    tally->memory += row->origin == PAIL_PIPELINE_MEMORY;
    tally->disk += row->origin == PAIL_PIPELINE_DISK;
    tally->compiled += row->origin == PAIL_PIPELINE_COMPILED;
    tally->no_code += (row->flags & PAIL_PIPELINE_NO_CODE) != 0;
    tally->bytes += row->bytes;
    tally->ms += row->ms;
}

static bool append(struct pail_warm_device *device, const pail_pipeline_info *row)
{
    if (device->n == device->capacity) {
        const size_t capacity = device->capacity != 0 ? 2 * device->capacity : 64;
        pail_pipeline_info *const rows = realloc(device->rows, capacity * sizeof(*rows));
        if (!rows)
            return false;
        device->rows = rows;
        device->capacity = capacity;
    }
    device->rows[device->n++] = *row;
    return true;
}

static void done(void *user, const pail_pipeline_info *info)
{
    struct run *const run = user;
    pail_pipeline_info row = {0};
    memcpy(&row, info, info->struct_size < sizeof(row) ? info->struct_size : sizeof(row));
    row.struct_size = sizeof(row);
    row.name[sizeof(row.name) - 1] = '\0';
    if (row.n_specs > sizeof(row.specs) / sizeof(row.specs[0]))
        row.n_specs = sizeof(row.specs) / sizeof(row.specs[0]);
    if (!append(run->device, &row))
        run->out_of_memory = true;
    count_pipeline(run->device, &row);
    run->listener->made(run->listener->user, run->device, &row);
    pail_progress_tick(&run->progress, row.total > 0 ? (double)row.done / row.total : -1);
}

static int compare(const void *a, const void *b)
{
    const pail_pipeline_info *const left = a, *const right = b;
    const int names = strcmp(left->name, right->name);
    if (names != 0)
        return names;
    for (size_t i = 0; i < sizeof(left->specs) / sizeof(left->specs[0]); i++)
        if (left->specs[i] != right->specs[i])
            return left->specs[i] < right->specs[i] ? -1 : 1;
    return 0;
}

/* The status of a warm-up, and its sentence: what the call returned is that of the first pipeline
 * that failed, and that may be one that is merely skipped. */
static void judge(struct pail_warm_device *device, pail_status returned, const char *sentence)
{
    for (size_t i = 0; i < device->n; i++) {
        const pail_pipeline_info *const row = &device->rows[i];
        if (pail_warm_fate_of(device, row) != PAIL_WARM_FAILED)
            continue;
        const bool told = row->status == (uint32_t)returned;
        (void)pail_fail(&device->error, (pail_status)row->status,
                        "%" PRIu64 " of %zu pipelines cannot be made: %s%s%s", device->tally.failed,
                        device->n, told ? sentence : row->name, told ? "" : ": ",
                        told ? "" : pail_status_name((pail_status)row->status));
        return;
    }
    if (returned != PAIL_OK && device->tally.skipped == 0)
        (void)pail_fail(&device->error, returned, "%s", sentence);
}

static void warm(struct run *run, const struct pail_session *session,
                 const struct pail_warm_selection *selection)
{
    struct pail_warm_device *const device = run->device;
    const pail_backend *const backend = session->backend;
    char label[sizeof(device->info.name) + 32];
    (void)snprintf(label, sizeof(label), "building pipelines on %s", device->info.name);
    pail_progress_begin(&run->progress, label);
    const pail_status returned = backend->warm(
        session->context, selection->all ? NULL : selection->items, selection->n, done, run);
    char sentence[1024] = "";
    if (returned != PAIL_OK)
        (void)snprintf(sentence, sizeof(sentence), "%s", backend->error(session->context));
    (void)pail_progress_end(&run->progress);
    if (device->n > 0)
        qsort(device->rows, device->n, sizeof(device->rows[0]), compare);
    judge(device, returned, sentence);
    if (run->out_of_memory)
        (void)pail_fail(&device->error, PAIL_ERR_HOST_MEMORY,
                        "no memory for the list of pipelines");
}

/* Rows that were compiled and that the file may hold. A device's pipelines all have a base or none
 * has, which rows do not say. */
struct search {
    const struct pail_warm_device *device;
    bool *found[2]; /* [device->n], without and with a base */
};

static bool match(void *user, const struct pail_cache_file_entry *item)
{
    const struct search *const search = user;
    const struct pail_cache_key *const key = &item->entry.key;
    if (item->damage || key->kind != PAIL_CACHE_PIPELINE)
        return true;
    for (size_t i = 0; i < search->device->n; i++) {
        const pail_pipeline_info *const row = &search->device->rows[i];
        for (int base = 0; base < 2; base++) {
            const struct pail_cache_pipeline pipeline = {.name = row->name,
                                                         .code_hash = row->code_hash,
                                                         .specs = row->specs,
                                                         .n_specs = row->n_specs,
                                                         .n_bindings = key->n_bindings,
                                                         .push_bytes = key->push_bytes,
                                                         .base = base != 0};
            const struct pail_cache_key own = pail_cache_pipeline_key(&pipeline, &key->device);
            search->found[base][i] |= pail_cache_key_equal(&own, key);
        }
    }
    return true;
}

/* Rows that were compiled and not found, and the name of the first. */
static uint64_t count_unkept(const struct pail_warm_device *device, const bool *found,
                             const char **first)
{
    uint64_t unkept = 0;
    *first = NULL;
    for (size_t i = 0; i < device->n; i++) {
        const pail_pipeline_info *const row = &device->rows[i];
        if (pail_warm_fate_of(device, row) != PAIL_WARM_MADE ||
            row->origin != PAIL_PIPELINE_COMPILED || found[i])
            continue;
        *first = *first ? *first : row->name;
        unkept++;
    }
    return unkept;
}

/* A cache that cannot be written is no failure of a multiplication, but it is one of a warm-up. */
static void check_kept(struct pail_warm_device *device)
{
    if (device->tally.compiled == 0)
        return;
    bool *const found = calloc(2 * device->n, sizeof(bool));
    struct search search = {.device = device, .found = {found, found + device->n}};
    if (!found) {
        (void)pail_fail(&device->error, PAIL_ERR_HOST_MEMORY, "no memory to look into %s",
                        device->file);
        return;
    }
    struct pail_cache_file_info info;
    const char *const trouble = pail_cache_file_read(device->file, &info, match, &search);
    const char *first, *first_with_base;
    device->unkept = count_unkept(device, search.found[0], &first);
    const uint64_t with_base = count_unkept(device, search.found[1], &first_with_base);
    if (with_base < device->unkept) {
        device->unkept = with_base;
        first = first_with_base;
    }
    free(found);
    if (device->unkept > 0 && device->error.status == PAIL_OK)
        (void)pail_fail(
            &device->error, PAIL_ERR_IO,
            "%" PRIu64 " of %" PRIu64 " pipelines that were built are not in the cache %s, the "
            "first is %s: %s",
            device->unkept, device->tally.compiled, device->file, first,
            trouble ? trouble : "it was not written, or its limit of bytes is too small");
}

static void name_file(struct pail_warm_device *device, const char *dir)
{
    struct pail_cache_device key = {.vendor = device->info.vendor_id,
                                    .device = device->info.device_id,
                                    .driver = device->info.driver_version};
    memcpy(key.uuid, device->info.pipeline_cache_uuid, sizeof(key.uuid));
    char name[PAIL_CACHE_FILE_NAME_MAX];
    pail_cache_file_name(name, &key);
    (void)snprintf(device->file, sizeof(device->file), "%s/%s", dir, name);
}

uint32_t pail_warm_needs(const struct pail_warm_selection *selection)
{
    uint32_t needs = PAIL_ABILITY_PIPELINES;
    for (size_t i = 0; i < selection->n; i++)
        if (selection->items[i].adstack != 0)
            needs |= PAIL_ABILITY_ADSTACK;
    return needs;
}

static pail_status open_device(struct pail_session *session, struct pail_warm_device *device,
                               const pail_registry *registry,
                               const struct pail_session_params *params,
                               const struct pail_warm_selection *selection)
{
    struct pail_session_params all = *params;
    all.needs |= pail_warm_needs(selection);
    const pail_status status = pail_session_open(session, registry, &all, &device->error);
    if (status != PAIL_OK)
        return status;
    device->backend = session->backend->name;
    device->version = session->backend->version;
    device->info = session->device;
    return PAIL_OK;
}

void pail_warm_run(struct pail_warm_device *device, const pail_registry *registry,
                   const struct pail_session_params *params,
                   const struct pail_warm_selection *selection, const char *dir,
                   const struct pail_warm_listener *listener)
{
    *device = (struct pail_warm_device){.all = selection->all};
    const double begin_ms = pail_now_ms();
    struct pail_session session = {0};
    if (open_device(&session, device, registry, params, selection) == PAIL_OK) {
        struct run run = {.device = device, .listener = listener};
        device->opened = true;
        name_file(device, dir);
        listener->opened(listener->user, device);
        warm(&run, &session, selection);
    }
    pail_session_close(&session); /* closing writes the file */
    if (device->opened)
        check_kept(device);
    device->wall_ms = pail_now_ms() - begin_ms;
}

void pail_warm_device_free(struct pail_warm_device *device)
{
    free(device->rows);
    *device = (struct pail_warm_device){0};
}
