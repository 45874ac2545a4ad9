/* SPDX-License-Identifier: Apache-2.0 */
/* Behaviours that compilers of reverse-mode kernels rely on and no other test checks: sizes beyond
 * every cap of 16, 24 or 32 bits, all forms of bounds, what belongs to which launch.
 * docs/adstack-behaviours.md is the list. */
#define _GNU_SOURCE

#include <sys/mman.h>

#include "service_support.h"
#include "support/test.h"

#define MAX_OVER PAIL_NODE_MAX_OVER_RANGE
#define ARRAY    PAIL_NODE_ARRAY_READ
#define FIELD    PAIL_NODE_FIELD_READ

static pail_binding bind_bytes(uint32_t source, uint64_t identity, const uint8_t *data,
                               const int64_t *n)
{
    pail_binding binding = bind(source, identity, NULL, n);
    binding.host = data;
    binding.dtype = PAIL_DTYPE_U8;
    binding.size_bytes = (uint64_t)*n;
    return binding;
}

static int32_t element(struct nodes *nodes, pail_node_kind kind, int32_t source, int64_t index)
{
    return nodes_read(nodes, kind, source, PAIL_DTYPE_I32, 1, &index);
}

static int32_t element_at(struct nodes *nodes, int32_t source, int64_t node)
{
    return nodes_read(nodes, PAIL_NODE_READ_AT, source, PAIL_DTYPE_I32, 1, &node);
}

/* A launch's size, and how many reductions that took. */
static uint64_t size_of(struct stage *stage, uint64_t handle, const pail_binding *bindings,
                        size_t n, uint64_t *dispatches)
{
    const uint64_t before = stage_stats(stage).dispatches;
    const uint64_t capacity = stage_size(stage, handle, 1, bindings, n, 0, 0, 0).capacity;
    *dispatches = stage_stats(stage).dispatches - before;
    return capacity;
}

/* ---- Large ----------------------------------------------------------------------------------- */
/* Only the last of 2^24 + 1 cells is not 0, in bodies of several forms. */
PAIL_TEST(the_last_of_many_cells)
{
    enum { FORMS = 4 };
    const int64_t n = (1 << 24) + 1, index = VARIABLE_INDEX(0), one = 1;
    const uint64_t expected[FORMS] = {4, 4 + (1 << 24) + 1, 7, 6};
    const int32_t scalar[] = {7};
    uint8_t *data = calloc((size_t)n, 1);
    assert_non_null(data);
    data[n - 1] = 4;
    struct stage stage;
    stage_open(&stage, true, 0);
    const pail_binding bindings[] = {bind_bytes(0, 1, data, &n), bind(1, 2, scalar, &one)};
    for (int form = 0; form < FORMS; form++) {
        struct kernel *kernel = kernel_make("many", "11");
        (void)kernel_task(kernel, form);
        struct nodes *t = kernel_stack(kernel);
        const int32_t zero = nodes_const(t, 0), end = nodes_shape(t, 0, 0);
        int32_t body = nodes_read(t, ARRAY, 0, PAIL_DTYPE_U8, 1, &index);
        if (form == 1) {
            body = nodes_op(t, PAIL_NODE_ADD, body, end);
        } else if (form == 2) {
            body = nodes_op(t, PAIL_NODE_MAX, body, element(t, FIELD, 1, 0));
        } else if (form == 3) { /* max(2 * a + 1 - 3, 5) */
            body = nodes_op(t, PAIL_NODE_MUL, body, nodes_const(t, 2));
            body = nodes_op(t, PAIL_NODE_ADD, body, nodes_const(t, 1));
            body = nodes_op(t, PAIL_NODE_SUB, body, nodes_const(t, 3));
            body = nodes_op(t, PAIL_NODE_MAX, body, nodes_const(t, 5));
        }
        (void)nodes_range(t, MAX_OVER, 0, zero, end, body);
        const uint64_t handle = stage_register(&stage, kernel);
        uint64_t dispatches;
        assert_int_equal(size_of(&stage, handle, bindings, 2, &dispatches), expected[form]);
        assert_int_equal(dispatches, 1);
        kernel_free(kernel);
    }
    assert_int_equal(stage_stats(&stage).cells, FORMS * n);
    stage_close(&stage);
    free(data);
}

