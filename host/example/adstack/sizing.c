#include "sizing.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- The compiler's knowledge ---------------------------------------------------------------- */
/* kind, a, b, body, variable, source, axis, first index, indices, constant */
#define NODE(k, a_, b_, body_, variable_, source_, axis_, first, count, constant)                  \
    {                                                                                              \
        .kind = (k), .dtype = PAIL_DTYPE_I32, .a = (a_), .b = (b_), .body = (body_),               \
        .variable = (variable_), .source = (source_), .axis = (axis_), .index_first = (first),     \
        .index_count = (count), .imm = (constant)                                                  \
    }

/* A step of a bead is one entry of three stacks: max over p of steps[p]. */
static const int64_t step_indices[] = {-1}; /* variable 0 */
static const pail_node step_nodes[] = {
    NODE(PAIL_NODE_CONST, -1, -1, -1, -1, -1, -1, 0, 0, 0),
    NODE(PAIL_NODE_SHAPE, -1, -1, -1, -1, SOURCE_STEPS, 0, 0, 0, 0),
    NODE(PAIL_NODE_ARRAY_READ, -1, -1, -1, -1, SOURCE_STEPS, -1, 0, 1, 0),
    NODE(PAIL_NODE_MAX_OVER_RANGE, 0, 1, 2, 0, -1, -1, 0, 0, 0),
};

/* Each substep is one of the first: max over p of the sum over s < steps[p] of
 * substeps[(p + s) mod n]. p is variable 0 and s variable 1. */
static const int64_t x_indices[] = {-1, 7}; /* variable 0; node 7 */
static const pail_node x_nodes[] = {
    NODE(PAIL_NODE_CONST, -1, -1, -1, -1, -1, -1, 0, 0, 0),
    NODE(PAIL_NODE_SHAPE, -1, -1, -1, -1, SOURCE_STEPS, 0, 0, 0, 0),
    NODE(PAIL_NODE_ARRAY_READ, -1, -1, -1, -1, SOURCE_STEPS, -1, 0, 1, 0),
    NODE(PAIL_NODE_VARIABLE, -1, -1, -1, 0, -1, -1, 0, 0, 0),
    NODE(PAIL_NODE_VARIABLE, -1, -1, -1, 1, -1, -1, 0, 0, 0),
    NODE(PAIL_NODE_ADD, 3, 4, -1, -1, -1, -1, 0, 0, 0),
    NODE(PAIL_NODE_SHAPE, -1, -1, -1, -1, SOURCE_SUBSTEPS, 0, 0, 0, 0),
    NODE(PAIL_NODE_MOD, 5, 6, -1, -1, -1, -1, 0, 0, 0),
    NODE(PAIL_NODE_READ_AT, -1, -1, -1, -1, SOURCE_SUBSTEPS, -1, 1, 1, 0),
    NODE(PAIL_NODE_SUM_OVER_RANGE, 0, 2, 8, 1, -1, -1, 0, 0, 0),
    NODE(PAIL_NODE_MAX_OVER_RANGE, 0, 1, 9, 0, -1, -1, 0, 0, 0),
};

static const pail_tree step_tree = {step_nodes, sizeof(step_nodes) / sizeof(step_nodes[0]),
                                    step_indices, 1};
static const pail_tree x_tree = {x_nodes, sizeof(x_nodes) / sizeof(x_nodes[0]), x_indices, 2};

/* Both passes are one task: they share the stacks. Values of 4 bytes, those of the float heap with
 * an adjoint each; the count of entries is a header of 4 bytes. */
static pail_status register_kernel(struct sizing *sizing)
{
    const pail_stack_desc values = {.struct_size = sizeof(values),
                                    .heap = PAIL_HEAP_FLOAT,
                                    .element_bytes = 4,
                                    .copies = 2,
                                    .header_bytes = 4,
                                    .tree = step_tree};
    const pail_stack_desc numbers = {.struct_size = sizeof(numbers),
                                     .heap = PAIL_HEAP_INT,
                                     .element_bytes = 4,
                                     .copies = 1,
                                     .header_bytes = 4,
                                     .tree = step_tree};
    pail_stack_desc stacks[N_STACKS] = {
        [STACK_X] = values, [STACK_STEP] = values, [STACK_WALL] = numbers, [STACK_SUBS] = numbers};
    stacks[STACK_X].tree = x_tree;
    const pail_task_desc task = {.struct_size = sizeof(task),
                                 .stacks = stacks,
                                 .n_stacks = N_STACKS,
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
    *sizing = (struct sizing){.generation = {1, 1}};
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

static const pail_task_launch all_beads = {.struct_size = sizeof(all_beads), .threads = N_BEADS};

static pail_launch describe_launch(struct sizing *sizing, const struct history *history,
                                   const pail_binding bindings[N_SOURCES])
{
    return (pail_launch){.struct_size = sizeof(pail_launch),
                         .kernel = sizing->kernel,
                         .bindings = bindings,
                         .n_bindings = N_SOURCES,
                         .tasks = &all_beads,
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
    (void)printf("launch %" PRIu64 ": %" PRIu64 " entries at most (origin %u), heaps of %" PRIu64
                 " and %" PRIu64 " bytes of %" PRIu64 " and %" PRIu64 "\n",
                 sizing->serial, deepest.capacity, (unsigned)deepest.origin, size.heap_float,
                 size.heap_int, history->heap_float.bytes, history->heap_int.bytes);
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
