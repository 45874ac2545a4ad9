#include "rig.h"

#include <inttypes.h>
#include <stdlib.h>

#include <platform/clock.h>

#include "output/progress.h"

/* Items of a call where time is limited: a call does not end before all are built. */
enum { LIMITED_ITEMS = 8 };

struct warming {
    struct pail_rig *rig;
    struct pail_progress progress;
    char label[sizeof(((pail_device_info *)0)->name) + 64];
    uint64_t built, disk;
};

static void announce(struct warming *warming, uint32_t done, uint32_t total)
{
    const int used = snprintf(warming->label, sizeof(warming->label), "building pipelines on %s",
                              warming->rig->session.device.name);
    if (total > 0)
        (void)snprintf(warming->label + used, sizeof(warming->label) - (size_t)used,
                       "  %" PRIu32 " of %" PRIu32, done, total);
}

static void done(void *user, const pail_pipeline_info *info)
{
    struct warming *const warming = user;
    warming->built += info->status == PAIL_OK && info->origin == PAIL_PIPELINE_COMPILED;
    warming->disk += info->status == PAIL_OK && info->origin == PAIL_PIPELINE_DISK;
    announce(warming, info->done, info->total);
    pail_progress_tick(&warming->progress, info->total > 0 ? (double)info->done / info->total : -1);
}

static pail_warm_item item_of(const struct pail_setup *setup)
{
    return (pail_warm_item){
        .struct_size = sizeof(pail_warm_item),
        .curve = setup->curve,
        .group = setup->group,
        .n = setup->n,
        .config = &setup->knobs.config,
        .validation = setup->validation,
        .residency = setup->knobs.residency,
        .table_factor = setup->knobs.table_factor,
    };
}

static void conclude(struct warming *warming)
{
    struct pail_rig *const rig = warming->rig;
    const double ms = pail_progress_end(&warming->progress);
    if (warming->built + warming->disk == 0)
        return;
    struct pail_json row;
    pail_lines_begin(&rig->lines, &row, "pipelines");
    pail_json_set_number(&row, "compiled", warming->built);
    pail_json_set_number(&row, "disk", warming->disk);
    pail_json_set_real(&row, "wall_ms", ms);
    pail_lines_put(&rig->lines, &row);
    if (warming->built > 0)
        pail_rig_print(rig, "%" PRIu64 " pipelines built in %.1f s\n", warming->built, ms / 1e3);
}

void pail_rig_warm(struct pail_rig *rig, const struct pail_setup *setups, size_t n)
{
    const struct pail_session *const session = &rig->session;
    const pail_backend *const backend = session->backend;
    if (session->built_in || !PAIL_HAS(backend, warm) || backend->abi_minor < 1 || n == 0)
        return;
    pail_warm_item *const items = calloc(n, sizeof(*items));
    if (items == NULL)
        return;
    for (size_t i = 0; i < n; i++)
        items[i] = item_of(&setups[i]);
    struct warming warming = {.rig = rig};
    const size_t most = rig->deadline_ms > 0 ? LIMITED_ITEMS : n;
    announce(&warming, 0, 0);
    pail_progress_begin(&warming.progress, warming.label);
    for (size_t i = 0; i < n; i += most) {
        if (rig->deadline_ms > 0 && pail_now_ms() >= rig->deadline_ms)
            break;
        /* A failure is that of the case which needs the pipeline, and is told there. */
        (void)backend->warm(session->context, items + i, n - i < most ? n - i : most, done,
                            &warming);
    }
    conclude(&warming);
    free(items);
}