/* 2^30 cells, of which again only the last counts. */
STAGE_TEST(more_cells_than_a_grid, true)
{
    enum { ROWS = 1 << 12, COLUMNS = 1 << 18 };
    const int64_t shape[2] = {ROWS, COLUMNS}, stride[2] = {1, 1};
    const int64_t indices[] = {VARIABLE_INDEX(0), VARIABLE_INDEX(1)};
    static uint8_t data[ROWS + COLUMNS - 1]; /* a[i, j] is data[i + j] */
    data[ROWS + COLUMNS - 2] = 200;
    struct kernel *kernel = kernel_make("grid", "2");
    (void)kernel_task(kernel, 0);
    struct nodes *t = kernel_stack(kernel);
    const int32_t zero = nodes_const(t, 0);
    const int32_t rows = nodes_shape(t, 0, 0), columns = nodes_shape(t, 0, 1);
    const int32_t body = nodes_read(t, ARRAY, 0, PAIL_DTYPE_U8, 2, indices);
    const int32_t inner = nodes_range(t, MAX_OVER, 1, zero, columns, body);
    (void)nodes_range(t, MAX_OVER, 0, zero, rows, inner);
    const uint64_t handle = stage_register(stage, kernel);
    pail_binding binding = bind_bytes(0, 1, data, shape);
    binding.rank = 2;
    binding.stride_bytes = stride;
    binding.size_bytes = sizeof(data);
    uint64_t dispatches;
    assert_int_equal(size_of(stage, handle, &binding, 1, &dispatches), 200);
    assert_int_equal(stage_stats(stage).cells, UINT64_C(1) << 30);
    kernel_free(kernel);
}

