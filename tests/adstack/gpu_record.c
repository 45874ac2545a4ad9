/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes from inside of a command buffer that is not the plugin's: recorded once, submitted again
 * and again while arrays change, and each time what the host would have said. */
#include "gpu_support.h"
#include "support/test.h"

#include <inttypes.h>

#include <trees.h>

#include <adstack/desc.h>
#include <adstack/layout.h>

static const struct pail_alloc alloc;

enum { TASKS = 8, STACKS = 700 };

struct commands {
    VkCommandPool pool;
    VkCommandBuffer buffer;
};

static void commands_begin(struct ad_fixture *f, struct commands *c)
{
    const VkCommandPoolCreateInfo pool = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
        .queueFamilyIndex = f->dev->queues[0].family,
    };
    assert_int_equal(f->dev->vk.vkCreateCommandPool(f->dev->handle, &pool, NULL, &c->pool),
                     VK_SUCCESS);
    const VkCommandBufferAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
        .commandPool = c->pool,
        .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
        .commandBufferCount = 1,
    };
    assert_int_equal(f->dev->vk.vkAllocateCommandBuffers(f->dev->handle, &info, &c->buffer),
                     VK_SUCCESS);
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    assert_int_equal(f->dev->vk.vkBeginCommandBuffer(c->buffer, &begin), VK_SUCCESS);
}

static void commands_run(struct ad_fixture *f, const struct commands *c)
{
    const VkSubmitInfo submit = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
        .commandBufferCount = 1,
        .pCommandBuffers = &c->buffer,
    };
    VkQueue queue = f->dev->queues[0].handle;
    assert_int_equal(f->dev->vk.vkQueueSubmit(queue, 1, &submit, VK_NULL_HANDLE), VK_SUCCESS);
    assert_int_equal(f->dev->vk.vkQueueWaitIdle(queue), VK_SUCCESS);
}

static void commands_free(struct ad_fixture *f, struct commands *c)
{
    f->dev->vk.vkDestroyCommandPool(f->dev->handle, c->pool, NULL);
}

/* One after the other, as adstack_record_layout does. Returns the bytes of all. */
static uint64_t place_tasks(pail_record_task places[], const pail_kernel_desc *desc)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < desc->n_tasks; i++) {
        const uint32_t n_words =
            (uint32_t)pail_ad_words_in(desc->tasks[i].flags, pail_ad_n_placed(&desc->tasks[i]),
                                       pail_ad_has_claims(&desc->tasks[i]));
        places[i] = (pail_record_task){.struct_size = sizeof(places[i]),
                                       .n_words = n_words,
                                       .needed_offset = bytes,
                                       .dispatch_offset = bytes + 24,
                                       .metadata_offset = bytes + 40};
        bytes += 40 + (4 * (uint64_t)n_words + 7) / 8 * 8;
    }
    return bytes;
}

/* A task as the host computes it. */
struct said {
    uint32_t status, place;
    uint64_t bytes[2];
    uint32_t words[4 + 4 * STACKS + 2 * PAIL_AD_CLAIM_NUMBERS];
    uint32_t layout;
};

/* Heaps and metadata of a task; false: a size does not fit. */
static bool lay_out(struct said *said, const pail_task_desc *desc, const int64_t raw[],
                    const pail_task_launch *launch)
{
    struct pail_ad_laid *laid;
    struct pail_ad_claims claims;
    ASSERT_OK(pail_ad_laid_make(&laid, desc, 0, &alloc, ERR));
    const uint64_t base = pail_ad_metadata_words(desc->flags, laid->n_placed);
    bool fits = pail_ad_layout(laid->places, laid->stride, desc, raw, "", NULL) == PAIL_OK &&
                pail_ad_claims_choose(&claims, laid, desc->flags, launch, "", NULL) == PAIL_OK &&
                pail_ad_metadata(said->words, desc->flags, laid->places, laid->n_placed,
                                 laid->stride, 0, NULL) == PAIL_OK &&
                (!claims.any ||
                 pail_ad_claims_put(said->words + base, desc->flags, &claims, 0, NULL) == PAIL_OK);
    for (int heap = 0; heap < 2 && fits; heap++) {
        said->layout = claims.any ? claims.layout : 0;
        said->bytes[heap] =
            claims.layout == PAIL_LAYOUT_CLAIMED ? claims.claimed[heap] : claims.rows[heap];
        fits = said->bytes[heap] <= INT64_MAX && laid->stride[heap] <= INT64_MAX;
    }
    pail_ad_laid_release(laid, &alloc);
    return fits;
}

