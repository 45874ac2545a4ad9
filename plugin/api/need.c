/* Checks that every entry of the vtable makes of the objects that it is given. */
#include "api.h"

#include <core/structs.h>

pail_status pail_api_need(const void *argument, const char *name, struct pail_error *err)
{
    return argument ? PAIL_OK : pail_fail(err, PAIL_ERR_ARGUMENT, "%s: NULL", name);
}

pail_status pail_api_need_process(struct pail_error *err)
{
    return pail_process_is_first() ? PAIL_OK
                                   : pail_fail(err, PAIL_ERR_ARGUMENT, PAIL_PROCESS_FORKED);
}

pail_status pail_api_need_object(const void *object, const char *name, struct pail_error *err)
{
    const pail_status status = pail_api_need(object, name, err);
    return status == PAIL_OK ? pail_api_need_process(err) : status;
}

pail_status pail_api_take_array(pail_context *context, void **out,
                                const struct pail_api_array *kind, const void *array, size_t n,
                                struct pail_error *err)
{
    if (n == 0 || n > UINT32_MAX / 4)
        return pail_fail(err, PAIL_ERR_ARGUMENT, "n_%s: %zu", kind->name, n);
    if (!array)
        return pail_fail(err, PAIL_ERR_ARGUMENT, "%s: NULL", kind->name);
    void *const list = pail_calloc(&context->alloc, n, kind->size);
    if (!list)
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory for %zu %s", n, kind->what);
    const pail_status status =
        pail_structs_in(list, kind->size, array, n, kind->least, kind->type, err);
    if (status == PAIL_OK)
        *out = list;
    else
        pail_free(&context->alloc, list);
    return status;
}
