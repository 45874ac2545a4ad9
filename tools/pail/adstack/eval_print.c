/* Output of `pail adstack eval` for people. */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include <platform/text.h>

#include "eval.h"
#include "measure/statistics.h"

const char *pail_sizing_origin_name(uint32_t origin)
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
    (void)pail_print(out, "  stack  heap   %20s  %12s  %12s  origin\n", "raw", "capacity",
                     "offset");
    for (size_t s = 0; s < task->n_stacks; s++) {
        const size_t at = (size_t)made->first_stack[t] + s;
        const pail_stack_size *const stack = &answer->stacks[at];
        (void)pail_print(out, "  %5zu  %-5s  %20" PRId64 "  %12" PRIu64 "  %12" PRIu64 "  ", s,
                         task->stacks[s].heap == PAIL_HEAP_INT ? "int" : "float", stack->raw,
                         stack->capacity, stack->offset);
        const char *gap = "";
        for (int way = 0; way < PAIL_WAYS; way++) {
            if (!run->answers[way].asked || run->answers[way].error.status != PAIL_OK)
                continue;
            (void)pail_print(out, "%s%s: %s", gap, pail_sizing_way_names[way],
                             pail_sizing_origin_name(run->answers[way].stacks[at].origin));
            gap = ", ";
        }
        (void)fputc('\n', out);
    }
    (void)pail_print(out,
                     "  float heap  stride %" PRIu64 "  bytes %" PRIu64 "\n"
                     "  int heap    stride %" PRIu64 "  bytes %" PRIu64 "\n",
                     size->stride_float, size->heap_float, size->stride_int, size->heap_int);
    (void)fputs("  metadata   ", out);
    if (answer->words_status[t] != PAIL_OK)
        (void)fputs(" a size does not fit 32 bits", out);
    const uint32_t *const words = answer->words + pail_sizing_words_of(made, t);
    for (size_t i = 0; answer->words_status[t] == PAIL_OK && i < 3 + 2 * task->n_stacks; i++)
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
        if (answer->asked && answer->plan != NULL)
            print_plan(out, pail_sizing_way_names[way], answer->plan);
    }
}
