/* SPDX-License-Identifier: Apache-2.0 */
/* Output of `pail adstack eval` for people. */
#include "eval.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include <platform/text.h>

#include "case.h"
#include "error/error.h"
#include "measure/statistics.h"
#include "options/table.h"
#include "output/json.h"
#include "process/session.h"

/* ---- For people ------------------------------------------------------------------------------ */

/* "float", "i32", "device": names of what is in a result */
static const char *sizing_origin_name(uint32_t origin)
{
    static const char *const names[] = {"static", "constant", "host", "device", "cached"};
    return origin < sizeof(names) / sizeof(names[0]) ? names[origin] : "unknown";
}

static void print_task(FILE *out, const struct pail_sizing_run *run, size_t t)
{
    const struct pail_sizing_case *const made = run->made;
    const pail_task_desc *const task = &made->kernel.tasks[t];
    const struct pail_sizing_answer *const answer = &run->answers[run->first];
    const pail_task_size *const size = &answer->tasks[t];
    (void)pail_print(out, "task %" PRId32 "  id %08" PRIx32 "  threads %" PRIu64, task->task_index,
                     size->id, made->launches[t].threads);
    if ((made->launches[t].flags & PAIL_TASK_LAUNCH_GATED) != 0)
        (void)pail_print(out, "  gated rows %" PRIu64, made->launches[t].gated_rows);
    (void)pail_print(out, "  in %s\n",
                     (task->flags & PAIL_TASK_ELEMENT_UNITS) != 0 ? "elements of 4 bytes"
                                                                  : "bytes");
    const bool claims = pail_sizing_has_claims(task);
    const int width = claims ? 12 : 5;
    (void)pail_print(out, "  stack  %-*s  %20s  %12s  %12s  origin\n", width, "heap", "raw",
                     "capacity", "offset");
    for (size_t s = 0; s < task->n_stacks; s++) {
        const size_t at = (size_t)made->first_stack[t] + s;
        const pail_stack_size *const stack = &answer->stacks[at];
        (void)pail_print(out, "  %5zu  %-*s  %20" PRId64 "  %12" PRIu64 "  %12" PRIu64 "  ", s,
                         width, pail_sizing_heap_name(task->stacks[s].heap), stack->raw,
                         stack->capacity, stack->offset);
        const char *gap = "";
        for (int way = 0; way < PAIL_WAYS; way++) {
            if (!run->answers[way].asked || run->answers[way].error.status != PAIL_OK)
                continue;
            (void)pail_print(out, "%s%s: %s", gap, pail_sizing_way_names[way],
                             sizing_origin_name(run->answers[way].stacks[at].origin));
            gap = ", ";
        }
        (void)fputc('\n', out);
    }
    (void)pail_print(out,
                     "  float heap  stride %" PRIu64 "  bytes %" PRIu64 "\n"
                     "  int heap    stride %" PRIu64 "  bytes %" PRIu64 "\n",
                     size->stride_float, size->heap_float, size->stride_int, size->heap_int);
    if (claims)
        (void)pail_print(out,
                         "  layout      %s: in rows %" PRIu64 " and %" PRIu64
                         " bytes, claimed %" PRIu64 " and %" PRIu64 "\n",
                         pail_sizing_layout_name(size->layout), size->rows_float, size->rows_int,
                         size->claimed_float, size->claimed_int);
    (void)fputs("  metadata   ", out);
    if (answer->words_status[t] != PAIL_OK)
        (void)fputs(" a size does not fit 32 bits", out);
    const uint32_t *const words = answer->words + pail_sizing_words_of(made, t);
    for (size_t i = 0; answer->words_status[t] == PAIL_OK && i < pail_sizing_n_words(task); i++)
        (void)pail_print(out, " %" PRIu32, words[i]);
    (void)fputs("\n\n", out);
}

