/* SPDX-License-Identifier: Apache-2.0 */
/* Costs of a whole process that proves with one key, on the CPU backend and on a device, by
 * measurements on this machine or else by a model; and the choice between both.
 *
 * A process costs its start, opening the key with its first proof, and each further proof. A start
 * has the same cost for all keys. The rest belongs to a key. */
#ifndef PAIL_COST_H
#define PAIL_COST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cache/rates.h>
#include <formats/zkey.h>
#include <pail/backend.h>

enum pail_cost_place { PAIL_COST_CPU, PAIL_COST_DEVICE, PAIL_COST_PLACES };

enum pail_cost_part {
    PAIL_COST_ONCE, /* opening and the only proof: a key for one proof keeps no points */
    PAIL_COST_OPEN, /* opening and the first of several proofs */
    PAIL_COST_NEXT, /* each further proof */
    PAIL_COST_PARTS
};

/* Facts of a key before it is opened. */
struct pail_cost_key {
    uint64_t signature; /* hash of its header: keys with the same one are one circuit here */
    double work;        /* the model's measure of a proof, pail_cost_key_of */
    double bytes;       /* bytes of its file */
};

struct pail_cost_circuit {
    struct pail_cost_key key; /* signature 0: there is none */
    /* Milliseconds. A first measurement may have met drivers that compiled, and files that were on
     * a disk: it counts once there is a second. */
    struct pail_measured terms[PAIL_COST_PLACES][PAIL_COST_PARTS];
};

enum { PAIL_COST_CIRCUITS = 24 };

/* Measurements on a machine. All zero at first. */
struct pail_cost_record {
    struct pail_measured start[PAIL_COST_PLACES];
    uint64_t device; /* mark of the device; 0: none yet */
    uint32_t absent; /* 1: none above the CPU backend; start is then the time of looking */
    struct pail_cost_circuit circuits[PAIL_COST_CIRCUITS]; /* the most recently used one first */
};

/* Facts of the processors that the model needs. */
struct pail_cost_processors {
    uint32_t threads;
    double unit_ns; /* one unit of work in one thread, pail_cost_unit_ns */
};

struct pail_cost_job {
    struct pail_cost_key key;
    struct pail_cost_processors processors;
    uint64_t n;     /* proofs of this process, at least 1 */
    bool keeps;     /* the key is opened for several proofs; always where n is above 1 */
    bool forgotten; /* measurements will not be kept: nothing is tried */
};

/* low: the least that it may be; equal to expected_ms where all of it was measured. */
struct pail_cost_estimate {
    double low_ms, expected_ms;
    bool measured; /* all of its parts, with this key */
};

enum pail_cost_reason {
    PAIL_COST_BY_ESTIMATE, /* it is expected to end earlier */
    PAIL_COST_TRIED,       /* it may end earlier, but its cost is not known well enough */
    PAIL_COST_ABSENT,      /* no device was found by the last search */
    PAIL_COST_LOOKED       /* the same, but looking again costs little beside the job */
};

struct pail_cost_choice {
    enum pail_cost_place place;
    enum pail_cost_reason reason;
    struct pail_cost_estimate of[PAIL_COST_PLACES];
};

/* ---- The model: what is assumed before anything was measured ----------------------------------*/

/* Nanoseconds of a unit of work in one thread, by pail_cpu_arithmetic. */
double pail_cost_unit_ns(uint32_t arithmetic);

/* ---- Choosing ---------------------------------------------------------------------------------*/

/* Takes the place that may end first. So a place that looks promising is tried, twice, until
 * measurements tell its cost; a place that cannot win is never tried. Where a try might take
 * seconds longer, the expected time decides. */
void pail_cost_choose(struct pail_cost_choice *choice, const struct pail_cost_record *record,
                      const struct pail_cost_job *job);

/* ---- Measuring --------------------------------------------------------------------------------*/

/* Times of a process that has ended; 0: it was not measured. */
struct pail_cost_sample {
    double start_ms, first_ms; /* first: opening and the first proof */
    double next_ms;            /* each further one */
};

/* Notes a sample. Returns whether the record has changed, by more than runs of one program
 * differ. */
bool pail_cost_note(struct pail_cost_record *record, const struct pail_cost_job *job,
                    enum pail_cost_place place, const struct pail_cost_sample *sample);

/* Notes that a device was opened: measurements of another one are forgotten. Returns whether there
 * were any. */
bool pail_cost_note_device(struct pail_cost_record *record, uint64_t device);

/* Notes that no device above the CPU backend was found, and the time that the search took. Returns
 * whether that is news. */
bool pail_cost_note_absent(struct pail_cost_record *record, double ms);

/* ---- Keys and machines, as they are before either backend is opened ---------------------------*/

/* Reads facts of a key from its header and a sample of its points. Out: key: work is in additions
 * of BN254's first group, about 2^3 for each constraint. */
void pail_cost_key_of(struct pail_cost_key *key, const struct pail_zkey *zkey);

struct pail_cost_machine {
    struct pail_cost_processors processors;
    uint64_t mark; /* hash of processor, threads, arithmetic, drivers and the variables that choose
                      among them */
};

/* threads: as in pail_context_params. */
void pail_cost_machine_read(struct pail_cost_machine *machine, uint32_t threads);

/* A mark of device and driver; never 0. */
uint64_t pail_cost_device_mark(const pail_device_info *device);

/* ---- Records that outlive a process: an entry of the cache, in a file of its own, for no driver
 * is known when it is read
 * ------------------------------------------------------------------------- */

enum { PAIL_COST_NUMBERS = 6 + PAIL_COST_CIRCUITS * (3 + 2 * PAIL_COST_PLACES * PAIL_COST_PARTS) };

/* Writes the record as numbers, and reads it: false, and zeros, for one that makes no sense. */
void pail_cost_encode(uint64_t numbers[PAIL_COST_NUMBERS], const struct pail_cost_record *record);
bool pail_cost_decode(struct pail_cost_record *record, const uint64_t numbers[PAIL_COST_NUMBERS]);

/* Loads the record. *record: zeroed where there is none. dir: as in pail_cache_params.
 * PAIL_DEBUG=nocache: nothing is read, nothing kept. Returns whether there is a folder to keep it
 * in. */
bool pail_cost_load(struct pail_cost_record *record, const struct pail_cost_machine *machine,
                    const char *dir);
void pail_cost_store(const struct pail_cost_record *record, const struct pail_cost_machine *machine,
                     const char *dir);

#endif /* PAIL_COST_H */