static void host_says(struct said *said, const struct pail_ad_program *program,
                      const struct pail_ad_values *values, const struct pail_ad_record *r,
                      uint32_t task)
{
    static int64_t raw[STACKS];
    const pail_task_desc *desc = &r->tasks[task];
    *said = (struct said){.status = PAIL_RECORD_OK};
    assert_true(desc->n_stacks <= STACKS);
    for (uint32_t i = 0; i < desc->n_stacks; i++) {
        const uint32_t slot = program->roots[program->task_first[task] + i].slot;
        raw[i] =
            slot == PAIL_AD_NONE ? (int64_t)desc->stacks[i].static_capacity : values->value[slot].v;
        if (slot != PAIL_AD_NONE && values->value[slot].error && said->status == PAIL_RECORD_OK) {
            said->status = PAIL_RECORD_ERROR;
            said->place = i + 1;
        }
    }
    if (said->status == PAIL_RECORD_OK && !lay_out(said, desc, raw, &r->launches[task]))
        said->status = PAIL_RECORD_RANGE;
    if (said->status == PAIL_RECORD_OK &&
        (said->bytes[0] > r->heap[0] || said->bytes[1] > r->heap[1]))
        said->status = PAIL_RECORD_HEAP;
    if (said->status != PAIL_RECORD_OK && said->status != PAIL_RECORD_HEAP) {
        said->bytes[0] = said->bytes[1] = 0;
        memset(said->words, 0, sizeof(said->words));
    }
}

struct counts {
    uint32_t by_status[4];
    unsigned counted;         /* tasks whose rows a tree counts */
    unsigned wide, long_ones; /* tasks of wide metadata that are sized, and beyond 32 bits */
    unsigned layouts[3];      /* tasks with claims that are sized, by the layout they get */
};

static void compare(const struct pail_ad_program *program, const struct pail_ad_array arrays[],
                    const struct pail_ad_record *r, const uint8_t *out, uint64_t seed,
                    struct counts *counts)
{
    static struct said said[TASKS];
    struct pail_ad_values values = {.value = calloc(program->n_slots + 1, sizeof(*values.value)),
                                    .known = calloc(program->n_slots + 1, 1)};
    bool short_of = false;
    assert_true(values.value && values.known && program->n_tasks <= TASKS);
    for (uint32_t i = 0; i < program->task_first[program->n_tasks]; i++)
        if (program->roots[i].slot != PAIL_AD_NONE)
            ASSERT_OK(
                pail_ad_eval(program, arrays, &values, &program->roots[i].slot, 1, &alloc, ERR));
    for (uint32_t task = 0; task < program->n_tasks; task++) {
        host_says(&said[task], program, &values, r, task);
        short_of |= said[task].status == PAIL_RECORD_HEAP;
    }
    for (uint32_t task = 0; task < program->n_tasks; task++) {
        const pail_record_task *place = &r->places[task];
        struct said *want = &said[task];
        uint64_t bytes[2];
        uint32_t status[2], dispatch[3];
        if (short_of && want->status == PAIL_RECORD_OK)
            want->status = PAIL_RECORD_HEAP;
        memcpy(bytes, out + place->needed_offset, sizeof(bytes));
        memcpy(status, out + place->needed_offset + 16, sizeof(status));
        memcpy(dispatch, out + place->dispatch_offset, sizeof(dispatch));
        if (status[0] != want->status)
            fail_msg("seed %" PRIu64 ", task %u: status %u, wanted %u (places %u, %u)", seed, task,
                     status[0], want->status, status[1], want->place);
        if (want->status == PAIL_RECORD_RANGE)
            assert_in_range(status[1], 0, r->tasks[task].n_stacks);
        else
            assert_int_equal(status[1], want->place);
        assert_memory_equal(bytes, want->bytes, sizeof(bytes));
        assert_memory_equal(out + place->metadata_offset, want->words, 4 * place->n_words);
        const uint32_t each = r->workgroup_threads;
        const uint32_t groups = (uint32_t)((r->launches[task].threads + each - 1) / each);
        const bool runs = want->status == PAIL_RECORD_OK;
        assert_int_equal(dispatch[0], runs ? groups : 0);
        assert_int_equal(dispatch[1], runs);
        assert_int_equal(dispatch[2], runs);
        counts->by_status[want->status]++;
        counts->layouts[runs ? want->layout : 0]++;
        if (runs && r->tasks[task].flags & PAIL_TASK_WIDE_METADATA) {
            counts->wide++;
            counts->long_ones += (want->words[1] | want->words[3]) != 0; /* strides */
        }
    }
    free(values.value);
    free(values.known);
}

