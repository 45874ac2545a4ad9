/* SPDX-License-Identifier: Apache-2.0 */
#include "sizing.h"

#include <pail/adstack_build.h>

#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- The compiler's knowledge ---------------------------------------------------------------- */
/* Steps of bead p, which is variable 0: each is one entry of three stacks. */
static int32_t steps_of_bead(pail_tree_builder *b)
{
    const int64_t p[] = {PAIL_TREE_INDEX(0)};
    return pail_tree_read(b, SOURCE_STEPS, PAIL_DTYPE_I32, 1, p);
}

/* Substeps of bead p, each an entry of the first stack: the sum over s < steps[p] of
 * substeps[(p + s) mod n]. s is variable 1. */
static int32_t substeps_of_bead(pail_tree_builder *b)
{
    const int32_t zero = pail_tree_const(b, 0), steps = steps_of_bead(b);
    const int32_t bead = pail_tree_variable(b, 0), step = pail_tree_variable(b, 1);
    const int32_t at = pail_tree_op(b, PAIL_NODE_MOD, pail_tree_op(b, PAIL_NODE_ADD, bead, step),
                                    pail_tree_shape(b, SOURCE_SUBSTEPS, 0));
    const int32_t substeps = pail_tree_read_at(b, SOURCE_SUBSTEPS, PAIL_DTYPE_I32, 1, &at);
    return pail_tree_sum_over(b, 1, zero, steps, substeps);
}

/* The largest of all beads, or the sum over them. */
static int32_t over_beads(pail_tree_builder *b, pail_node_kind kind, int32_t of_bead)
{
    const int32_t zero = pail_tree_const(b, 0), n = pail_tree_shape(b, SOURCE_STEPS, 0);
    return pail_tree_over(b, kind, 0, zero, n, of_bead);
}

/* Two stacks of a bead, one behind the other in its part of their heap. */
static int32_t part(pail_tree_builder *b, int32_t first, int32_t second,
                    const pail_stack_desc *stack)
{
    const int32_t of_first = pail_tree_part(b, first, stack, PAIL_TASK_ELEMENT_UNITS);
    return pail_tree_op(b, PAIL_NODE_ADD, of_first,
                        pail_tree_part(b, second, stack, PAIL_TASK_ELEMENT_UNITS));
}

/* Both passes are one task: they share the stacks. Values of 4 bytes, those of the float heap with
 * an adjoint each; the count of entries is a header of 4 bytes. */
static pail_status register_kernel(struct sizing *sizing)
{
    pail_node nodes[64];
    int64_t indices[8];
    pail_stack_desc values = {.struct_size = sizeof(values),
                              .heap = PAIL_HEAP_FLOAT,
                              .element_bytes = 4,
                              .copies = 2,
                              .header_bytes = 4};
    pail_stack_desc numbers = {.struct_size = sizeof(numbers),
                               .heap = PAIL_HEAP_INT,
                               .element_bytes = 4,
                               .copies = 1,
                               .header_bytes = 4};
    pail_tree_builder b = pail_tree_begin(nodes, 64, indices, 8);
    const int32_t steps = steps_of_bead(&b), substeps = substeps_of_bead(&b);
    const int32_t floats = part(&b, substeps, steps, &values);
    const int32_t ints = part(&b, steps, steps, &numbers);
    const int32_t roots[N_REGISTERED] = {
        [STACK_X] = over_beads(&b, PAIL_NODE_MAX_OVER_RANGE, substeps),
        [STACK_STEP] = over_beads(&b, PAIL_NODE_MAX_OVER_RANGE, steps),
        [STACK_WALL] = over_beads(&b, PAIL_NODE_MAX_OVER_RANGE, steps),
        [STACK_SUBS] = over_beads(&b, PAIL_NODE_MAX_OVER_RANGE, steps),
        [STACK_FLOATS] = over_beads(&b, PAIL_NODE_SUM_OVER_RANGE, floats),
        [STACK_INTS] = over_beads(&b, PAIL_NODE_SUM_OVER_RANGE, ints)};
    pail_stack_desc stacks[N_REGISTERED] = {
        [STACK_X] = values,
        [STACK_STEP] = values,
        [STACK_WALL] = numbers,
        [STACK_SUBS] = numbers,
        [STACK_FLOATS] = {.struct_size = sizeof(values), .heap = PAIL_HEAP_FLOAT_CLAIMS},
        [STACK_INTS] = {.struct_size = sizeof(values), .heap = PAIL_HEAP_INT_CLAIMS}};
    for (int i = 0; i < N_REGISTERED; i++) {
        const pail_status status = pail_tree_end(&b, roots[i], &stacks[i].tree);
        if (status != PAIL_OK)
            return status;
    }
    const pail_task_desc task = {.struct_size = sizeof(task),
                                 .stacks = stacks,
                                 .n_stacks = N_REGISTERED,
                                 .flags = PAIL_TASK_ELEMENT_UNITS};
    static const uint8_t ranks[N_SOURCES] = {1, 1};
    const pail_kernel_desc kernel = {.struct_size = sizeof(kernel),
                                     .name = "beads",
                                     .name_bytes = 5,
                                     .tasks = &task,
                                     .n_tasks = 1,
                                     .source_rank = ranks,
                                     .n_sources = N_SOURCES};
    return sizing->api->adstack_register(sizing->context, &sizing->kernel, &sizing->id, &kernel);
}

