/* Words of a list that has commas between them, as PAIL_DEBUG is one. */
#ifndef PAIL_PLATFORM_WORDS_H
#define PAIL_PLATFORM_WORDS_H

#include <stdbool.h>
#include <stddef.h>

/* Takes the first word off a list: NULL at its end, otherwise the word, with its length, which may
 * be 0. *list: NULL is an empty list. */
const char *pail_words_next(const char **list, size_t *length);

/* True if these `length` bytes are that word. */
bool pail_words_equal(const char *bytes, size_t length, const char *word);

/* True if a list has that word. */
bool pail_words_have(const char *list, const char *word);

#endif /* PAIL_PLATFORM_WORDS_H */