/* Some with gates, and of them some with more rows than there is memory for. Of tasks with claims
 * some with times, and some with a layout. */
static pail_task_launch launch_of(uint64_t *random, bool many_rows, bool claims)
{
    pail_task_launch launch = SIZED(pail_task_launch, .threads = ad_random(random) % 100000);
    if (many_rows || ad_random(random) % 3 == 0) {
        launch.flags = PAIL_TASK_LAUNCH_GATED;
        launch.gated_rows = many_rows ? (uint64_t)INT64_MAX - 3 : 77; /* rows of any size */
    }
    if (claims) {
        launch.layout = (uint32_t)(ad_random(random) % 3);
        launch.rows_ns = ad_random(random) % 2 ? 1 + ad_random(random) % 1000 : 0;
        launch.claimed_ns = launch.rows_ns ? 1 + ad_random(random) % 1000 : 0;
    }
    return launch;
}

/* Gives a stack of each task whose metadata have room for it a capacity of any size. */
static void enlarge(const pail_task_desc tasks[], size_t n_tasks, uint64_t *random)
{
    static const uint64_t sizes[] = {
        UINT64_C(1) << 33,   (UINT64_C(1) << 33) - 1, UINT64_C(5) << 38,
        (uint64_t)INT64_MAX, (uint64_t)INT64_MAX + 1, UINT64_MAX,
    };
    for (size_t t = 0; t < n_tasks; t++) {
        pail_stack_desc *stacks;
        memcpy(&stacks, &tasks[t].stacks, sizeof(stacks)); /* our own, and const for others */
        const size_t n_placed = pail_ad_n_placed(&tasks[t]);
        if (tasks[t].flags & PAIL_TASK_WIDE_METADATA && n_placed > 0)
            stacks[ad_random(random) % n_placed].static_capacity = sizes[ad_random(random) % 6];
    }
}

static void take_memory(pail_stack_desc *stack, uint32_t heap)
{
    stack->heap = heap;
    stack->element_bytes = stack->copies = stack->header_bytes = stack->alignment = 0;
}

/* The last stack of some tasks counts rows instead, and stacks before it are of claims, of either
 * heap or of both. stacks: [TASKS][STACKS], of the changed tasks. Returns how many are counted by a
 * tree. */
static unsigned count_rows(pail_task_desc tasks[TASKS], pail_stack_desc stacks[TASKS][STACKS],
                           const pail_kernel_desc *desc, uint64_t seed)
{
    unsigned counted = 0;
    for (size_t t = 0; t < desc->n_tasks; t++) {
        tasks[t] = desc->tasks[t];
        size_t n = tasks[t].n_stacks;
        memcpy(stacks[t], tasks[t].stacks, n * sizeof(stacks[t][0]));
        tasks[t].stacks = stacks[t];
        if (n > 0 && (seed + t) % 3 == 0) {
            take_memory(&stacks[t][--n], PAIL_HEAP_ROWS);
            counted += stacks[t][n].static_capacity == 0;
        }
        if (n > 1 && (seed + t) % 4 == 1)
            take_memory(&stacks[t][--n], PAIL_HEAP_INT_CLAIMS);
        if (n > 1 && (seed + t) % 5 < 2)
            take_memory(&stacks[t][--n], PAIL_HEAP_FLOAT_CLAIMS);
    }
    return counted;
}

