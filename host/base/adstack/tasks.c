/* SPDX-License-Identifier: Apache-2.0 */
#include "tasks.h"

#include <inttypes.h>
#include <string.h>

#include <core/structs.h>

#include "desc.h"

/* The first element says how far apart they are. */
static uint32_t stride_of(const pail_launch *launch)
{
    uint32_t stride = 0;
    memcpy(&stride, launch->tasks, sizeof(stride));
    return stride;
}

static const char *at(const pail_launch *launch, size_t task)
{
    return (const char *)launch->tasks + task * stride_of(launch);
}

/* Members from ABI 1.1 on. */
static pail_status check_layout(const pail_task_launch *task, const pail_task_desc *desc,
                                size_t number, struct pail_error *err)
{
    if (task->layout > PAIL_LAYOUT_CLAIMED || task->reserved)
        return pail_fail(err, PAIL_ERR_ARGUMENT,
                         "task %zu: layout of pail_task_launch is %u, reserved %u", number,
                         task->layout, task->reserved);
    if (task->layout == PAIL_LAYOUT_CLAIMED && !pail_ad_has_claims(desc))
        return pail_fail(err, PAIL_ERR_ARGUMENT,
                         "task %zu: layout is PAIL_LAYOUT_CLAIMED, but no stack of the task is on "
                         "PAIL_HEAP_FLOAT_CLAIMS or PAIL_HEAP_INT_CLAIMS",
                         number);
    if (!task->rows_ns != !task->claimed_ns)
        return pail_fail(err, PAIL_ERR_ARGUMENT,
                         "task %zu: rows_ns is %" PRIu64 " and claimed_ns %" PRIu64
                         ": give both times, or neither",
                         number, task->rows_ns, task->claimed_ns);
    return PAIL_OK;
}

static pail_status check(const pail_launch *launch, const pail_task_desc *desc, size_t number,
                         struct pail_error *err)
{
    pail_task_launch task;
    struct pail_error inner = {0};
    const pail_status status =
        pail_struct_in(&task, sizeof(task), at(launch, number), PAIL_TASK_LAUNCH_SIZE_1_0,
                       "pail_task_launch", &inner);
    if (status != PAIL_OK)
        return pail_fail(err, status, "task %zu: %s", number, inner.text);
    if (task.struct_size != stride_of(launch))
        return pail_fail(err, PAIL_ERR_ARGUMENT,
                         "task %zu: struct_size of pail_task_launch is %u, of task 0 %u", number,
                         task.struct_size, stride_of(launch));
    if (task.flags & ~(uint32_t)PAIL_TASK_LAUNCH_GATED)
        return pail_fail(err, PAIL_ERR_ARGUMENT, "task %zu: flags of pail_task_launch is 0x%x",
                         number, task.flags);
    if (task.gated_rows && !pail_ad_is_gated(&task))
        return pail_fail(err, PAIL_ERR_ARGUMENT,
                         "task %zu: gated_rows is %" PRIu64 " without PAIL_TASK_LAUNCH_GATED",
                         number, task.gated_rows);
    return check_layout(&task, desc, number, err);
}

uint32_t pail_ad_claimed_time(const pail_task_launch *task)
{
    uint64_t claimed = task->claimed_ns, rows = task->rows_ns;
    if (claimed == 0 || rows == 0)
        return PAIL_AD_ROWS_TIME * 5 / 4;
    for (; claimed > UINT64_MAX / PAIL_AD_ROWS_TIME; rows /= 2)
        claimed /= 2;
    const uint64_t time = rows ? PAIL_AD_ROWS_TIME * claimed / rows : UINT64_MAX;
    return time < 1 ? 1 : time < 1u << 16 ? (uint32_t)time : 1u << 16;
}

pail_status pail_ad_tasks_check(const pail_launch *launch, const pail_task_desc descs[],
                                size_t n_tasks, struct pail_error *err)
{
    if (launch->n_tasks != n_tasks)
        return pail_fail(err, PAIL_ERR_ARGUMENT, "pail_launch: n_tasks is %zu, the kernel has %zu",
                         launch->n_tasks, n_tasks);
    if (!launch->tasks)
        return pail_fail(err, PAIL_ERR_ARGUMENT, "pail_launch: tasks: NULL");
    pail_status status = PAIL_OK;
    for (size_t i = 0; i < n_tasks && status == PAIL_OK; i++)
        status = check(launch, &descs[i], i, err);
    return status;
}

pail_task_launch pail_ad_task_launch(const pail_launch *launch, size_t task)
{
    pail_task_launch full = {0};
    const size_t bytes = stride_of(launch);
    memcpy(&full, at(launch, task), bytes < sizeof(full) ? bytes : sizeof(full));
    return full;
}
