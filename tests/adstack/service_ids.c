/* SPDX-License-Identifier: Apache-2.0 */
/* Ids of tasks: from names, by probing, wanted, and for good. */
#include "service_support.h"
#include "support/test.h"

struct named {
    const char *name;
    int32_t task;
    uint32_t wanted, id; /* id: that is expected */
};

static pail_status enter(struct stage *stage, const struct named *named, size_t n_tasks,
                         uint64_t *handle, uint32_t ids[], struct pail_error *err)
{
    struct kernel *kernel = kernel_make(named[0].name, "");
    for (size_t i = 0; i < n_tasks; i++) {
        (void)kernel_task(kernel, named[i].task);
        kernel_static(kernel, 4);
        kernel->tasks[i].wanted_id = named[i].wanted;
    }
    const pail_status status =
        pail_adstack_register(stage->service, handle, ids, &kernel->desc, err);
    kernel_free(kernel);
    return status;
}

/* Registers one task after the other. */
static void expect_ids(const struct named list[], size_t n)
{
    struct stage stage;
    struct pail_error err = {0};
    stage_open(&stage, false, 0);
    uint64_t last = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t handle;
        uint32_t id;
        char name[64];
        int32_t task;
        assert_int_equal(enter(&stage, &list[i], 1, &handle, &id, &err), PAIL_OK);
        assert_int_equal(id, list[i].id);
        assert_true(handle > last);
        last = handle;
        assert_int_equal(pail_adstack_lookup(stage.service, name, sizeof(name), &task, id, &err),
                         PAIL_OK);
        assert_string_equal(name, list[i].name);
        assert_int_equal(task, list[i].task);
    }
    stage_close(&stage);
}

PAIL_TEST(known_ids)
{
    static const struct named list[] = {
        {"", 0, 0, 0xd968e745},
        {"", 1, 0, 0xcf74a1d3},
        {"kernel_a", 0, 0, 0xca332149},
        {"kernel_b", 3, 0, 0x6f0f84bd},
        {"different_kernel", 5, 0, 0x524bd42f},
        {"compute_grad", 3, 0, 0xd5619350},
        {"compute_other", 3, 0, 0x12b4cff7},
        {"compute_grad_diag", 4, 0, 0x374e575c},
        {"any_kernel", 0, 0, 0x36b21d47},
        {"k", 0, 0, 0x09c10950},
        {"compute", -1, 0, 0x9167c52c},
        {"na\xc3\xafve", 0, 0, 0x09a6538f},
    };
    expect_ids(list, sizeof(list) / sizeof(list[0]));
}

PAIL_TEST(collisions_take_the_next)
{
    static const struct named list[] = {
        {"k8076", 0, 0, 0x77fc5151},  {"k36556", 3, 0, 0x77fc5152}, {"k6004", 0, 0, 0xba5e727d},
        {"k37139", 2, 0, 0xba5e727e}, {"k47263", 3, 0, 0x53b369fb}, {"k41472", 2, 0, 0x53b369fc},
        {"k36556", 3, 0, 0x77fc5152}, /* again, the same */
        {"k8076", 0, 0, 0x77fc5151},
    };
    expect_ids(list, sizeof(list) / sizeof(list[0]));
}

PAIL_TEST(the_end_and_zero)
{
    static const struct named list[] = {
        {"w15976", 40011, 0, UINT32_MAX}, {"w148186", 34436, 0, 1}, {"w26958", 30857, 0, 2},
        {"w164638", 49652, 0, 3},         {"w41082", 45210, 0, 4},  {"w76011", 6954, 0, 5},
        {"w244155", 16403, 0, 6},
    };
    expect_ids(list, sizeof(list) / sizeof(list[0]));
}

PAIL_TEST(wanted_ids)
{
    static const struct named list[] = {
        {"kernel_a", 0, 77, 77},
        {"kernel_a", 0, 0, 77},  /* stays */
        {"kernel_a", 0, 78, 78}, /* another one is free as well */
        {"kernel_a", 0, 77, 77}, /* and the first one still its own */
        {"kernel_b", 3, 0, 0x6f0f84bd},
        {"other", 1, 0xca332149, 0xca332149}, /* the hash of kernel_a, which has not taken it */
        {"k8076", 0, 0x77fc5152, 0x77fc5152},
        {"k36556", 3, 0, 0x77fc5151},
    };
    expect_ids(list, sizeof(list) / sizeof(list[0]));
}

