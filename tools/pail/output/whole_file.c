#define _POSIX_C_SOURCE 200809L

#include "whole_file.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

pail_status pail_whole_file_begin(struct pail_whole_file *file, const char *option,
                                  const char *path, struct pail_magic head,
                                  struct pail_error *error)
{
    *file = PAIL_WHOLE_FILE_NONE;
    file->option = option;
    file->head = head;
    if (path == NULL)
        return PAIL_OK;
    const struct pail_replace_rule rule = {.ours = &head, .n_ours = 1, .mode = 0666};
    const char *const why = pail_replace_begin(&file->file, path, &rule);
    if (why != NULL)
        return pail_fail(error, PAIL_ERR_IO, "%s %s: %s", option, path, why);
    file->file.rule.ours = &file->head; /* publishing looks again */
    file->path = path;
    return PAIL_OK;
}

/* Writes to a copy of the descriptor, which the stream closes. */
static bool write_stream(const struct pail_whole_file *file,
                         void (*write)(FILE *out, const void *what), const void *what)
{
    const int copy = dup(file->file.fd);
    FILE *const out = copy >= 0 ? fdopen(copy, "w") : NULL;
    if (out == NULL) {
        if (copy >= 0)
            (void)close(copy);
        return false;
    }
    (void)fwrite(file->head.bytes, 1, file->head.n, out);
    write(out, what);
    const bool good = ferror(out) == 0;
    return fclose(out) == 0 && good;
}

pail_status pail_whole_file_write(struct pail_whole_file *file,
                                  void (*write)(FILE *out, const void *what), const void *what,
                                  struct pail_error *error)
{
    if (file->path == NULL)
        return PAIL_OK;
    errno = 0;
    const char *const why =
        write_stream(file, write, what) ? pail_replace_publish(&file->file) : strerror(errno);
    return why == NULL ? PAIL_OK
                       : pail_fail(error, PAIL_ERR_IO, "%s %s: %s", file->option, file->path, why);
}

void pail_whole_file_end(struct pail_whole_file *file)
{
    pail_replace_end(&file->file);
    *file = PAIL_WHOLE_FILE_NONE;
}
