/* SPDX-License-Identifier: Apache-2.0 */
#include "keep.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <curves/fnv.h>

#define SPIRV_MAGIC 0x07230203u

static uint64_t tool_hash; /* 0: not known */

bool pail_keep_tool(const char *tool)
{
    FILE *file = fopen(tool ? tool : "/proc/self/exe", "rb");
    uint64_t hash = pail_fnv1a64(NULL, 0);
    char bytes[8192];
    size_t n;
    tool_hash = 0;
    if (!file)
        return false;
    while ((n = fread(bytes, 1, sizeof(bytes), file)) > 0)
        hash = pail_fnv1a64_more(hash, bytes, n);
    tool_hash = ferror(file) ? 0 : hash;
    fclose(file);
    return tool_hash != 0;
}

void pail_keep_path(char path[PAIL_KEEP_PATH_MAX], const char *dir, const char *text)
{
    path[0] = '\0';
    if (!dir || !dir[0] || !tool_hash)
        return;
    /* Two hashes of the same bytes from different starts: one of 64 bits may collide by chance. */
    const size_t n = strlen(text);
    const uint64_t a = pail_fnv1a64_more(tool_hash, text, n);
    const uint64_t b = pail_fnv1a64_more(~tool_hash, text, n);
    if (snprintf(path, PAIL_KEEP_PATH_MAX, "%s/%016llx%016llx.spv", dir, (unsigned long long)a,
                 (unsigned long long)b) >= (int)PAIL_KEEP_PATH_MAX)
        path[0] = '\0';
}

bool pail_keep_read(const char *path, uint32_t **words, size_t *n_words)
{
    *words = NULL;
    *n_words = 0;
    FILE *file = path[0] ? fopen(path, "rb") : NULL;
    if (!file)
        return false;
    long bytes = -1;
    if (fseek(file, 0, SEEK_END) == 0)
        bytes = ftell(file);
    if (bytes > 0 && bytes % 4 == 0 && fseek(file, 0, SEEK_SET) == 0)
        *words = malloc((size_t)bytes);
    const bool ok = *words && fread(*words, 1, (size_t)bytes, file) == (size_t)bytes &&
                    (*words)[0] == SPIRV_MAGIC;
    fclose(file);
    if (ok) {
        *n_words = (size_t)bytes / 4;
    } else {
        free(*words);
        *words = NULL;
    }
    return ok;
}

void pail_keep_write(const char *path, const uint32_t *words, size_t n_words)
{
    char draft[PAIL_KEEP_PATH_MAX + 32];
    if (!path[0])
        return;
    snprintf(draft, sizeof(draft), "%s.%ld", path, (long)getpid());
    FILE *file = fopen(draft, "wb");
    if (!file)
        return;
    const bool written = fwrite(words, 4, n_words, file) == n_words;
    if (fclose(file) != 0 || !written || rename(draft, path) != 0)
        remove(draft);
}
