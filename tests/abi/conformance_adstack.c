/* SPDX-License-Identifier: Apache-2.0 */
/* The adstack at the boundary: what must be refused, and what must come out. */
#include "conformance_sample.h"

#define NO_OPERANDS .a = -1, .b = -1, .body = -1, .variable = -1, .source = -1, .axis = -1

static pail_node node(pail_node_kind kind)
{
    return (pail_node){.kind = (uint16_t)kind, NO_OPERANDS};
}

void fill(struct sample *s)
{
    memset(s, 0, sizeof *s);
    s->nodes[0] = node(PAIL_NODE_CONST);
    s->nodes[1] = node(PAIL_NODE_SHAPE);
    s->nodes[1].source = 0;
    s->nodes[1].axis = 0;
    s->nodes[2] = node(PAIL_NODE_ARRAY_READ);
    s->nodes[2].source = 0;
    s->nodes[2].dtype = PAIL_DTYPE_I32;
    s->nodes[2].index_count = 1;
    s->indices[0] = -1; /* the variable 0 */
    s->nodes[3] = node(PAIL_NODE_MAX_OVER_RANGE);
    s->nodes[3].a = 0;
    s->nodes[3].b = 1;
    s->nodes[3].body = 2;
    s->nodes[3].variable = 0;
    s->nodes[4] = node(PAIL_NODE_CONST);
    s->nodes[4].imm = 1;
    s->nodes[5] = node(PAIL_NODE_ADD);
    s->nodes[5].a = 3;
    s->nodes[5].b = 4;
    s->stacks[0] = (pail_stack_desc){.struct_size = sizeof s->stacks[0],
                                     .element_bytes = 4,
                                     .copies = 2,
                                     .tree = {s->nodes, 6, s->indices, 1}};
    s->stacks[1] = (pail_stack_desc){.struct_size = sizeof s->stacks[1],
                                     .heap = PAIL_HEAP_INT,
                                     .element_bytes = 4,
                                     .copies = 1,
                                     .static_capacity = 7};
    s->task = (pail_task_desc){.struct_size = sizeof s->task,
                               .task_index = 3,
                               .stacks = s->stacks,
                               .n_stacks = 2,
                               .flags = PAIL_TASK_ELEMENT_UNITS};
    s->ranks[0] = 1;
    s->desc = (pail_kernel_desc){.struct_size = sizeof s->desc,
                                 .name = "compute_grad",
                                 .name_bytes = 12,
                                 .tasks = &s->task,
                                 .n_tasks = 1,
                                 .source_rank = s->ranks,
                                 .n_sources = 1};
    s->data[0] = 2;
    s->data[1] = 3;
    s->data[2] = 1;
    s->shape[0] = 3;
    s->binding = (pail_binding){.struct_size = sizeof s->binding,
                                .identity = 1,
                                .host = s->data,
                                .size_bytes = 12,
                                .dtype = PAIL_DTYPE_I32,
                                .rank = 1,
                                .shape = s->shape};
    s->tasks[0] = (pail_task_launch){.struct_size = sizeof(pail_task_launch), .threads = 1000};
    s->launch = (pail_launch){.struct_size = sizeof s->launch,
                              .bindings = &s->binding,
                              .n_bindings = 1,
                              .tasks = s->tasks,
                              .n_tasks = 1};
}

static void expect_not_registered(const struct subject *subject, const struct sample *s,
                                  pail_status status, const char *word)
{
    pail_adstack_kernel kernel = 5;
    uint32_t id = 5;
    assert_int_equal(subject->backend->adstack_register(subject->context, &kernel, &id, &s->desc),
                     status);
    assert_int_equal(kernel, 0);
    assert_int_equal(id, 0);
    expect_sentence(subject, word);
}

/* A kernel that is right but for one member. */
#define NOT_REGISTERED(change, status, word)                                                       \
    do {                                                                                           \
        fill(&s);                                                                                  \
        s.change;                                                                                  \
        expect_not_registered(subject, &s, status, word);                                          \
    } while (0)

