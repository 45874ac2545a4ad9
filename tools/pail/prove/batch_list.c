#define _POSIX_C_SOURCE 200809L

#include "batch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <formats/file.h>

/* The next name of a line, which *at goes behind; NULL: none. */
static char *next_name(char **at, const char *separators)
{
    char *const name = *at + strspn(*at, separators);
    if (*name == '\0')
        return NULL;
    char *const end = name + strcspn(name, separators);
    *at = *end != '\0' ? end + 1 : end;
    *end = '\0';
    return name;
}

static pail_status read_line(struct pail_batch_list *list, char *line, size_t number,
                             const char *path, struct pail_error *error)
{
    const char *const separators = strchr(line, '\t') != NULL ? "\t" : " ";
    const char *names[4] = {NULL};
    size_t n = 0;
    if (line[0] == '#' || line[strspn(line, " \t")] == '\0')
        return PAIL_OK;
    for (char *at = line; n < 4 && (names[n] = next_name(&at, separators)) != NULL;)
        n++;
    if (n != 3)
        return pail_fail(error, PAIL_ERR_DATA,
                         "%s: line %zu has %s names; a witness, a proof and public values are "
                         "wanted, with tabs between them where a name has spaces",
                         path, number,
                         n > 3    ? "more than three"
                         : n == 2 ? "two"
                                  : "less than two");
    for (size_t i = 0; i < 3; i++)
        if (strlen(names[i]) >= PAIL_BATCH_PATH)
            return pail_fail(error, PAIL_ERR_DATA, "%s: line %zu has a name of %zu bytes", path,
                             number, strlen(names[i]));
    list->entries[list->n++] = (struct pail_batch_entry){
        .line = number, .witness = names[0], .proof = names[1], .publics = names[2]};
    return PAIL_OK;
}

/* A file is its folder's, however the list comes to it, and a name there. */
struct output {
    const char *path, *name;
    size_t line;
    dev_t device; /* of the folder; 0 and 0: it cannot be looked at, and nothing will be written */
    ino_t inode;
};

static struct output output_of(const char *path, size_t line)
{
    const char *const slash = strrchr(path, '/');
    struct output output = {.path = path, .name = slash != NULL ? slash + 1 : path, .line = line};
    char folder[PAIL_BATCH_PATH + 2] = ".";
    struct stat st;
    if (slash != NULL)
        (void)snprintf(folder, sizeof(folder), "%.*s", (int)(slash - path) + 1, path);
    if (stat(folder, &st) == 0) {
        output.device = st.st_dev;
        output.inode = st.st_ino;
    } else {
        output.name = path;
    }
    return output;
}

#define COMPARE(x, y) (((x) > (y)) - ((x) < (y)))

static int by_file(const struct output *a, const struct output *b)
{
    const int device = COMPARE(a->device, b->device), inode = COMPARE(a->inode, b->inode);
    return device != 0 ? device : inode != 0 ? inode : strcmp(a->name, b->name);
}

static int in_order(const void *a, const void *b)
{
    const struct output *const x = a, *const y = b;
    const int order = by_file(x, y);
    return order != 0 ? order : COMPARE(x->line, y->line);
}

/* An output that stands twice would be written over. */
static pail_status check_outputs(const struct pail_batch_list *list, const char *path,
                                 struct pail_error *error)
{
    struct output *const outputs = calloc(2 * list->n + 1, sizeof(*outputs));
    if (outputs == NULL)
        return pail_fail(error, PAIL_ERR_HOST_MEMORY, "%s: no memory for %zu lines", path, list->n);
    for (size_t i = 0; i < list->n; i++) {
        outputs[2 * i] = output_of(list->entries[i].proof, list->entries[i].line);
        outputs[2 * i + 1] = output_of(list->entries[i].publics, list->entries[i].line);
    }
    qsort(outputs, 2 * list->n, sizeof(*outputs), in_order);
    pail_status status = PAIL_OK;
    for (size_t i = 1; i < 2 * list->n && status == PAIL_OK; i++) {
        const struct output *const one = &outputs[i - 1], *const other = &outputs[i];
        if (by_file(one, other) == 0)
            status = strcmp(one->path, other->path) == 0
                         ? pail_fail(error, PAIL_ERR_DATA, "%s: lines %zu and %zu both write %s",
                                     path, one->line, other->line, other->path)
                         : pail_fail(error, PAIL_ERR_DATA,
                                     "%s: lines %zu and %zu both write one file, %s and %s", path,
                                     one->line, other->line, one->path, other->path);
    }
    free(outputs);
    return status;
}

static pail_status read_lines(struct pail_batch_list *list, const char *path,
                              struct pail_error *error)
{
    pail_status status = PAIL_OK;
    size_t number = 0;
    for (char *line = list->text; line != NULL && status == PAIL_OK;) {
        char *const end = strchr(line, '\n');
        if (end != NULL)
            *end = '\0';
        line[strcspn(line, "\r")] = '\0';
        status = read_line(list, line, ++number, path, error);
        line = end != NULL ? end + 1 : NULL;
    }
    return status == PAIL_OK ? check_outputs(list, path, error) : status;
}

pail_status pail_batch_list_read(struct pail_batch_list *list, const char *path,
                                 struct pail_error *error)
{
    struct pail_bytes bytes;
    *list = (struct pail_batch_list){0};
    pail_status status = pail_told(error, pail_file_load_whole(&bytes, path, PAIL_SENTENCE(error)));
    if (status != PAIL_OK)
        return status;
    size_t lines = 1;
    for (size_t i = 0; i < bytes.size; i++)
        lines += bytes.data[i] == '\n';
    list->text = calloc(bytes.size + 1, 1);
    list->entries = calloc(lines, sizeof(*list->entries));
    if (list->text == NULL || list->entries == NULL)
        status = pail_fail(error, PAIL_ERR_HOST_MEMORY, "%s: no memory for %zu lines", path, lines);
    else if (bytes.size > 0 && memchr(bytes.data, '\0', bytes.size) != NULL)
        status = pail_fail(error, PAIL_ERR_DATA, "%s: is no text: it has a zero byte", path);
    if (status == PAIL_OK && bytes.size > 0)
        memcpy(list->text, bytes.data, bytes.size);
    pail_bytes_free(&bytes, false);
    if (status == PAIL_OK)
        status = read_lines(list, path, error);
    if (status != PAIL_OK)
        pail_batch_list_free(list);
    return status;
}

void pail_batch_list_free(struct pail_batch_list *list)
{
    free(list->entries);
    free(list->text);
    *list = (struct pail_batch_list){0};
}