/* ---- Beginning and end ---------------------------------------------------------------------- */
static const pail_host host = {
    .struct_size = sizeof(host), .abi_major = PAIL_ABI_MAJOR, .abi_minor = PAIL_ABI_MINOR};

static void need(const struct sizing *sizing, pail_status status, const char *what)
{
    if (status != PAIL_OK)
        fail("%s: status %d: %s", what, (int)status, sizing->api->error(sizing->context));
}

/* A Vulkan handle in the type of the boundary. */
static void *handle(const void *address)
{
    void *value;
    memcpy(&value, address, sizeof(value));
    return value;
}

int sizing_open(struct sizing *sizing, const char *plugin, const struct gpu *gpu)
{
    *sizing = (struct sizing){.generation = {1, 1},
                              .task = {.struct_size = sizeof(sizing->task), .threads = N_BEADS}};
    pail_backend_open_fn open = NULL;
    sizing->library = dlopen(plugin, RTLD_NOW | RTLD_LOCAL);
    if (sizing->library)
        *(void **)&open = dlsym(sizing->library, PAIL_BACKEND_SYMBOL);
    if (!open)
        fail("%s", dlerror());
    if (open(&host, &sizing->api) != PAIL_OK || !PAIL_HAS(sizing->api, adstack_record))
        fail("%s: it does not fit, or sizes no stacks", plugin);
    const pail_vulkan_import import = {
        .struct_size = sizeof(import),
        .queue_family = gpu->family,
        .enabled_features =
            PAIL_FEATURE_DEVICE_ADDRESS | (gpu->has_int64 ? (uint32_t)PAIL_FEATURE_INT64 : 0),
        .instance = handle(&gpu->instance),
        .physical_device = handle(&gpu->physical),
        .device = handle(&gpu->device),
    };
    const pail_context_params params = {.struct_size = sizeof(params), .import = &import};
    const pail_status status = sizing->api->context_create(&host, &sizing->context, &params);
    if (status == PAIL_ERR_UNSUPPORTED) {
        (void)fprintf(stderr, "%s\n", sizing->api->error(NULL));
        return 0;
    }
    if (status != PAIL_OK)
        fail("context_create: status %d: %s", (int)status, sizing->api->error(NULL));
    need(sizing, register_kernel(sizing), "adstack_register");
    uint64_t buffer;
    need(sizing, sizing->api->adstack_overflow_buffer(sizing->context, &buffer, &sizing->overflow),
         "adstack_overflow_buffer");
    return 1;
}

void sizing_close(struct sizing *sizing)
{
    if (sizing->context) {
        need(sizing, sizing->api->adstack_unregister(sizing->context, sizing->kernel),
             "adstack_unregister");
        sizing->api->context_destroy(&sizing->context);
    }
    if (sizing->library)
        (void)dlclose(sizing->library);
}

/* ---- A launch ------------------------------------------------------------------------------- */
static const int64_t step_shape[] = {N_BEADS}, sub_shape[] = {N_SUBSTEPS};

/* The arrays live on the device. Numbers 1 and 2 are theirs for ever. */
static void describe_arrays(const struct sizing *sizing, const struct beads *beads,
                            pail_binding bindings[N_SOURCES])
{
    const struct memory *const arrays[N_SOURCES] = {&beads->steps, &beads->substeps};
    const int64_t *const shapes[N_SOURCES] = {step_shape, sub_shape};
    for (uint32_t i = 0; i < N_SOURCES; i++)
        bindings[i] = (pail_binding){.struct_size = sizeof(bindings[i]),
                                     .source = i,
                                     .identity = i + 1,
                                     .generation = sizing->generation[i],
                                     .device_address = arrays[i]->address,
                                     .size_bytes = arrays[i]->bytes,
                                     .dtype = PAIL_DTYPE_I32,
                                     .rank = 1,
                                     .shape = shapes[i]};
}

static pail_launch describe_launch(struct sizing *sizing, const struct history *history,
                                   const pail_binding bindings[N_SOURCES])
{
    return (pail_launch){.struct_size = sizeof(pail_launch),
                         .kernel = sizing->kernel,
                         .bindings = bindings,
                         .n_bindings = N_SOURCES,
                         .tasks = &sizing->task,
                         .n_tasks = 1,
                         .serial = ++sizing->serial,
                         .heap_float = history->heap_float.bytes,
                         .heap_int = history->heap_int.bytes,
                         .workgroup_threads = 64};
}

/* Nothing uses the heap any more: the program waits for each launch. */
static void grow(const struct gpu *gpu, struct memory *heap, uint64_t bytes)
{
    if (bytes <= heap->bytes)
        return;
    memory_free(gpu, heap);
    memory_make(gpu, heap, bytes);
}

