/* SPDX-License-Identifier: Apache-2.0 */
#include "service_support.h"

/* ---- The device ------------------------------------------------------------------------------ */
static pail_status fake_run(void *user, struct pail_ad_work *work, struct pail_error *err)
{
    struct fake_device *fake = user;
    const struct pail_ad_program *p = work->program;
    pthread_mutex_lock(&fake->lock);
    const pail_status fails = fake->fails;
    fake->runs++;
    fake->slots += work->n_slots;
    fake->wait_semaphore = work->wait_semaphore;
    fake->wait_value = work->wait_value;
    pthread_mutex_unlock(&fake->lock);
    if (fails != PAIL_OK)
        return pail_fail(err, fails, "the device is not what it was");
    struct pail_ad_array *arrays = calloc(p->n_sources + 1, sizeof(*arrays));
    assert_non_null(arrays);
    for (uint32_t i = 0; i < p->n_sources; i++) {
        arrays[i] = work->arrays[i];
        if (!arrays[i].host)
            arrays[i].host = (const uint8_t *)(uintptr_t)arrays[i].address;
    }
    const uint64_t before = work->values->cells;
    pail_status status = PAIL_OK;
    for (uint32_t i = 0; i < work->n_slots && status == PAIL_OK; i++) {
        if (fake->give_back > 0) {
            fake->give_back--;
            work->n_given_back++;
            continue;
        }
        work->dispatches += p->slots[work->slots[i]].op == PAIL_AD_SPEC;
        status = pail_ad_eval(p, arrays, work->values, &work->slots[i], 1, &fake->alloc, err);
    }
    if (fake->on_run)
        fake->on_run(fake->stage);
    work->cells = work->values->cells - before;
    work->values->cells = before;
    work->submissions = work->waits = 1;
    if (work->plan && work->plan_capacity > 32)
        (void)snprintf(work->plan, work->plan_capacity, "the fake device: %u slots\n",
                       work->n_slots);
    free(arrays);
    return status;
}

enum { FETCH_BYTES = 4096 }; /* between two looks at the limits */

static pail_status fake_fetch(void *user, void *to, uint64_t address, uint64_t bytes,
                              uint64_t wait_semaphore, uint64_t wait_value,
                              struct pail_ad_watch *watch, struct pail_error *err)
{
    struct fake_device *fake = user;
    pthread_mutex_lock(&fake->lock);
    fake->fetches++;
    fake->wait_semaphore = wait_semaphore;
    fake->wait_value = wait_value;
    pthread_mutex_unlock(&fake->lock);
    if (fake->fails != PAIL_OK)
        return pail_fail(err, fake->fails, "the device is not what it was");
    for (uint64_t done = 0; done < bytes; done += FETCH_BYTES) {
        const uint64_t n = bytes - done < FETCH_BYTES ? bytes - done : FETCH_BYTES;
        if (done > 0 && !pail_ad_watch_look(watch))
            return pail_fail(err, PAIL_ERR_STOPPED, "stopped");
        memcpy((char *)to + done, (const char *)(uintptr_t)address + done, (size_t)n);
        pthread_mutex_lock(&fake->lock);
        fake->fetched += n;
        pthread_mutex_unlock(&fake->lock);
    }
    return PAIL_OK;
}

static pail_status fake_meet(void *user, uint64_t wait_semaphore, uint64_t wait_value,
                             struct pail_error *err)
{
    struct fake_device *fake = user;
    pthread_mutex_lock(&fake->lock);
    fake->meets++;
    fake->wait_semaphore = wait_semaphore;
    fake->wait_value = wait_value;
    const pail_status fails = fake->fails;
    pthread_mutex_unlock(&fake->lock);
    return fails == PAIL_OK ? PAIL_OK : pail_fail(err, fails, "the device is not what it was");
}

static uint64_t fake_worth(void *user)
{
    return ((struct fake_device *)user)->worth;
}

static pail_status fake_record(void *user, struct pail_ad_recorded **recorded,
                               struct pail_ad_record *record, struct pail_error *err)
{
    struct fake_device *fake = user;
    *recorded = NULL;
    if (fake->fails != PAIL_OK)
        return pail_fail(err, fake->fails, "the device is not what it was");
    pthread_mutex_lock(&fake->lock);
    fake->recorded++;
    fake->heap[0] = record->heap[0];
    fake->heap[1] = record->heap[1];
    fake->needed =
        record->metadata_address + record->places[record->program->n_tasks - 1].needed_offset;
    pthread_mutex_unlock(&fake->lock);
    *recorded = (struct pail_ad_recorded *)(void *)fake;
    return PAIL_OK;
}

static void fake_unrecord(void *user, struct pail_ad_recorded *recorded)
{
    struct fake_device *fake = user;
    assert_ptr_equal(recorded, fake);
    pthread_mutex_lock(&fake->lock);
    fake->unrecorded++;
    pthread_mutex_unlock(&fake->lock);
}