STAGE_TEST(conflicts_name_both, false)
{
    struct pail_error err = {0};
    uint64_t handle;
    uint32_t ids[2];
    const struct named a = {"kernel_a", 0, 0, 0}, b = {"kernel_b", 3, 0xca332149, 0};
    assert_int_equal(enter(stage, &a, 1, &handle, ids, &err), PAIL_OK);
    assert_int_equal(enter(stage, &b, 1, &handle, ids, &err), PAIL_ERR_ARGUMENT);
    assert_int_equal(handle, 0);
    assert_non_null(strstr(err.text, "0xca332149"));
    assert_non_null(strstr(err.text, "task 3 of \"kernel_b\""));
    assert_non_null(strstr(err.text, "task 0 of \"kernel_a\""));

    const struct named twice[] = {{"twice", 5, 0, 0}, {"twice", 5, 0, 0}};
    assert_int_equal(enter(stage, twice, 2, &handle, ids, &err), PAIL_ERR_ARGUMENT);
    assert_non_null(strstr(err.text, "tasks 0 and 1 both have task_index 5"));
    const struct named same[] = {{"twice", 5, 9, 0}, {"twice", 6, 9, 0}};
    assert_int_equal(enter(stage, same, 2, &handle, ids, &err), PAIL_ERR_ARGUMENT);
    assert_non_null(strstr(err.text, "tasks 0 and 1 both want the id 0x00000009"));
    /* Nothing of what was refused is left. */
    char name[8];
    int32_t task;
    assert_int_equal(pail_adstack_lookup(stage->service, name, sizeof(name), &task, 9, &err),
                     PAIL_ERR_ARGUMENT);
    assert_non_null(strstr(err.text, "0x00000009"));

    /* A hash does not take what a later task of the kernel wants. */
    const struct named mixed[] = {{"k", 0, 0, 0}, {"k", 1, 0x09c10950, 0}};
    assert_int_equal(enter(stage, mixed, 2, &handle, ids, &err), PAIL_OK);
    assert_int_equal(ids[0], 0x09c10951);
    assert_int_equal(ids[1], 0x09c10950);
}

/* Handles are never used again; ids stay with their names, also of kernels that are gone. */
STAGE_TEST(unregistered, false)
{
    struct pail_error err = {0};
    uint64_t first, second;
    uint32_t id, again;
    char name[4];
    int32_t task;
    const struct named a = {"kernel_a", 0, 0, 0};
    assert_int_equal(enter(stage, &a, 1, &first, &id, &err), PAIL_OK);
    assert_int_equal(pail_adstack_unregister(stage->service, first, &err), PAIL_OK);
    assert_int_equal(pail_adstack_unregister(stage->service, first, &err), PAIL_ERR_ARGUMENT);
    assert_non_null(strstr(err.text, "handle 1"));
    assert_int_equal(pail_adstack_lookup(stage->service, name, sizeof(name), &task, id, &err),
                     PAIL_OK);
    assert_string_equal(name, "ker"); /* the part that fits */
    assert_null(stage_launch(stage, first, 1, NULL, 0, 0, &err));
    assert_int_equal(err.status, PAIL_ERR_ARGUMENT);
    assert_int_equal(enter(stage, &a, 1, &second, &again, &err), PAIL_OK);
    assert_int_not_equal(first, second);
    assert_int_equal(id, again);
}

STAGE_TEST(many, false)
{
    struct pail_error err = {0};
    for (unsigned i = 0; i < 500; i++) {
        char text[32], name[64];
        uint64_t handle;
        uint32_t id;
        int32_t task;
        (void)snprintf(text, sizeof(text), "kernel %u", i);
        const struct named named = {text, (int32_t)i, i % 3 ? 0 : i + 1, 0};
        assert_int_equal(enter(stage, &named, 1, &handle, &id, &err), PAIL_OK);
        assert_int_equal(i % 3 ? id : i + 1, id);
        if (i % 2)
            assert_int_equal(pail_adstack_unregister(stage->service, handle, &err), PAIL_OK);
        assert_int_equal(pail_adstack_lookup(stage->service, name, sizeof(name), &task, id, &err),
                         PAIL_OK);
        assert_string_equal(name, text);
    }
}