/* Extents and indices of more than 32 bits: what they are modulo 2^32 is something else. */
PAIL_TEST(more_than_32_bits)
{
    const int64_t n = (INT64_C(1) << 32) + 7, index = VARIABLE_INDEX(0);
    uint8_t *data = mmap(NULL, (size_t)n, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (data == MAP_FAILED)
        SKIP_BECAUSE("no address space for 4 GiB");
    data[6] = 9;
    data[n - 1] = 5;
    struct stage stage;
    stage_open(&stage, true, 0);
    struct kernel *kernel = kernel_make("long", "1");
    (void)kernel_task(kernel, 0);
    struct nodes *t = kernel_stack(kernel);
    const int32_t begin = nodes_const(t, INT64_C(1) << 32), end = nodes_shape(t, 0, 0);
    const int32_t body = nodes_read(t, ARRAY, 0, PAIL_DTYPE_U8, 1, &index);
    (void)nodes_range(t, MAX_OVER, 0, begin, end, body);
    (void)nodes_shape(kernel_stack(kernel), 0, 0);
    const uint64_t handle = stage_register(&stage, kernel);
    const pail_binding binding = bind_bytes(0, 1, data, &n);
    assert_int_equal(stage_size(&stage, handle, 1, &binding, 1, 0, 0, 0).capacity, 5);
    assert_int_equal(stage_size(&stage, handle, 1, &binding, 1, 0, 0, 1).capacity, n);
    kernel_free(kernel);
    stage_close(&stage);
    (void)munmap(data, (size_t)n);
}

/* The first and the last reduction of the largest tree, and of a task with 2^16 + 1 stacks: what is
 * kept of one is not found for the other. */
STAGE_TEST(numbers_beyond_16_bits, true)
{
    enum { STACKS = (1 << 16) + 1 };
    struct pail_error err = {0};
    struct nodes trees[3] = {0};
    /* max(a) + 1 + ... + 1 + max(b) */
    tree_max_of(&trees[0], 0);
    int32_t sum = (int32_t)trees[0].n - 1;
    const int32_t one = nodes_const(&trees[0], 1);
    int64_t ones = 0;
    for (; trees[0].n < 65536 - 5; ones++)
        sum = nodes_op(&trees[0], PAIL_NODE_ADD, sum, one);
    tree_max_of(&trees[0], 1);
    (void)nodes_op(&trees[0], PAIL_NODE_ADD, sum, (int32_t)trees[0].n - 1);
    assert_int_equal(trees[0].n, 65536);
    tree_max_of(&trees[1], 0);
    /* max(a) * max(b) + 1 + ... + 1 */
    tree_product_of(&trees[2], 0, 1);
    sum = (int32_t)trees[2].n - 1;
    const int32_t un = nodes_const(&trees[2], 1);
    for (int i = 0; i < 100; i++)
        sum = nodes_op(&trees[2], PAIL_NODE_ADD, sum, un);
    struct kernel *kernel = kernel_make("sixteen", "11");
    (void)kernel_task(kernel, 0);
    kernel_static(kernel, 1);
    pail_stack_desc *stacks = calloc(STACKS, sizeof(*stacks));
    assert_non_null(stacks);
    for (uint32_t i = 0; i < STACKS; i++)
        stacks[i] = kernel->stacks[0][0];
    const uint32_t places[3] = {1, 0, STACKS - 1};
    for (int i = 0; i < 3; i++) {
        stacks[places[i]].static_capacity = 0;
        stacks[places[i]].tree = nodes_tree(&trees[i]);
    }
    kernel->tasks[0].stacks = stacks;
    kernel->tasks[0].n_stacks = STACKS;
    uint64_t handle;
    if (pail_adstack_register(stage->service, &handle, NULL, &kernel->desc, &err) != PAIL_OK)
        fail_msg("%s", err.text);
    const int32_t a[] = {2, 3};
    int32_t b[] = {50, 1};
    const int64_t two = 2;
    const pail_binding bindings[] = {bind(0, 1, a, &two), bind(1, 2, b, &two)};
    for (int again = 0; again < 3; again++) {
        const uint64_t most = again == 2 ? 60 : 50;
        if (again == 2) {
            b[0] = 60;
            pail_ad_identities_bump(&stage->service->identities, 2);
        }
        assert_int_equal(stage_size(stage, handle, 1, bindings, 2, 0, 0, 0).capacity, 3);
        assert_int_equal(stage_size(stage, handle, 1, bindings, 2, 0, 0, STACKS - 1).capacity,
                         3 * most + 100);
        assert_int_equal(stage_size(stage, handle, 1, bindings, 2, 0, 0, 1).capacity,
                         3 + (uint64_t)ones + most);
        assert_int_equal(stage_stats(stage).dispatches, again == 2 ? 3 : 2);
    }
    for (int i = 0; i < 3; i++)
        nodes_free(&trees[i]);
    free(stacks);
    kernel->tasks[0].stacks = kernel->stacks[0];
    kernel->tasks[0].n_stacks = 1;
    kernel_free(kernel);
}

/* ---- Bounds of all forms --------------------------------------------------------------------- */
/* A field of one number, which a host writes between launches. */
STAGE_TEST(a_number_again_and_again, true)
{
    static const int32_t numbers[] = {1, 20, 50, 0, 20};
    const int64_t one = 1;
    int32_t field = 0;
    struct kernel *kernel = kernel_make("number", "1");
    (void)kernel_task(kernel, 0);
    (void)element(kernel_stack(kernel), FIELD, 0, 0);
    const uint64_t handle = stage_register(stage, kernel);
    const pail_binding binding = bind(0, 5, &field, &one);
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        field = numbers[i];
        pail_ad_identities_bump(&stage->service->identities, 5);
        uint64_t dispatches;
        assert_int_equal(size_of(stage, handle, &binding, 1, &dispatches), field ? field : 1);
    }
    kernel_free(kernel);
}

