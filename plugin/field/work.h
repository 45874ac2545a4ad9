/* Operations on vectors under way: start, wait, finish, abandon. */
#ifndef PAIL_FIELD_WORK_H
#define PAIL_FIELD_WORK_H

#include "context.h"
#include "pending_kind.h"

struct pail_field_work;

extern const struct pail_pending_kind pail_field_pending;

/* See backend.h; the operations have been copied out of the caller's structs. */
pail_status pail_field_start(struct pail_context *ctx, struct pail_pending **out,
                             const pail_vector_op ops[], size_t n_ops, struct pail_error *err);

/* Of pending work of the kind above. Destroys it. stats: of full size. */
pail_status pail_field_finish(struct pail_pending *pending, pail_stats *stats,
                              struct pail_error *err);

struct pail_context *pail_field_context(const struct pail_pending *pending);

#endif /* PAIL_FIELD_WORK_H */
