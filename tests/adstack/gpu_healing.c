/* SPDX-License-Identifier: Apache-2.0 */
/* A runtime that looks at overflows rarely: hundreds of launches whose kernels report, with sizes
 * that are stale because of a write that nobody told of, and then one look. Arrays are at device
 * addresses: where these are pointers the host reads them, and once more the device has to. */
#include <nodes.h>

#include "host_kernel.h"

#include "storm_address.h"
#include "support/test.h"

enum { ELEMENTS = 1000, STALE = 2, NEEDED = 64, IDENTITY = 5, ROOM = 256 };

struct setting {
    struct host_device host;
    struct test_plugin plugin;
    const pail_backend *api;
    struct shared array, rows;
    struct host_kernel reporter;
    uint64_t overflows; /* address */
    int64_t n;
    pail_binding binding;
    uint32_t id; /* the kernel that was registered last */
};

/* The largest element of the array. */
static pail_adstack_kernel register_max(struct setting *s, const char *name)
{
    struct nodes nodes = {0};
    nodes_text(&nodes, "(max_over i 0 (shape 0 0) (read 0 i))", NULL);
    const pail_stack_desc stack =
        SIZED(pail_stack_desc, .element_bytes = 4, .copies = 2, .tree = nodes_tree(&nodes));
    const pail_task_desc task = {.struct_size = sizeof(task), .stacks = &stack, .n_stacks = 1};
    const uint8_t rank = 1;
    const pail_kernel_desc desc =
        SIZED(pail_kernel_desc, .name = name, .name_bytes = strlen(name), .tasks = &task,
              .n_tasks = 1, .source_rank = &rank, .n_sources = 1);
    pail_adstack_kernel kernel = 0;
    assert_int_equal(s->api->adstack_register(s->plugin.context, &kernel, &s->id, &desc), PAIL_OK);
    nodes_free(&nodes);
    return kernel;
}

static int32_t *elements(struct setting *s)
{
    return (int32_t *)(void *)s->array.mapped;
}

static int set_up_with(void **state, bool pointers)
{
    static struct setting setting;
    struct setting *s = &setting;
    uint64_t buffer;
    memset(s, 0, sizeof(*s));
    *state = s;
    if (host_device_open(&s->host, &s->plugin, pointers) != 0)
        return -1;
    s->api = s->plugin.api;
    if (!s->host.addresses)
        return 0;
    shared_make(&s->host, &s->array, ELEMENTS * 4);
    shared_make(&s->host, &s->rows, 64 * sizeof(struct storm_row));
    memset(s->rows.mapped, 0, 64 * sizeof(struct storm_row));
    assert_int_equal(s->api->adstack_overflow_buffer(s->plugin.context, &buffer, &s->overflows),
                     PAIL_OK);
    const VkBuffer buffers[] = {s->rows.buffer, s->rows.buffer};
    host_kernel_make(&s->reporter, &s->host, storm_address_words, sizeof(storm_address_words),
                     buffers, 2, 8);
    s->n = ELEMENTS;
    s->binding = (pail_binding){.struct_size = sizeof(s->binding),
                                .identity = IDENTITY,
                                .generation = 1,
                                .device_address = s->array.address,
                                .size_bytes = ELEMENTS * 4,
                                .dtype = PAIL_DTYPE_I32,
                                .rank = 1,
                                .shape = &s->n};
    return 0;
}

static int set_up(void **state)
{
    return set_up_with(state, true);
}

static int set_up_device(void **state)
{
    return set_up_with(state, false);
}

static int tear_down(void **state)
{
    struct setting *s = *state;
    s->api->context_destroy(&s->plugin.context);
    if (s->host.addresses) {
        host_kernel_free(&s->reporter);
        shared_free(&s->host, &s->array);
        shared_free(&s->host, &s->rows);
    }
    host_device_free(&s->host);
    return test_plugin_close(&s->plugin);
}

static struct setting *setting_of(void **state)
{
    struct setting *s = *state;
    if (!s->host.addresses)
        SKIP_BECAUSE("the device has no buffer device addresses");
    for (int i = 0; i < ELEMENTS; i++)
        elements(s)[i] = STALE;
    s->api->adstack_bump(s->plugin.context, IDENTITY);
    s->api->adstack_reset_stats(s->plugin.context);
    return s;
}

static uint64_t launch(struct setting *s, pail_adstack_kernel kernel, uint64_t serial)
{
    const pail_task_launch task = SIZED(pail_task_launch, .threads = 64);
    const pail_launch launch =
        SIZED(pail_launch, .kernel = kernel, .bindings = &s->binding, .n_bindings = 1,
              .tasks = &task, .n_tasks = 1, .serial = serial);
    pail_adstack_result *result;
    pail_stack_size size = {.struct_size = sizeof(size)};
    if (s->api->adstack_evaluate(s->plugin.context, &result, &launch) != PAIL_OK)
        fail_msg("%s", s->api->error(s->plugin.context));
    assert_int_equal(s->api->adstack_stack_size(result, &size, 0, 0), PAIL_OK);
    s->api->adstack_release(result);
    return size.capacity;
}

