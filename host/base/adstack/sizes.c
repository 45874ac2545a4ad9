/* Queries of a result. */
#include "launch.h"

#include <string.h>

/* NULL and a status in *err: there is none. */
static const struct pail_ad_result_task *task_of(const struct pail_adstack_result *result,
                                                 size_t task, struct pail_error *err)
{
    if (task < result->n_tasks)
        return &result->tasks[task];
    if (result->recorded)
        (void)pail_fail(err, PAIL_NOT_READY, "the sizes are where the command buffer writes them");
    else
        (void)pail_fail(err, PAIL_ERR_ARGUMENT, "task: %zu, but the kernel has %u", task,
                        result->n_tasks);
    return NULL;
}

pail_status pail_adstack_task_size(const struct pail_adstack_result *result, pail_task_size *size,
                                   size_t task, struct pail_error *err)
{
    const struct pail_ad_result_task *t = task_of(result, task, err);
    if (!t)
        return err->status;
    *size = (pail_task_size){
        .struct_size = size->struct_size,
        .id = t->id,
        .stride_float = pail_ad_units(t->flags, t->laid->stride[PAIL_HEAP_FLOAT]),
        .stride_int = pail_ad_units(t->flags, t->laid->stride[PAIL_HEAP_INT]),
        .heap_float = t->heap[PAIL_HEAP_FLOAT],
        .heap_int = t->heap[PAIL_HEAP_INT],
        .n_stacks = t->laid->n_stacks,
        .grow_float = t->grow[PAIL_HEAP_FLOAT],
        .grow_int = t->grow[PAIL_HEAP_INT],
    };
    return PAIL_OK;
}

pail_status pail_adstack_stack_size(const struct pail_adstack_result *result, pail_stack_size *size,
                                    size_t task, size_t stack, struct pail_error *err)
{
    const struct pail_ad_result_task *t = task_of(result, task, err);
    if (!t)
        return err->status;
    if (stack >= t->laid->n_stacks)
        return pail_fail(err, PAIL_ERR_ARGUMENT, "stack: %zu, but task %zu has %u", stack, task,
                         t->laid->n_stacks);
    const struct pail_ad_place *place = &t->laid->places[stack];
    *size = (pail_stack_size){
        .struct_size = size->struct_size,
        .origin = t->origins[stack],
        .capacity = place->capacity,
        .offset = pail_ad_units(t->flags, place->offset),
        .raw = place->raw,
    };
    return PAIL_OK;
}

pail_status pail_adstack_metadata(const struct pail_adstack_result *result, uint32_t *words,
                                  size_t *n_words, size_t task, struct pail_error *err)
{
    const size_t room = words ? *n_words : 0;
    pail_status status = PAIL_OK;
    *n_words = 0;
    const struct pail_ad_result_task *t = task_of(result, task, err);
    if (!t)
        return err->status;
    const size_t n = 3 + 2 * (size_t)t->laid->n_stacks;
    if (words) /* zeroes at most the words of the result, whatever room the caller claims */
        memset(words, 0, (room < n ? room : n) * sizeof(*words));
    if (words && room < n)
        return pail_fail(err, PAIL_ERR_ARGUMENT, "n_words: %zu, but task %zu has %zu", room, task,
                         n);
    if (words)
        status = pail_ad_metadata(words, t->flags, t->laid->places, t->laid->n_stacks,
                                  t->laid->stride, task, err);
    if (status == PAIL_OK)
        *n_words = n;
    else
        memset(words, 0, n * sizeof(*words));
    return status;
}

pail_status pail_adstack_explain(const struct pail_adstack_result *result, char *text, size_t *size,
                                 struct pail_error *err)
{
    const size_t room = text ? *size : 0;
    *size = 0;
    if (!result->text)
        return pail_fail(err, PAIL_NOT_READY,
                         "there is no explanation: PAIL_LAUNCH_EXPLAIN was not set at the launch");
    const size_t n = strlen(result->text) + 1;
    *size = n;
    if (room > 0) {
        const size_t part = room < n ? room - 1 : n - 1;
        memcpy(text, result->text, part);
        text[part] = '\0';
    }
    return PAIL_OK;
}