static void print_times(FILE *out, const struct pail_sizing_run *run)
{
    (void)pail_print(out, "%-8s %10s %10s %10s %10s  %s\n", "ms", "median", "min", "device",
                     "first", "dispatches, submissions, cells on host and device");
    for (int way = 0; way < PAIL_WAYS; way++) {
        const struct pail_sizing_answer *const answer = &run->answers[way];
        if (!answer->asked)
            continue;
        if (answer->error.status != PAIL_OK) {
            (void)pail_print(out, "%-8s %s\n", pail_sizing_way_names[way], answer->error.sentence);
            continue;
        }
        const struct pail_summary times = pail_summarize(answer->ms, run->runs);
        const struct pail_summary device = pail_summarize(answer->device_ms, run->runs);
        (void)pail_print(out,
                         "%-8s %10.4f %10.4f %10.4f %10.4f  %" PRIu64 ", %" PRIu64 ", %" PRIu64
                         ", %" PRIu64 "\n",
                         pail_sizing_way_names[way], times.median, times.min, device.median,
                         answer->first_ms, answer->stats.dispatches, answer->stats.submissions,
                         answer->stats.host_cells, answer->stats.cells);
    }
    (void)fputc('\n', out);
}

/* Line by line, for its lines are the backend's. */
static void print_plan(FILE *out, const char *way, const char *plan)
{
    (void)pail_print(out, "plan (%s):\n", way);
    for (const char *line = plan; *line != '\0';) {
        const size_t length = strcspn(line, "\n");
        (void)pail_print(out, "%.*s\n", length < INT_MAX ? (int)length : INT_MAX, line);
        line += length + (line[length] == '\n');
    }
    (void)fputc('\n', out);
}

