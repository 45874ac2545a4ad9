/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include <adstack/blob.h>
#include <curves/fnv.h>
#include <curves/little_endian.h>

#include "target.h"

enum { HEADER = 40 };

static struct pail_adstack *open_service(void)
{
    const struct pail_ad_env env = {.no_addresses = "there is no device"};
    struct pail_adstack *service;
    struct pail_error err;
    if (pail_adstack_create(&service, &env, &err) != PAIL_OK)
        abort();
    return service;
}

/* A kernel that was taken comes out again, byte by byte, under the same ids. */
static void look(struct pail_adstack *service, uint64_t kernel, const uint8_t *blob, size_t n)
{
    struct pail_error err;
    size_t size = 0;
    if (pail_adstack_export(service, NULL, &size, kernel, &err) != PAIL_OK || size != n)
        abort();
    uint8_t *again = malloc(n);
    if (!again || pail_adstack_export(service, again, &size, kernel, &err) != PAIL_OK ||
        memcmp(again, blob, n) != 0)
        abort();
    free(again);
    if (pail_adstack_unregister(service, kernel, &err) != PAIL_OK)
        abort();
}

/* The first byte says whether the checksums are made right; the rest is a blob. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    const size_t n = size - 1;
    uint8_t *blob = malloc(n + (n == 0));
    if (!blob)
        abort();
    memcpy(blob, data + 1, n);
    if ((data[0] & 1) && n >= HEADER) {
        pail_store_u64(blob + 16, n - HEADER);
        pail_store_u64(blob + 24, pail_fnv1a64(blob + HEADER, n - HEADER));
        pail_store_u64(blob + 32, pail_fnv1a64(blob, 32));
    }
    struct pail_adstack *service = open_service();
    struct pail_error err = {0};
    uint64_t kernel = 1;
    const pail_status status = pail_adstack_import(service, &kernel, NULL, blob, n, &err);
    if (status == PAIL_OK)
        look(service, kernel, blob, n);
    else if (kernel != 0 || err.text[0] == '\0' ||
             (status != PAIL_ERR_DATA && status != PAIL_ERR_ARGUMENT))
        abort();
    pail_adstack_destroy(&service);
    free(blob);
    return 0;
}
