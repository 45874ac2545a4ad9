/* SPDX-License-Identifier: Apache-2.0 */
/* PAIL_LIMITS for a part of a test. */
#ifndef PAIL_TESTS_LIMITS_H
#define PAIL_TESTS_LIMITS_H

/* Adds a word to PAIL_LIMITS. Returns what limits_restore takes to have it as it was. */
char *limits_add(const char *word);
void limits_restore(char *words);

#endif /* PAIL_TESTS_LIMITS_H */