/* ---- The stage ------------------------------------------------------------------------------- */
static void *take(void *user, size_t size)
{
    struct stage *stage = user;
    pthread_mutex_lock(&stage->lock);
    const bool good = ++stage->allocations != stage->fails;
    stage->held += good;
    void (*const on_alloc)(void *) = stage->on_alloc;
    pthread_mutex_unlock(&stage->lock);
    if (on_alloc)
        on_alloc(stage->on_alloc_user);
    void *ptr = good ? malloc(size) : NULL;
    if (ptr)
        memset(ptr, 0xcc, size);
    return ptr;
}

static void give(void *user, void *ptr)
{
    struct stage *stage = user;
    assert_non_null(ptr);
    pthread_mutex_lock(&stage->lock);
    stage->held--;
    pthread_mutex_unlock(&stage->lock);
    free(ptr);
}

static void take_line(void *user, pail_log_level level, const char *message)
{
    struct stage *stage = user;
    (void)level;
    assert_null(strchr(message, '\n'));
    pthread_mutex_lock(&stage->lock);
    const int n = snprintf(stage->log + stage->log_used, sizeof(stage->log) - stage->log_used,
                           "%s\n", message);
    if (n > 0 && (size_t)n < sizeof(stage->log) - stage->log_used)
        stage->log_used += (size_t)n;
    pthread_mutex_unlock(&stage->lock);
}

void stage_open(struct stage *stage, bool with_device, uint32_t debug)
{
    struct pail_error err;
    memset(stage, 0, sizeof(*stage));
    assert_int_equal(pthread_mutex_init(&stage->lock, NULL), 0);
    assert_int_equal(pthread_mutex_init(&stage->device.lock, NULL), 0);
    stage->device.device = (struct pail_ad_device){.user = &stage->device,
                                                   .run = fake_run,
                                                   .fetch = fake_fetch,
                                                   .worth = fake_worth,
                                                   .record = fake_record,
                                                   .unrecord = fake_unrecord};
    stage->device.stage = stage;
    struct pail_ad_env env = {
        .alloc = {stage, take, give},
        .log = {stage, take_line},
        .debug = debug,
        .device = with_device ? &stage->device.device : NULL,
        .no_addresses = with_device ? NULL : "there is no device here",
    };
    assert_int_equal(pail_adstack_create(&stage->service, &env, &err), PAIL_OK);
}

void stage_point(struct stage *stage)
{
    stage->device.device.meet = fake_meet;
    stage->device.worth = UINT64_MAX;
}

void stage_close(struct stage *stage)
{
    pail_adstack_destroy(&stage->service);
    assert_null(stage->service);
    assert_int_equal(stage->held, 0);
    pthread_mutex_destroy(&stage->lock);
    pthread_mutex_destroy(&stage->device.lock);
}

pail_adstack_stats stage_stats(struct stage *stage)
{
    pail_adstack_stats stats = {.struct_size = sizeof(stats)};
    pail_adstack_read_stats(stage->service, &stats);
    return stats;
}

bool stage_logged(const struct stage *stage, const char *text)
{
    return strstr(stage->log, text) != NULL;
}

/* ---- Kernels --------------------------------------------------------------------------------- */
struct kernel *kernel_make(const char *name, const char *ranks)
{
    struct kernel *kernel = calloc(1, sizeof(*kernel));
    assert_non_null(kernel);
    (void)snprintf(kernel->name, sizeof(kernel->name), "%s", name);
    for (size_t i = 0; ranks[i]; i++)
        kernel->ranks[i] = (uint8_t)(ranks[i] - '0');
    kernel->desc = (pail_kernel_desc){
        .struct_size = sizeof(kernel->desc),
        .name = kernel->name,
        .name_bytes = strlen(kernel->name),
        .tasks = kernel->tasks,
        .source_rank = kernel->ranks,
        .n_sources = strlen(ranks),
    };
    return kernel;
}

void kernel_free(struct kernel *kernel)
{
    for (size_t i = 0; i < kernel->n_trees; i++)
        nodes_free(&kernel->trees[i]);
    free(kernel);
}

uint32_t kernel_task(struct kernel *kernel, int32_t task_index)
{
    const size_t t = kernel->desc.n_tasks++;
    kernel->tasks[t] =
        (pail_task_desc)SIZED(pail_task_desc, .task_index = task_index, .stacks = kernel->stacks[t],
                              .flags = PAIL_TASK_ELEMENT_UNITS);
    return (uint32_t)t;
}

static pail_stack_desc *add_stack(struct kernel *kernel)
{
    pail_task_desc *task = &kernel->tasks[kernel->desc.n_tasks - 1];
    pail_stack_desc *stack = &kernel->stacks[kernel->desc.n_tasks - 1][task->n_stacks++];
    *stack = (pail_stack_desc){.struct_size = sizeof(*stack), .element_bytes = 4, .copies = 2};
    return stack;
}

struct nodes *kernel_stack(struct kernel *kernel)
{
    (void)add_stack(kernel);
    return &kernel->trees[kernel->n_trees++];
}

void kernel_static(struct kernel *kernel, uint64_t capacity)
{
    add_stack(kernel)->static_capacity = capacity;
}

void tree_max_of(struct nodes *nodes, int32_t source)
{
    NODES(nodes, "(max_over i 0 (shape % 0) (read % i))", source, source);
}

