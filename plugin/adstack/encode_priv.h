/* SPDX-License-Identifier: Apache-2.0 */
/* Between the files that encode: needed.c says what is needed and when, words.c and tasks.c write
 * records and code, encode.c puts all of it together. */
#ifndef PAIL_ADSTACK_GPU_ENCODE_PRIV_H
#define PAIL_ADSTACK_GPU_ENCODE_PRIV_H

#include "encode.h"

struct pail_ad_encoder {
    struct pail_ad_encoded *e;
    const struct pail_ad_work *work;
    const struct pail_ad_record *record; /* NULL: none */
    const struct pail_ad_program *program;
    const struct pail_ad_shape *shape;
    const struct pail_alloc *alloc;
    struct pail_error *err;
    pail_status status; /* status of the first allocation that failed */
};

/* Marks in `number` before slots are numbered. */
#define PAIL_AD_UNSEEN PAIL_AD_NONE
#define PAIL_AD_NEEDED (PAIL_AD_NONE - 1)

static inline bool pail_ad_is_known(const struct pail_ad_encoder *c, uint32_t slot)
{
    return c->work->values->known[slot];
}

/* A spec that nothing on the device can compute. */
static inline bool pail_ad_is_given_back(const struct pail_ad_encoder *c, uint32_t slot)
{
    return c->e->stage[slot] == PAIL_AD_NONE;
}

/* Fills specs and order: what is to be computed, by stage. Within a stage specs come first, then
 * operations by depth. */
void pail_ad_find_needed(struct pail_ad_encoder *c, const struct pail_ad_special *special);

/* Numbers of values: first those that come back, then the rest. Returns how many. */
uint32_t pail_ad_number_slots(struct pail_ad_encoder *c);

/* n words, all zero; returns their offset. */
uint32_t pail_ad_put(struct pail_ad_encoder *c, uint32_t n);

/* Makes room for `need` elements of an array of the encoding. */
bool pail_ad_room(struct pail_ad_encoder *c, void *array, uint32_t *capacity, uint32_t need,
                  size_t size);
#define PAIL_AD_ROOM(c, array, capacity, need)                                                     \
    pail_ad_room(c, &(array), &(capacity), need, sizeof(*(array)))

/* An operation, at its place in a list of them. */
void pail_ad_put_operation(struct pail_ad_encoder *c, uint32_t at, uint32_t slot);

/* Turns of loops that an operation takes. */
uint32_t pail_ad_operation_cost(const struct pail_ad_shape *shape, uint16_t op, uint32_t n_args);

/* A spec's record with its tables, and its code unless an equal body has it already. Returns its
 * offset. */
uint32_t pail_ad_put_spec(struct pail_ad_encoder *c, const struct pail_ad_encoded_spec *spec,
                          uint32_t report);

/* Puts the tasks of a record, whose sizes adstack/layout computes from the values. */
void pail_ad_put_tasks(struct pail_ad_encoder *c);

/* True if the interpreter has enough registers and loops for the spec. */
bool pail_ad_interpretable(const struct pail_ad_program *program, const struct pail_ad_spec *spec);

#endif /* PAIL_ADSTACK_GPU_ENCODE_PRIV_H */
