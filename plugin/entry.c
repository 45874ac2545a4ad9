/* SPDX-License-Identifier: Apache-2.0 */
/* The one exported symbol: negotiates, then hands out a static table. */
#include <assert.h>
#include <stddef.h>

#include "api/api.h"

#if defined(__ELF__) /* elsewhere it is the linker that is told what to export */
#define PAIL_EXPORT __attribute__((visibility("default")))
#else
#define PAIL_EXPORT
#endif

static_assert(PAIL_ABI_MINOR > 0 || sizeof(pail_backend) == PAIL_BACKEND_SIZE_1_0,
              "a table that has grown is that of a later MINOR");

PAIL_EXPORT pail_status pail_backend_open(const pail_host *host, const pail_backend **backend);

pail_status pail_backend_open(const pail_host *host, const pail_backend **backend)
{
    if (!backend)
        return PAIL_ERR_ARGUMENT;
    *backend = NULL;
    if (!host || host->struct_size < PAIL_HOST_SIZE_1_0)
        return PAIL_ERR_ARGUMENT;
    if (host->abi_major != PAIL_ABI_MAJOR)
        return PAIL_ERR_ABI;
    *backend = &pail_api_table;
    return PAIL_OK;
}
