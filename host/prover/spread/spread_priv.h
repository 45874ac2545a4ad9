/* SPDX-License-Identifier: Apache-2.0 */
/* State and functions that the files of this room share. */
#ifndef PAIL_SPREAD_PRIV_H
#define PAIL_SPREAD_PRIV_H

#include <pthread.h>

#include "spread.h"
#include <prover/ledger/heaps.h>
#include <prover/ledger/ledger.h>

enum { PAIL_SPREAD_SENTENCE_BYTES = 512 };

/* Reserved memory of a device: for registered objects, and for a proof. */
struct pail_spread_room {
    struct pail_reservation key, proof;
};

struct pail_spread {
    pthread_mutex_t mutex; /* guards all members that change; held during a proof */
    uint32_t n;
    pail_prover_device devices[PAIL_PLACE_DEVICES_MAX];
    struct pail_device_heap heaps[PAIL_PLACE_DEVICES_MAX];
    pail_groth16_key_params params;
    char *path, *name;             /* copies */
    const pail_groth16_key *facts; /* the key that has this spread */
    const struct pail_place_costs *costs;
    struct pail_place_job job;
    double slowness[PAIL_PLACE_DEVICES_MAX];
    bool lost[PAIL_PLACE_DEVICES_MAX];
    struct pail_proof_placement placement;
    pail_groth16_key *keys[PAIL_PLACE_DEVICES_MAX];       /* parts; NULL: the device has none */
    struct pail_proof_lane lanes[PAIL_PLACE_DEVICES_MAX]; /* of each proof, as it is placed */
    struct pail_exchange exchange;
    bool has_exchange;
    struct pail_ledger *ledger;
    struct pail_spread_room rooms[PAIL_PLACE_DEVICES_MAX];
    double least_ms[PAIL_PLACE_DEVICES_MAX]; /* least computing time of a device, in the present
                                                placement */
    uint32_t n_proofs;                       /* proofs in the present placement */
    uint32_t n_corrections;                  /* times that the key was placed anew for its rates */
    uint64_t placements, redone;
};

/* ---- room.c */
pail_status pail_spread_room_create(struct pail_spread *spread);
/* Reserves memory for the part of a key; *host: its points go into the host's memory, for they do
 * not fit the device's and may. Returns PAIL_OK or PAIL_ERR_DEVICE_MEMORY (or _HOST_MEMORY) with a
 * sentence. */
pail_status pail_spread_reserve(struct pail_spread *spread, uint32_t device,
                                const struct pail_key_part *part, bool *host, char *error,
                                size_t error_cap);
/* Reserves memory for a proof, once the part is registered. Returns the same. */
pail_status pail_spread_reserve_proof(struct pail_spread *spread, uint32_t device, char *error,
                                      size_t error_cap);
void pail_spread_unreserve(struct pail_spread *spread, uint32_t device);

#endif /* PAIL_SPREAD_PRIV_H */
