/* Sentences of launches about an index outside of an array: which one it was. */
#include "service_support.h"
#include "support/test.h"

#include <adstack/culprit.h>

enum { N = 4, MANY = 1 << 20 };

struct setting {
    struct stage stage;
    int32_t a[N];
    int64_t shape[2];
    pail_binding bindings[2];
};

static void set_up(struct setting *s, bool on_device)
{
    static const int32_t values[N] = {2, 3, 1, 9};
    memcpy(s->a, values, sizeof(values));
    s->shape[0] = N;
    s->shape[1] = 5;
    stage_open(&s->stage, on_device, 0);
    s->bindings[0] = on_device ? bind_device(0, 1, s->a, s->shape) : bind(0, 1, s->a, s->shape);
    s->bindings[1] = (pail_binding){.struct_size = sizeof(s->bindings[1]),
                                    .source = 1,
                                    .identity = 2,
                                    .host = calloc(N * 5, 4),
                                    .size_bytes = N * 5 * 4,
                                    .dtype = PAIL_DTYPE_I32,
                                    .rank = 2,
                                    .shape = s->shape};
    assert_non_null(s->bindings[1].host);
}

static void tear_down(struct setting *s)
{
    free((void *)(uintptr_t)s->bindings[1].host);
    stage_close(&s->stage);
}

/* Puts a tree, has it refused twice (the second time from the cache) and looks at the sentence. */
static void expect(bool on_device, void (*put)(struct nodes *), const char *sentence)
{
    struct setting s;
    struct pail_error err = {0};
    set_up(&s, on_device);
    struct kernel *kernel = kernel_make("wrong", "12");
    (void)kernel_task(kernel, 0);
    put(kernel_stack(kernel));
    const uint64_t handle = stage_register(&s.stage, kernel);
    for (int again = 0; again < 2; again++) {
        assert_null(stage_launch(&s.stage, handle, 1, s.bindings, 2, 0, &err));
        assert_int_equal(err.status, PAIL_ERR_DATA);
        assert_string_equal(err.text, sentence);
    }
    kernel_free(kernel);
    tear_down(&s);
}

static int32_t read_a(struct nodes *t, int64_t index)
{
    return nodes_read(t, PAIL_NODE_ARRAY_READ, 0, PAIL_DTYPE_I32, 1, &index);
}

static void a_literal(struct nodes *t)
{
    const int32_t good = read_a(t, 1), wrong = read_a(t, 7);
    (void)nodes_op(t, PAIL_NODE_ADD, good, wrong);
}

static void a_variable(struct nodes *t)
{
    const int32_t begin = nodes_const(t, 1), end = nodes_const(t, 10);
    (void)nodes_range(t, PAIL_NODE_MAX_OVER_RANGE, 0, begin, end, read_a(t, VARIABLE_INDEX(0)));
}

static void before_the_first(struct nodes *t)
{
    const int32_t begin = nodes_const(t, -2), end = nodes_const(t, 3);
    (void)nodes_range(t, PAIL_NODE_SUM_OVER_RANGE, 0, begin, end, read_a(t, VARIABLE_INDEX(0)));
}

/* i - 1 > 0 ? b[i, a[i]] : 1, so that b[1, ...] is never asked for. */
static void computed(struct nodes *t)
{
    const int32_t begin = nodes_const(t, 0), end = nodes_shape(t, 0, 0);
    const int32_t i = nodes_variable(t, 0), x = read_a(t, VARIABLE_INDEX(0));
    const int64_t indices[] = {i, x};
    const int32_t read = nodes_read(t, PAIL_NODE_READ_AT, 1, PAIL_DTYPE_I32, 2, indices);
    const int32_t one = nodes_const(t, 1);
    const int32_t guard = nodes_op(t, PAIL_NODE_SUB, i, one);
    const int32_t body = nodes_select(t, guard, read, one);
    (void)nodes_range(t, PAIL_NODE_MAX_OVER_RANGE, 0, begin, end, body);
}

/* The inner range ends where the array says. */
static void in_a_loop(struct nodes *t)
{
    const int32_t zero = nodes_const(t, 0), end = nodes_shape(t, 0, 0);
    const int64_t indices[] = {VARIABLE_INDEX(0), VARIABLE_INDEX(1)};
    const int32_t length = read_a(t, VARIABLE_INDEX(0));
    const int32_t read = nodes_read(t, PAIL_NODE_ARRAY_READ, 1, PAIL_DTYPE_I32, 2, indices);
    const int32_t inner = nodes_range(t, PAIL_NODE_SUM_OVER_RANGE, 1, zero, length, read);
    (void)nodes_range(t, PAIL_NODE_MAX_OVER_RANGE, 0, zero, end, inner);
}

