/* SPDX-License-Identifier: Apache-2.0 */
/* Work under way, of whichever subject: what the slots for all of it need. Each subject has a
 * struct of its own for it, of which the first member is a pointer to its kind; a pail_pending of
 * the boundary points to one. */
#ifndef PAIL_PLUGIN_PENDING_KIND_H
#define PAIL_PLUGIN_PENDING_KIND_H

#include <core/error.h>

struct pail_pending_kind {
    const char *what;   /* "multiplications" */
    const char *finish; /* the slot that ends it: "msm_finish" */
    /* Same as pending_wait and pending_abandon of the boundary. */
    pail_status (*wait)(struct pail_pending *pending, uint64_t timeout_ns, struct pail_error *err);
    void (*drop)(struct pail_pending *pending);
};

static inline const struct pail_pending_kind *
pail_pending_kind_of(const struct pail_pending *pending)
{
    return *(const struct pail_pending_kind *const *)(const void *)pending;
}

#endif /* PAIL_PLUGIN_PENDING_KIND_H */