enum { FIELD_1, FIELD_2, THERE };

/* The body of each form over [0, 3), of fields f and g and an array a. */
static int32_t form(struct nodes *t, int which)
{
    const int64_t i = VARIABLE_INDEX(0);
    const int32_t f = element(t, FIELD, FIELD_1, i), a = element(t, ARRAY, THERE, i);
    switch (which) {
    case 0:
        return f;
    case 1:
        return nodes_op(t, PAIL_NODE_ADD, f, a);
    case 2:
        return nodes_op(t, PAIL_NODE_ADD, a, f);
    case 3:
        return nodes_op(t, PAIL_NODE_MAX, f, a);
    case 4:
        return nodes_op(t, PAIL_NODE_MAX, f, nodes_const(t, 0));
    case 5: /* (f - 1) * 2 + a */
        return NODES(t, "(add (mul (sub @ 1) 2) @)", f, a);
    case 6:
        return element_at(t, FIELD_1, element(t, FIELD, FIELD_2, i));
    default:
        return element_at(t, THERE, element(t, FIELD, FIELD_2, i));
    }
}

/* Elements of fields and arrays in one body, and one as the index of the other: exact, by the
 * device, and anew when one of them is written. */
PAIL_TEST(bodies_of_all_forms)
{
    static const uint64_t before[8] = {7, 9, 9, 8, 7, 14, 5, 8},
                          after[8] = {7, 9, 9, 8, 7, 14, 7, 2};
    const int64_t three = 3;
    for (int which = 0; which < 8; which++) {
        int32_t f[] = {5, 7, 1}, g[] = {2, 0, 0};
        const int32_t a[] = {1, 2, 8};
        struct stage stage;
        stage_open(&stage, true, 0);
        struct kernel *kernel = kernel_make("forms", "111");
        (void)kernel_task(kernel, 0);
        struct nodes *t = kernel_stack(kernel);
        NODES(t, "(max_over i 0 3 @)", form(t, which));
        const uint64_t handle = stage_register(&stage, kernel);
        const pail_binding bindings[] = {bind(FIELD_1, 1, f, &three), bind(FIELD_2, 2, g, &three),
                                         bind(THERE, 3, a, &three)};
        uint64_t dispatches;
        assert_int_equal(size_of(&stage, handle, bindings, 3, &dispatches), before[which]);
        assert_int_equal(dispatches, 1);
        assert_int_equal(size_of(&stage, handle, bindings, 3, &dispatches), before[which]);
        assert_int_equal(dispatches, 0);
        g[0] = 1; /* the indices are 1, 0, 0 now */
        pail_ad_identities_bump(&stage.service->identities, 2);
        assert_int_equal(size_of(&stage, handle, bindings, 3, &dispatches), after[which]);
        assert_int_equal(dispatches, which >= 6);
        f[1] = 70;
        pail_ad_identities_bump(&stage.service->identities, 1);
        (void)size_of(&stage, handle, bindings, 3, &dispatches);
        assert_int_equal(dispatches, which < 7);
        kernel_free(kernel);
        stage_close(&stage);
    }
}

