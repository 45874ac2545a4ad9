/* SPDX-License-Identifier: Apache-2.0 */
#include "flatten.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scan.h"

#define PATH_MAX_BYTES 256u

enum { ON_STACK = 1, DEFINED = 2 }; /* states of a file while flattening */

struct flattener {
    const struct pail_source_tree *tree;
    const char *const *dirs;
    size_t n_dirs;
    unsigned char *known; /* state of each file */
    size_t conditions;    /* open at the current line, not counting include guards */
    char *text;
    size_t length, cap;
    struct pail_message *message;
};

static enum pail_spirv_status emit(struct flattener *f, const char *bytes, size_t n)
{
    if (n > PAIL_FLATTEN_MAX_BYTES - f->length) {
        pail_message_add(f->message, "the text is larger than %u bytes with its includes",
                         PAIL_FLATTEN_MAX_BYTES);
        return PAIL_SPIRV_SOURCE;
    }
    if (f->length + n + 1 > f->cap) {
        const size_t cap = 2 * (f->length + n + 1);
        char *grown = realloc(f->text, cap);
        if (!grown)
            return PAIL_SPIRV_MEMORY;
        f->text = grown;
        f->cap = cap;
    }
    memcpy(f->text + f->length, bytes, n);
    f->length += n;
    f->text[f->length] = '\0';
    return PAIL_SPIRV_OK;
}

static enum pail_spirv_status emit_place(struct flattener *f, size_t line, size_t file)
{
    char directive[64];
    const int n = snprintf(directive, sizeof(directive), "#line %zu %zu\n", line, file + 1);
    return emit(f, directive, (size_t)n);
}

static size_t find(const struct pail_source_tree *tree, const char *path)
{
    size_t i = 0;
    while (i < tree->n_files && strcmp(tree->files[i].path, path) != 0)
        i++;
    return i;
}

/* Joins and removes "." and ".."; false if the path leaves the root or is too long. */
static bool join(struct pail_slice dir, struct pail_slice name, char path[PATH_MAX_BYTES])
{
    const struct pail_slice parts[2] = {dir, name};
    size_t length = 0;
    for (size_t p = 0; p < 2; p++) {
        const char *at = parts[p].at, *end = parts[p].at + parts[p].n;
        while (at < end) {
            const char *slash = memchr(at, '/', (size_t)(end - at));
            const struct pail_slice part = {at, (size_t)((slash ? slash : end) - at)};
            at = slash ? slash + 1 : end;
            if (part.n == 0 || pail_slice_is(part, "."))
                continue;
            if (pail_slice_is(part, "..")) {
                if (length == 0)
                    return false;
                while (length > 0 && path[--length] != '/')
                    continue;
                continue;
            }
            if (length + part.n + 2 > PATH_MAX_BYTES)
                return false;
            if (length)
                path[length++] = '/';
            memcpy(path + length, part.at, part.n);
            length += part.n;
        }
    }
    path[length] = '\0';
    return length > 0;
}

static size_t resolve(const struct flattener *f, size_t includer, struct pail_slice name)
{
    char path[PATH_MAX_BYTES];
    const char *from = f->tree->files[includer].path;
    const char *slash = strrchr(from, '/');
    size_t found = f->tree->n_files;
    if (join((struct pail_slice){from, slash ? (size_t)(slash - from) : 0}, name, path))
        found = find(f->tree, path);
    for (size_t d = 0; d < f->n_dirs && found == f->tree->n_files; d++)
        if (join((struct pail_slice){f->dirs[d], strlen(f->dirs[d])}, name, path))
            found = find(f->tree, path);
    return found;
}

static int condition_step(struct pail_slice directive)
{
    if (pail_slice_is(directive, "if") || pail_slice_is(directive, "ifdef") ||
        pail_slice_is(directive, "ifndef"))
        return 1;
    return pail_slice_is(directive, "endif") ? -1 : 0;
}

