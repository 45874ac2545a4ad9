/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of text about one evaluation, for whoever traces or asked for an explanation. */
#ifndef PAIL_ADSTACK_EXPLANATION_H
#define PAIL_ADSTACK_EXPLANATION_H

#include <core/alloc.h>

/* text: NULL: nobody asked, and nothing is written. */
struct pail_ad_explanation {
    char *text;
    size_t used, capacity; /* bytes; the last one is for the terminating zero */
    uint32_t left_out;     /* lines that found no room */
};

/* Adds a line; without a newline in it. */
void pail_ad_explain(struct pail_ad_explanation *explanation, const char *fmt, ...)
    PAIL_PRINTF(2, 3);

/* Says how many lines were left out, if any. */
void pail_ad_explanation_end(struct pail_ad_explanation *explanation);

#endif /* PAIL_ADSTACK_EXPLANATION_H */