/* Ends that are read, not reduced: what is found again depends on them too. */
STAGE_TEST(bounds_that_are_read, true)
{
    const int64_t one = 1, four = 4;
    int32_t begin = 0, end = 2;
    const int32_t a[] = {2, 3, 1, 9};
    struct kernel *kernel = kernel_make("read", "111");
    (void)kernel_task(kernel, 0);
    struct nodes *t = kernel_stack(kernel);
    const int32_t from = element(t, FIELD, 0, 0), to = element(t, ARRAY, 1, 0);
    const int32_t body = element(t, ARRAY, 2, VARIABLE_INDEX(0));
    (void)nodes_range(t, MAX_OVER, 0, from, to, body);
    const uint64_t handle = stage_register(stage, kernel);
    const pail_binding bindings[] = {bind(0, 1, &begin, &one), bind(1, 2, &end, &one),
                                     bind(2, 3, a, &four)};
    uint64_t dispatches;
    assert_int_equal(size_of(stage, handle, bindings, 3, &dispatches), 3);
    end = 4;
    pail_ad_identities_bump(&stage->service->identities, 2);
    assert_int_equal(size_of(stage, handle, bindings, 3, &dispatches), 9);
    end = 3;
    begin = 2;
    pail_ad_identities_bump(&stage->service->identities, 1);
    pail_ad_identities_bump(&stage->service->identities, 2);
    assert_int_equal(size_of(stage, handle, bindings, 3, &dispatches), 1);
    kernel_free(kernel);
}

/* The difference of maxima is not the maximum of differences, whatever the lengths of the arrays;
 * and rows by their offsets. */
STAGE_TEST(differences, true)
{
    const int32_t a[] = {1, 5, 2}, b[] = {4, 0}, starts[] = {0, 3, 3, 9, 10};
    const int64_t two = 2, three = 3, five = 5;
    struct kernel *kernel = kernel_make("differences", "111");
    (void)kernel_task(kernel, 0);
    struct nodes *t = kernel_stack(kernel);
    tree_max_of(t, 0);
    const int32_t left = (int32_t)t->n - 1;
    tree_max_of(t, 1);
    (void)nodes_op(t, PAIL_NODE_SUB, left, (int32_t)t->n - 1);
    t = kernel_stack(kernel); /* over the rows that both have */
    int32_t zero = nodes_const(t, 0), end = nodes_shape(t, 1, 0);
    int32_t x = element(t, ARRAY, 0, VARIABLE_INDEX(0)),
            y = element(t, ARRAY, 1, VARIABLE_INDEX(0));
    (void)nodes_range(t, MAX_OVER, 0, zero, end, nodes_op(t, PAIL_NODE_SUB, x, y));
    t = kernel_stack(kernel); /* starts[i + 1] - starts[i] */
    zero = nodes_const(t, 0);
    const int32_t one = nodes_const(t, 1);
    end = nodes_op(t, PAIL_NODE_SUB, nodes_shape(t, 2, 0), one);
    x = element_at(t, 2, nodes_op(t, PAIL_NODE_ADD, nodes_variable(t, 0), one));
    y = element(t, ARRAY, 2, VARIABLE_INDEX(0));
    (void)nodes_range(t, MAX_OVER, 0, zero, end, nodes_op(t, PAIL_NODE_SUB, x, y));
    const uint64_t handle = stage_register(stage, kernel);
    const pail_binding bindings[] = {bind(0, 1, a, &three), bind(1, 2, b, &two),
                                     bind(2, 3, starts, &five)};
    const uint64_t expected[] = {1, 5, 6};
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(stage_size(stage, handle, 1, bindings, 3, 0, 0, i).capacity, expected[i]);
    kernel_free(kernel);
}

/* No element, no memory: nothing is read, here or by the device. */
STAGE_TEST(arrays_of_nothing, true)
{
    const int64_t none = 0;
    struct kernel *kernel = kernel_make("nothing", "1");
    (void)kernel_task(kernel, 0);
    tree_max_of(kernel_stack(kernel), 0);
    const uint64_t handle = stage_register(stage, kernel);
    const pail_binding binding = bind(0, 1, NULL, &none);
    const uint32_t flags[] = {0, PAIL_LAUNCH_HOST, PAIL_LAUNCH_DEVICE};
    for (size_t i = 0; i < 3; i++) {
        const pail_stack_size size =
            stage_size(stage, handle, 1, &binding, 1, flags[i] | PAIL_LAUNCH_NO_CACHE, 0, 0);
        assert_int_equal(size.capacity, 1);
        assert_int_equal(size.raw, 0);
    }
    kernel_free(kernel);
}

