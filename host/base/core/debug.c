/* SPDX-License-Identifier: Apache-2.0 */
#include "debug.h"

#include <platform/process.h>
#include <platform/text.h>

#include <stdlib.h>

static const struct {
    const char *word;
    uint32_t flags;
} words_known[] = {
    {"validate", PAIL_DEBUG_VALIDATE},
    {"sync", PAIL_DEBUG_VALIDATE | PAIL_DEBUG_SYNC},
    {"trace", PAIL_DEBUG_TRACE},
    {"time", PAIL_DEBUG_TIME},
    {"nolabels", PAIL_DEBUG_NOLABELS},
    {"poison", PAIL_DEBUG_POISON},
    {"recompile", PAIL_DEBUG_RECOMPILE},
    {"nocache", PAIL_DEBUG_NOCACHE},
    {"registers", PAIL_DEBUG_REGISTERS | PAIL_DEBUG_NOCACHE},
    {"overlap", PAIL_DEBUG_OVERLAP},
    {"glv", PAIL_DEBUG_GLV},
    {"runs", PAIL_DEBUG_RUNS},
    {"whole", PAIL_DEBUG_WHOLE},
    {"lanes", PAIL_DEBUG_LANES},
};

static uint32_t flags_of(const char *word, size_t length)
{
    for (size_t i = 0; i < sizeof(words_known) / sizeof(words_known[0]); i++)
        if (pail_words_equal(word, length, words_known[i].word))
            return words_known[i].flags;
    return 0;
}

pail_status pail_debug_parse(uint32_t *flags, const char *words, struct pail_error *err)
{
    *flags = 0;
    if (!words)
        words = pail_env("PAIL_DEBUG");
    uint32_t all = 0;
    size_t length;
    for (const char *word; (word = pail_words_next(&words, &length)) != NULL;) {
        const uint32_t one = flags_of(word, length);
        if (length && !one)
            return pail_fail(err, PAIL_ERR_ARGUMENT,
                             "PAIL_DEBUG has the unknown word \"%.*s\"; the words are validate, "
                             "sync, trace, time, nolabels, poison, recompile, nocache, registers, "
                             "overlap, glv, runs, whole",
                             length < 64 ? (int)length : 64, word);
        all |= one;
    }
    *flags = all;
    return PAIL_OK;
}
