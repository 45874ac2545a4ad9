/* SPDX-License-Identifier: Apache-2.0 */
/* Comparison of all kept values of a kernel with the arrays as they are: for an overflow whose
 * launch is unknown, because it is too long ago or arrays were written since. */
#ifndef PAIL_ADSTACK_SWEEP_H
#define PAIL_ADSTACK_SWEEP_H

#include "service.h"

struct pail_ad_swept {
    bool stale;         /* an array was written without a word: it gives something else now */
    bool forgot;        /* values computed from it, or that could not be compared, are forgotten */
    bool compared;      /* there was something to compare */
    bool several;       /* more than one array may be the one that was written */
    uint64_t suspect;   /* identity of the array that was written; 0: none, or several */
    uint64_t unseen;    /* identity of one that could not be looked at; 0: none */
    int64_t required;   /* required by the tree of the stack, for the last launch; -1: unknown */
    uint64_t allocated; /* entries that launch was given; 0: unknown */
};

/* Computes anew what the kernel's last launches were given, as far as nobody told of a write to the
 * arrays since. Where they give something else now, all that was computed from these arrays, for
 * whatever kernel, never counts again; nor does what is kept for arrays that none of these launches
 * had. Right values stay. task, stack: whose size to report; UINT32_MAX: no stack's.
 * Errors: memory and what the device fails of */
pail_status pail_ad_sweep(struct pail_adstack *service, struct pail_ad_kernel *kernel,
                          uint32_t task, uint32_t stack, struct pail_ad_swept *swept,
                          struct pail_error *err);

#endif /* PAIL_ADSTACK_SWEEP_H */