/* ---- Whose ----------------------------------------------------------------------------------- */
/* Each task has words of its own, and a result keeps its sizes when arrays change: what the way
 * forward was sized with is there on the way back. */
STAGE_TEST(results_stay_as_they_were, true)
{
    int32_t a[] = {2, 3}, b[] = {4, 1};
    const int64_t two = 2;
    struct pail_error err = {0};
    struct kernel *kernel = kernel_make("tasks", "11");
    for (int32_t task = 0; task < 2; task++) {
        (void)kernel_task(kernel, task);
        tree_max_of(kernel_stack(kernel), task);
    }
    const uint64_t handle = stage_register(stage, kernel);
    const pail_binding bindings[] = {bind(0, 1, a, &two), bind(1, 2, b, &two)};
    struct pail_adstack_result *results[2];
    for (int i = 0; i < 2; i++) {
        results[i] = stage_launch(stage, handle, 2, bindings, 2, 0, &err);
        assert_non_null(results[i]);
        b[0] = 16;
        pail_ad_identities_bump(&stage->service->identities, 2);
    }
    for (int i = 0; i < 2; i++) {
        const uint32_t capacities[2] = {3, i ? 16 : 4};
        for (size_t task = 0; task < 2; task++) {
            uint32_t words[5];
            size_t n = 5;
            assert_int_equal(pail_adstack_metadata(results[i], words, &n, task, &err), PAIL_OK);
            assert_int_equal(n, 5);
            assert_int_equal(words[3], capacities[task]);
        }
        pail_ad_result_release(results[i]);
    }
    kernel_free(kernel);
}

/* One name twice: the id is the same, and speaks of what was registered last; each handle has its
 * own trees. */
STAGE_TEST(the_same_name_again, true)
{
    struct pail_error err = {0};
    uint64_t handles[2];
    uint32_t ids[2];
    struct pail_adstack_result *result;
    for (uint64_t i = 0; i < 2; i++) {
        struct kernel *kernel = kernel_make("again", "");
        (void)kernel_task(kernel, 4);
        kernel_static(kernel, 32 * (i + 1));
        handles[i] = stage_register(stage, kernel);
        kernel_free(kernel);
    }
    assert_int_not_equal(handles[0], handles[1]);
    for (int i = 0; i < 2; i++) {
        result = stage_launch(stage, handles[i], 1, NULL, 0, 0, &err);
        assert_non_null(result);
        assert_int_equal(result->tasks[0].laid->places[0].capacity, i ? 64 : 32);
        ids[i] = result->tasks[0].id;
        pail_ad_result_release(result);
    }
    assert_int_equal(ids[0], ids[1]);
    pail_diagnosis d = {.struct_size = sizeof(d)};
    const pail_overflow record =
        SIZED(pail_overflow, .id = ids[0], .stack = 0, .count = 66, .serial = UINT64_MAX);
    assert_int_equal(pail_adstack_diagnose(stage->service, &d, &record, &err), PAIL_OK);
    assert_int_equal(d.allocated, 64);
    assert_non_null(strstr(d.text, "kernel \"again\", task 4"));
    /* Without the last one, of the one before. */
    assert_int_equal(pail_adstack_unregister(stage->service, handles[1], &err), PAIL_OK);
    assert_int_equal(pail_adstack_diagnose(stage->service, &d, &record, &err), PAIL_OK);
    assert_int_equal(d.allocated, 32);
    assert_int_equal(pail_adstack_unregister(stage->service, handles[0], &err), PAIL_OK);
    assert_int_equal(pail_adstack_diagnose(stage->service, &d, &record, &err), PAIL_OK);
    assert_non_null(strstr(d.text, "not registered any more"));
}
