/* SPDX-License-Identifier: Apache-2.0 */
/* Bearer tokens out of a file: a line each, "#" begins a comment. */
#ifndef PAIL_TOOL_SERVE_TOKENS_H
#define PAIL_TOOL_SERVE_TOKENS_H

#include <stdbool.h>
#include <stdint.h>

#include "error/error.h"

enum {
    PAIL_TOKENS_MAX = 64,
    PAIL_TOKEN_CHARS_MIN = 16,
    PAIL_TOKEN_CHARS_MAX = 128,
};

struct pail_tokens {
    uint32_t n;
    uint8_t chars[PAIL_TOKENS_MAX]; /* of each */
    uint8_t tokens[PAIL_TOKENS_MAX][PAIL_TOKEN_CHARS_MAX];
};

/* The file is a regular one and no link, of root or the effective user, which nobody may read but
 * its owner and group, nobody may write but its owner, access control lists included, and which
 * has at least one token of printable ASCII without blanks. No folder above it can be written by
 * anybody else.
 *
 * Returns PAIL_OK, PAIL_ERR_IO, PAIL_ERR_DATA or PAIL_ERR_ARGUMENT with a sentence that cites no
 * token; the tokens are zeroed then. */
pail_status pail_tokens_read(struct pail_tokens *tokens, const char *path,
                             struct pail_error *error);

/* True if `given` is one of the tokens. The time depends on the length of `given`, and on nothing
 * else of it or of the tokens. given: NULL is none. */
bool pail_tokens_have(const struct pail_tokens *tokens, const char *given);

void pail_tokens_wipe(struct pail_tokens *tokens);

#endif /* PAIL_TOOL_SERVE_TOKENS_H */
