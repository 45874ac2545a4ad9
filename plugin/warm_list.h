/* SPDX-License-Identifier: Apache-2.0 */
/* The pipelines that a deployment needs, before anything asks for them. */
#ifndef PAIL_PLUGIN_WARM_LIST_H
#define PAIL_PLUGIN_WARM_LIST_H

#include "vk/pipeline.h"

#include <core/alloc.h>

/* Requests, each once; freed with pail_free. All zero is an empty list. */
struct pail_warm_list {
    struct pail_vk_pipeline_request *requests;
    uint32_t n, capacity;
};

/* Adds a request, with the axes that its kernel lacks dropped, so that those who share a pipeline
 * share the request. It has no text. Errors: PAIL_ERR_HOST_MEMORY. */
pail_status pail_warm_list_add(struct pail_warm_list *list, struct pail_vk_pipeline_request request,
                               const struct pail_alloc *alloc, struct pail_error *err);

#endif /* PAIL_PLUGIN_WARM_LIST_H */