void pail_sizing_print(FILE *out, const struct pail_sizing_run *run)
{
    const struct pail_sizing_case *const made = run->made;
    (void)pail_print(out, "kernel \"%s\"  tasks %zu  sources %zu\n", made->kernel.name,
                     made->kernel.n_tasks, made->kernel.n_sources);
    (void)pail_print(out, "backend %s  device %s\n\n", run->session->backend->name,
                     run->session->device.name);
    for (size_t t = 0; run->answers[run->first].error.status == PAIL_OK && t < made->kernel.n_tasks;
         t++)
        print_task(out, run, t);
    print_times(out, run);
    for (int way = 0; way < PAIL_WAYS; way++) {
        const struct pail_sizing_answer *const answer = &run->answers[way];
        if (answer->asked && answer->plan)
            print_plan(out, pail_sizing_way_names[way], answer->plan);
    }
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static json_t *id_text(uint32_t id)
{
    return json_sprintf("%08" PRIx32, id);
}

static json_t *stack_object(const struct pail_sizing_run *run, size_t t, size_t s)
{
    struct pail_json json;
    pail_json_begin(&json);
    const size_t at = (size_t)run->made->first_stack[t] + s;
    const pail_stack_size *const size = &run->answers[run->first].stacks[at];
    pail_json_set_text(&json, "heap",
                       pail_sizing_heap_name(run->made->kernel.tasks[t].stacks[s].heap));
    pail_json_set(&json, "raw", json_integer(size->raw));
    pail_json_set_number(&json, "capacity", size->capacity);
    pail_json_set_number(&json, "offset", size->offset);
    struct pail_json origins;
    pail_json_begin(&origins);
    for (int way = 0; way < PAIL_WAYS; way++) {
        if (run->answers[way].asked && run->answers[way].error.status == PAIL_OK)
            pail_json_set_text(&origins, pail_sizing_way_names[way],
                               sizing_origin_name(run->answers[way].stacks[at].origin));
    }
    pail_json_set(&json, "origin", pail_json_take(&origins));
    return pail_json_take(&json);
}

static json_t *task_object(const struct pail_sizing_run *run, size_t t)
{
    const struct pail_sizing_answer *const answer = &run->answers[run->first];
    const pail_task_desc *const task = &run->made->kernel.tasks[t];
    struct pail_json json;
    pail_json_begin(&json);
    pail_json_set(&json, "task", json_integer(task->task_index));
    pail_json_set(&json, "id", id_text(answer->tasks[t].id));
    pail_json_set_number(&json, "threads", run->made->launches[t].threads);
    pail_json_set_number(&json, "stride_float", answer->tasks[t].stride_float);
    pail_json_set_number(&json, "stride_int", answer->tasks[t].stride_int);
    pail_json_set_number(&json, "heap_float", answer->tasks[t].heap_float);
    pail_json_set_number(&json, "heap_int", answer->tasks[t].heap_int);
    pail_json_set_text(&json, "layout", pail_sizing_layout_name(answer->tasks[t].layout));
    pail_json_set_number(&json, "rows_float", answer->tasks[t].rows_float);
    pail_json_set_number(&json, "rows_int", answer->tasks[t].rows_int);
    pail_json_set_number(&json, "claimed_float", answer->tasks[t].claimed_float);
    pail_json_set_number(&json, "claimed_int", answer->tasks[t].claimed_int);
    struct pail_json stacks, words;
    pail_json_begin_list(&stacks);
    for (size_t s = 0; s < task->n_stacks; s++)
        pail_json_add(&stacks, stack_object(run, t, s));
    pail_json_set(&json, "stacks", pail_json_take(&stacks));
    pail_json_begin_list(&words);
    for (size_t i = 0; i < pail_sizing_n_words(task); i++)
        pail_json_add(&words, json_integer(answer->words[pail_sizing_words_of(run->made, t) + i]));
    pail_json_set(&json, "metadata", pail_json_take(&words));
    if (answer->words_status[t] != PAIL_OK) /* beyond 32 bits */
        pail_json_set(&json, "metadata", json_null());
    return pail_json_take(&json);
}

static json_t *way_object(const struct pail_sizing_run *run, int way)
{
    const struct pail_sizing_answer *const answer = &run->answers[way];
    struct pail_json json;
    pail_json_begin(&json);
    pail_json_set_number(&json, "status", (uint64_t)answer->error.status);
    pail_json_set_text(&json, "sentence", answer->error.sentence);
    if (answer->error.status == PAIL_OK) {
        const struct pail_summary times = pail_summarize(answer->ms, run->runs);
        pail_json_set_real(&json, "median_ms", times.median);
        pail_json_set_real(&json, "min_ms", times.min);
        pail_json_set_real(&json, "max_ms", times.max);
        pail_json_set_real(&json, "device_ms", pail_summarize(answer->device_ms, run->runs).median);
    }
    pail_json_set_real(&json, "first_ms", answer->first_ms);
    pail_json_set_number(&json, "evaluations", answer->stats.evaluations);
    pail_json_set_number(&json, "launch_hits", answer->stats.launch_hits);
    pail_json_set_number(&json, "task_hits", answer->stats.task_hits);
    pail_json_set_number(&json, "tree_hits", answer->stats.tree_hits);
    pail_json_set_number(&json, "spec_hits", answer->stats.spec_hits);
    pail_json_set_number(&json, "layouts", answer->stats.layouts);
    pail_json_set_number(&json, "trees", answer->stats.trees);
    pail_json_set_number(&json, "reductions", answer->stats.reductions);
    pail_json_set_number(&json, "host_reductions", answer->stats.host_reductions);
    pail_json_set_number(&json, "dispatches", answer->stats.dispatches);
    pail_json_set_number(&json, "specialised", answer->stats.specialised);
    pail_json_set_number(&json, "cells", answer->stats.cells);
    pail_json_set_number(&json, "host_cells", answer->stats.host_cells);
    pail_json_set_number(&json, "fallbacks", answer->stats.fallbacks);
    pail_json_set_number(&json, "submissions", answer->stats.submissions);
    pail_json_set_number(&json, "waits", answer->stats.waits);
    pail_json_set(&json, "plan", answer->plan ? json_string(answer->plan) : json_null());
    return pail_json_take(&json);
}

pail_status pail_sizing_print_json(FILE *out, const struct pail_sizing_run *run,
                                   struct pail_error *error)
{
    const struct pail_sizing_case *const made = run->made;
    struct pail_json json, tasks, ways;
    pail_json_begin(&json);
    pail_json_set(&json, "kernel", json_stringn(made->kernel.name, made->kernel.name_bytes));
    pail_json_set_text(&json, "backend", run->session->backend->name);
    pail_json_set_text(&json, "device", run->session->device.name);
    pail_json_set_number(&json, "runs", run->runs);
    const bool sized = run->answers[run->first].error.status == PAIL_OK;
    pail_json_begin_list(&tasks);
    for (size_t t = 0; sized && t < made->kernel.n_tasks; t++)
        pail_json_add(&tasks, task_object(run, t));
    pail_json_set(&json, "tasks", pail_json_take(&tasks));
    if (!sized)
        pail_json_set(&json, "tasks", json_null());
    pail_json_begin(&ways);
    for (int way = 0; way < PAIL_WAYS; way++)
        if (run->answers[way].asked)
            pail_json_set(&ways, pail_sizing_way_names[way], way_object(run, way));
    pail_json_set(&json, "ways", pail_json_take(&ways));
    pail_json_set(&json, "difference",
                  run->difference[0] != '\0' ? json_string(run->difference) : json_null());
    return pail_json_print(out, &json, error);
}

/* ---- Nodes ---------------------------------------------------------------------------------- */
static void set_used(struct pail_json *json, const char *key, int32_t value)
{
    if (value != -1)
        pail_json_set(json, key, json_integer(value));
}

static json_t *node_object(const pail_node *node)
{
    struct pail_json json;
    pail_json_begin(&json);
    pail_json_set_text(&json, "kind", pail_name_of(pail_node_names, node->kind));
    set_used(&json, "a", node->a);
    set_used(&json, "b", node->b);
    set_used(&json, "body", node->body);
    set_used(&json, "variable", node->variable);
    set_used(&json, "source", node->source);
    set_used(&json, "axis", node->axis);
    if (node->dtype != 0)
        pail_json_set_text(&json, "dtype", pail_name_of(pail_dtype_names, node->dtype));
    if (node->index_count != 0) {
        pail_json_set_number(&json, "index_first", node->index_first);
        pail_json_set_number(&json, "index_count", node->index_count);
    }
    if (node->kind == PAIL_NODE_CONST || node->imm != 0)
        pail_json_set(&json, "imm", json_integer(node->imm));
    return pail_json_take(&json);
}

static json_t *tree_object(const pail_tree *tree)
{
    struct pail_json json, nodes, indices;
    pail_json_begin(&json);
    pail_json_begin_list(&nodes);
    pail_json_begin_list(&indices);
    for (size_t i = 0; i < tree->n_nodes; i++)
        pail_json_add(&nodes, node_object(&tree->nodes[i]));
    for (size_t i = 0; i < tree->n_indices; i++)
        pail_json_add(&indices, json_integer(tree->indices[i]));
    pail_json_set(&json, "nodes", pail_json_take(&nodes));
    pail_json_set(&json, "indices", pail_json_take(&indices));
    return pail_json_take(&json);
}

pail_status pail_sizing_print_nodes(FILE *out, const struct pail_sizing_case *made,
                                    struct pail_error *error)
{
    struct pail_json json, tasks, trees;
    pail_json_begin(&json);
    pail_json_begin_list(&tasks);
    for (size_t t = 0; t < made->kernel.n_tasks; t++) {
        const pail_task_desc *const task = &made->kernel.tasks[t];
        pail_json_begin_list(&trees);
        for (size_t s = 0; s < task->n_stacks; s++)
            pail_json_add(&trees, tree_object(&task->stacks[s].tree));
        pail_json_add(&tasks, pail_json_take(&trees));
    }
    pail_json_set(&json, "kernel", json_stringn(made->kernel.name, made->kernel.name_bytes));
    pail_json_set(&json, "trees", pail_json_take(&tasks));
    return pail_json_print(out, &json, error);
}
