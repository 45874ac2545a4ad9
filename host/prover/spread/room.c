/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of the devices that a key and its proof need: reserved before anything is registered, all
 * of it at once or not at all, for nothing else of the ledger's gives way. */
#include <stdio.h>
#include <string.h>

#include "spread_priv.h"
#include <formats/report.h>
#include <prover/open/open.h>
#include <prover/proof/memory.h>
#include <prover/schedule/schedule.h>

static const uint64_t MARGIN_BYTES = UINT64_C(256) << 20;

pail_status pail_spread_room_create(struct pail_spread *spread)
{
    struct pail_ledger_heap heaps[PAIL_LEDGER_HEAPS_MAX] = {
        {.name = "host", .margin = MARGIN_BYTES, .read = pail_read_host_memory}};
    for (uint32_t d = 0; d < spread->n; d++) {
        spread->heaps[d] =
            (struct pail_device_heap){spread->devices[d].backend, spread->devices[d].context};
        pail_describe_device_heap(&heaps[PAIL_HEAP_DEVICE + d], &spread->heaps[d], PAIL_HEAP_HOST);
        heaps[PAIL_HEAP_DEVICE + d].margin = MARGIN_BYTES;
    }
    const struct pail_ledger_params params = {
        .heaps = heaps, .n_heaps = PAIL_HEAP_DEVICE + spread->n, .max_overtakes = 1};
    return pail_ledger_create(&spread->ledger, &params);
}

/* Reserves at once. */
static pail_status reserve(struct pail_spread *spread, struct pail_reservation *reservation,
                           const uint64_t *bytes, uint32_t device, char *error, size_t error_cap)
{
    char sentence[PAIL_SPREAD_SENTENCE_BYTES];
    pail_ledger_reread(spread->ledger);
    if (pail_ledger_request(spread->ledger, reservation, bytes, NULL, UINT64_MAX) ==
        PAIL_ADMISSION_HELD)
        return PAIL_OK;
    const size_t on = PAIL_HEAP_DEVICE + device;
    const uint64_t missing = pail_ledger_missing(spread->ledger, reservation, on);
    pail_status status =
        pail_ledger_explain(spread->ledger, reservation, sentence, sizeof(sentence));
    if (reservation->state == PAIL_ADMISSION_WAITING) { /* it would fit, but not now */
        const size_t heap = missing != 0 ? on : PAIL_HEAP_HOST;
        status = missing != 0 ? PAIL_ERR_DEVICE_MEMORY : PAIL_ERR_HOST_MEMORY;
        (void)snprintf(sentence, sizeof(sentence),
                       "%llu bytes of %s memory are wanted, %llu more than are free",
                       (unsigned long long)bytes[heap], missing != 0 ? "device" : "host",
                       (unsigned long long)pail_ledger_missing(spread->ledger, reservation, heap));
    }
    (void)pail_ledger_release(spread->ledger, reservation);
    memset(reservation, 0, sizeof(*reservation));
    return pail_report(error, error_cap, status, "device %u, for its part of %s: %s", device,
                       spread->facts->name, sentence);
}

pail_status pail_spread_reserve(struct pail_spread *spread, uint32_t device,
                                const struct pail_key_part *part, bool *host, char *error,
                                size_t error_cap)
{
    struct pail_key_size size;
    uint64_t bytes[PAIL_LEDGER_HEAPS_MAX] = {0};
    const bool may_choose = spread->params.residency == PAIL_RESIDENCY_AUTO;
    *host = spread->params.residency == PAIL_RESIDENCY_HOST;
    pail_status status =
        pail_key_measure(&size, spread->devices[device].backend, spread->devices[device].context,
                         &spread->params, part, error, error_cap);
    if (status != PAIL_OK)
        return status;
    for (int attempt = 0; attempt < 2; attempt++) {
        bytes[PAIL_HEAP_HOST] = *host ? size.points_on_host_bytes : 0;
        bytes[PAIL_HEAP_DEVICE + device] = size.matrices_bytes + (*host ? 0 : size.points_bytes);
        status = reserve(spread, &spread->rooms[device].key, bytes, device, error, error_cap);
        if (status == PAIL_OK || *host || !may_choose)
            break;
        *host = true;
    }
    return status;
}

/* Notes that the registered memory is allocated: the devices count it already. */
static void note_registered(struct pail_spread *spread)
{
    for (uint32_t d = 0; d < spread->n; d++) {
        struct pail_reservation *const key = &spread->rooms[d].key;
        for (size_t i = 0; i < PAIL_LEDGER_HEAPS_MAX && key->state == PAIL_ADMISSION_HELD; i++)
            if (key->live[i] < key->bytes[i])
                (void)pail_ledger_allocated(spread->ledger, key, i, key->bytes[i] - key->live[i]);
    }
}

pail_status pail_spread_reserve_proof(struct pail_spread *spread, uint32_t device, char *error,
                                      size_t error_cap)
{
    uint64_t bytes[PAIL_LEDGER_HEAPS_MAX] = {0}, largest;
    note_registered(spread);
    const pail_status status = pail_proof_estimate(spread->keys[device], &spread->lanes[device], 0,
                                                   &bytes[PAIL_HEAP_DEVICE + device], &largest);
    if (status != PAIL_OK)
        return pail_report(error, error_cap, status, "device %u: %s", device,
                           spread->devices[device].backend->error(spread->devices[device].context));
    return reserve(spread, &spread->rooms[device].proof, bytes, device, error, error_cap);
}

void pail_spread_unreserve(struct pail_spread *spread, uint32_t device)
{
    struct pail_spread_room *const room = &spread->rooms[device];
    for (size_t i = 0; i < PAIL_LEDGER_HEAPS_MAX; i++)
        if (room->key.live[i] != 0)
            (void)pail_ledger_freed(spread->ledger, &room->key, i, room->key.live[i]);
    if (room->key.state != PAIL_ADMISSION_NONE)
        (void)pail_ledger_release(spread->ledger, &room->key);
    if (room->proof.state != PAIL_ADMISSION_NONE)
        (void)pail_ledger_release(spread->ledger, &room->proof);
    memset(room, 0, sizeof(*room));
}
