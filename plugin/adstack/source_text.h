/* SPDX-License-Identifier: Apache-2.0 */
/* Text that grows: for sources that are generated and plans that people read. */
#ifndef PAIL_ADSTACK_TEXT_H
#define PAIL_ADSTACK_TEXT_H

#include <stdbool.h>

#include <core/alloc.h>

/* All zero but alloc is an empty text. */
struct pail_ad_text {
    const struct pail_alloc *alloc;
    char *at; /* ends with a zero; NULL while empty */
    size_t length, capacity;
    bool failed; /* no memory: what was added is lost, and so will be the rest */
};

void pail_ad_text_add(struct pail_ad_text *text, const char *fmt, ...) PAIL_PRINTF(2, 3);

/* Leaves an empty text. */
void pail_ad_text_free(struct pail_ad_text *text);

#endif /* PAIL_ADSTACK_TEXT_H */