static void record_kernel(struct ad_fixture *f, uint64_t seed, struct counts *counts)
{
    struct trees_kernel *kernel = trees_make(seed, NULL);
    struct pail_ad_program *program;
    struct pail_ad_array host[8], device[8];
    pail_task_launch launches[TASKS];
    pail_record_task places[TASKS];
    uint8_t *moved[8];
    struct ad_memory memory, out;
    struct commands commands;
    struct pail_ad_recorded *recorded;
    static pail_task_desc tasks[TASKS];
    static pail_stack_desc stacks[TASKS][STACKS];
    uint64_t random = seed;
    assert_non_null(kernel);
    assert_true(kernel->desc.n_tasks <= TASKS);
    counts->counted += count_rows(tasks, stacks, &kernel->desc, seed);
    const pail_task_desc *const given = kernel->desc.tasks;
    kernel->desc.tasks = tasks;
    if (seed % 2 == 1)
        enlarge(tasks, kernel->desc.n_tasks, &random);
    ASSERT_OK(pail_ad_program_build(&program, &kernel->desc, &alloc, ERR));
    struct pail_ad_values values = {.value = calloc(program->n_slots + 1, sizeof(*values.value)),
                                    .known = calloc(program->n_slots + 1, 1)};
    assert_true(values.value && values.known);
    ad_memory_make(f, &memory, 1 << 20);
    ad_memory_make(f, &out, place_tasks(places, &kernel->desc) + 8);
    memset(out.buffer.mapped, 0xee, out.buffer.size);
    for (size_t i = 0; i < kernel->desc.n_sources; i++) {
        host[i] = device[i] = array_of(&kernel->bindings[i]);
        moved[i] = ad_memory_move(&memory, &device[i], 0);
    }
    for (size_t i = 0; i < kernel->desc.n_tasks; i++)
        launches[i] = launch_of(&random, seed % 9 == 5, pail_ad_has_claims(&tasks[i]));
    struct pail_ad_record record = {
        .program = program,
        .arrays = device,
        .values = &values,
        .tasks = kernel->desc.tasks,
        .launches = launches,
        .places = places,
        .metadata_address = out.buffer.address,
        .heap = {seed % 4 ? INT64_MAX : 3000000, INT64_MAX},
        .workgroup_threads = 64,
        .flags = f->flags,
        .serial = ad_serial(),
    };
    commands_begin(f, &commands);
    record.command_buffer = commands.buffer;
    ASSERT_OK(f->device->record(f->device->user, &recorded, &record, ERR));
    assert_int_equal(f->dev->vk.vkEndCommandBuffer(commands.buffer), VK_SUCCESS);
    for (uint32_t round = 0; round < 3; round++) {
        commands_run(f, &commands);
        compare(program, host, &record, out.buffer.mapped, seed, counts);
        memset(out.buffer.mapped, 0xee, out.buffer.size - 8);
        for (uint32_t i = 0; i < kernel->desc.n_sources; i++)
            if (moved[i]) {
                trees_rewrite(kernel, i, seed + 1000 * (round + 1));
                memcpy(moved[i], host[i].host, host[i].size_bytes);
            }
    }
    f->device->unrecord(f->device->user, recorded);
    commands_free(f, &commands);
    ad_memory_free(f, &memory);
    ad_memory_free(f, &out);
    free(values.value);
    free(values.known);
    pail_ad_program_free(program, &alloc);
    kernel->desc.tasks = given;
    trees_free(kernel);
}

PAIL_TEST(test_random)
{
    struct counts counts = {.counted = 0};
    const char *text = getenv("PAIL_TEST_SEEDS");
    const uint64_t n = text ? strtoull(text, NULL, 0) : 60;
    for (uint64_t seed = 1; seed <= n; seed++)
        record_kernel(*state, seed, &counts);
    print_message("tasks: %u sized, %u without a heap, %u with an error, %u too large\n",
                  counts.by_status[0], counts.by_status[1], counts.by_status[2],
                  counts.by_status[3]);
    print_message("wide metadata: %u tasks, %u of them beyond 32 bits\n", counts.wide,
                  counts.long_ones);
    print_message("with claims: %u tasks in rows, %u claimed\n", counts.layouts[PAIL_LAYOUT_ROWS],
                  counts.layouts[PAIL_LAYOUT_CLAIMED]);
    if (n < 60)
        return;
    assert_true(counts.layouts[PAIL_LAYOUT_ROWS] > 10 && counts.layouts[PAIL_LAYOUT_CLAIMED] > 10);
    for (uint32_t i = 0; i < 4; i++)
        assert_in_range(counts.by_status[i], 5, 1000);
    assert_true(counts.counted > 10 && counts.wide > 20 && counts.long_ones > 3);
}