CONFORMANCE_NEEDS(stacks_check_arguments, adstack_register)
{
    pail_context *context = subject->context;
    struct sample s;
    pail_adstack_kernel kernel = 5;
    uint32_t id = 5;
    fill(&s);
    assert_int_equal(backend->adstack_register(NULL, &kernel, &id, &s.desc), PAIL_ERR_ARGUMENT);
    assert_int_equal(kernel, 0);
    assert_int_equal(backend->adstack_register(context, NULL, &id, &s.desc), PAIL_ERR_ARGUMENT);
    expect_sentence(subject, "kernel");
    assert_int_equal(backend->adstack_register(context, &kernel, NULL, &s.desc), PAIL_ERR_ARGUMENT);
    expect_sentence(subject, "task_ids");
    assert_int_equal(backend->adstack_register(context, &kernel, &id, NULL), PAIL_ERR_ARGUMENT);
    expect_sentence(subject, "pail_kernel_desc");

    s.desc.struct_size = 12; /* nobody knows how many ids there are */
    assert_int_equal(backend->adstack_register(context, &kernel, &id, &s.desc), PAIL_ERR_ARGUMENT);
    expect_sentence(subject, "12");
    NOT_REGISTERED(desc.flags = 64, PAIL_ERR_ARGUMENT, "0x40");
    NOT_REGISTERED(desc.name = NULL, PAIL_ERR_ARGUMENT, "name");
    NOT_REGISTERED(desc.tasks = NULL, PAIL_ERR_ARGUMENT, "tasks");
    fill(&s);
    s.desc.n_tasks = 0;
    id = 0;
    assert_int_equal(backend->adstack_register(context, &kernel, &id, &s.desc), PAIL_ERR_ARGUMENT);
    expect_sentence(subject, "n_tasks is 0");
    NOT_REGISTERED(ranks[0] = 200, PAIL_ERR_ARGUMENT, "200");
    NOT_REGISTERED(task.flags = 128, PAIL_ERR_ARGUMENT, "0x80");
    NOT_REGISTERED(stacks[1].struct_size -= 8, PAIL_ERR_ARGUMENT, "struct_size");
    NOT_REGISTERED(stacks[1].heap = 5, PAIL_ERR_ARGUMENT, "stack 1: heap is 5");
    NOT_REGISTERED(stacks[0].copies = 3, PAIL_ERR_ARGUMENT, "copies is 3");
    NOT_REGISTERED(stacks[0].element_bytes = 6, PAIL_ERR_ARGUMENT, "element_bytes is 6");
    NOT_REGISTERED(stacks[0].element_bytes = 0, PAIL_ERR_ARGUMENT, "element_bytes is 0");
    NOT_REGISTERED(stacks[0].alignment = 12, PAIL_ERR_ARGUMENT, "alignment is 12");
    NOT_REGISTERED(stacks[1].static_capacity = 0, PAIL_ERR_ARGUMENT, "stack 1");
    NOT_REGISTERED(stacks[0].tree.indices = NULL, PAIL_ERR_ARGUMENT, "indices");
    NOT_REGISTERED(nodes[3].body = 4, PAIL_ERR_DATA, "node 3");
    assert_int_equal(backend->adstack_validate(&s.stacks[0].tree, s.ranks, 1), PAIL_ERR_DATA);
    expect_sentence(subject, "node 3");
    fill(&s);
    assert_int_equal(backend->adstack_validate(&s.stacks[0].tree, s.ranks, 1), PAIL_OK);
    assert_int_equal(backend->adstack_validate(NULL, s.ranks, 1), PAIL_ERR_ARGUMENT);
    assert_int_equal(backend->adstack_validate(&s.stacks[0].tree, NULL, 1), PAIL_ERR_ARGUMENT);

    assert_int_equal(backend->adstack_id("compute_grad", 12, 3), 0xd5619350u);
    assert_int_equal(backend->adstack_unregister(context, 0), PAIL_ERR_ARGUMENT);
    assert_int_equal(backend->adstack_unregister(NULL, 1), PAIL_ERR_ARGUMENT);
    char name[8] = "xxxxxxx";
    int32_t task = 5;
    assert_int_equal(backend->adstack_lookup(context, name, sizeof name, &task, 12345),
                     PAIL_ERR_ARGUMENT);
    assert_int_equal(task, 0);
    assert_string_equal(name, "");
    pail_overflow records[2];
    memset(records, 0xa5, sizeof records);
    size_t n = 2;
    assert_int_equal(backend->adstack_poll_overflow(NULL, records, &n), PAIL_ERR_ARGUMENT);
    assert_int_equal(n, 0);
    n = 2;
    records[0].struct_size = 8;
    assert_int_equal(backend->adstack_poll_overflow(context, records, &n), PAIL_ERR_ARGUMENT);
    expect_sentence(subject, "8");
    assert_int_equal(backend->adstack_poll_overflow(context, records, NULL), PAIL_ERR_ARGUMENT);
    records[0].struct_size = sizeof records[0];
    n = 2;
    assert_int_equal(backend->adstack_poll_overflow(context, records, &n), PAIL_OK);
    assert_int_equal(n, 0);
    uint64_t buffer = 5, address = 5;
    assert_int_equal(backend->adstack_overflow_buffer(NULL, &buffer, &address), PAIL_ERR_ARGUMENT);
    assert_int_equal(buffer, 0);
    assert_int_equal(address, 0);
    assert_int_equal(backend->adstack_overflow_buffer(context, NULL, &address), PAIL_ERR_ARGUMENT);
    assert_int_equal(backend->adstack_overflow_buffer(context, &buffer, &address), PAIL_OK);
    assert_true(buffer != 0 || address != 0); /* the device's, or the host's */
    uint64_t again = 0, there = 0;
    assert_int_equal(backend->adstack_overflow_buffer(context, &again, &there), PAIL_OK);
    assert_int_equal(again, buffer);
    assert_int_equal(there, address);
    n = 2;
    assert_int_equal(backend->adstack_poll_overflow(context, records, &n), PAIL_OK);
    assert_int_equal(n, 0);
    pail_diagnosis diagnosis = {.struct_size = sizeof diagnosis, .text = "x"};
    pail_overflow record = {.struct_size = sizeof record, .kind = 9};
    assert_int_equal(backend->adstack_diagnose(context, &diagnosis, &record), PAIL_ERR_ARGUMENT);
    expect_sentence(subject, "kind is 9");
    expect_zeroed(&diagnosis, sizeof diagnosis);
    assert_int_equal(backend->adstack_diagnose(context, &diagnosis, NULL), PAIL_ERR_ARGUMENT);
    record.kind = PAIL_OVERFLOW_STACK;
    assert_int_equal(backend->adstack_diagnose(context, &diagnosis, &record), PAIL_OK);
    assert_int_equal(diagnosis.cause, PAIL_CAUSE_UNKNOWN);
    assert_int_equal(diagnosis.required, -1);

    backend->adstack_bump(NULL, 1);
    backend->adstack_forget(NULL, 1);
    backend->adstack_invalidate(NULL, 0);
    backend->adstack_reset_stats(NULL);
    backend->adstack_retain(NULL);
    backend->adstack_release(NULL);
    pail_adstack_stats stats;
    memset(&stats, 0xa5, sizeof stats);
    stats.struct_size = sizeof stats;
    backend->adstack_stats(NULL, &stats);
    expect_zeroed(&stats, sizeof stats);
    backend->adstack_stats(context, NULL);
}

