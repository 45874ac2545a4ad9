/* SPDX-License-Identifier: Apache-2.0 */
/* The name that a word was meant to be. */
#ifndef PAIL_TOOL_OPTIONS_GUESS_H
#define PAIL_TOOL_OPTIONS_GUESS_H

#include <stddef.h>

struct pail_guess {
    const char *word; /* [length], as it was given */
    size_t length;
    const char *best; /* the nearest name so far; NULL: none is near */
    size_t distance;  /* of that: letters that differ, are missing, too many, or swapped */
};

/* Compares one more name with the word, cases apart. A name is near if the word is its beginning,
 * or if at most two letters in five of it and one more differ. */
void pail_guess_try(struct pail_guess *guess, const char *name);

enum { PAIL_GUESS_CHARS = 128 };

/* Returns "; did you mean PREFIXname?" in text, or `otherwise` where no name is near. */
const char *pail_guess_text(char text[PAIL_GUESS_CHARS], const struct pail_guess *guess,
                            const char *prefix, const char *otherwise);

#endif /* PAIL_TOOL_OPTIONS_GUESS_H */
