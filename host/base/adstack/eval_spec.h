/* SPDX-License-Identifier: Apache-2.0 */
/* The cells of a spec, on the host. */
#ifndef PAIL_ADSTACK_EVAL_SPEC_H
#define PAIL_ADSTACK_EVAL_SPEC_H

#include "arith.h"
#include "eval.h"
#include "watch.h"

__extension__ typedef __int128 pail_ad_wide;
__extension__ typedef unsigned __int128 pail_ad_uwide;

/* Running total of cells and turns. */
struct pail_ad_total {
    int64_t max;
    /* The sum, 192 bits of two's complement: a step may add 2^48 turns of 64 bits, and what many
     * steps add others may take away. */
    pail_ad_uwide low;
    int64_t high;
    uint32_t error; /* the least */
};

static inline void pail_ad_add(struct pail_ad_total *total, pail_ad_wide v)
{
    total->low += (pail_ad_uwide)v;
    total->high += (total->low < (pail_ad_uwide)v) - (v < 0);
}

/* The least of two errors, 0 being none. */
static inline uint32_t pail_ad_least(uint32_t x, uint32_t y)
{
    return x - 1 < y - 1 ? x : y;
}

static inline void pail_ad_take(struct pail_ad_total *total, struct pail_ad_value value)
{
    total->error = pail_ad_least(total->error, value.error);
    total->max = value.v > total->max ? value.v : total->max;
    pail_ad_add(total, value.v);
}

static inline struct pail_ad_value pail_ad_failed(uint32_t error)
{
    return (struct pail_ad_value){.error = error};
}

/* The value of a reduction at its end. */
static inline struct pail_ad_value pail_ad_finish(const struct pail_ad_total *total,
                                                  uint32_t reduction, uint32_t site)
{
    if (total->error)
        return pail_ad_failed(total->error);
    if (reduction == PAIL_AD_REDUCE_MAX)
        return (struct pail_ad_value){.v = total->max};
    const pail_ad_wide sum = (pail_ad_wide)total->low;
    if (total->high != (sum < 0 ? -1 : 0) || sum < INT64_MIN || sum > INT64_MAX)
        return pail_ad_failed(PAIL_AD_ERROR(site, PAIL_AD_OVERFLOW));
    return (struct pail_ad_value){.v = (int64_t)sum};
}

/* Computes one operation of slots or code, a binary one or SELECT. */
static inline struct pail_ad_value pail_ad_operate(uint32_t op, uint32_t site,
                                                   struct pail_ad_value a, struct pail_ad_value b,
                                                   struct pail_ad_value c)
{
    if (op == PAIL_AD_SELECT)
        return a.error ? pail_ad_failed(a.error) : a.v > 0 ? b : c;
    if (a.error | b.error)
        return pail_ad_failed(pail_ad_least(a.error, b.error));
    struct pail_ad_value value = {0};
    const uint32_t kind = pail_ad_arith(op, a.v, b.v, &value.v);
    return kind ? pail_ad_failed(PAIL_AD_ERROR(site, kind)) : value;
}

/* An element; p need not be aligned. */
int64_t pail_ad_load(const uint8_t *p, uint32_t dtype);

/* n elements `step` bytes apart, n > 0 and at most 2^48. */
void pail_ad_take_elements(struct pail_ad_total *total, uint32_t reduction, uint32_t dtype,
                           const uint8_t *first, int64_t step, uint64_t n);

/* The value of a spec whose bounds are known and make `cells` cells, cells > 0 and within the
 * limit, and whose code's slots are known. watch: optional; cells are counted that have to be
 * looked at, with the turns of loops in them. Errors: PAIL_ERR_HOST_MEMORY, PAIL_ERR_STOPPED. */
pail_status pail_ad_eval_cells(const struct pail_ad_program *program,
                               const struct pail_ad_array arrays[],
                               const struct pail_ad_value slots[], const struct pail_ad_spec *spec,
                               uint64_t cells, struct pail_ad_watch *watch,
                               struct pail_ad_scratch *scratch, struct pail_ad_value *value,
                               const struct pail_alloc *alloc, struct pail_error *err);

#endif /* PAIL_ADSTACK_EVAL_SPEC_H */