static void expect_no_result(const struct subject *subject, const struct sample *s,
                             pail_status status, const char *word)
{
    pail_adstack_result *result = (pail_adstack_result *)(uintptr_t)8;
    assert_int_equal(subject->backend->adstack_evaluate(subject->context, &result, &s->launch),
                     status);
    assert_null(result);
    expect_sentence(subject, word);
}

static void reset(struct sample *s, pail_adstack_kernel kernel)
{
    fill(s);
    s->launch.kernel = kernel;
}

/* A launch that is right but for one member. */
#define NO_RESULT(change, status, word)                                                            \
    do {                                                                                           \
        reset(&s, kernel);                                                                         \
        s.change;                                                                                  \
        expect_no_result(subject, &s, status, word);                                               \
    } while (0)

CONFORMANCE_NEEDS(stacks_check_launches, adstack_register)
{
    struct sample s;
    pail_adstack_kernel kernel;
    uint32_t id;
    fill(&s);
    assert_int_equal(backend->adstack_register(subject->context, &kernel, &id, &s.desc), PAIL_OK);
    reset(&s, kernel + 1);
    expect_no_result(subject, &s, PAIL_ERR_ARGUMENT, "kernel");
    NO_RESULT(launch.struct_size = 20, PAIL_ERR_ARGUMENT, "20");
    NO_RESULT(launch.flags = 0x400, PAIL_ERR_ARGUMENT, "0x400");
    NO_RESULT(launch.flags = PAIL_LAUNCH_HOST | PAIL_LAUNCH_DEVICE, PAIL_ERR_ARGUMENT, "0x3");
    NO_RESULT(launch.n_tasks = 2, PAIL_ERR_ARGUMENT, "n_tasks is 2");
    NO_RESULT(launch.tasks = NULL, PAIL_ERR_ARGUMENT, "tasks");
    NO_RESULT(launch.n_bindings = 0, PAIL_ERR_ARGUMENT, "source 0");
    NO_RESULT(binding.source = 9, PAIL_ERR_ARGUMENT, "source is 9");
    NO_RESULT(binding.rank = 2, PAIL_ERR_ARGUMENT, "rank is 2");
    NO_RESULT(shape[0] = -4, PAIL_ERR_ARGUMENT, "-4");
    NO_RESULT(binding.dtype = PAIL_DTYPE_U8, PAIL_ERR_ARGUMENT, "dtype is 8");
    NO_RESULT(binding.identity = 0, PAIL_ERR_ARGUMENT, "identity");
    NO_RESULT(binding.size_bytes = 11, PAIL_ERR_ARGUMENT, "size_bytes is 11");
    NO_RESULT(binding.host = NULL, PAIL_ERR_ARGUMENT, "host is NULL");
    NO_RESULT(binding.flags = 0x20, PAIL_ERR_ARGUMENT, "0x20");
    /* A device's address, though the context has a device of its own; a semaphore, though the
     * device has no timelines. */
    if (subject->import)
        NO_RESULT(launch.wait_semaphore = 77, PAIL_ERR_UNSUPPORTED, "without timelineSemaphore");
    if (!subject->import)
        NO_RESULT(binding.device_address = 0x1000, PAIL_ERR_ARGUMENT, "0x1000");
    else if (!(subject->import->enabled_features & PAIL_FEATURE_DEVICE_ADDRESS))
        NO_RESULT(binding.device_address = 0x1000, PAIL_ERR_ARGUMENT,
                  "but the device has no buffer addresses");
    reset(&s, kernel);
    s.data[1] = INT32_MAX;
    s.tasks[0].threads = UINT64_MAX / 4;
    expect_no_result(subject, &s, PAIL_ERR_DATA, "beyond 64 bits");
    assert_int_equal(backend->adstack_evaluate(subject->context, NULL, &s.launch),
                     PAIL_ERR_ARGUMENT);
    assert_int_equal(backend->adstack_unregister(subject->context, kernel), PAIL_OK);
}

