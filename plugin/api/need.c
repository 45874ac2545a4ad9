/* What every entry of the vtable asks of the objects that it is given. */
#include "api.h"

#include <platform/process.h>

bool pail_api_usable(void)
{
    return pail_process_is_first();
}

pail_status pail_api_need(const void *argument, const char *name, struct pail_error *err)
{
    return argument ? PAIL_OK : pail_fail(err, PAIL_ERR_ARGUMENT, "%s: NULL", name);
}

pail_status pail_api_need_process(struct pail_error *err)
{
    return pail_api_usable() ? PAIL_OK : pail_fail(err, PAIL_ERR_ARGUMENT, PAIL_PROCESS_FORKED);
}

pail_status pail_api_need_object(const void *object, const char *name, struct pail_error *err)
{
    const pail_status status = pail_api_need(object, name, err);
    return status == PAIL_OK ? pail_api_need_process(err) : status;
}
