/* Statistics of a multiplication, as members of a JSON object. */
#ifndef PAIL_TOOL_OUTPUT_STATS_JSON_H
#define PAIL_TOOL_OUTPUT_STATS_JSON_H

#include "json.h"

/* [{"name": ..., "ms": ...}, ...]; NULL if there is no memory for it. */
json_t *pail_phases_array(const pail_stats *stats);

/* Everything else but the times: the plan, the effective knobs, the bytes, kernels, pipelines. */
void pail_json_set_stats(struct pail_json *json, const pail_stats *stats);

#endif /* PAIL_TOOL_OUTPUT_STATS_JSON_H */
