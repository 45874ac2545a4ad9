/* SPDX-License-Identifier: Apache-2.0 */
/* Launches of a kernel's tasks, as a caller describes them: elements of another ABI may be shorter
 * or longer than ours. */
#ifndef PAIL_ADSTACK_TASKS_H
#define PAIL_ADSTACK_TASKS_H

#include <stdbool.h>

#include <core/error.h>

/* descs: [n_tasks] of the kernel.
 * Errors: PAIL_ERR_ARGUMENT  there are not n_tasks of them, or one breaks a rule (the sentence has
 *                            its number and the value) */
pail_status pail_ad_tasks_check(const pail_launch *launch, const pail_task_desc descs[],
                                size_t n_tasks, struct pail_error *err);

/* One task's launch, which was checked, at full size. */
pail_task_launch pail_ad_task_launch(const pail_launch *launch, size_t task);

static inline bool pail_ad_is_gated(const pail_task_launch *task)
{
    return (task->flags & PAIL_TASK_LAUNCH_GATED) != 0;
}

/* Rows of the float heap. */
static inline uint64_t pail_ad_rows(const pail_task_launch *task)
{
    return pail_ad_is_gated(task) ? task->gated_rows : task->threads;
}

/* Time of the kernel that claims in 256ths of the one with rows, as measured or, unmeasured, as
 * adstack.h says. At least 1, at most 2^16. */
#define PAIL_AD_ROWS_TIME 256u
uint32_t pail_ad_claimed_time(const pail_task_launch *task);

/* Words of a launch's key that a task has: all that its heaps depend on besides sizes. */
#define PAIL_AD_TASK_WORDS 4u
static inline void pail_ad_task_words(uint64_t words[PAIL_AD_TASK_WORDS],
                                      const pail_task_launch *task)
{
    words[0] = task->threads;
    words[1] = task->gated_rows;
    words[2] = task->flags;
    words[3] = task->layout | (uint64_t)pail_ad_claimed_time(task) << 32;
}

#endif /* PAIL_ADSTACK_TASKS_H */
