/* SPDX-License-Identifier: Apache-2.0 */
#include <shared/adstack_layout.h>

#include <adstack/desc.h>
#include <adstack/tasks.h>

#include "encode_priv.h"
#include "record_words.h"

_Static_assert(AD_RECORD_OK == (int)PAIL_RECORD_OK && AD_RECORD_HEAP == (int)PAIL_RECORD_HEAP &&
                   AD_RECORD_ERROR == (int)PAIL_RECORD_ERROR &&
                   AD_RECORD_RANGE == (int)PAIL_RECORD_RANGE,
               "statuses are those of enum pail_record_status");

_Static_assert(AD_LAYOUT_AUTO == (int)PAIL_LAYOUT_AUTO && AD_LAYOUT_ROWS == (int)PAIL_LAYOUT_ROWS &&
                   AD_LAYOUT_CLAIMED == (int)PAIL_LAYOUT_CLAIMED &&
                   AD_ROWS_TIME == (int)PAIL_AD_ROWS_TIME,
               "layouts are those of enum pail_layout");

/* Below 0 for a kernel, as no number of rows is: they are the value of the task's slot. */
#define AD_ROWS_COUNTED UINT64_MAX

/* Kernels compute with signed numbers; what is beyond them is beyond any heap. */
static uint64_t at_most_signed(uint64_t v)
{
    return v < (uint64_t)INT64_MAX ? v : (uint64_t)INT64_MAX;
}

static void put_stack(const struct pail_ad_encoder *c, uint32_t *words,
                      const pail_stack_desc *stack, uint32_t slot)
{
    const bool is_static = slot == PAIL_AD_NONE;
    const uint64_t entry = (uint64_t)stack->copies * stack->element_bytes;
    words[AD_STACK_SLOT] = is_static ? AD_NONE : c->e->number[slot];
    pail_ad_put64(&words[AD_STACK_CAPACITY],
                  is_static ? at_most_signed(stack->static_capacity) : 0);
    words[AD_STACK_HEAP] = stack->heap;
    /* A capacity that is cut off must not fit by it, not even with entries of a byte. */
    pail_ad_put64(&words[AD_STACK_ENTRY],
                  is_static && stack->static_capacity > INT64_MAX ? 2 * entry : entry);
    words[AD_STACK_HEADER] = stack->header_bytes;
    words[AD_STACK_ALIGNMENT] = stack->alignment;
}

static void put_claims(const struct pail_ad_encoder *c, uint32_t *words, uint32_t task,
                       uint32_t heap)
{
    const uint32_t stack = pail_ad_stack_on(&c->record->tasks[task], heap);
    words[AD_CLAIMS_STACK] = words[AD_CLAIMS_SLOT] = AD_NONE;
    if (stack == PAIL_AD_NONE)
        return;
    const uint32_t slot = c->program->roots[c->program->task_first[task] + stack].slot;
    words[AD_CLAIMS_STACK] = stack;
    if (slot == PAIL_AD_NONE)
        pail_ad_put64(&words[AD_CLAIMS_TOTAL],
                      at_most_signed(c->record->tasks[task].stacks[stack].static_capacity));
    else
        words[AD_CLAIMS_SLOT] = c->e->number[slot];
}

static void put_task(const struct pail_ad_encoder *c, uint32_t *words, uint32_t task,
                     uint32_t stacks)
{
    const struct pail_ad_record *r = c->record;
    const pail_task_launch *launch = &r->launches[task];
    const pail_record_task *place = &r->places[task];
    const uint64_t threads = launch->threads, each = r->workgroup_threads;
    const uint32_t first = c->program->task_first[task];
    const uint32_t n = (uint32_t)pail_ad_n_placed(&r->tasks[task]);
    const uint32_t rows_stack = pail_ad_stack_on(&r->tasks[task], PAIL_HEAP_ROWS);
    const bool counts = rows_stack != PAIL_AD_NONE;
    const uint32_t counted = counts ? c->program->roots[first + rows_stack].slot : PAIL_AD_NONE;
    uint64_t rows = at_most_signed(pail_ad_rows(launch));
    if (counts && !pail_ad_is_gated(launch))
        rows = counted == PAIL_AD_NONE
                   ? at_most_signed(r->tasks[task].stacks[rows_stack].static_capacity)
                   : AD_ROWS_COUNTED;
    words[AD_TASK_N] = n;
    words[AD_TASK_STACKS] = stacks;
    words[AD_TASK_UNIT] = r->tasks[task].flags & PAIL_TASK_ELEMENT_UNITS ? 2 : 0;
    words[AD_TASK_WIDE] = (r->tasks[task].flags & PAIL_TASK_WIDE_METADATA) != 0;
    words[AD_TASK_GROUPS] = (uint32_t)(threads / each + (threads % each != 0));
    pail_ad_put64(&words[AD_TASK_METADATA], r->metadata_address + place->metadata_offset);
    pail_ad_put64(&words[AD_TASK_DISPATCH], r->metadata_address + place->dispatch_offset);
    pail_ad_put64(&words[AD_TASK_NEEDED], r->metadata_address + place->needed_offset);
    pail_ad_put64(&words[AD_TASK_ROWS], rows);
    words[AD_TASK_COUNTED] = counted == PAIL_AD_NONE ? AD_NONE : c->e->number[counted];
    pail_ad_put64(&words[AD_TASK_ROWS + 2], at_most_signed(threads));
    pail_ad_put64(&words[AD_TASK_HEAPS], at_most_signed(r->heap[PAIL_HEAP_FLOAT]));
    pail_ad_put64(&words[AD_TASK_HEAPS + 2], at_most_signed(r->heap[PAIL_HEAP_INT]));
    words[AD_TASK_LAYOUT] = launch->layout;
    words[AD_TASK_TIME] = pail_ad_claimed_time(launch);
    put_claims(c, &words[AD_TASK_CLAIMS], task, PAIL_HEAP_FLOAT_CLAIMS);
    put_claims(c, &words[AD_TASK_CLAIMS + AD_CLAIMS_WORDS], task, PAIL_HEAP_INT_CLAIMS);
}

void pail_ad_put_tasks(struct pail_ad_encoder *c)
{
    struct pail_ad_encoded *e = c->e;
    const struct pail_ad_program *program = c->program;
    const uint32_t n_stacks = program->task_first[program->n_tasks];
    const uint32_t stacks = pail_ad_put(c, AD_STACK_WORDS * n_stacks);
    e->n_tasks = program->n_tasks;
    e->tasks = pail_ad_put(c, AD_TASK_WORDS * e->n_tasks);
    e->short_of = pail_ad_put(c, 1);
    for (uint32_t task = 0; task < e->n_tasks && c->status == PAIL_OK; task++) {
        const uint32_t first = program->task_first[task];
        put_task(c, &e->words[e->tasks + AD_TASK_WORDS * task], task,
                 stacks + AD_STACK_WORDS * first);
        for (uint32_t i = first; i < program->task_first[task + 1]; i++)
            put_stack(c, &e->words[stacks + AD_STACK_WORDS * i],
                      &c->record->tasks[task].stacks[i - first], program->roots[i].slot);
    }
}
