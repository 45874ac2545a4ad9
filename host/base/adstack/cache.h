/* SPDX-License-Identifier: Apache-2.0 */
/* Cache of the values of a kernel's last launches, and the test whether they still hold.
 *
 * A value holds for the exact words it was computed from: extents of shapes, and for contents that
 * are read a version, which stands for an array's identity, generation, epoch, shape and strides.
 * That is kept for whole launches, for tasks, and for slots (trees and reductions), with everything
 * below them. Nothing is found or kept for arrays that are written without a word. */
#ifndef PAIL_ADSTACK_CACHE_H
#define PAIL_ADSTACK_CACHE_H

#include "explanation.h"
#include "kernel.h"

/* One evaluation: the known part of it, and where that came from. */
struct pail_ad_evaluation {
    struct pail_ad_kernel *kernel;
    struct pail_ad_frame *frame;
    struct pail_ad_laid **laid;   /* [n_tasks] with a reference; NULL: not known */
    uint8_t *cached;              /* [n_tasks] */
    struct pail_ad_values values; /* [n_slots] */
    uint8_t *by;                  /* [n_slots] pail_size_origin of what is known */
    uint8_t *need;                /* [n_slots] what unknown tasks depend on */
    struct pail_ad_explanation explanation;
    uint64_t drops; /* the kernel's `drops` at the lookup */
    bool forgets;   /* launches have left the kernel's cache that it does not remember */
    uint64_t task_hits, tree_hits, spec_hits;
};

/* The result of a launch that is known as a whole, with a reference; where only its sizes are, one
 * that has them, laid out for other threads or heaps, and *exact is false. NULL: neither is known.
 */
struct pail_adstack_result *pail_ad_cache_launch(struct pail_ad_evaluation *e, uint64_t serial,
                                                 bool *exact);

/* Keeps a result that was made of such sizes, and remembers it for diagnosis. */
void pail_ad_cache_beside(struct pail_ad_evaluation *e, uint64_t serial,
                          struct pail_adstack_result *result);

/* Fills laid, values, by and need with what is known; with `fresh` only with what is needed. */
void pail_ad_cache_look(struct pail_ad_evaluation *e, bool fresh);

/* Keeps what is new in an evaluation. whole: the result to find when the launch comes again; NULL:
 * it may not be kept. */
void pail_ad_cache_keep(struct pail_ad_evaluation *e, struct pail_adstack_result *whole);

/* Remembers the result of a launch for diagnosis. */
void pail_ad_cache_recent(struct pail_ad_kernel *kernel, uint64_t serial,
                          struct pail_adstack_result *result);

/* The same for a result that was found when the kernel had so many `drops`. False: values were
 * forgotten since, and nothing is remembered. */
bool pail_ad_cache_again(struct pail_ad_kernel *kernel, uint64_t serial, uint64_t drops,
                         struct pail_adstack_result *result);

/* The last one of the recent launches and the recordings whose serial has these low 32 bits, or the
 * last of all for UINT64_MAX. */
struct pail_ad_recalled pail_ad_cache_recall(struct pail_ad_kernel *kernel, uint64_t serial);

/* Forgets what depends on contents of a source, or everything (PAIL_AD_NONE). Returns how many
 * entries that were. */
uint64_t pail_ad_cache_drop(struct pail_ad_kernel *kernel, uint32_t source);

#endif /* PAIL_ADSTACK_CACHE_H */