/* Wrong only after more cells than anybody looks at. */
static void far_away(struct nodes *t)
{
    const int32_t begin = nodes_const(t, 0), end = nodes_const(t, MANY);
    const int32_t i = nodes_variable(t, 0), last = nodes_const(t, MANY - 2);
    const int32_t index = nodes_op(t, PAIL_NODE_SUB, i, last);
    const int32_t four = nodes_const(t, N);
    const int64_t scaled = nodes_op(t, PAIL_NODE_MUL, index, four);
    const int32_t read = nodes_read(t, PAIL_NODE_READ_AT, 0, PAIL_DTYPE_I32, 1, &scaled);
    (void)nodes_range(t, PAIL_NODE_MAX_OVER_RANGE, 0, begin, end, read);
}

/* The same, and the index is the variable itself: the ends of its range are known. */
static void far_along(struct nodes *t)
{
    const int32_t begin = nodes_const(t, 0), end = nodes_const(t, MANY);
    const int32_t i = nodes_variable(t, 0), last = nodes_const(t, MANY - 2);
    const int32_t guard = nodes_op(t, PAIL_NODE_SUB, i, last);
    const int32_t read = read_a(t, VARIABLE_INDEX(0)), one = nodes_const(t, 1);
    const int32_t body = nodes_select(t, guard, read, one);
    (void)nodes_range(t, PAIL_NODE_MAX_OVER_RANGE, 0, begin, end, body);
}

#define AXIS_0 " on axis 0, which has 4 elements"

PAIL_TEST(exactly)
{
    expect(false, a_literal,
           "task 0, stack 0 cannot be sized: node 1: an index is outside of source 0: 7" AXIS_0);
    expect(false, a_variable,
           "task 0, stack 0 cannot be sized: node 2: an index is outside of source 0: 4" AXIS_0);
    expect(false, before_the_first,
           "task 0, stack 0 cannot be sized: node 2: an index is outside of source 0: -2" AXIS_0);
    expect(false, computed,
           "task 0, stack 0 cannot be sized: node 4: an index is outside of source 1: 9 on axis 1, "
           "which has 5 elements");
    expect(false, in_a_loop,
           "task 0, stack 0 cannot be sized: node 3: an index is outside of source 1: 5 on axis 1, "
           "which has 5 elements");
}

/* An index that the host cannot read, or that would take long, is described as far as it is known.
 * */
PAIL_TEST(as_far_as_known)
{
    expect(true, a_literal,
           "task 0, stack 0 cannot be sized: node 1: an index is outside of source 0: 7" AXIS_0);
    expect(true, a_variable,
           "task 0, stack 0 cannot be sized: node 2: an index is outside of source 0: 4" AXIS_0);
    expect(true, computed,
           "task 0, stack 0 cannot be sized: node 4: an index is outside of source 1, which is 4 x "
           "5");
    expect(false, far_along,
           "task 0, stack 0 cannot be sized: node 5: an index is outside of source 0: one of those "
           "from 0 to 1048575" AXIS_0);
    expect(false, far_away,
           "task 0, stack 0 cannot be sized: node 7: an index is outside of source 0, which is 4");
}

/* A part that trees have in common is named by the first of them. */
PAIL_TEST(in_common)
{
    struct setting s;
    struct pail_error err = {0};
    set_up(&s, false);
    struct kernel *kernel = kernel_make("wrong", "12");
    (void)kernel_task(kernel, 0);
    /* Stack 0 does not ask for it: 0 > 0 ? a[7] : 1. */
    struct nodes *t = kernel_stack(kernel);
    const int32_t guard = read_a(t, 0), wrong = read_a(t, 7), one = nodes_const(t, 1);
    (void)nodes_select(t, guard, wrong, one);
    (void)read_a(kernel_stack(kernel), 7);
    const uint64_t handle = stage_register(&s.stage, kernel);
    s.a[0] = 0;
    assert_null(stage_launch(&s.stage, handle, 1, s.bindings, 2, 0, &err));
    assert_string_equal(err.text, "task 0, stack 1 cannot be sized: as task 0, stack 0, node 1: "
                                  "an index is outside of source 0: 7" AXIS_0);
    kernel_free(kernel);
    tear_down(&s);
}
