/* What a context keeps for its vectors: tables of powers, and scratch.
 *
 * Scratch is as secret as vectors are. It stays with vector work, and is wiped when it is freed. */
#ifndef PAIL_FIELD_FIELD_H
#define PAIL_FIELD_FIELD_H

#include "tables.h"

/* Device memory that one piece of work has for itself. */
struct pail_field_scratch {
    struct pail_field_scratch *next;
    struct pail_vk_arena arena;
};

struct pail_field_state {
    struct pail_tables tables;
    pthread_mutex_t lock;            /* guards what follows */
    struct pail_field_scratch *idle; /* the one used last comes first */
};

/* Errors: memory. */
pail_status pail_field_open(struct pail_context *ctx, struct pail_error *err);
void pail_field_close(struct pail_context *ctx);

/* Frees what nobody uses: its memory is wanted for something else. */
void pail_field_trim(struct pail_context *ctx);

/* Takes a slice of so many bytes, 0 too.
 * Errors: memory, PAIL_ERR_DEVICE_LOST; *out is NULL then. */
pail_status pail_field_scratch_take(struct pail_context *ctx, struct pail_field_scratch **out,
                                    struct pail_vk_slice *slice, uint64_t bytes,
                                    struct pail_error *err);

/* No submitted work may still use it. NULL is accepted. */
void pail_field_scratch_give(struct pail_context *ctx, struct pail_field_scratch *scratch);

#endif /* PAIL_FIELD_FIELD_H */
