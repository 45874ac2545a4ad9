#include "platform/words.h"

#include <string.h>

const char *pail_words_next(const char **list, size_t *length)
{
    const char *const word = *list;
    *length = 0;
    if (word == NULL || *word == '\0')
        return NULL;
    *length = strcspn(word, ",");
    *list = word + *length + (word[*length] == ',');
    return word;
}

bool pail_words_equal(const char *bytes, size_t length, const char *word)
{
    return strlen(word) == length && memcmp(bytes, word, length) == 0;
}

bool pail_words_have(const char *list, const char *word)
{
    size_t length;
    for (const char *at; (at = pail_words_next(&list, &length)) != NULL;)
        if (pail_words_equal(at, length, word))
            return true;
    return false;
}
