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
        return pail_fail(err, PAIL_ERR_ARGUMENT,
                         "%s: struct_size is %u, less than the %zu bytes of ABI 1.0", what,
                         size_of(any), least);
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

pail_status pail_struct_out(void *out, size_t least, const char *what, struct pail_error *err)
{
    const pail_status status = check(out, least, what, err);
    if (status == PAIL_OK)
        memset((char *)out + sizeof(uint32_t), 0, size_of(out) - sizeof(uint32_t));
    return status;
}

void pail_struct_deliver(void *out, const void *in, size_t size)
{
    const size_t room = size_of(out) < size ? size_of(out) : size;
    memcpy((char *)out + sizeof(uint32_t), (const char *)in + sizeof(uint32_t),
           room - sizeof(uint32_t));
}