/* True if #ifndef X, #define X ... #endif encloses all of the file. */
static bool is_guarded(const struct pail_source *file)
{
    struct pail_scan scan = pail_scan_begin(file->text, file->length);
    struct pail_line line;
    struct pail_slice name = {0};
    size_t n_code = 0;
    int depth = 0;
    while (pail_scan_next(&scan, &line)) {
        if (!line.code)
            continue;
        if (n_code >= 2 && depth == 0)
            return false; /* something follows the last #endif */
        if (n_code == 0) {
            name = pail_scan_identifier(line.rest);
            if (!pail_slice_is(line.directive, "ifndef") || name.n == 0)
                return false;
        } else if (n_code == 1) {
            const struct pail_slice defined = pail_scan_identifier(line.rest);
            if (!pail_slice_is(line.directive, "define") || defined.n != name.n ||
                memcmp(defined.at, name.at, name.n) != 0)
                return false;
        } else if (depth == 1 && (pail_slice_is(line.directive, "else") ||
                                  pail_slice_is(line.directive, "elif"))) {
            return false;
        }
        depth += condition_step(line.directive);
        n_code++;
    }
    return n_code >= 3 && depth == 0;
}

static enum pail_spirv_status expand(struct flattener *f, size_t file, size_t depth);

/* The line that holds the directive is replaced by exactly one line or by a text between two #line.
 */
static enum pail_spirv_status include(struct flattener *f, size_t file, size_t line,
                                      struct pail_slice name, size_t depth)
{
    const struct pail_source *from = &f->tree->files[file];
    const size_t found = resolve(f, file, name);
    if (found == f->tree->n_files)
        return emit(f, "#error " PAIL_FLATTEN_UNRESOLVED "\n",
                    sizeof("#error " PAIL_FLATTEN_UNRESOLVED "\n") - 1);
    const bool guarded = is_guarded(&f->tree->files[found]);
    if (guarded && f->known[found] & (ON_STACK | DEFINED))
        return emit(f, "\n", 1);
    if (depth + 1 >= PAIL_FLATTEN_MAX_DEPTH) {
        pail_message_add(f->message, "%s:%zu: including \"%s\" nests deeper than %u files",
                         from->path, line, f->tree->files[found].path, PAIL_FLATTEN_MAX_DEPTH);
        return PAIL_SPIRV_SOURCE;
    }
    enum pail_spirv_status status = emit_place(f, 1, found);
    if (status == PAIL_SPIRV_OK)
        status = expand(f, found, depth + 1);
    if (status == PAIL_SPIRV_OK)
        status = emit_place(f, line + 1, file);
    return status;
}

static enum pail_spirv_status expand(struct flattener *f, size_t file, size_t depth)
{
    const struct pail_source *source = &f->tree->files[file];
    const char *zero = memchr(source->text, '\0', source->length);
    if (zero) {
        pail_message_add(f->message, "%s: byte %zu is zero, this is not a text", source->path,
                         (size_t)(zero - source->text));
        return PAIL_SPIRV_SOURCE;
    }
    const bool guarded = is_guarded(source);
    if (guarded && f->conditions == 0)
        f->known[file] |= DEFINED;
    const unsigned char was = f->known[file];
    f->known[file] |= ON_STACK;

    const size_t outer = f->conditions;
    const size_t own = guarded ? 1 : 0; /* the guard's condition, which holds while we read on */
    size_t open = 0;
    bool placed = depth > 0;
    enum pail_spirv_status status = PAIL_SPIRV_OK;
    struct pail_scan scan = pail_scan_begin(source->text, source->length);
    struct pail_line line;
    while (status == PAIL_SPIRV_OK && pail_scan_next(&scan, &line)) {
        const int step = condition_step(line.directive);
        if (step > 0)
            open++;
        else if (step < 0 && open > 0)
            open--;
        f->conditions = outer + (open > own ? open - own : 0);

        const struct pail_slice name = pail_slice_is(line.directive, "include")
                                           ? pail_scan_quoted(line.rest)
                                           : (struct pail_slice){0};
        if (name.at && !line.alone) {
            pail_message_add(f->message,
                             "%s:%zu: a comment or a continued line reaches over this include",
                             source->path, scan.line);
            status = PAIL_SPIRV_SOURCE;
        } else if (name.at) {
            status = include(f, file, scan.line, name, depth);
        } else {
            status = emit(f, line.text.at, line.text.n);
            if (status == PAIL_SPIRV_OK)
                status = emit(f, "\n", 1);
        }
        /* #version must come before any other directive, so before #line too. */
        if (status == PAIL_SPIRV_OK && !placed && pail_slice_is(line.directive, "version")) {
            status = emit_place(f, scan.line + 1, file);
            placed = true;
        }
    }
    f->conditions = outer;
    f->known[file] = was;
    return status;
}