static void print_plan(const struct sizing *sizing, const pail_adstack_result *result)
{
    size_t size = 0;
    need(sizing, sizing->api->adstack_explain(result, NULL, &size), "adstack_explain");
    char *const text = malloc(size);
    if (!text)
        fail("no memory for the plan");
    need(sizing, sizing->api->adstack_explain(result, text, &size), "adstack_explain");
    (void)printf("%s\n", text);
    free(text);
}

uint32_t sizing_prepare(struct sizing *sizing, const struct gpu *gpu, const struct beads *beads,
                        struct history *history, int explain)
{
    const pail_backend *const api = sizing->api;
    pail_binding bindings[N_SOURCES];
    pail_adstack_result *result = NULL;
    pail_task_size size = {.struct_size = sizeof(size)};
    pail_stack_size deepest = {.struct_size = sizeof(deepest)};
    describe_arrays(sizing, beads, bindings);
    pail_launch launch = describe_launch(sizing, history, bindings);
    launch.flags = explain ? (uint32_t)PAIL_LAUNCH_EXPLAIN : 0;
    need(sizing, api->adstack_evaluate(sizing->context, &result, &launch), "adstack_evaluate");
    need(sizing, api->adstack_task_size(result, &size, 0), "adstack_task_size");
    need(sizing, api->adstack_stack_size(result, &deepest, 0, STACK_X), "adstack_stack_size");
    grow(gpu, &history->heap_float, size.grow_float);
    grow(gpu, &history->heap_int, size.grow_int);
    size_t n_words = N_WORDS;
    need(sizing, api->adstack_metadata(result, history->metadata.mapped, &n_words, 0),
         "adstack_metadata");
    if (sizing->task.layout != PAIL_LAYOUT_AUTO && size.layout != sizing->task.layout)
        fail("launch %" PRIu64 ": the layout is %u", sizing->serial, (unsigned)size.layout);
    (void)printf("launch %" PRIu64 ": %" PRIu64 " entries at most (origin %u), heaps of %" PRIu64
                 " and %" PRIu64 " bytes of %" PRIu64 " and %" PRIu64 ", %s; in rows %" PRIu64
                 " and %" PRIu64 ", claimed %" PRIu64 " and %" PRIu64 "\n",
                 sizing->serial, deepest.capacity, (unsigned)deepest.origin, size.heap_float,
                 size.heap_int, history->heap_float.bytes, history->heap_int.bytes,
                 size.layout == PAIL_LAYOUT_CLAIMED ? "claimed" : "in rows", size.rows_float,
                 size.rows_int, size.claimed_float, size.claimed_int);
    if (explain)
        print_plan(sizing, result);
    api->adstack_release(result);
    return deepest.origin;
}

size_t sizing_report(struct sizing *sizing, pail_diagnosis *diagnosis)
{
    const pail_backend *const api = sizing->api;
    pail_overflow records[8];
    size_t in_all = 0;
    for (;;) {
        size_t n = sizeof(records) / sizeof(records[0]);
        records[0].struct_size = sizeof(records[0]);
        need(sizing, api->adstack_poll_overflow(sizing->context, records, &n),
             "adstack_poll_overflow");
        if (n == 0)
            return in_all;
        for (size_t i = 0; i < n; i++) {
            (void)printf("overflow: task %08" PRIx32 ", stack %" PRIu32 ", %" PRIu64
                         " entries, launch %" PRIu64 "\n",
                         records[i].id, records[i].stack, records[i].count, records[i].serial);
            pail_diagnosis why = {.struct_size = sizeof(why)};
            need(sizing, api->adstack_diagnose(sizing->context, &why, &records[i]),
                 "adstack_diagnose");
            (void)printf("  %s\n", why.text);
            if (in_all > 0 && why.cause != diagnosis->cause)
                fail("two stacks of one launch overflowed for different reasons");
            if (in_all++ == 0 || why.suspect_identity != 0)
                *diagnosis = why;
        }
    }
}

/* ---- Without the host ----------------------------------------------------------------------- */
pail_adstack_result *sizing_record(struct sizing *sizing, const struct gpu *gpu,
                                   const struct beads *beads, struct history *history,
                                   VkCommandBuffer commands, pail_record_task *layout)
{
    const pail_backend *const api = sizing->api;
    pail_binding bindings[N_SOURCES];
    pail_adstack_result *result = NULL;
    uint64_t bytes = 0;
    *layout = (pail_record_task){.struct_size = sizeof(*layout)};
    need(sizing, api->adstack_record_layout(sizing->context, layout, 1, &bytes, sizing->kernel),
         "adstack_record_layout");
    grow(gpu, &history->metadata, bytes);
    describe_arrays(sizing, beads, bindings);
    const pail_launch launch = describe_launch(sizing, history, bindings);
    need(sizing,
         api->adstack_record(sizing->context, &result, &launch, handle(&commands),
                             history->metadata.address),
         "adstack_record");
    return result;
}
