/* SPDX-License-Identifier: Apache-2.0 */
/* Sources at a launch as the plugin's parts below the service see them. */
#ifndef PAIL_TESTS_ADSTACK_ARRAYS_H
#define PAIL_TESTS_ADSTACK_ARRAYS_H

#include <adstack/eval.h>

static inline struct pail_ad_array array_of(const pail_binding *binding)
{
    struct pail_ad_array array = {
        .host = binding->host,
        .address = binding->device_address,
        .size_bytes = binding->size_bytes,
        .dtype = binding->dtype,
        .rank = binding->rank,
    };
    int64_t next = INT64_C(1) << ((binding->dtype - PAIL_DTYPE_I8) % 5);
    for (uint32_t k = binding->rank; k-- > 0;) {
        array.shape[k] = binding->shape[k];
        array.stride[k] = binding->stride_bytes ? binding->stride_bytes[k] : next;
        next *= binding->shape[k];
    }
    return array;
}

#endif /* PAIL_TESTS_ADSTACK_ARRAYS_H */
