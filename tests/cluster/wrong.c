/* SPDX-License-Identifier: Apache-2.0 */
/* Ranks of MPI of which one has a wrong argument.
 *
 *     cluster_wrong RANK
 *
 * Exits with 0 where all ranks are told so, and nobody waits. */
#include <pail/cluster.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nothing.h"

static const pail_backend backend = {.struct_size = sizeof backend,
                                     .name = "none",
                                     .msm_start = nothing_start,
                                     .msm_finish = nothing_finish};

static void expect(bool good, const char *what, const char *error)
{
    if (good)
        return;
    (void)fprintf(stderr, "wrong: %s: %s\n", what, error);
    exit(1);
}

int main(int argc, char **argv)
{
    const uint32_t wrong = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 0;
    const pail_cluster_params params = {.struct_size = sizeof params, .transport = "mpi"};
    pail_cluster *cluster = NULL;
    char error[1024] = "", says[64];
    if (pail_cluster_open(&cluster, &params, error, sizeof error) != PAIL_OK)
        expect(false, "open", error);
    pail_cluster_info info = {.struct_size = sizeof info};
    (void)pail_cluster_get_info(cluster, &info);
    (void)snprintf(says, sizeof says, "rank %u of %u: ", wrong, info.size);
    const bool me = info.rank == wrong;
    pail_cluster_sum how = {.struct_size = sizeof how, .curve = PAIL_CURVE_BN254, .group = PAIL_G1};
    const pail_msm_job job = {.struct_size = sizeof job};
    pail_msm_result result = {.struct_size = sizeof result, .coordinate_bytes = 7};
    pail_status status = pail_cluster_msm(cluster, &backend, NULL, &result, NULL, me ? NULL : &how,
                                          &job, NULL, error, sizeof error);
    expect(status == PAIL_ERR_ARGUMENT && strncmp(error, says, strlen(says)) == 0 &&
               strstr(error, "how is NULL") != NULL && result.coordinate_bytes == 0,
           "sum", error);
    unsigned char all[10] = {0}, own[10];
    status = pail_cluster_scatter(cluster, own, all, 10, me ? 0 : 1, error, sizeof error);
    expect(status == PAIL_ERR_ARGUMENT && strncmp(error, says, strlen(says)) == 0, "scatter",
           error);
    status = pail_cluster_msm(cluster, &backend, NULL, &result, NULL, &how, &job, NULL, error,
                              sizeof error);
    expect(status == PAIL_OK, "afterwards", error);
    pail_cluster_close(&cluster);
    return 0;
}