CONFORMANCE_NEEDS(stacks_are_sized, adstack_register)
{
    struct sample s;
    pail_adstack_kernel kernel;
    pail_adstack_result *result, *again;
    uint32_t id;
    fill(&s);
    backend->adstack_reset_stats(subject->context);
    assert_int_equal(backend->adstack_register(subject->context, &kernel, &id, &s.desc), PAIL_OK);
    assert_int_equal(id, 0xd5619350u);
    s.launch.kernel = kernel;
    s.launch.heap_float = 20000;
    const struct sample copy = s;
    memset(s.nodes, 0xff, sizeof s.nodes); /* nobody reads these any more */
    memset(s.stacks, 0xff, sizeof s.stacks);
    if (backend->adstack_evaluate(subject->context, &result, &s.launch) != PAIL_OK)
        fail_msg("%s", backend->error(subject->context));
    pail_task_size task = {.struct_size = sizeof task};
    assert_int_equal(backend->adstack_task_size(result, &task, 0), PAIL_OK);
    assert_int_equal(task.id, id);
    assert_int_equal(task.stride_float, 8);
    assert_int_equal(task.stride_int, 7);
    assert_int_equal(task.heap_float, 32000);
    assert_int_equal(task.heap_int, 28000);
    assert_int_equal(task.grow_float, 40000);
    assert_int_equal(task.grow_int, 28000);
    assert_int_equal(task.n_stacks, 2);
    struct {
        pail_task_size known;
        uint64_t appended;
    } longer = {.known = {.struct_size = sizeof longer}, .appended = 5}; /* a later MINOR's */
    assert_int_equal(backend->adstack_task_size(result, &longer.known, 0), PAIL_OK);
    assert_int_equal(longer.known.grow_float, 40000);
    assert_int_equal(longer.appended, 0);
    pail_stack_size stack = {.struct_size = sizeof stack};
    assert_int_equal(backend->adstack_stack_size(result, &stack, 0, 0), PAIL_OK);
    assert_int_equal(stack.capacity, 4);
    assert_int_equal(stack.raw, 4);
    assert_int_equal(stack.offset, 0);
    assert_int_equal(backend->adstack_stack_size(result, &stack, 0, 2), PAIL_ERR_ARGUMENT);
    expect_zeroed(&stack, sizeof stack);
    assert_int_equal(backend->adstack_stack_size(result, &stack, 1, 0), PAIL_ERR_ARGUMENT);
    assert_int_equal(backend->adstack_task_size(NULL, &task, 0), PAIL_ERR_ARGUMENT);
    size_t n = 0;
    uint32_t words[7];
    const uint32_t expected[7] = {8, 7, 0, 4, 0, 7, 0};
    assert_int_equal(backend->adstack_metadata(result, NULL, &n, 0), PAIL_OK);
    assert_int_equal(n, 7);
    assert_int_equal(backend->adstack_metadata(result, words, &n, 0), PAIL_OK);
    assert_memory_equal(words, expected, sizeof words);
    n = 6;
    assert_int_equal(backend->adstack_metadata(result, words, &n, 0), PAIL_ERR_ARGUMENT);
    assert_int_equal(n, 0);
    n = 10;
    assert_int_equal(backend->adstack_explain(result, NULL, &n), PAIL_NOT_READY);

    assert_int_equal(backend->adstack_evaluate(subject->context, &again, &s.launch), PAIL_OK);
    assert_int_equal(backend->adstack_stack_size(again, &stack, 0, 0), PAIL_OK);
    assert_int_equal(stack.origin, PAIL_SIZE_CACHED);
    backend->adstack_release(again);
    s.data[0] = 9;
    backend->adstack_bump(subject->context, s.binding.identity);
    assert_int_equal(backend->adstack_evaluate(subject->context, &again, &s.launch), PAIL_OK);
    assert_int_equal(backend->adstack_stack_size(again, &stack, 0, 0), PAIL_OK);
    assert_int_equal(stack.capacity, 10);
    backend->adstack_release(again);
    /* The other one is as it was. */
    assert_int_equal(backend->adstack_stack_size(result, &stack, 0, 0), PAIL_OK);
    assert_int_equal(stack.capacity, 4);
    backend->adstack_retain(result);
    backend->adstack_release(result);
    assert_int_equal(backend->adstack_unregister(subject->context, kernel), PAIL_OK);
    assert_int_equal(backend->adstack_stack_size(result, &stack, 0, 1), PAIL_OK);
    assert_int_equal(stack.capacity, 7);
    backend->adstack_release(result);
    pail_adstack_stats stats = {.struct_size = sizeof stats};
    backend->adstack_stats(subject->context, &stats);
    assert_int_equal(stats.evaluations, 3);
    assert_int_equal(stats.launch_hits, 1);

    /* Places in a command buffer's memory, and that there is none here. */
    s = copy;
    assert_int_equal(backend->adstack_register(subject->context, &kernel, &id, &s.desc), PAIL_OK);
    pail_record_task places[2] = {{.struct_size = sizeof places[0]}};
    const pail_record_task *place = &places[0];
    uint64_t bytes = 5;
    assert_int_equal(backend->adstack_record_layout(subject->context, places, 1, &bytes, kernel),
                     PAIL_OK);
    assert_int_equal(place->n_words, 7);
    assert_int_equal(place->metadata_offset, 0);
    assert_int_equal(place->needed_offset, 32);
    assert_int_equal(place->dispatch_offset, 56);
    assert_int_equal(bytes, 68);
    assert_int_equal(backend->adstack_record_layout(subject->context, places, 2, &bytes, kernel),
                     PAIL_ERR_ARGUMENT);
    assert_int_equal(bytes, 0);
    assert_int_equal(backend->adstack_record_layout(subject->context, NULL, 0, &bytes, kernel),
                     PAIL_OK);
    assert_int_equal(bytes, 68);
    places[0].struct_size = 4;
    assert_int_equal(backend->adstack_record_layout(subject->context, places, 1, &bytes, kernel),
                     PAIL_ERR_ARGUMENT);
    s.launch.kernel = kernel;
    s.launch.heap_float = 0;
    result = (pail_adstack_result *)(uintptr_t)8;
    assert_int_equal(backend->adstack_record(subject->context, &result, &s.launch, NULL, 4096),
                     PAIL_ERR_ARGUMENT);
    assert_null(result);
    expect_sentence(subject, "command_buffer");
    assert_int_equal(backend->adstack_unregister(subject->context, kernel), PAIL_OK);

    /* Text for people, where it is asked for. */
    s = copy;
    assert_int_equal(backend->adstack_register(subject->context, &kernel, &id, &s.desc), PAIL_OK);
    s.launch.kernel = kernel;
    s.launch.flags = PAIL_LAUNCH_EXPLAIN;
    assert_int_equal(backend->adstack_evaluate(subject->context, &result, &s.launch), PAIL_OK);
    n = 0;
    assert_int_equal(backend->adstack_explain(result, NULL, &n), PAIL_OK);
    char *text = malloc(n);
    assert_non_null(text);
    assert_int_equal(backend->adstack_explain(result, text, &n), PAIL_OK);
    assert_int_equal(strlen(text) + 1, n);
    assert_non_null(strstr(text, "compute_grad"));
    free(text);
    backend->adstack_release(result);
    assert_int_equal(backend->adstack_unregister(subject->context, kernel), PAIL_OK);
}