/* Launches, and has a kernel push what it needs. */
static void step(struct setting *s, pail_adstack_kernel kernel, uint32_t id, uint32_t serial)
{
    struct storm_row *rows = (struct storm_row *)(void *)s->rows.mapped;
    assert_int_equal(launch(s, kernel, serial), STALE);
    for (uint32_t i = 0; i < 64; i += 8)
        rows[i] = (struct storm_row){id, 0, NEEDED - i, serial};
    host_kernel_run(&s->reporter, 1, &s->overflows);
}

static size_t poll(struct setting *s, pail_overflow *records)
{
    size_t n = ROOM + 1;
    records[0].struct_size = sizeof(records[0]);
    assert_int_equal(s->api->adstack_poll_overflow(s->plugin.context, records, &n), PAIL_OK);
    return n;
}

static pail_diagnosis diagnose(struct setting *s, const pail_overflow *record)
{
    pail_diagnosis d = {.struct_size = sizeof(d)};
    if (s->api->adstack_diagnose(s->plugin.context, &d, record) != PAIL_OK)
        fail_msg("%s", s->api->error(s->plugin.context));
    if (d.cause != PAIL_CAUSE_UNTRACKED_WRITE || d.suspect_identity != IDENTITY ||
        d.invalidated != 1 || d.required != NEEDED)
        fail_msg("cause %u, required %lld: %s", d.cause, (long long)d.required, d.text);
    return d;
}

PAIL_TEST(after_many_launches)
{
    struct setting *s = setting_of(state);
    static const uint32_t numbers[] = {1, 20, 300};
    const pail_adstack_kernel other = register_max(s, "other_grad");
    const pail_adstack_kernel kernel = register_max(s, "substep_grad");
    const uint32_t id = s->id;
    pail_overflow records[ROOM + 1];
    uint32_t serial = 0;
    for (size_t k = 0; k < sizeof(numbers) / sizeof(numbers[0]); k++) {
        const uint32_t n = numbers[k], held = n < ROOM ? n : ROOM;
        elements(s)[3] = STALE;
        s->binding.generation++;
        assert_int_equal(launch(s, other, 1000000), STALE);
        assert_int_equal(launch(s, kernel, 1000000), STALE);
        elements(s)[3] = NEEDED;
        s->api->adstack_reset_stats(s->plugin.context);
        for (uint32_t i = 0; i < n; i++)
            step(s, kernel, id, ++serial);
        assert_int_equal(poll(s, records), held);
        pail_adstack_stats stats = {.struct_size = sizeof(stats)};
        s->api->adstack_stats(s->plugin.context, &stats);
        assert_int_equal(stats.overflows_lost, n - held);
        const pail_overflow *first = &records[0];
        for (uint32_t i = 0; i < held; i++) {
            assert_in_range(records[i].serial, serial - held + 1, serial); /* the last ones */
            assert_int_equal(records[i].count, NEEDED);
            first = records[i].serial < first->serial ? &records[i] : first;
        }
        (void)diagnose(s, first);
        assert_int_equal(launch(s, kernel, ++serial), NEEDED);
        assert_int_equal(launch(s, other, 1000001), NEEDED);
    }
    assert_int_equal(s->api->adstack_unregister(s->plugin.context, kernel), PAIL_OK);
    assert_int_equal(s->api->adstack_unregister(s->plugin.context, other), PAIL_OK);
}

/* Two kernels of one name, and the older one overflows. */
PAIL_TEST(of_one_name)
{
    struct setting *s = setting_of(state);
    const pail_adstack_kernel kernels[2] = {register_max(s, "grad"), register_max(s, "grad")};
    const uint32_t id = s->id;
    pail_overflow records[ROOM + 1];
    uint32_t serial = 0;
    for (int k = 0; k < 2; k++)
        for (uint32_t n = 1; n <= 20; n += 19) {
            elements(s)[3] = STALE;
            s->binding.generation++;
            assert_int_equal(launch(s, kernels[k], ++serial), STALE);
            elements(s)[3] = NEEDED;
            for (uint32_t i = 0; i < n; i++)
                step(s, kernels[k], id, ++serial);
            assert_int_equal(poll(s, records), n);
            const pail_diagnosis d = diagnose(s, &records[0]);
            assert_int_equal(d.allocated, n == 1 ? STALE : 0);
            assert_int_equal(launch(s, kernels[k], ++serial), NEEDED);
        }
    for (int k = 0; k < 2; k++)
        assert_int_equal(s->api->adstack_unregister(s->plugin.context, kernels[k]), PAIL_OK);
}

PAIL_TEST_MAIN
{
    const int failed = test_run("gpu_adstack_healing", set_up, tear_down);
    return failed + test_run("gpu_adstack_healing, read by the device", set_up_device, tear_down);
}