enum pail_spirv_status pail_flatten(const struct pail_source_tree *tree, const char *path,
                                    const char *const *dirs, size_t n_dirs, char **text,
                                    struct pail_message *message)
{
    *text = NULL;
    const size_t root = find(tree, path);
    if (root == tree->n_files) {
        pail_message_add(message, "there is no file %s", path);
        return PAIL_SPIRV_SOURCE;
    }
    struct flattener f = {.tree = tree, .dirs = dirs, .n_dirs = n_dirs, .message = message};
    enum pail_spirv_status status = PAIL_SPIRV_MEMORY;
    f.known = calloc(tree->n_files, 1);
    if (!f.known)
        goto out;
    status = emit(&f, "", 0);
    if (status == PAIL_SPIRV_OK)
        status = expand(&f, root, 0);
    if (status == PAIL_SPIRV_OK) {
        *text = f.text;
        f.text = NULL;
    }
out:
    free(f.text);
    free(f.known);
    return status;
}

/* The name in the include directive on a line of a file. */
static struct pail_slice included_at(const struct pail_source *file, size_t number)
{
    struct pail_scan scan = pail_scan_begin(file->text, file->length);
    struct pail_line line;
    while (pail_scan_next(&scan, &line))
        if (scan.line == number)
            return pail_scan_quoted(line.rest);
    return (struct pail_slice){0};
}

/* False for a line that only says that glslang stopped: "2 compilation errors.  No code
 * generated.", "3:12: '' : compilation terminated". */
static bool map_line(const struct pail_source_tree *tree, const char *path, struct pail_slice text,
                     struct pail_message *message)
{
    char copy[1024];
    size_t n = text.n < sizeof(copy) - 1 ? text.n : sizeof(copy) - 1;
    memcpy(copy, text.at, n);
    while (n > 0 && copy[n - 1] == ' ')
        n--;
    copy[n] = '\0';
    if (strstr(copy, " compilation errors.") || strstr(copy, "'' : compilation terminated"))
        return false;

    size_t string = 0, number = 0;
    int used = 0;
    if (sscanf(copy, "%zu:%zu: %n", &string, &number, &used) < 2 || used == 0 ||
        string > tree->n_files) {
        pail_message_add(message, "%s: %s", path, copy);
        return true;
    }
    const struct pail_source *source = &tree->files[string ? string - 1 : find(tree, path)];
    if (strstr(copy, PAIL_FLATTEN_UNRESOLVED)) {
        const struct pail_slice name = included_at(source, number);
        pail_message_add(message, "%s:%zu: cannot find the included file \"%.*s\"", source->path,
                         number, (int)name.n, name.at ? name.at : "");
    } else {
        pail_message_add(message, "%s:%zu: %s", source->path, number, copy + used);
    }
    return true;
}

size_t pail_flatten_map_log(const struct pail_source_tree *tree, const char *path, const char *log,
                            const char *severity, struct pail_message *message)
{
    size_t n = 0;
    const size_t prefix = strlen(severity);
    for (const char *at = log; *at;) {
        const size_t length = strcspn(at, "\n");
        if (length > prefix && strncmp(at, severity, prefix) == 0)
            n += map_line(tree, path, (struct pail_slice){at + prefix, length - prefix}, message);
        at += length + (at[length] == '\n');
    }
    return n;
}