CONFORMANCE_NEEDS(stacks_travel, adstack_register)
{
    struct sample s;
    pail_adstack_kernel kernel, other = 5;
    uint32_t id, again;
    size_t n = 0;
    fill(&s);
    s.task.task_index = 77;
    s.task.wanted_id = 4711;
    assert_int_equal(backend->adstack_register(subject->context, &kernel, &id, &s.desc), PAIL_OK);
    assert_int_equal(id, 4711);
    assert_int_equal(backend->adstack_export(subject->context, NULL, &n, kernel), PAIL_OK);
    uint8_t *blob = malloc(n);
    assert_non_null(blob);
    size_t less = n - 1;
    assert_int_equal(backend->adstack_export(subject->context, blob, &less, kernel),
                     PAIL_ERR_ARGUMENT);
    assert_int_equal(less, 0);
    assert_int_equal(backend->adstack_export(subject->context, blob, &n, kernel), PAIL_OK);
    assert_int_equal(backend->adstack_unregister(subject->context, kernel), PAIL_OK);
    assert_int_equal(backend->adstack_export(subject->context, blob, &less, kernel),
                     PAIL_ERR_ARGUMENT);
    assert_int_equal(backend->adstack_import(subject->context, &other, &again, blob, n), PAIL_OK);
    assert_int_equal(again, 4711);
    assert_int_equal(backend->adstack_unregister(subject->context, other), PAIL_OK);
    blob[n - 1] ^= 1;
    assert_int_equal(backend->adstack_import(subject->context, &other, &again, blob, n),
                     PAIL_ERR_DATA);
    assert_int_equal(other, 0);
    expect_sentence(subject, "checksum");
    assert_int_equal(backend->adstack_import(subject->context, &other, &again, NULL, n),
                     PAIL_ERR_ARGUMENT);
    free(blob);
}

