/* Registered points, resident on the device in a field form's own representation. */
#ifndef PAIL_MSM_BASES_H
#define PAIL_MSM_BASES_H

#include <stdatomic.h>

#include "../context.h"
#include "curve.h"

/* The same points in one field form, cut into segments because one binding and one allocation are
 * limited. Made for the device's own form at registration and for another form when it is asked
 * for. */
struct pail_bases_copy {
    struct pail_vk_buffer *segments;
    uint32_t n_segments;
};

struct pail_bases {
    struct pail_context *ctx;
    struct pail_msm_group group;
    atomic_uint references;
    uint64_t n;
    uint64_t segment;          /* points of a segment; the last may have fewer */
    enum pail_field_form form; /* of the copy made at registration */
    struct pail_bases_copy copies[PAIL_FORM_COUNT]; /* guarded by ctx->lock once registered */
};

/* The field form that a device computes in when none is asked for. */
enum pail_field_form pail_default_form(const struct pail_vk_caps *caps);

/* Out: *bad_index: SIZE_MAX unless a point was refused. See backend.h, bases_create. */
pail_status pail_bases_register(struct pail_context *ctx, struct pail_bases **out,
                                size_t *bad_index, const pail_bases_desc *desc,
                                struct pail_error *err);

void pail_bases_retain(struct pail_bases *bases);
void pail_bases_release(struct pail_bases *bases);

/* Makes sure that there is a copy in the form. Waits for the device when it has to make one. */
pail_status pail_bases_in_form(struct pail_bases *bases, enum pail_field_form form,
                               struct pail_error *err);

/* The binding that holds `count` points from `first` on, all in one segment.
 * Out: *base_first: number of the point `first` in the binding (bindings start at an alignment). */
struct pail_vk_slice pail_bases_slice(const struct pail_bases *bases, enum pail_field_form form,
                                      uint64_t first, uint64_t count, uint32_t *base_first);

#endif /* PAIL_MSM_BASES_H */
