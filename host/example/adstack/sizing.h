/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of Pail that the program makes. */
#ifndef EXAMPLE_SIZING_H
#define EXAMPLE_SIZING_H

#include <pail/backend.h>

#include "beads.h"

/* History stacks of beads.glsl, in the order in which they are registered, and then the sums of
 * what all beads need of either heap. */
enum { STACK_X, STACK_STEP, STACK_WALL, STACK_SUBS, N_STACKS };
enum { STACK_FLOATS = N_STACKS, STACK_INTS, N_REGISTERED };
enum { N_WORDS = 3 + 2 * N_STACKS + 5 }; /* words of metadata */
enum { SOURCE_STEPS, SOURCE_SUBSTEPS, N_SOURCES };

struct sizing {
    void *library;
    const pail_backend *api;
    pail_context *context;
    pail_adstack_kernel kernel;
    uint32_t id;                    /* id of the task in overflows */
    uint64_t overflow;              /* address of the buffer for overflows */
    uint64_t serial;                /* number of the last launch */
    uint64_t generation[N_SOURCES]; /* raised for each write that is told */
    pail_task_launch task;          /* of the next launch, with its layout */
};

/* Memory of the stacks, and their places in it. */
struct history {
    struct memory heap_float, heap_int;
    struct memory metadata; /* metadata of one task; adstack_record puts more there */
    struct memory claims;   /* uint32_t[N_BEADS][2], for the backward pass */
};

/* Loads the plugin, makes a context on the program's own device, and registers the kernel. Returns
 * 0 where Pail cannot work there. */
int sizing_open(struct sizing *sizing, const char *plugin, const struct gpu *gpu);
void sizing_close(struct sizing *sizing);

/* Prepares a launch: sizes for the present arrays, heaps large enough, metadata in place, in the
 * layout of sizing->task. Returns the origin of the deepest stack's size. */
uint32_t sizing_prepare(struct sizing *sizing, const struct gpu *gpu, const struct beads *beads,
                        struct history *history, int explain);

/* Prints, after a launch has completed, overflows and their reasons. Returns the number of records;
 * all have the same cause, and *diagnosis is about one that knows the array, if any does. */
size_t sizing_report(struct sizing *sizing, pail_diagnosis *diagnosis);

/* Sizing as a part of a command buffer: it writes metadata and the arguments of dispatches to the
 * metadata buffer whenever it runs. The result must live as long as the command buffer. */
pail_adstack_result *sizing_record(struct sizing *sizing, const struct gpu *gpu,
                                   const struct beads *beads, struct history *history,
                                   VkCommandBuffer commands, pail_record_task *layout);

#endif /* EXAMPLE_SIZING_H */
