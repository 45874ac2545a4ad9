#include "ranks.h"

#include <stdio.h>

#include "error/exit.h"

pail_status pail_ranks_begin(struct pail_ranks *ranks, const char *name, struct pail_error *error)
{
    *ranks = (struct pail_ranks){.size = 1};
    const pail_cluster_params params = {.struct_size = sizeof(params), .transport = name};
    pail_cluster_info info = {.struct_size = sizeof(info)};
    pail_status status =
        pail_told(error, pail_cluster_open(&ranks->cluster, &params, PAIL_SENTENCE(error)));
    if (status == PAIL_OK)
        status = pail_told(error, pail_cluster_get_info(ranks->cluster, &info));
    if (status == PAIL_OK) {
        ranks->rank = info.rank;
        ranks->size = info.size;
        ranks->transport = info.transport;
    }
    return status;
}

pail_status pail_ranks_agree(const struct pail_ranks *ranks, struct pail_error *error)
{
    return pail_told(error,
                     pail_cluster_agree(ranks->cluster, error->status, PAIL_SENTENCE(error)));
}

void pail_ranks_end(struct pail_ranks *ranks, struct pail_error *error)
{
    pail_cluster_info info = {.struct_size = sizeof(info)};
    if (ranks->cluster == NULL)
        return;
    (void)pail_cluster_get_info(ranks->cluster, &info);
    if (info.broken != 0) {
        pail_error_say(error);
        (void)fflush(stdout);
        pail_cluster_abort(ranks->cluster, (int)pail_exit_of(error));
        return; /* nothing is left to leave in order */
    }
    if (ranks->rank != 0)
        error->sentence[0] = '\0';
    pail_error_say(error);
    (void)fflush(stdout); /* the launcher may end everybody at the first status that is not 0 */
    pail_cluster_close(&ranks->cluster);
}