/* The same in as many dispatches as there may be. */
PAIL_TEST_OF(test_portions, struct ad_fixture *f)
{
    struct counts counts = {.counted = 0};
    const bool before = f->dev->pace.limits;
    ad_force_pace(f, 1e9);
    for (uint64_t seed = 1; seed <= 12; seed++)
        record_kernel(f, seed, &counts);
    f->dev->pace.limits = before;
    assert_true(counts.by_status[0] > 10);
}

/* Sums of claims of the float and the int heap, at the end of 32 bits and beyond. Rows take more.
 */
static const uint64_t sums[][2] = {
    {5, 5},
    {UINT32_MAX, UINT32_MAX},
    {UINT64_C(1) << 32, 5},
    {5, UINT64_C(1) << 32},
    {UINT64_C(1) << 33, UINT64_C(1) << 33},
};

enum { N_SUMS = sizeof(sums) / sizeof(sums[0]) };

_Static_assert((int)N_SUMS <= (int)TASKS, "each is a task");

/* Sums that metadata of 32 bits cannot have are rows where that is left to Pail, and where claims
 * are asked for the error names the first heap. */
static void record_sums(struct ad_fixture *f, uint32_t layout)
{
    pail_stack_desc stacks[N_SUMS][4];
    pail_task_desc tasks[N_SUMS];
    pail_task_launch launches[N_SUMS];
    pail_record_task places[N_SUMS];
    struct pail_ad_program *program;
    struct pail_ad_values values = {.known = NULL}; /* no tree has a value */
    struct pail_ad_recorded *recorded;
    struct commands commands;
    struct ad_memory out;
    struct counts counts = {.counted = 0};
    for (uint32_t i = 0; i < N_SUMS; i++) {
        for (uint32_t k = 0; k < 2; k++) {
            stacks[i][k] =
                (pail_stack_desc)SIZED(pail_stack_desc, .heap = k, .element_bytes = 4, .copies = 1,
                                       .static_capacity = UINT64_C(1) << 29);
            stacks[i][2 + k] = (pail_stack_desc)SIZED(
                pail_stack_desc, .heap = PAIL_HEAP_FLOAT_CLAIMS + k, .static_capacity = sums[i][k]);
        }
        tasks[i] = (pail_task_desc)SIZED(pail_task_desc, .stacks = stacks[i], .n_stacks = 4);
        launches[i] = (pail_task_launch)SIZED(pail_task_launch, .threads = 640, .layout = layout);
    }
    const pail_kernel_desc desc =
        SIZED(pail_kernel_desc, .name = "sums", .name_bytes = 4, .tasks = tasks, .n_tasks = N_SUMS);
    ASSERT_OK(pail_ad_program_build(&program, &desc, &alloc, ERR));
    ad_memory_make(f, &out, place_tasks(places, &desc));
    commands_begin(f, &commands);
    struct pail_ad_record record = {.program = program,
                                    .values = &values,
                                    .tasks = tasks,
                                    .launches = launches,
                                    .places = places,
                                    .metadata_address = out.buffer.address,
                                    .heap = {INT64_MAX, INT64_MAX},
                                    .workgroup_threads = 64,
                                    .serial = ad_serial(),
                                    .command_buffer = commands.buffer};
    ASSERT_OK(f->device->record(f->device->user, &recorded, &record, ERR));
    assert_int_equal(f->dev->vk.vkEndCommandBuffer(commands.buffer), VK_SUCCESS);
    commands_run(f, &commands);
    compare(program, NULL, &record, out.buffer.mapped, layout, &counts);
    for (uint32_t i = 0; i < N_SUMS; i++) {
        uint32_t status[2];
        memcpy(status, (const uint8_t *)out.buffer.mapped + places[i].needed_offset + 16,
               sizeof(status));
        const bool beyond = layout == PAIL_LAYOUT_CLAIMED && i >= 2;
        assert_int_equal(status[0], beyond ? PAIL_RECORD_RANGE : PAIL_RECORD_OK);
        assert_int_equal(status[1], !beyond ? 0u : i == 3 ? 4u : 3u);
    }
    f->device->unrecord(f->device->user, recorded);
    commands_free(f, &commands);
    ad_memory_free(f, &out);
    pail_ad_program_free(program, &alloc);
}

