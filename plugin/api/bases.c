/* Registering bases at the boundary. */
#include <core/structs.h>

#include "api.h"
#include "msm/bases/bases.h"

pail_status pail_api_bases_create(pail_context *context, pail_bases **bases, size_t *bad_index,
                                  const pail_bases_desc *desc)
{
    struct pail_error err = {0};
    pail_bases_desc d;
    size_t bad = SIZE_MAX;
    pail_status status = pail_api_need_object(context, "context", &err);
    if (bases)
        *bases = NULL;
    else if (status == PAIL_OK)
        status = pail_fail(&err, PAIL_ERR_ARGUMENT, "bases: NULL");
    if (status == PAIL_OK)
        status =
            pail_struct_in(&d, sizeof(d), desc, PAIL_BASES_DESC_SIZE_1_0, "pail_bases_desc", &err);
    if (status == PAIL_OK)
        status = pail_bases_register(context->msm, bases, &bad, &d, &err);
    if (bad_index)
        *bad_index = bad;
    return status == PAIL_OK ? PAIL_OK : pail_api_failed(context ? &context->log : NULL, &err);
}

void pail_api_bases_destroy(pail_context *context, pail_bases **bases)
{
    (void)context; /* the bases know theirs */
    if (!bases)
        return;
    struct pail_bases *b = *bases;
    *bases = NULL;
    if (pail_process_is_first())
        pail_bases_release(b);
}

pail_status pail_api_bases_info(const pail_bases *bases, pail_bases_info *info)
{
    struct pail_error err = {0};
    pail_bases_info filled = {.struct_size = sizeof(filled)};
    pail_status status = pail_struct_out(info, PAIL_BASES_INFO_SIZE_1_0, "pail_bases_info", &err);
    if (status == PAIL_OK)
        status = pail_api_need_object(bases, "bases", &err);
    if (status != PAIL_OK)
        return pail_api_failed(bases ? &bases->msm->log : NULL, &err);
    pail_bases_describe((struct pail_bases *)(uintptr_t)bases, &filled);
    pail_struct_deliver(info, &filled, sizeof(filled));
    return PAIL_OK;
}