void tree_product_of(struct nodes *nodes, int32_t a, int32_t b)
{
    tree_max_of(nodes, a);
    const int32_t left = (int32_t)nodes->n - 1;
    tree_max_of(nodes, b);
    (void)nodes_op(nodes, PAIL_NODE_MUL, left, (int32_t)nodes->n - 1);
}

/* The trees are where they are in the end only now. */
static void finish(struct kernel *kernel)
{
    size_t tree = 0;
    for (size_t t = 0; t < kernel->desc.n_tasks; t++)
        for (size_t s = 0; s < kernel->tasks[t].n_stacks; s++)
            if (!kernel->stacks[t][s].static_capacity)
                kernel->stacks[t][s].tree = nodes_tree(&kernel->trees[tree++]);
}

uint64_t stage_register(struct stage *stage, const struct kernel *kernel)
{
    struct pail_error err = {0};
    uint64_t handle;
    finish((struct kernel *)(uintptr_t)kernel);
    if (pail_adstack_register(stage->service, &handle, NULL, &kernel->desc, &err) != PAIL_OK)
        fail_msg("%s", err.text);
    assert_int_not_equal(handle, 0);
    return handle;
}

uint64_t stage_register_product(struct stage *stage)
{
    struct kernel *kernel = kernel_make("product", "11");
    (void)kernel_task(kernel, 0);
    tree_product_of(kernel_stack(kernel), 0, 1);
    const uint64_t handle = stage_register(stage, kernel);
    kernel_free(kernel);
    return handle;
}

void product_open(struct product *product, bool with_device, uint32_t debug)
{
    stage_open(&product->stage, with_device, debug);
    product->kernel = stage_register_product(&product->stage);
    product->a[0] = 2;
    product->a[1] = 3;
    product->b[0] = 4;
    product->b[1] = 1;
    product->two = 2;
    product->bindings[0] = bind(0, 11, product->a, &product->two);
    product->bindings[1] = bind(1, 22, product->b, &product->two);
}

/* ---- Launches -------------------------------------------------------------------------------- */
pail_binding bind(uint32_t source, uint64_t identity, const int32_t *data, const int64_t *n)
{
    return (pail_binding)SIZED(pail_binding, .source = source, .identity = identity, .host = data,
                               .size_bytes = (uint64_t)*n * sizeof(*data), .dtype = PAIL_DTYPE_I32,
                               .rank = 1, .shape = n);
}

pail_binding bind_device(uint32_t source, uint64_t identity, const int32_t *data, const int64_t *n)
{
    pail_binding binding = bind(source, identity, NULL, n);
    binding.device_address = (uint64_t)(uintptr_t)data;
    return binding;
}

struct pail_adstack_result *stage_launch(struct stage *stage, uint64_t kernel, uint32_t n_tasks,
                                         const pail_binding *bindings, size_t n, uint32_t flags,
                                         struct pail_error *err)
{
    static uint64_t serial; /* tests with threads do not care */
    pail_task_launch tasks[8];
    struct pail_adstack_result *result;
    struct pail_error ignored;
    for (uint32_t i = 0; i < 8; i++)
        tasks[i] = (pail_task_launch)SIZED(pail_task_launch, .threads = 100);
    const pail_launch launch =
        SIZED(pail_launch, .flags = flags, .kernel = kernel, .bindings = bindings, .n_bindings = n,
              .tasks = tasks, .n_tasks = n_tasks, .serial = stage->on_alloc ? 0 : serial++);
    const pail_status status =
        pail_adstack_evaluate(stage->service, &result, &launch, err ? err : &ignored);
    assert_int_equal(status == PAIL_OK, result != NULL);
    return result;
}

uint64_t stage_capacity(struct stage *stage, uint64_t kernel, const pail_binding *bindings,
                        size_t n, uint64_t serial)
{
    struct pail_error err = {0};
    struct pail_adstack_result *result;
    const pail_task_launch task = {.struct_size = sizeof(pail_task_launch), .threads = 100};
    const pail_launch launch =
        SIZED(pail_launch, .kernel = kernel, .bindings = bindings, .n_bindings = n, .tasks = &task,
              .n_tasks = 1, .serial = serial);
    if (pail_adstack_evaluate(stage->service, &result, &launch, &err) != PAIL_OK)
        fail_msg("%s", err.text);
    const uint64_t capacity = result->tasks[0].laid->places[0].capacity;
    pail_ad_result_release(result);
    return capacity;
}

pail_stack_size stage_size(struct stage *stage, uint64_t kernel, uint32_t n_tasks,
                           const pail_binding *bindings, size_t n, uint32_t flags, size_t task,
                           size_t stack)
{
    struct pail_error err = {0};
    pail_stack_size size = {.struct_size = sizeof(size)};
    struct pail_adstack_result *result =
        stage_launch(stage, kernel, n_tasks, bindings, n, flags, &err);
    if (!result || pail_adstack_stack_size(result, &size, task, stack, &err) != PAIL_OK)
        fail_msg("%s", err.text);
    pail_ad_result_release(result);
    return size;
}
