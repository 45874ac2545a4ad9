/* SPDX-License-Identifier: Apache-2.0 */
#include "structs.h"

#include <string.h>

static uint32_t size_of(const void *any)
{
    uint32_t size;
    memcpy(&size, any, sizeof(size));
    return size;
}

static pail_status check(const void *any, size_t least, const char *name, struct pail_error *err)
{
    if (!any)
        return pail_fail(err, PAIL_ERR_ARGUMENT, "%s is NULL", name);
    if (size_of(any) < least)
        return pail_fail(err, PAIL_ERR_ARGUMENT, "%s: struct_size is %u; at least %zu is needed",
                         name, size_of(any), least);
    if (size_of(any) > PAIL_STRUCT_SIZE_MAX)
        return pail_fail(err, PAIL_ERR_ARGUMENT,
                         "%s: struct_size is %u, more than the %u bytes that any has", name,
                         size_of(any), PAIL_STRUCT_SIZE_MAX);
    return PAIL_OK;
}

/* Checks element i of an array, of which the first gives the stride. */
static pail_status check_element(const void *array, size_t i, size_t least, const char *name,
                                 struct pail_error *err)
{
    const size_t stride = size_of(array);
    const void *const one = (const char *)array + i * stride;
    const pail_status status = check(one, least, name, err);
    if (status != PAIL_OK || size_of(one) == stride)
        return status;
    return pail_fail(err, PAIL_ERR_ARGUMENT,
                     "%s: struct_size of element %zu is %u, of element 0 %zu", name, i,
                     size_of(one), stride);
}

pail_status pail_struct_in(void *out, size_t size, const void *in, size_t least, const char *name,
                           struct pail_error *err)
{
    memset(out, 0, size);
    const pail_status status = check(in, least, name, err);
    if (status == PAIL_OK)
        memcpy(out, in, size_of(in) < size ? size_of(in) : size);
    return status;
}

pail_status pail_structs_in(const void **ours, void **copy, const struct pail_alloc *alloc,
                            const struct pail_struct_array *kind, const void *array, size_t n,
                            struct pail_error *err)
{
    *ours = array;
    *copy = NULL;
    if (n == 0)
        return pail_fail(err, PAIL_ERR_ARGUMENT, "n_%s is 0; at least 1 is needed", kind->name);
    if (n > UINT32_MAX / 4)
        return pail_fail(err, PAIL_ERR_ARGUMENT, "n_%s is %zu; at most %u are possible", kind->name,
                         n, UINT32_MAX / 4);
    pail_status status = check(array, kind->least, kind->name, err);
    for (size_t i = 1; i < n && status == PAIL_OK; i++)
        status = check_element(array, i, kind->least, kind->name, err);
    if (status != PAIL_OK || size_of(array) == kind->size)
        return status;
    *copy = pail_calloc(alloc, n, kind->size);
    if (!*copy)
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory for %zu %s", n, kind->name);
    *ours = *copy;
    const size_t stride = size_of(array), both = stride < kind->size ? stride : kind->size;
    for (size_t i = 0; i < n; i++) {
        char *const one = (char *)*copy + i * kind->size;
        memcpy(one, (const char *)array + i * stride, both);
        memcpy(one, &(uint32_t){(uint32_t)kind->size}, sizeof(uint32_t));
    }
    return PAIL_OK;
}

pail_status pail_struct_out(void *out, size_t least, const char *name, struct pail_error *err)
{
    const pail_status status = check(out, least, name, err);
    if (status == PAIL_OK)
        memset((char *)out + sizeof(uint32_t), 0, size_of(out) - sizeof(uint32_t));
    return status;
}

pail_status pail_structs_out(void *array, size_t n, size_t least, const char *name,
                             struct pail_error *err)
{
    pail_status status = array && n ? PAIL_OK : check(array, least, name, err);
    for (size_t i = 0; i < n && status == PAIL_OK; i++) {
        status = check_element(array, i, least, name, err);
        if (status == PAIL_OK)
            status = pail_struct_out((char *)array + i * size_of(array), least, name, err);
    }
    return status;
}

void pail_struct_deliver(void *out, const void *in, size_t size)
{
    const size_t known = size_of(out), both = known < size ? known : size;
    memcpy((char *)out + sizeof(uint32_t), (const char *)in + sizeof(uint32_t),
           both - sizeof(uint32_t));
    memset((char *)out + both, 0, known - both);
}