/* Calls that a callback of the host makes in the middle of a call. */
struct intruder {
    const struct subject *subject;
    pail_adstack_kernel kernel;
    struct sample sample;
    unsigned inside, calls;
    void *(*alloc)(void *user, size_t size);
    void *user;
};

static struct intruder *intruder; /* the host's `user` belongs to another one */

static void *intrude(void *user, size_t size)
{
    void *memory = intruder->alloc(user, size);
    const pail_backend *backend = intruder->subject->backend;
    if (!intruder->kernel)
        return memory;
    if (intruder->inside++ == 0) {
        pail_adstack_result *result = NULL;
        backend->adstack_bump(intruder->subject->context, 1);
        if (backend->adstack_evaluate(intruder->subject->context, &result,
                                      &intruder->sample.launch) == PAIL_OK)
            intruder->calls++;
        backend->adstack_release(result);
        backend->adstack_invalidate(intruder->subject->context, 0);
    }
    intruder->inside--;
    return memory;
}

CONFORMANCE_NEEDS(callbacks_may_size_stacks, adstack_register)
{
    struct intruder here = {.subject = subject};
    uint32_t id;
    pail_host *const host = &subject->counting.host;
    const long blocks = subject->counting.blocks;
    here.alloc = host->alloc;
    host->alloc = intrude;
    intruder = &here;
    pail_context *const before = subject->context;
    const pail_context_params params = {
        .struct_size = sizeof params, .device = PAIL_DEVICE_BEST, .import = subject->import};
    assert_int_equal(backend->context_create(subject->host, &subject->context, &params), PAIL_OK);
    fill(&here.sample);
    pail_adstack_kernel kernel;
    assert_int_equal(backend->adstack_register(subject->context, &kernel, &id, &here.sample.desc),
                     PAIL_OK);
    here.sample.launch.kernel = kernel;
    here.kernel = kernel;
    struct sample s;
    fill(&s);
    s.task.task_index = 4;
    pail_adstack_kernel other;
    assert_int_equal(backend->adstack_register(subject->context, &other, &id, &s.desc), PAIL_OK);
    s.launch.kernel = other;
    for (int i = 0; i < 3; i++) {
        pail_adstack_result *result = NULL;
        assert_int_equal(backend->adstack_evaluate(subject->context, &result, &s.launch), PAIL_OK);
        backend->adstack_release(result);
        s.data[0]++;
        backend->adstack_bump(subject->context, 1);
    }
    assert_true(here.calls > 10);
    here.kernel = 0;
    backend->context_destroy(&subject->context);
    subject->context = before;
    host->alloc = here.alloc;
    /* The context of earlier cases may free what their work had, at any time. */
    assert_true(subject->counting.blocks <= blocks);
}

