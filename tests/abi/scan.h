/* SPDX-License-Identifier: Apache-2.0 */
/* Looks for secrets in the memory of this process, as a core dump would show it. */
#ifndef PAIL_TESTS_SCAN_H
#define PAIL_TESTS_SCAN_H

#include <stddef.h>
#include <stdint.h>

enum { SCAN_SECRET_BYTES = 32, SCAN_SECRETS = 8 };

/* Secrets are kept as their complement, so that nothing here is found. */
struct scan {
    uint8_t hidden[SCAN_SECRETS][SCAN_SECRET_BYTES];
    size_t n;
    unsigned char *window; /* scanned memory is read into it */
};

/* Skips the test where that cannot be done: a sanitizer's shadow of the memory has terabytes, and
 * its stacks are elsewhere. */
void scan_begin(struct scan *scan);
void scan_end(struct scan *scan);

/* A secret that nobody can have by chance, below 2^250. Returns its number. */
size_t scan_make(struct scan *scan);
/* One more, from the bytes of it, which are wiped. */
size_t scan_add(struct scan *scan, uint8_t bytes[SCAN_SECRET_BYTES]);
/* Writes a secret in clear: the caller's copy. */
void scan_reveal(const struct scan *scan, size_t number, void *to);

/* Copies there are of any 16 bytes out of the middle of a secret, in all memory that can be read
 * and written; where they are goes to stderr, unless `when` is NULL. */
size_t scan_count(const struct scan *scan, const char *when);

#endif
