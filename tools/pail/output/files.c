/* SPDX-License-Identifier: Apache-2.0 */
/* Files of output: JSON lines of an instrument, and texts that are written as a whole. */
#define _POSIX_C_SOURCE 200809L

#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <curves/rng.h>
#include <platform/clock.h>

#include "progress.h"

/* ---- JSON lines ------------------------------------------------------------------------------ */

/* The beginning of each run's first line: pail_lines_begin. */
static const struct pail_magic first_line = {.bytes = "{\"run\":\"", .n = 8};
static const struct pail_replace_rule lines_rule = {.ours = &first_line, .n_ours = 1, .mode = 0666};

/* Makes the name of a run out of the clock and the process: not secret, only unlikely to come
 * twice. */
static void name_run(char run[17])
{
    struct timespec now;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    struct pail_rng rng;
    pail_rng_init(&rng, (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec);
    (void)snprintf(run, 17, "%016" PRIx64, pail_rng_next(&rng) ^ (uint64_t)getpid());
}

/* A stream to the file in the making, in place of the one before; that stays where there is none.
 */
static bool open_stream(struct pail_lines *lines)
{
    const int copy = fcntl(lines->file.fd, F_DUPFD_CLOEXEC, 0);
    FILE *const out = copy >= 0 ? fdopen(copy, "w") : NULL;
    if (!out) {
        const int number = errno;
        if (copy >= 0)
            (void)close(copy);
        errno = number;
        return false;
    }
    if (lines->out)
        (void)fclose(lines->out);
    lines->out = out;
    return true;
}

/* The descriptor may be another file's afterwards, and its copy is not. */
static bool publish(struct pail_lines *lines)
{
    return pail_replace_publish(&lines->file) == NULL && open_stream(lines);
}

pail_status pail_lines_open(struct pail_lines *lines, const char *path, struct pail_error *error)
{
    *lines =
        (struct pail_lines){.path = path, .begin_ms = pail_now_ms(), .file = PAIL_REPLACE_NONE};
    name_run(lines->run);
    if (!path)
        return PAIL_OK;
    if (strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0) {
        lines->out = stdout;
        return PAIL_OK;
    }
    const char *why = pail_replace_begin(&lines->file, path, &lines_rule);
    if (!why && !open_stream(lines)) {
        why = strerror(errno);
        pail_replace_end(&lines->file);
    }
    if (why)
        return pail_fail(error, PAIL_ERR_IO, "--json %s: %s", path, why);
    return PAIL_OK;
}

void pail_lines_begin(struct pail_lines *lines, struct pail_json *row, const char *event)
{
    pail_json_begin(row);
    pail_json_set_text(row, "run", lines->run);
    pail_json_set_text(row, "ev", event);
    pail_json_set_real(row, "t_ms", pail_now_ms() - lines->begin_ms);
}

void pail_lines_write(struct pail_lines *lines, struct pail_json *row)
{
    json_t *const object = pail_json_take(row);
    if (lines->out) {
        char *const text =
            object != NULL
                ? json_dumps(object, JSON_COMPACT | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(9))
                : NULL;
        if (!text || fprintf(lines->out, "%s\n", text) < 0 || fflush(lines->out) != 0)
            lines->failed = true;
        else if (lines->file.fd >= 0 && !lines->file.published && !publish(lines))
            lines->failed = true;
        free(text);
    }
    json_decref(object);
}

pail_status pail_lines_close(struct pail_lines *lines, struct pail_error *error)
{
    bool failed = lines->failed;
    if (lines->out && lines->out != stdout && fclose(lines->out) != 0)
        failed = true;
    if (lines->file.published && pail_replace_publish(&lines->file))
        failed = true;
    pail_replace_end(&lines->file);
    lines->out = NULL;
    if (failed)
        return pail_fail(error, PAIL_ERR_IO, "--json %s: a line cannot be written", lines->path);
    return PAIL_OK;
}

/* ---- Whole files ----------------------------------------------------------------------------- */

pail_status pail_whole_file_begin(struct pail_whole_file *file, const char *option,
                                  const char *path, struct pail_magic head,
                                  struct pail_error *error)
{
    *file = PAIL_WHOLE_FILE_NONE;
    file->option = option;
    file->head = head;
    if (!path)
        return PAIL_OK;
    const struct pail_replace_rule rule = {.ours = &head, .n_ours = 1, .mode = 0666};
    const char *const why = pail_replace_begin(&file->file, path, &rule);
    if (why)
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
    if (!out) {
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
    if (!file->path)
        return PAIL_OK;
    errno = 0;
    const char *const why =
        write_stream(file, write, what) ? pail_replace_publish(&file->file) : strerror(errno);
    return !why ? PAIL_OK
                : pail_fail(error, PAIL_ERR_IO, "%s %s: %s", file->option, file->path, why);
}

void pail_whole_file_end(struct pail_whole_file *file)
{
    pail_replace_end(&file->file);
    *file = PAIL_WHOLE_FILE_NONE;
}
