#include "structs.h"

#include <string.h>

static uint32_t size_of(const void *any)
{
    uint32_t size;
    memcpy(&size, any, sizeof(size));
    return size;
}

static pail_status check(const void *any, size_t least, const char *what, struct pail_error *err)
{
    if (!any)
        return pail_fail(err, PAIL_ERR_ARGUMENT, "%s: NULL", what);
    if (size_of(any) < least)
        return pail_fail(err, PAIL_ERR_ARGUMENT, "%s: struct_size is %u; at least %zu is needed",
                         what, size_of(any), least);
    if (size_of(any) > PAIL_STRUCT_SIZE_MAX)
        return pail_fail(err, PAIL_ERR_ARGUMENT,
                         "%s: struct_size is %u, more than the %u bytes that any has", what,
                         size_of(any), PAIL_STRUCT_SIZE_MAX);
    return PAIL_OK;
}

pail_status pail_struct_in(void *out, size_t size, const void *in, size_t least, const char *what,
                           struct pail_error *err)
{
    memset(out, 0, size);
    const pail_status status = check(in, least, what, err);
    if (status == PAIL_OK)
        memcpy(out, in, size_of(in) < size ? size_of(in) : size);
    return status;
}

static pail_status check_stride(const void *one, size_t i, size_t stride, const char *what,
                                struct pail_error *err)
{
    if (size_of(one) == stride)
        return PAIL_OK;
    return pail_fail(err, PAIL_ERR_ARGUMENT,
                     "%s: struct_size of element %zu is %u, of element 0 %zu", what, i,
                     size_of(one), stride);
}

pail_status pail_structs_in(void *out, size_t size, const void *array, size_t n, size_t least,
                            const char *what, struct pail_error *err)
{
    const size_t stride = size_of(array);
    pail_status status = PAIL_OK;
    for (size_t i = 0; i < n && status == PAIL_OK; i++) {
        const char *one = (const char *)array + i * stride;
        status = pail_struct_in((char *)out + i * size, size, one, least, what, err);
        if (status == PAIL_OK)
            status = check_stride(one, i, stride, what, err);
    }
    return status;
}

pail_status pail_struct_out(void *out, size_t least, const char *what, struct pail_error *err)
{
    const pail_status status = check(out, least, what, err);
    if (status == PAIL_OK)
        memset((char *)out + sizeof(uint32_t), 0, size_of(out) - sizeof(uint32_t));
    return status;
}

pail_status pail_structs_out(void *array, size_t n, size_t least, const char *what,
                             struct pail_error *err)
{
    const size_t stride = array && n ? size_of(array) : 0;
    pail_status status = array ? PAIL_OK : check(array, least, what, err);
    for (size_t i = 0; i < n && status == PAIL_OK; i++) {
        char *one = (char *)array + i * stride;
        status = check(one, least, what, err);
        if (status == PAIL_OK)
            status = check_stride(one, i, stride, what, err);
        if (status == PAIL_OK)
            status = pail_struct_out(one, least, what, err);
    }
    return status;
}

void pail_struct_deliver(void *out, const void *in, size_t size)
{
    const size_t room = size_of(out) < size ? size_of(out) : size;
    memcpy((char *)out + sizeof(uint32_t), (const char *)in + sizeof(uint32_t),
           room - sizeof(uint32_t));
}
