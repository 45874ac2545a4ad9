/* SPDX-License-Identifier: Apache-2.0 */
#include "exchange.h"

#include <stdlib.h>
#include <string.h>

#include <platform/memory.h>

enum { SCALAR_BYTES = 32 };

pail_status pail_exchange_init(struct pail_exchange *exchange, const struct pail_proof_lane *lanes,
                               uint32_t n, uint64_t domain_size)
{
    memset(exchange, 0, sizeof(*exchange));
    pthread_mutex_init(&exchange->mutex, NULL);
    pthread_cond_init(&exchange->changed, NULL);
    exchange->bytes = SCALAR_BYTES * (size_t)domain_size;
    for (uint32_t d = 0; d < n; d++)
        for (uint32_t i = 0; i < lanes[d].n; i++)
            if (lanes[d].nodes[i].kind == PAIL_PROOF_TAKE)
                exchange->readers[lanes[d].nodes[i].which]++;
    for (size_t i = 0; i < PAIL_EXCHANGE_ITEMS; i++) {
        if (exchange->readers[i] == 0)
            continue;
        exchange->items[i] = malloc(exchange->bytes);
        if (!exchange->items[i]) {
            pail_exchange_clear(exchange);
            return PAIL_ERR_HOST_MEMORY;
        }
        memset(exchange->items[i], 0, exchange->bytes); /* touches the pages before a proof does */
    }
    return PAIL_OK;
}

void pail_exchange_begin(struct pail_exchange *exchange)
{
    memcpy(exchange->left, exchange->readers, sizeof(exchange->left));
    memset(exchange->there, 0, sizeof(exchange->there));
    exchange->failed = false;
}

uint8_t *pail_exchange_write(struct pail_exchange *exchange, size_t item)
{
    exchange->dirty[item] = true;
    return exchange->items[item];
}

void pail_exchange_tell(struct pail_exchange *exchange, size_t item)
{
    pthread_mutex_lock(&exchange->mutex);
    exchange->there[item] = true;
    pthread_cond_broadcast(&exchange->changed);
    pthread_mutex_unlock(&exchange->mutex);
}

void pail_exchange_fail(struct pail_exchange *exchange)
{
    pthread_mutex_lock(&exchange->mutex);
    exchange->failed = true;
    pthread_cond_broadcast(&exchange->changed);
    pthread_mutex_unlock(&exchange->mutex);
}

const uint8_t *pail_exchange_wait(struct pail_exchange *exchange, size_t item)
{
    pthread_mutex_lock(&exchange->mutex);
    while (!exchange->there[item] && !exchange->failed)
        pthread_cond_wait(&exchange->changed, &exchange->mutex);
    const bool there = exchange->there[item];
    pthread_mutex_unlock(&exchange->mutex);
    return there ? exchange->items[item] : NULL;
}

static void wipe(struct pail_exchange *exchange, size_t item)
{
    pail_wipe(exchange->items[item], exchange->bytes);
    exchange->dirty[item] = false;
}

void pail_exchange_done(struct pail_exchange *exchange, size_t item)
{
    pthread_mutex_lock(&exchange->mutex);
    const bool last = --exchange->left[item] == 0;
    pthread_mutex_unlock(&exchange->mutex);
    if (last)
        wipe(exchange, item);
}

void pail_exchange_end(struct pail_exchange *exchange)
{
    for (size_t i = 0; i < PAIL_EXCHANGE_ITEMS; i++)
        if (exchange->dirty[i])
            wipe(exchange, i);
}

void pail_exchange_clear(struct pail_exchange *exchange)
{
    for (size_t i = 0; i < PAIL_EXCHANGE_ITEMS; i++) {
        free(exchange->items[i]);
        exchange->items[i] = NULL;
    }
    pthread_cond_destroy(&exchange->changed);
    pthread_mutex_destroy(&exchange->mutex);
}
