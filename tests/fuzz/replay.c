/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a fuzz target over files, and over what a few simple changes make of each: every prefix, and
 * every byte of the first 4096 replaced. The changes are the same each time. */
#define _POSIX_C_SOURCE 200809L

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "target.h"

enum { CHANGED_BYTES = 4096 };

/* The copy has exactly `size` bytes, so that the address sanitizer sees a read past them. */
static void run(const uint8_t *data, size_t size)
{
    uint8_t *const copy = malloc(size + (size == 0));
    if (copy == NULL)
        abort();
    memcpy(copy, data, size);
    (void)LLVMFuzzerTestOneInput(copy, size);
    free(copy);
}

static void run_changed(uint8_t *data, size_t size)
{
    static const uint8_t values[] = {0x00, 0x01, 0x7f, 0x80, 0xff};
    run(data, size);
    for (size_t cut = 0; cut < size; cut++)
        run(data, cut);
    for (size_t at = 0; at < size && at < CHANGED_BYTES; at++) {
        const uint8_t original = data[at];
        for (size_t i = 0; i < sizeof(values); i++) {
            if (values[i] == original)
                continue;
            data[at] = values[i];
            run(data, size);
        }
        data[at] = original;
    }
}

static bool replay_file(const char *path)
{
    bool good = false;
    uint8_t *data = NULL;
    FILE *const file = fopen(path, "rb");
    if (file == NULL)
        goto out;
    if (fseek(file, 0, SEEK_END) != 0)
        goto out;
    const long end = ftell(file);
    if (end < 0 || fseek(file, 0, SEEK_SET) != 0)
        goto out;
    const size_t size = (size_t)end;
    data = malloc(size + 1);
    if (data == NULL || fread(data, 1, size, file) != size)
        goto out;
    run_changed(data, size);
    good = true;
out:
    if (!good)
        perror(path);
    free(data);
    if (file != NULL)
        (void)fclose(file);
    return good;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        (void)fprintf(stderr, "usage: %s CORPUS_FOLDER\n", argv[0]);
        return 2;
    }
    DIR *const folder = opendir(argv[1]);
    if (folder == NULL) {
        perror(argv[1]);
        return 1;
    }
    int failed = 0, files = 0;
    for (const struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        if (entry->d_name[0] == '.')
            continue;
        char path[4096];
        const int length = snprintf(path, sizeof(path), "%s/%s", argv[1], entry->d_name);
        if (length < 0 || (size_t)length >= sizeof(path) || !replay_file(path))
            failed++;
        files++;
    }
    (void)closedir(folder);
    (void)printf("%d files of %s replayed, %d unreadable\n", files, argv[1], failed);
    /* A folder without files would test nothing. */
    return failed != 0 || files == 0;
}
