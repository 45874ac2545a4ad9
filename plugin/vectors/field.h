/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors as a service of one context: the device that they lie on, and what they share there:
 * tables of powers, and scratch. Everything here may be called from any thread.
 *
 * Scratch is as secret as the vectors that work was on. It stays with vector work, and is wiped
 * with the next vector or memory that goes: that work holds its vectors until its scratch is idle,
 * so none of their values outlives the last of them. Memory may go before, when the device has done
 * the work: that work wipes its scratch when it ends. Memory of vectors that are gone is wiped at
 * once, and stays for the next ones of the same size.
 */
#ifndef PAIL_FIELD_FIELD_H
#define PAIL_FIELD_FIELD_H

#include <stdatomic.h>

#include <core/alloc.h>
#include <core/log.h>

#include "memories.h"
#include "tables.h"
#include "vk/device.h"
#include "vk/memory.h"
#include "vk/queue.h"

/* Two vectors for each of four proofs at a time. */
#define PAIL_FIELD_SPARES_MAX 32u

/* Device memory that one piece of work has for itself. */
struct pail_field_scratch {
    struct pail_field_scratch *next;
    struct pail_vk_arena arena;
    pail_vk_ticket wiped; /* ticket of its last fill; 0: there was none */
};

struct pail_field_env {
    struct pail_alloc alloc;
    struct pail_log log;
    struct pail_vk_device *dev;     /* outlives the service */
    struct pail_memories *memories; /* that operations name by addresses; outlives the service */
    uint64_t memory_budget; /* device bytes of the whole context; 0: what the driver grants */
    uint32_t threads;       /* threads for CPU work; at least 1 */
    /* Frees device memory that the context's other services keep idle, and this one's. */
    void (*make_room)(void *user);
    void *user;
};

struct pail_vectors {
    struct pail_alloc alloc;
    struct pail_log log;
    struct pail_vk_device *dev;
    struct pail_memories *memories;
    uint64_t memory_budget;
    uint32_t threads;
    void (*make_room)(void *user);
    void *user;

    atomic_uint self_tested[PAIL_CURVE_BLS12_381]; /* [curve - 1] enum pail_field_part, or-ed */
    struct pail_tables tables;
    pthread_mutex_t lock;            /* guards what follows */
    struct pail_field_scratch *idle; /* the one used last comes first */
    /* All zeros once what wipes them is complete; the oldest comes first. */
    struct pail_field_spare {
        struct pail_vk_buffer buffer;
        pail_vk_ticket wiped;
    } spares[PAIL_FIELD_SPARES_MAX];
    uint32_t n_spares;
};

/* Errors: PAIL_ERR_HOST_MEMORY, PAIL_ERR_INTERNAL; *out is NULL then. */
pail_status pail_field_create(struct pail_vectors **out, const struct pail_field_env *env,
                              struct pail_error *err);

/* Sets *field to NULL, which may be NULL before. Nothing is under way, and no vector is left. */
void pail_field_destroy(struct pail_vectors **field);

/* Frees what nobody uses: its memory is wanted for something else. */
void pail_field_trim(struct pail_vectors *field);

/* Makes a buffer on the device, within the context's budget; memory that lies idle gives way.
 * Errors: PAIL_ERR_DEVICE_MEMORY and the others of pail_vk_buffer_create. */
pail_status pail_field_buffer(struct pail_vectors *field, struct pail_vk_buffer *buffer,
                              uint64_t bytes, const char *name, struct pail_error *err);

/* Takes a buffer of so many bytes that a vector had; returns whether there is one. Out: *wiped: it
 * is all zeros once that is complete. */
bool pail_field_spare_take(struct pail_vectors *field, struct pail_vk_buffer *buffer,
                           pail_vk_ticket *wiped, uint64_t bytes);

/* Keeps a buffer that is all zeros, and in no submitted work, once `wiped` is complete. */
void pail_field_spare_give(struct pail_vectors *field, struct pail_vk_buffer *buffer,
                           pail_vk_ticket wiped);

/* Takes a slice of so many bytes, 0 too.
 * Errors: memory, PAIL_ERR_DEVICE_LOST; *out is NULL then. */
pail_status pail_field_scratch_take(struct pail_vectors *field, struct pail_field_scratch **out,
                                    struct pail_vk_slice *slice, uint64_t bytes,
                                    struct pail_error *err);

/* No submitted work may still use it. NULL is accepted. */
void pail_field_scratch_give(struct pail_vectors *field, struct pail_field_scratch *scratch);

/* Fills a vector's memory (NULL: none) with zeros, and with it, in the same submission, what
 * scratch that lies idle was used for, behind all that was submitted before. Waits for nothing:
 * later work on the main queue comes behind it, and who frees the memory waits for *ticket. The
 * slice is of whole words. Errors: memory, PAIL_ERR_DEVICE_LOST; scratch that was not wiped is
 * wiped when it is freed, as far as that can be. */
pail_status pail_field_wipe(struct pail_vectors *field, const struct pail_vk_slice *slice,
                            pail_vk_ticket *ticket, struct pail_error *err);

/* Wipes scratch that lies idle, and waits: for memory that goes, of which transforms have left
 * values there. Does nothing where all is wiped; a failure is logged. */
void pail_field_wipe_idle(struct pail_vectors *field);

#endif /* PAIL_FIELD_FIELD_H */
