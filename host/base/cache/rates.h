/* SPDX-License-Identifier: Apache-2.0 */
/* The time that a device takes for work: assumed, measured, and kept by the cache. The composite,
 * the placement of a proof, the choice of a backend and the simulation answer by it. */
#ifndef PAIL_CACHE_RATES_H
#define PAIL_CACHE_RATES_H

#include "cache.h"

/* ---- Work by its units ------------------------------------------------------------------------*/
/* The time of a kind of work on a device. */
struct pail_rate {
    double fixed_ms; /* of each piece of work, however short */
    double unit_ns;  /* of each unit more */
};

/* Kinds of work of a proof, with their units. */
enum pail_work {
    PAIL_WORK_START,     /* of a device that takes part; no units */
    PAIL_WORK_WITNESS,   /* values that the host reads and checks */
    PAIL_WORK_PRODUCT,   /* elements of products with the matrices on the processors */
    PAIL_WORK_TRANSFER,  /* elements between a device and the host */
    PAIL_WORK_TRANSFORM, /* elements of a transform there and back, its product included */
    PAIL_WORK_G1,        /* points of a multiplication that are not infinity */
    PAIL_WORK_G2,
    PAIL_WORK_POOL,     /* the same on the processors, of the second group */
    PAIL_WORK_ASSEMBLE, /* no units */
    PAIL_WORK_PROCESS,  /* start of a process that uses the device; no units */
    PAIL_WORK_OPEN,     /* bytes of a key that is opened */
    PAIL_WORK_PROOF,    /* a whole proof: additions of the first group (prover/cost.h) */
    PAIL_WORKS
};

struct pail_rates {
    struct pail_rate of[PAIL_WORKS];
};

/* Rates of BN254 on an H200 (docs/devices.md, docs/proving.md): assumed until measured. */
extern const struct pail_rates pail_rates_usual;

/* The same work over another curve. */
struct pail_rates pail_rates_over(const struct pail_rates *rates, bool is_bls);

double pail_rate_ms(struct pail_rate rate, double units);
/* The rate by which two amounts of work take their times. */
struct pail_rate pail_rate_through(double units, double ms, double more_units, double more_ms);

/* ---- Measuring --------------------------------------------------------------------------------*/
/* A measured number. */
struct pail_measured {
    double value;
    uint32_t n;  /* measurements; 0: the value is an assumption */
    double last; /* speeds: the latest measurement, or the kept value; 0: none */
};

/* Takes the lesser of the first two times. Later ones are followed, down faster than up: other load
 * of the machine makes times longer, never shorter. Returns whether the value has changed by the
 * share `noise` of it. */
bool pail_measured_note_time(struct pail_measured *measured, double ms, double noise);

/* Notes units a second, as a mean in which the latest counts most. A measurement below the one
 * before it counts as that one: the first work of a size, or after a pause, takes longer once. No
 * units, or no time: nothing. */
void pail_measured_note_speed(struct pail_measured *measured, double units, double seconds);

/* ---- Keeping ----------------------------------------------------------------------------------*/
/* An entry of the cache: a word, a version, and numbers of 8 bytes, little-endian. */
struct pail_rates_entry {
    struct pail_cache_params cache; /* without the device, which the key has */
    struct pail_cache_key key;      /* without the kind, which is PAIL_CACHE_TUNING */
    uint32_t word, version;
};

enum pail_rates_kept { PAIL_RATES_NOWHERE, PAIL_RATES_NONE, PAIL_RATES_DAMAGED, PAIL_RATES_KEPT };

/* Reads [n] numbers: zeros unless they are kept. PAIL_RATES_NOWHERE: no folder keeps any, or
 * PAIL_DEBUG=nocache; DAMAGED: the entry has another length, word or version. */
enum pail_rates_kept pail_rates_load(uint64_t *numbers, size_t n,
                                     const struct pail_rates_entry *entry);
void pail_rates_store(const uint64_t *numbers, size_t n, const struct pail_rates_entry *entry);

#endif /* PAIL_CACHE_RATES_H */
