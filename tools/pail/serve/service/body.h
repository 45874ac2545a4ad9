/* Memory for a witness: pages of its own, which no core dump has, and which are wiped. */
#ifndef PAIL_TOOL_SERVE_BODY_H
#define PAIL_TOOL_SERVE_BODY_H

#include <stddef.h>
#include <stdint.h>

/* NULL: no memory. Zeroed. bytes: not 0. */
uint8_t *pail_body_make(size_t bytes);
/* Wipes it. Legal on NULL. */
void pail_body_free(uint8_t *body, size_t bytes);

#endif /* PAIL_TOOL_SERVE_BODY_H */
