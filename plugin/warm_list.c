/* SPDX-License-Identifier: Apache-2.0 */
#include "warm_list.h"

#include <string.h>

static bool same(const struct pail_vk_pipeline_request *a, const struct pail_vk_pipeline_request *b)
{
    return a->kernel == b->kernel && memcmp(&a->variant, &b->variant, sizeof(a->variant)) == 0 &&
           a->n_specs == b->n_specs &&
           memcmp(a->specs, b->specs, a->n_specs * sizeof(a->specs[0])) == 0;
}

pail_status pail_warm_list_add(struct pail_warm_list *list, struct pail_vk_pipeline_request request,
                               const struct pail_alloc *alloc, struct pail_error *err)
{
    request.variant = pail_kernel_narrow(&pail_kernels[request.kernel], request.variant);
    for (uint32_t i = 0; i < list->n; i++)
        if (same(&list->requests[i], &request))
            return PAIL_OK;
    const pail_status status =
        pail_grow(alloc, &list->requests, &list->capacity, list->n + 1, sizeof(request), err);
    if (status == PAIL_OK)
        list->requests[list->n++] = request;
    return status;
}
