/* SPDX-License-Identifier: Apache-2.0 */
/* Reverse-mode autodiff with history stacks that Pail sizes: beads with data-dependent numbers of
 * steps and substeps (beads.glsl), a forward and a backward kernel, and gradients that are checked
 * against finite differences.
 *
 *  1. Launches, with arrays that are rewritten between them: heaps grow, unchanged arrays are not
 *     looked at again.
 *  2. A write that nobody is told of: the kernel reports an overflow, Pail says why, and the next
 *     launch is right again.
 *  3. A command buffer that sizes its own stacks, replayed with other arrays.
 *
 * All of it with a row of the heaps for each bead, and then with heaps whose parts the beads claim.
 *  4. Pail chooses between the two, by bytes and by the times that were measured.
 *
 * usage: adstack /path/to/libpail-vulkan.so. Returns 0, 1 with a sentence, or 77 where no device
 * can do it. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "sizing.h"

#include "backward.h"
#include "forward.h"

struct program {
    struct gpu gpu;
    struct beads beads;
    struct sizing sizing;
    struct history history;
    struct kernel forward, backward;
};

static struct push push_of(const struct program *program, uint64_t metadata)
{
    const struct beads *const beads = &program->beads;
    return (struct push){
        .x = beads->x.address,
        .drive = beads->drive.address,
        .target = beads->target.address,
        .steps = beads->steps.address,
        .substeps = beads->substeps.address,
        .loss = beads->loss.address,
        .end = beads->end.address,
        .grad_x = beads->grad_x.address,
        .grad_drive = beads->grad_drive.address,
        .heap_float = program->history.heap_float.address,
        .heap_int = program->history.heap_int.address,
        .claims = program->history.claims.address,
        .metadata = metadata,
        .overflow = program->sizing.overflow,
        .n = N_BEADS,
        .n_substeps = N_SUBSTEPS,
        .id = program->sizing.id,
        .serial = (uint32_t)program->sizing.serial,
    };
}

static uint64_t now_ns(void)
{
    struct timespec now;
    (void)timespec_get(&now, TIME_UTC);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Returns nanoseconds that the kernels took. A runtime would take timestamps of the device. */
static uint64_t launch(const struct program *program)
{
    const struct push push = push_of(program, program->history.metadata.address);
    const VkCommandBuffer commands = commands_begin(&program->gpu);
    commands_bind(commands, &program->forward, &push);
    vkCmdDispatch(commands, N_BEADS / 64, 1, 1);
    commands_barrier(commands);
    commands_bind(commands, &program->backward, &push);
    vkCmdDispatch(commands, N_BEADS / 64, 1, 1);
    commands_barrier(commands);
    commands_end(commands);
    const uint64_t before = now_ns();
    commands_run(&program->gpu, commands);
    const uint64_t ns = now_ns() - before;
    commands_free(&program->gpu, commands);
    return ns > 0 ? ns : 1;
}

/* Single against double precision over some hundred substeps. */
static void expect_gradient(struct program *program, const char *when)
{
    const double error = beads_check(&program->beads);
    if (!(error < 1e-3))
        fail("%s: loss or gradient is off by %g", when, error);
    (void)printf("%s: loss and gradient are right to %.1e\n", when, error);
}

static void expect_no_overflow(struct program *program, const char *when)
{
    pail_diagnosis diagnosis;
    if (sizing_report(&program->sizing, &diagnosis) != 0)
        fail("%s: a stack overflowed", when);
}

/* Compares the depths that Pail found with those that the stacks need. */
static void expect_depths(const struct program *program, const uint32_t *metadata)
{
    int64_t x, step;
    beads_depths(&program->beads, &x, &step);
    const int64_t wanted[N_STACKS] = {x, step, step, step};
    for (int i = 0; i < N_STACKS; i++) {
        if (metadata[3 + 2 * i] != (wanted[i] > 1 ? wanted[i] : 1))
            fail("stack %d has room for %" PRIu32 " entries, and %" PRId64 " are needed", i,
                 metadata[3 + 2 * i], wanted[i]);
    }
}

