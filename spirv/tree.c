/* SPDX-License-Identifier: Apache-2.0 */
#include "tree.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "message.h"

#define MAX_FILE_BYTES (1u << 20)

struct reader {
    struct pail_source *files;
    size_t n, cap;
    struct pail_message *message;
};

static char *join(const char *dir, const char *name)
{
    const size_t n = strlen(dir) + strlen(name) + 2;
    char *path = malloc(n);
    if (path)
        snprintf(path, n, "%s%s%s", dir, *dir && *name ? "/" : "", name);
    return path;
}

static bool is_source(const char *name)
{
    static const char *const ends[] = {".comp", ".glsl", ".h"};
    const size_t n = strlen(name);
    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
        if (n > strlen(ends[i]) && strcmp(name + n - strlen(ends[i]), ends[i]) == 0)
            return true;
    return false;
}

static bool fail(struct reader *r, const char *path)
{
    pail_message_add(r->message, "cannot read %s: %s", path, strerror(errno));
    return false;
}

/* Takes `relative` over. */
static bool add_file(struct reader *r, const char *path, char *relative, off_t size)
{
    FILE *file = NULL;
    char *text = NULL;
    bool ok = false;
    if (size > (off_t)MAX_FILE_BYTES) {
        pail_message_add(r->message, "%s is larger than %u bytes", path, MAX_FILE_BYTES);
        goto out;
    }
    if (r->n == r->cap) {
        const size_t cap = r->cap ? 2 * r->cap : 64;
        struct pail_source *grown = realloc(r->files, cap * sizeof(*grown));
        if (!grown) {
            fail(r, path);
            goto out;
        }
        r->files = grown;
        r->cap = cap;
    }
    file = fopen(path, "rb");
    text = malloc((size_t)size + 1);
    if (!file || !text || fread(text, 1, (size_t)size, file) != (size_t)size) {
        fail(r, path);
        goto out;
    }
    r->files[r->n++] = (struct pail_source){.path = relative, .text = text, .length = (size_t)size};
    relative = NULL;
    text = NULL;
    ok = true;
out:
    if (file)
        fclose(file);
    free(text);
    free(relative);
    return ok;
}

static bool add_dir(struct reader *r, const char *root, const char *relative)
{
    char *path = join(root, relative);
    DIR *dir = path ? opendir(path) : NULL;
    bool ok = dir != NULL;
    if (!ok)
        fail(r, path ? path : relative);
    for (struct dirent *entry; ok && (entry = readdir(dir)) != NULL;) {
        if (entry->d_name[0] == '.')
            continue;
        char *name = join(relative, entry->d_name);
        char *full = name ? join(root, name) : NULL;
        struct stat info;
        if (!full || stat(full, &info) != 0)
            ok = fail(r, full ? full : entry->d_name);
        else if (S_ISDIR(info.st_mode))
            ok = add_dir(r, root, name);
        else if (S_ISREG(info.st_mode) && is_source(entry->d_name)) {
            ok = add_file(r, full, name, info.st_size);
            name = NULL;
        }
        free(full);
        free(name);
    }
    if (dir)
        closedir(dir);
    free(path);
    return ok;
}

static int by_path(const void *a, const void *b)
{
    const struct pail_source *x = a, *y = b;
    return strcmp(x->path, y->path);
}

/* Adds the files of a directory, sorted, behind those of the ones before it. */
static bool add_sorted(struct reader *r, const char *root)
{
    const size_t before = r->n;
    if (!add_dir(r, root, ""))
        return false;
    if (r->n > before)
        qsort(r->files + before, r->n - before, sizeof(*r->files), by_path);
    for (size_t i = before; i < r->n; i++)
        for (size_t k = 0; k < before; k++)
            if (by_path(&r->files[i], &r->files[k]) == 0) {
                pail_message_add(r->message, "%s is in two directories", r->files[i].path);
                return false;
            }
    return true;
}

static void free_files(struct pail_source *files, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        /* The struct is const towards readers; here both strings are ours. */
        union {
            const char *in;
            char *out;
        } path = {files[i].path}, text = {files[i].text};
        free(path.out);
        free(text.out);
    }
    free(files);
}

bool pail_tree_read(const char *const *dirs, size_t n_dirs, struct pail_source_tree *tree,
                    char *error, size_t error_cap)
{
    struct pail_message message = pail_message_begin(error, error_cap);
    struct reader r = {.message = &message};
    *tree = (struct pail_source_tree){0};
    bool ok = true;
    for (size_t i = 0; ok && i < n_dirs; i++)
        ok = add_sorted(&r, dirs[i]);
    if (!ok) {
        free_files(r.files, r.n);
        return false;
    }
    *tree = (struct pail_source_tree){.files = r.files, .n_files = r.n};
    return true;
}

void pail_tree_free(struct pail_source_tree *tree)
{
    union {
        const struct pail_source *in;
        struct pail_source *out;
    } files = {tree->files};
    free_files(files.out, tree->n_files);
    *tree = (struct pail_source_tree){0};
}
