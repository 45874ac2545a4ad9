/* The buffer that kernels of users report overflows of their stacks in (<pail/overflow.glsl>). */
#ifndef PAIL_PLUGIN_OVERFLOW_H
#define PAIL_PLUGIN_OVERFLOW_H

#include "context.h"

/* Makes ctx->overflow if nobody has. Errors: memory, PAIL_ERR_DEVICE_LOST */
pail_status pail_overflow_open(struct pail_context *ctx, struct pail_error *err);

/* Takes the records of kernels whose work is complete. records: [room] at full size; n: how many.
 * Errors: memory, PAIL_ERR_DEVICE_LOST */
pail_status pail_overflow_poll(struct pail_context *ctx, pail_overflow records[], size_t room,
                               size_t *n, struct pail_error *err);

#endif /* PAIL_PLUGIN_OVERFLOW_H */