/* ---- 1 -------------------------------------------------------------------------------------- */
/* Returns nanoseconds of the fastest launch. */
static uint64_t launches(struct program *program)
{
    struct sizing *const sizing = &program->sizing;
    uint64_t fastest = UINT64_MAX;
    for (int round = 0; round < 4; round++) {
        if (round != 1) { /* in round 1 nothing has changed */
            beads_set_counts(&program->beads, 4 + 6 * round, 3 + round, 1 + (uint32_t)round);
            for (int i = 0; i < N_SOURCES; i++)
                sizing->generation[i]++; /* the runtime knows of its own writes */
        }
        const uint32_t origin =
            sizing_prepare(sizing, &program->gpu, &program->beads, &program->history, round == 0);
        if ((origin == PAIL_SIZE_CACHED) != (round == 1))
            fail("round %d: the size's origin is %u", round, (unsigned)origin);
        expect_depths(program, program->history.metadata.mapped);
        const uint64_t ns = launch(program);
        fastest = ns < fastest ? ns : fastest;
        expect_no_overflow(program, "launches");
        expect_gradient(program, "launches");
    }
    return fastest;
}

/* ---- 2 -------------------------------------------------------------------------------------- */
static void untracked_write(struct program *program)
{
    struct sizing *const sizing = &program->sizing;
    pail_diagnosis why = {0};
    beads_set_counts(&program->beads, 40, 9, 77); /* and not a word to Pail */
    const uint32_t origin =
        sizing_prepare(sizing, &program->gpu, &program->beads, &program->history, 0);
    if (origin != PAIL_SIZE_CACHED)
        fail("untracked write: the size's origin is %u", (unsigned)origin);
    (void)launch(program);
    if (beads_check(&program->beads) < 1e-3)
        fail("untracked write: the gradient is right by accident");
    if (sizing_report(sizing, &why) == 0)
        fail("untracked write: no stack overflowed");
    if (why.cause != PAIL_CAUSE_UNTRACKED_WRITE || why.invalidated != 1 ||
        why.required <= (int64_t)why.allocated)
        fail("untracked write: the diagnosis is cause %u", (unsigned)why.cause);
    /* The sum of claims reads both arrays in one range, and they cannot be told apart there. */
    const bool either = sizing->task.layout == PAIL_LAYOUT_CLAIMED;
    if (why.suspect_identity != 1 + SOURCE_STEPS && why.suspect_identity != 1 + SOURCE_SUBSTEPS &&
        !(either && why.suspect_identity == 0))
        fail("untracked write: array %" PRIu64 " is blamed", why.suspect_identity);

    (void)sizing_prepare(sizing, &program->gpu, &program->beads, &program->history, 0);
    expect_depths(program, program->history.metadata.mapped);
    (void)launch(program);
    expect_no_overflow(program, "the launch after");
    expect_gradient(program, "the launch after");
}

/* ---- 3 -------------------------------------------------------------------------------------- */
struct recording {
    VkCommandBuffer commands;
    pail_adstack_result *result;
    pail_record_task layout;
};

static void record(struct program *program, struct recording *recording)
{
    const struct history *const history = &program->history;
    recording->commands = commands_begin(&program->gpu);
    recording->result = sizing_record(&program->sizing, &program->gpu, &program->beads,
                                      &program->history, recording->commands, &recording->layout);
    const pail_record_task *const layout = &recording->layout;
    const struct push push = push_of(program, history->metadata.address + layout->metadata_offset);
    commands_bind(recording->commands, &program->forward, &push);
    vkCmdDispatchIndirect(recording->commands, history->metadata.buffer, layout->dispatch_offset);
    commands_barrier(recording->commands);
    commands_bind(recording->commands, &program->backward, &push);
    vkCmdDispatchIndirect(recording->commands, history->metadata.buffer, layout->dispatch_offset);
    commands_barrier(recording->commands);
    commands_end(recording->commands);
}

static void forget(struct program *program, struct recording *recording)
{
    commands_free(&program->gpu, recording->commands);
    program->sizing.api->adstack_release(recording->result);
}

/* Submits the commands again; needed[2] is what the run needed of the heaps. */
static uint32_t replay(struct program *program, const struct recording *recording,
                       uint64_t needed[2])
{
    const uint8_t *const at = (const uint8_t *)program->history.metadata.mapped;
    uint32_t status;
    commands_run(&program->gpu, recording->commands);
    memcpy(needed, at + recording->layout.needed_offset, 16);
    memcpy(&status, at + recording->layout.needed_offset + 16, 4);
    (void)printf("replay: status %" PRIu32 ", heaps of %" PRIu64 " and %" PRIu64 " bytes needed\n",
                 status, needed[0], needed[1]);
    if (status == PAIL_RECORD_OK)
        expect_depths(program,
                      (const uint32_t *)(const void *)(at + recording->layout.metadata_offset));
    return status;
}

