/* SPDX-License-Identifier: Apache-2.0 */
/* A ledger of memory: amounts of heaps that jobs hold, and jobs that wait for memory.
 *
 * A heap is memory that runs out by itself: that of one device, or of the host; or a part of
 * another heap with a limit of its own: the memory of a context that computes on the host. A
 * reservation is for a peak in every heap it names, taken at once and before the first allocation.
 * The ledger never allocates: waiting reservations are linked through the caller's structs.
 *
 * Waiting reservations are served in the order of requests. One that does not fit is overtaken by
 * later ones that do, but only so often; then no later one gets memory of the heaps it needs.
 *
 * Not thread-safe: the caller has a lock. Nothing blocks: a waiting caller looks at the state of
 * its reservation after any call. */
#ifndef PAIL_LEDGER_LEDGER_H
#define PAIL_LEDGER_LEDGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pail/status.h>

enum {
    PAIL_LEDGER_HEAPS_MAX = 17 /* the host's, and one for each of 16 devices */
};

/* Memory of a heap, as its source reports it. */
struct pail_heap_reading {
    uint64_t size;   /* all of it, whoever holds it; 0: unknown */
    uint64_t free;   /* bytes that nobody holds now */
    bool free_known; /* otherwise four fifths of the size count as free for this process */
};

struct pail_ledger_heap {
    const char *name; /* name in sentences; lives as long as the ledger */
    uint64_t limit;   /* limit of the configuration; 0: none */
    uint64_t margin;  /* bytes left to others, where free is known */
    uint32_t within; /* 1 + the heap that contains it, from which its memory is taken, too; 0: none.
                        That heap is no part of another */
    /* optional. Must not call the ledger. */
    void (*read)(void *user, struct pail_heap_reading *reading);
    void *user;
};

struct pail_ledger_params {
    const struct pail_ledger_heap *heaps; /* [n_heaps] copied */
    size_t n_heaps;                       /* 1 to PAIL_LEDGER_HEAPS_MAX */
    uint32_t max_overtakes;               /* most times that a waiting reservation is overtaken */
    uint64_t reread_ns;                   /* age up to which a reading is used */
    bool unlimited; /* grants everything at once: the switch to measure the ledger's benefit */
    uint64_t (*now)(void *user); /* optional: nanoseconds; the monotonic clock otherwise */
    void *user;
};

enum pail_admission {
    PAIL_ADMISSION_NONE = 0, /* not requested, or released */
    PAIL_ADMISSION_WAITING,
    PAIL_ADMISSION_HELD,
    PAIL_ADMISSION_TIMED_OUT,
    PAIL_ADMISSION_NEVER_FITS /* more than the heap can ever have */
};

/* The caller's, all zero at first; must stay where it is while it waits or is held. Members are the
 * ledger's. */
struct pail_reservation {
    uint64_t bytes[PAIL_LEDGER_HEAPS_MAX];  /* requested, and held */
    uint64_t beside[PAIL_LEDGER_HEAPS_MAX]; /* held already by the same job at the request */
    uint64_t live[PAIL_LEDGER_HEAPS_MAX];   /* allocated part of it */
    uint64_t peak[PAIL_LEDGER_HEAPS_MAX];   /* of live */
    uint64_t deadline_ns;
    uint64_t asked_ns, granted_ns;
    uint32_t overtaken;
    enum pail_admission state;
    struct pail_reservation *next;
};

/* Usage of a heap; memory of its parts counts. */
struct pail_heap_usage {
    uint64_t capacity; /* now */
    uint64_t hard;     /* most ever */
    uint64_t used, peak_used;
    uint64_t own, peak_own; /* part of used that is not of its parts */
    uint64_t live;
};

struct pail_ledger_stats {
    struct pail_heap_usage heaps[PAIL_LEDGER_HEAPS_MAX];
    uint64_t timed_out, never_fitted, refused; /* refused: misuse, such as over-release */
    uint32_t longest_overtaken;                /* most times that one reservation was overtaken */
    size_t waiting;
};

