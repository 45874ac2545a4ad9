/* Races and corners of the adstack service, each made to happen. */
#include "adstack_service_support.h"

enum { A = 0, ID_A = 11 };

/* ---- Forgetting while somebody looks --------------------------------------------------------- */
struct intruder {
    struct stage *stage;
    uint64_t kernel;
    const pail_binding *binding;
    uint32_t threads;   /* other than those that are kept: the launch is worked out anew */
    uint32_t frees, at; /* which free it comes in */
    bool inside;
};

static struct pail_alloc stage_alloc;
static struct intruder intruder;

static struct pail_adstack_result *launch_with(struct stage *stage, uint64_t kernel,
                                               const pail_binding *binding, uint64_t threads)
{
    const pail_task_launch tasks[] = {{threads, UINT64_MAX}};
    struct pail_adstack_result *result;
    struct pail_error err = {0};
    const pail_launch launch = {.struct_size = sizeof(launch),
                                .kernel = kernel,
                                .bindings = binding,
                                .n_bindings = 1,
                                .tasks = tasks,
                                .n_tasks = 1};
    if (pail_adstack_evaluate(stage->service, &result, &launch, &err) != PAIL_OK)
        fail_msg("%s", err.text);
    return result;
}

static uint64_t capacity_with(struct stage *stage, uint64_t kernel, const pail_binding *binding,
                              uint64_t threads)
{
    struct pail_adstack_result *result = launch_with(stage, kernel, binding, threads);
    const uint64_t capacity = result->tasks[0].laid->places[0].capacity;
    pail_ad_result_release(result);
    return capacity;
}

static void free_and_intrude(void *user, void *ptr)
{
    stage_alloc.free(user, ptr);
    if (intruder.inside || ++intruder.frees != intruder.at)
        return;
    intruder.inside = true;
    pail_ad_result_release(
        launch_with(intruder.stage, intruder.kernel, intruder.binding, intruder.threads));
    intruder.inside = false;
}

/* The host's free calls back in the middle of an invalidation. What the launch in there finds, and
 * keeps, is of before: no launch after the invalidation may see it. */
static void an_invalidation_is_whole(void **state)
{
    (void)state;
    for (uint32_t at = 1; at <= 4; at++) {
        struct stage stage;
        stage_open(&stage, false, 0);
        struct kernel *kernel = kernel_make("whole", "1");
        (void)kernel_task(kernel, 0);
        tree_max_of(kernel_stack(kernel), A);
        /* Results have copies of the allocator: it is another one before there are any. */
        stage_alloc = stage.service->env.alloc;
        stage.service->env.alloc.free = free_and_intrude;
        intruder = (struct intruder){.inside = true};
        const uint64_t handle = stage_register(&stage, kernel);
        int32_t a[] = {2, 3};
        const int64_t two = 2;
        const pail_binding binding = bind(A, ID_A, a, &two);
        assert_int_equal(capacity_with(&stage, handle, &binding, 1), 3);
        assert_int_equal(capacity_with(&stage, handle, &binding, 2), 3);
        a[0] = 9; /* without a word, but before the invalidation */
        intruder = (struct intruder){&stage, handle, &binding, 3, 0, at, false};
        pail_adstack_invalidate(stage.service, handle);
        intruder.inside = true;
        assert_int_equal(capacity_with(&stage, handle, &binding, 3), 9);
        assert_int_equal(capacity_with(&stage, handle, &binding, 1), 9);
        kernel_free(kernel);
        stage_close(&stage);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_invalidation_is_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