/* A launch that hits needs no memory, prepared or not. */
CONFORMANCE_NEEDS(hits_allocate_nothing, adstack_prepare)
{
    struct sample s;
    uint32_t id;
    pail_adstack_prepared *prepared = NULL;
    pail_adstack_result *first = NULL, *result = NULL;
    fill(&s);
    s.binding.identity = 4711;
    assert_int_equal(backend->adstack_register(subject->context, &s.launch.kernel, &id, &s.desc),
                     PAIL_OK);
    assert_int_equal(backend->adstack_evaluate(subject->context, &first, &s.launch), PAIL_OK);
    assert_int_equal(backend->adstack_prepare(subject->context, &prepared, &s.launch), PAIL_OK);
    assert_int_equal(backend->adstack_evaluate(subject->context, &result, &s.launch), PAIL_OK);
    backend->adstack_release(result);
    assert_int_equal(backend->adstack_evaluate_prepared(prepared, &result, NULL), PAIL_OK);
    backend->adstack_release(result);
    subject->counting.fail_after = 0;
    for (int i = 0; i < 3; i++) {
        const pail_status status = backend->adstack_evaluate(subject->context, &result, &s.launch);
        if (status != PAIL_OK)
            fail_msg("%s", backend->error(subject->context));
        backend->adstack_release(result);
        assert_int_equal(backend->adstack_evaluate_prepared(prepared, &result, NULL), PAIL_OK);
        backend->adstack_release(result);
    }
    subject->counting.fail_after = -1;
    pail_stack_size size = {.struct_size = sizeof size};
    assert_int_equal(backend->adstack_stack_size(first, &size, 0, 0), PAIL_OK);
    assert_int_equal(size.capacity, 4);
    backend->adstack_release(first);
    backend->adstack_prepared_destroy(&prepared);
    assert_int_equal(backend->adstack_unregister(subject->context, s.launch.kernel), PAIL_OK);
}