PAIL_TEST(test_sums)
{
    for (uint32_t layout = PAIL_LAYOUT_AUTO; layout <= PAIL_LAYOUT_CLAIMED; layout++)
        record_sums(*state, layout);
}

/* A record of more tasks than a dispatch has workgroups on many devices. It has nothing that a
 * kernel of its own could be made for. */
PAIL_TEST_OF(test_many_tasks, struct ad_fixture *f)
{
    enum { N = 65536 };
    static const struct pail_alloc plain;
    pail_task_desc *tasks = calloc(N, sizeof(*tasks));
    pail_task_launch *launches = calloc(N, sizeof(*launches));
    pail_record_task *places = calloc(N, sizeof(*places));
    const pail_stack_desc stack =
        SIZED(pail_stack_desc, .element_bytes = 4, .copies = 1, .static_capacity = 3);
    struct pail_ad_program *program;
    struct pail_ad_values values = {0};
    struct pail_ad_recorded *recorded;
    struct ad_memory memory;
    assert_true(tasks && launches && places);
    for (uint32_t i = 0; i < N; i++) {
        tasks[i] =
            (pail_task_desc){.struct_size = sizeof(tasks[i]), .stacks = &stack, .n_stacks = 1};
        launches[i] = (pail_task_launch){.struct_size = sizeof(pail_task_launch), .threads = 1};
        places[i] = (pail_record_task){.needed_offset = UINT64_C(64) * i,
                                       .dispatch_offset = UINT64_C(64) * i + 24,
                                       .metadata_offset = UINT64_C(64) * i + 40};
    }
    const pail_kernel_desc desc =
        SIZED(pail_kernel_desc, .name = "test", .name_bytes = 4, .tasks = tasks, .n_tasks = N);
    ASSERT_OK(pail_ad_program_build(&program, &desc, &plain, ERR));
    ad_memory_make(f, &memory, UINT64_C(64) * N);
    const VkCommandPoolCreateInfo pool_info = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
        .queueFamilyIndex = f->dev->queues[0].family,
    };
    VkCommandPool pool;
    VkCommandBuffer buffer;
    assert_int_equal(f->dev->vk.vkCreateCommandPool(f->dev->handle, &pool_info, NULL, &pool), 0);
    const VkCommandBufferAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
        .commandPool = pool,
        .commandBufferCount = 1,
    };
    assert_int_equal(f->dev->vk.vkAllocateCommandBuffers(f->dev->handle, &info, &buffer), 0);
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    assert_int_equal(f->dev->vk.vkBeginCommandBuffer(buffer, &begin), 0);
    struct pail_ad_record record = {.program = program,
                                    .values = &values,
                                    .tasks = tasks,
                                    .launches = launches,
                                    .places = places,
                                    .metadata_address = memory.buffer.address,
                                    .heap = {1 << 20, 1 << 20},
                                    .workgroup_threads = 64,
                                    .serial = ad_serial(),
                                    .command_buffer = buffer};
    ASSERT_OK(f->device->record(f->device->user, &recorded, &record, ERR));
    assert_int_equal(f->dev->vk.vkEndCommandBuffer(buffer), 0);
    const VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                                 .commandBufferCount = 1,
                                 .pCommandBuffers = &buffer};
    VkQueue queue = f->dev->queues[0].handle;
    assert_int_equal(f->dev->vk.vkQueueSubmit(queue, 1, &submit, VK_NULL_HANDLE), 0);
    assert_int_equal(f->dev->vk.vkQueueWaitIdle(queue), 0);
    const uint32_t *words = memory.buffer.mapped;
    for (uint32_t i = 0; i < N; i++) {
        assert_int_equal(words[16 * i], 12);     /* bytes that are needed */
        assert_int_equal(words[16 * i + 4], 0);  /* PAIL_RECORD_OK */
        assert_int_equal(words[16 * i + 6], 1);  /* a workgroup */
        assert_int_equal(words[16 * i + 13], 3); /* capacity */
    }
    f->device->unrecord(f->device->user, recorded);
    f->dev->vk.vkDestroyCommandPool(f->dev->handle, pool, NULL);
    ad_memory_free(f, &memory);
    pail_ad_program_free(program, &plain);
    free(tasks);
    free(launches);
    free(places);
}

PAIL_TEST_MAIN
{
    return ad_run_groups();
}
