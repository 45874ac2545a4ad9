#include "tune_store.h"

#include <string.h>

#include "options/names.h"

pail_status pail_tune_store_read(const struct pail_session *session, pail_tuning *tuning,
                                 bool *found, struct pail_error *error)
{
    const pail_status status = session->backend->tuning_get(session->context, tuning);
    *found = status == PAIL_OK;
    return pail_session_said(error, session, status == PAIL_NOT_READY ? PAIL_OK : status);
}

static bool is_empty(const pail_tuning *tuning)
{
    const pail_tuning empty = {
        .struct_size = tuning->struct_size, .curve = tuning->curve, .group = tuning->group};
    return memcmp(tuning, &empty, sizeof(empty)) == 0;
}

pail_status pail_tune_store_write(struct pail_session *session, const pail_tuning *tuning,
                                  uint32_t threads, struct pail_error *error)
{
    pail_status status = session->backend->tuning_set(session->context, tuning);
    if (pail_session_said(error, session, status) != PAIL_OK)
        return status;
    /* Not the new one first: it would share with the old one what is in memory. */
    session->backend->context_destroy(&session->context);
    status = pail_session_renew(session, threads, error);
    if (status != PAIL_OK)
        return status;
    pail_tuning kept = {
        .struct_size = sizeof(kept), .curve = tuning->curve, .group = tuning->group};
    bool found;
    status = pail_tune_store_read(session, &kept, &found, error);
    if (status != PAIL_OK)
        return status;
    if (found ? memcmp(&kept, tuning, sizeof(kept)) != 0 : !is_empty(tuning))
        return pail_fail(error, PAIL_ERR_IO,
                         "%s: the choice for %s %s was not kept; is there a cache folder that can "
                         "be written, and PAIL_DEBUG without nocache?",
                         session->backend->name, pail_name_of(pail_curve_names, tuning->curve),
                         pail_name_of(pail_group_names, tuning->group));
    return PAIL_OK;
}