struct pail_ledger;

/* Returns PAIL_OK, PAIL_ERR_ARGUMENT or PAIL_ERR_HOST_MEMORY. */
pail_status pail_ledger_create(struct pail_ledger **ledger,
                               const struct pail_ledger_params *params);

/* No reservation may be held or wait. */
void pail_ledger_destroy(struct pail_ledger **ledger);

/* Requests memory; returns at once. bytes: [n_heaps]. beside: optional: [n_heaps] that the same job
 * holds already: a request that does not fit beside that never fits. deadline_ns: by the ledger's
 * clock; UINT64_MAX: none. */
enum pail_admission pail_ledger_request(struct pail_ledger *ledger,
                                        struct pail_reservation *reservation, const uint64_t *bytes,
                                        const uint64_t *beside, uint64_t deadline_ns);

/* Gives back the bytes of a heap above `bytes`. False, and nothing changes: it is not held, holds
 * less, or more is allocated. */
bool pail_ledger_shrink(struct pail_ledger *ledger, struct pail_reservation *reservation,
                        size_t heap, uint64_t bytes);

/* Corrects the amount of a held reservation, all of it allocated: more is taken whether it is there
 * or not, for it is in use. False: it is not held. */
bool pail_ledger_correct(struct pail_ledger *ledger, struct pail_reservation *reservation,
                         size_t heap, uint64_t bytes);

/* Moves bytes of a heap, `live` of them allocated, to another reservation, which is held then.
 * False: as above. */
bool pail_ledger_split(struct pail_ledger *ledger, struct pail_reservation *from,
                       struct pail_reservation *into, size_t heap, uint64_t bytes, uint64_t live);

/* Ends a reservation that waits or is held. False, and it stays: memory of it is still
 * allocated. */
bool pail_ledger_release(struct pail_ledger *ledger, struct pail_reservation *reservation);

/* Notes an allocation of the reservation's owner. False: it would exceed the reservation, and must
 * not be made. */
bool pail_ledger_allocated(struct pail_ledger *ledger, struct pail_reservation *reservation,
                           size_t heap, uint64_t bytes);
/* Notes that memory was freed. False: more than is allocated. */
bool pail_ledger_freed(struct pail_ledger *ledger, struct pail_reservation *reservation,
                       size_t heap, uint64_t bytes);

/* Reads all heaps again, whatever the age of the readings, and gives up reservations past their
 * deadline: after an allocation failed, and by clocks. */
void pail_ledger_reread(struct pail_ledger *ledger);

/* The earliest deadline of waiting reservations; UINT64_MAX: none. */
uint64_t pail_ledger_next_deadline(const struct pail_ledger *ledger);

/* Bytes of a heap that are missing for a waiting reservation; 0: none, or it does not wait. */
uint64_t pail_ledger_missing(const struct pail_ledger *ledger,
                             const struct pail_reservation *reservation, size_t heap);

/* Bytes of a heap and of its parts that the reservation names. */
uint64_t pail_ledger_named(const struct pail_ledger *ledger,
                           const struct pail_reservation *reservation, size_t heap);

/* Bytes of a heap that there are now, including memory that the ledger's reservations hold. */
uint64_t pail_ledger_capacity(const struct pail_ledger *ledger, size_t heap);

void pail_ledger_get_stats(const struct pail_ledger *ledger, struct pail_ledger_stats *stats);

/* True if it can ever be granted. Arguments as for pail_ledger_request. */
bool pail_ledger_ever_fits(const struct pail_ledger *ledger, const uint64_t *bytes,
                           const uint64_t *beside);

/* Words the error for NEVER_FITS and TIMED_OUT: the heap, the requested bytes and those that there
 * are. Returns the status that goes with it. */
pail_status pail_ledger_explain(const struct pail_ledger *ledger,
                                const struct pail_reservation *reservation, char *text,
                                size_t capacity);

#endif /* PAIL_LEDGER_LEDGER_H */
