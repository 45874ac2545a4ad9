/* State and functions that the files of this room share. */
#ifndef PAIL_SPREAD_PRIV_H
#define PAIL_SPREAD_PRIV_H

#include <pthread.h>
#include <stdatomic.h>

#include "spread.h"
#include <prover/ledger/heaps.h>
#include <prover/ledger/ledger.h>
#include <prover/proof/graph.h>

enum {
    PAIL_SPREAD_SENTENCE_BYTES = 512,
    PAIL_SPREAD_VECTORS = 3 /* vectors of a device: the witness, the transforms, scalars of H */
};

/* ---- exchange.c: data that devices give each other, through the host's memory */
struct pail_exchange {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    uint8_t *items[PAIL_EXCHANGE_ITEMS]; /* the transforms, and the scalars of H; secret */
    size_t bytes[PAIL_EXCHANGE_ITEMS];
    uint32_t readers[PAIL_EXCHANGE_ITEMS]; /* readers of an item in each proof */
    uint32_t left[PAIL_EXCHANGE_ITEMS];    /* readers that have not read it yet */
    bool there[PAIL_EXCHANGE_ITEMS], dirty[PAIL_EXCHANGE_ITEMS], failed;
};
/* An item without readers is not given, and takes no memory. On failure nothing is to be cleared.
 */
pail_status pail_exchange_init(struct pail_exchange *exchange, const size_t *bytes,
                               const uint32_t *readers);
/* Prepares for the next proof. */
void pail_exchange_begin(struct pail_exchange *exchange);
/* The memory of an item, to be written before it is told of. */
uint8_t *pail_exchange_write(struct pail_exchange *exchange, size_t item);
void pail_exchange_tell(struct pail_exchange *exchange, size_t item);
void pail_exchange_fail(struct pail_exchange *exchange);
/* Waits for an item. NULL: it will not come. */
const uint8_t *pail_exchange_wait(struct pail_exchange *exchange, size_t item);
/* Notes that a reader has done; the last one wipes the item. */
void pail_exchange_done(struct pail_exchange *exchange, size_t item);
/* Wipes the items of a proof that are left. */
void pail_exchange_end(struct pail_exchange *exchange);
void pail_exchange_clear(struct pail_exchange *exchange);

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
    pail_groth16_key *keys[PAIL_PLACE_DEVICES_MAX]; /* parts; NULL: the device has none */
    struct pail_exchange exchange;
    bool has_exchange;
    pail_vector *held[PAIL_PLACE_DEVICES_MAX][PAIL_SPREAD_VECTORS]; /* of a proof that has ended */
    struct pail_ledger *ledger;
    struct pail_spread_room rooms[PAIL_PLACE_DEVICES_MAX];
    double least_ms[PAIL_PLACE_DEVICES_MAX]; /* least computing time of a device, in the present
                                                placement */
    uint32_t n_proofs;                       /* proofs in the present placement */
    uint32_t n_corrections;                  /* times that the key was placed anew for its rates */
    uint64_t placements, redone;
};

/* The outcome of a device's work. */
struct pail_spread_outcome {
    pail_status status; /* PAIL_ERR_STOPPED: another device's failure */
    char sentence[PAIL_SPREAD_SENTENCE_BYTES];
};

/* ---- spread.c */
/* Calls work for each device that is used, each in a thread of its own, and waits. cancel:
 * optional: called where there is no thread for one, so that the others do not wait for it; its
 * status is PAIL_ERR_HOST_MEMORY then. outcomes: [n]. */
void pail_spread_each(struct pail_spread *spread, struct pail_spread_outcome *outcomes,
                      void (*work)(void *user, uint32_t device), void (*cancel)(void *user),
                      void *user);
/* The status of the first device that failed of its own; PAIL_OK: none. Marks lost devices. */
pail_status pail_spread_settle(struct pail_spread *spread,
                               const struct pail_spread_outcome *outcomes, char *error,
                               size_t error_cap);

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

/* ---- run.c: one proof on the devices as they are placed */
pail_status pail_spread_run(struct pail_spread *spread, struct pail_spread_result *result,
                            const struct pail_witness *witness, char *error, size_t error_cap);

/* Frees the vectors of a proof that has ended. */
void pail_spread_free_held(struct pail_spread *spread);

#endif /* PAIL_SPREAD_PRIV_H */
