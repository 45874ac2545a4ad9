/* Spans in lanes. What is done at a time in one lane stands in rows below each other: a span goes
 * to the first row that is free when it begins. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "load/load_trace.h"
#include "waterfall.h"

static const char *const names[] = {"producer", "upload", "device", "host", "reclaim"};
enum { LANES = sizeof(names) / sizeof(names[0]) };

/* The rows of one lane, from the first on that no lane has. */
static pail_status draw_lane(struct pail_waterfall_lanes *lanes, uint32_t lane,
                             const struct pail_waterfall *waterfall, struct pail_error *error)
{
    struct pail_timeline *const timeline = &lanes->timeline;
    uint64_t free_ns[PAIL_WATERFALL_ROWS] = {0};
    uint32_t rows = 0;
    for (size_t i = 0; i < waterfall->n; i++) {
        const pail_prover_span *const span = &waterfall->spans[i];
        const struct pail_load_kind *const kind = &pail_load_kinds[span->kind];
        uint32_t row = 0;
        if (strcmp(kind->lane, names[lane]) != 0)
            continue;
        while (row < rows && free_ns[row] > span->begin_ns)
            row++;
        if (timeline->n_lanes + row + (LANES - lane) > PAIL_WATERFALL_ROWS)
            return pail_fail(error, PAIL_ERR_UNSUPPORTED, "there are more than %d rows",
                             PAIL_WATERFALL_ROWS);
        rows = row < rows ? rows : row + 1;
        free_ns[row] = span->end_ns;
        char *const name = lanes->span_names[timeline->n];
        (void)snprintf(name, PAIL_WATERFALL_NAME, "%s %" PRIu64, kind->name, span->job);
        lanes->proofs[timeline->n] = span->job;
        pail_timeline_add(timeline, timeline->n_lanes + row, name, 1e-6 * (double)span->begin_ns,
                          1e-6 * (double)span->end_ns);
        if (timeline->failed)
            return pail_fail(error, PAIL_ERR_HOST_MEMORY, "no memory for %zu spans", waterfall->n);
    }
    rows = rows == 0 ? 1 : rows;
    for (uint32_t row = 0; row < rows; row++) {
        char *const name = lanes->row_names[timeline->n_lanes];
        (void)snprintf(name, PAIL_WATERFALL_NAME, row == 0 ? "%s" : "%s %" PRIu32, names[lane],
                       row + 1);
        lanes->rows[timeline->n_lanes++] = (struct pail_lane){name, lane};
    }
    return PAIL_OK;
}

pail_status pail_waterfall_draw(struct pail_waterfall_lanes *lanes,
                                const struct pail_waterfall *waterfall, struct pail_error *error)
{
    pail_status status = PAIL_OK;
    *lanes = (struct pail_waterfall_lanes){
        .timeline = {.begin_ms = 1e-6 * (double)waterfall->begin_ns, .lanes = lanes->rows},
        .span_names = calloc(waterfall->n, sizeof(lanes->span_names[0])),
        .proofs = calloc(waterfall->n, sizeof(lanes->proofs[0]))};
    if (lanes->span_names == NULL || lanes->proofs == NULL)
        return pail_fail(error, PAIL_ERR_HOST_MEMORY, "no memory for %zu spans", waterfall->n);
    for (uint32_t lane = 0; lane < LANES && status == PAIL_OK; lane++)
        status = draw_lane(lanes, lane, waterfall, error);
    return status;
}

void pail_waterfall_lanes_free(struct pail_waterfall_lanes *lanes)
{
    pail_timeline_free(&lanes->timeline);
    free(lanes->span_names);
    free(lanes->proofs);
    lanes->span_names = NULL;
    lanes->proofs = NULL;
}