static void replays(struct program *program)
{
    struct recording recording = {0};
    uint64_t needed[2];
    record(program, &recording);
    for (int round = 0; round < 3; round++) {
        beads_set_counts(&program->beads, 10 + 10 * round, 5, 100 + (uint32_t)round);
        if (replay(program, &recording, needed) != PAIL_RECORD_OK)
            fail("replay %d did not run", round);
        expect_no_overflow(program, "replay");
        expect_gradient(program, "replay");
    }

    /* Deeper than the heaps: nothing runs, and the program is told how much is missing. */
    beads_set_counts(&program->beads, 48, 40, 200);
    if (replay(program, &recording, needed) != PAIL_RECORD_HEAP)
        fail("a replay ran in heaps that are too small");
    uint32_t untouched;
    memcpy(&untouched, program->beads.loss.mapped, 4);
    if (untouched != UINT32_MAX)
        fail("a replay that should not run wrote something");
    forget(program, &recording);
    memory_free(&program->gpu, &program->history.heap_float);
    memory_free(&program->gpu, &program->history.heap_int);
    memory_make(&program->gpu, &program->history.heap_float, needed[0]);
    memory_make(&program->gpu, &program->history.heap_int, needed[1]);
    record(program, &recording);
    if (replay(program, &recording, needed) != PAIL_RECORD_OK)
        fail("the replay in larger heaps did not run");
    expect_no_overflow(program, "replay in larger heaps");
    expect_gradient(program, "replay in larger heaps");
    forget(program, &recording);
}

/* ---- 4 -------------------------------------------------------------------------------------- */
static void either_layout(struct program *program)
{
    struct sizing *const sizing = &program->sizing;
    pail_task_launch *const task = &sizing->task;
    uint64_t ns[2];
    for (uint32_t layout = PAIL_LAYOUT_ROWS; layout <= PAIL_LAYOUT_CLAIMED; layout++) {
        task->layout = layout;
        ns[layout - PAIL_LAYOUT_ROWS] = launches(program);
        untracked_write(program);
        replays(program);
        memory_free(&program->gpu, &program->history.heap_float);
        memory_free(&program->gpu, &program->history.heap_int);
    }
    (void)printf("%" PRIu64 " ns in rows, %" PRIu64 " ns claimed\n", ns[0], ns[1]);
    task->layout = PAIL_LAYOUT_AUTO;
    task->rows_ns = ns[0];
    task->claimed_ns = ns[1];
    beads_set_counts(&program->beads, 30, 20, 300);
    for (int i = 0; i < N_SOURCES; i++)
        sizing->generation[i]++;
    (void)sizing_prepare(sizing, &program->gpu, &program->beads, &program->history, 1);
    (void)launch(program);
    expect_no_overflow(program, "the layout that is chosen");
    expect_gradient(program, "the layout that is chosen");
}

int main(int argc, char **argv)
{
    static struct program program;
    if (argc != 2)
        fail("usage: adstack PLUGIN");
    const int usable = gpu_open(&program.gpu);
    if (!usable)
        (void)fprintf(stderr, "no device with buffer addresses and timeline semaphores\n");
    if (usable && sizing_open(&program.sizing, argv[1], &program.gpu)) {
        (void)printf("%s, task %08" PRIx32 "\n", program.gpu.name, program.sizing.id);
        beads_make(&program.gpu, &program.beads);
        memory_make(&program.gpu, &program.history.metadata, N_WORDS * sizeof(uint32_t));
        memory_make(&program.gpu, &program.history.claims, 2 * N_BEADS * sizeof(uint32_t));
        kernel_make(&program.gpu, &program.forward, forward_words, sizeof(forward_words),
                    sizeof(struct push));
        kernel_make(&program.gpu, &program.backward, backward_words, sizeof(backward_words),
                    sizeof(struct push));
        either_layout(&program);
        kernel_free(&program.gpu, &program.forward);
        kernel_free(&program.gpu, &program.backward);
        memory_free(&program.gpu, &program.history.metadata);
        memory_free(&program.gpu, &program.history.claims);
        memory_free(&program.gpu, &program.history.heap_float);
        memory_free(&program.gpu, &program.history.heap_int);
        beads_free(&program.gpu, &program.beads);
        (void)printf("all is as it should be\n");
        sizing_close(&program.sizing);
        gpu_close(&program.gpu);
        return 0;
    }
    sizing_close(&program.sizing);
    gpu_close(&program.gpu);
    return 77;
}
