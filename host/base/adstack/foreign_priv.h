/* SPDX-License-Identifier: Apache-2.0 */
/* One evaluation's need of arrays on other devices: its bytes, and the calls that bring them. */
#ifndef PAIL_ADSTACK_FOREIGN_PRIV_H
#define PAIL_ADSTACK_FOREIGN_PRIV_H

#include "foreign.h"

/* How far a call of the host's is. */
enum pail_ad_call { PAIL_AD_CALL_NONE, PAIL_AD_CALL_UNDER_WAY, PAIL_AD_CALL_ENDED };

/* The bytes of a source. */
struct pail_ad_fetch {
    bool missing;     /* contents are not here */
    bool needed;      /* a slot reads it, if perhaps nothing of it */
    uint32_t slot;    /* the first one that reads it */
    uint32_t same_as; /* an earlier source with the same array has its bytes, too; or itself */
    struct pail_ad_copy *copy; /* with a user; NULL: none */
    bool mine;                 /* it is this evaluation's to fetch */
    enum pail_ad_call state;
    uint64_t ticket;
};

/* A maximum that the host's device may find. */
struct pail_ad_maximum {
    uint32_t slot, source;
    struct pail_ad_reach of;
    uint64_t cells;
    int64_t value;
    enum pail_ad_call state;
    uint64_t ticket;
};

struct pail_ad_foreign {
    struct pail_adstack *service;
    struct pail_ad_evaluation *e;
    const struct pail_ad_program *program;
    const struct pail_ad_how *how;
    bool whole;
    struct pail_ad_reach *reach;    /* [n_sources] */
    struct pail_ad_fetch *fetches;  /* [n_sources] */
    struct pail_ad_maximum *maxima; /* [n_specs] */
    uint32_t n_maxima;
    uint64_t cells; /* of maxima that the host was asked for */
    uint8_t *dear;  /* [n_slots] 1: unknown as long as contents are missing, or a reduction */
};

static inline struct pail_ad_array *pail_ad_foreign_array(const struct pail_ad_foreign *f,
                                                          uint32_t source)
{
    return &f->e->frame->arrays[source];
}

static inline const struct pail_ad_seen *pail_ad_foreign_seen(const struct pail_ad_foreign *f,
                                                              uint32_t source)
{
    return &f->e->frame->seen[f->e->kernel->sources[source].seen];
}

static inline const struct pail_alloc *pail_ad_foreign_alloc(const struct pail_ad_foreign *f)
{
    return &f->service->env.alloc;
}

/* Fills what is read: fetches' needed and slot, reach, and maxima. Errors: PAIL_ERR_HOST_MEMORY,
 * PAIL_ERR_STOPPED */
pail_status pail_ad_foreign_look(struct pail_ad_foreign *f, struct pail_error *err);

#endif /* PAIL_ADSTACK_FOREIGN_PRIV_H */
