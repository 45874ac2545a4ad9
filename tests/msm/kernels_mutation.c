/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels_mutation.h"
#include "support/test.h"

enum { BYTES_MAX = 1 << 20 };

static _Noreturn void give_up(const char *words)
{
    (void)fprintf(stderr, "PAIL_TEST_MUTATION=%s: no file can be read\n", words);
    abort();
}

const struct pail_source *kernel_mutation(void)
{
    static char path[256], text[BYTES_MAX];
    static struct pail_source source;
    const char *words = getenv("PAIL_TEST_MUTATION");
    if (!words || source.text)
        return words ? &source : NULL;
    const char *colon = strchr(words, ':');
    const size_t n = colon ? (size_t)(colon - words) : sizeof(path);
    FILE *file = n < sizeof(path) ? fopen(colon + 1, "rb") : NULL;
    if (!file)
        give_up(words);
    memcpy(path, words, n);
    const size_t length = fread(text, 1, sizeof(text) - 1, file);
    (void)fclose(file);
    if (length == 0)
        give_up(words);
    source = (struct pail_source){.path = path, .text = text, .length = length};
    return &source;
}
