/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* O_CLOEXEC */

#include "tokens.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <platform/file.h>
#include <platform/memory.h>
#include <platform/trust.h>

enum { FILE_BYTES_MAX = 16384 };

/* ---- The file ---------------------------------------------------------------------------------
 */
static pail_status check_file(const struct stat *file, const char *path, struct pail_error *error)
{
    if (!S_ISREG(file->st_mode))
        return pail_fail(error, PAIL_ERR_IO, "--tokens %s: is %s, not a regular file", path,
                         pail_file_type(file->st_mode));
    if ((file->st_mode & 027) != 0)
        return pail_fail(error, PAIL_ERR_ARGUMENT,
                         "--tokens %s: has mode %03o, but nobody else may read or write it, and "
                         "its group may not write it",
                         path, (unsigned)file->st_mode & 0777);
    if (file->st_size > FILE_BYTES_MAX)
        return pail_fail(error, PAIL_ERR_DATA, "--tokens %s: has %jd bytes, and %d at most", path,
                         (intmax_t)file->st_size, FILE_BYTES_MAX);
    return PAIL_OK;
}

/* Nobody else could have written the file, or put it there, or may read it. A list may let a user
 * read whom the mode does not show; the group that the mode lets read is the owner's to choose. */
static pail_status check_trust(int fd, const struct stat *file, const char *path,
                               struct pail_error *error)
{
    struct pail_trusted trusted, readers;
    struct pail_writers writers;
    char reason[PATH_MAX + 256], *const resolved = realpath(path, NULL);
    pail_trust_init(&trusted, NULL);
    readers = trusted;
    pail_trusted_add_group(&readers, file->st_gid);
    if (!resolved)
        return pail_fail(error, PAIL_ERR_IO, "--tokens %s: cannot be resolved: %s", path,
                         strerror(errno));
    /* The writers of the opened file are looked at first, then those of the place, which keep it
     * from changing. */
    const bool good = pail_writers_of_file(&writers, fd, reason, sizeof(reason)) &&
                      pail_writers_are_trusted(&writers, &trusted, false, reason, sizeof(reason)) &&
                      pail_readers_of_file(&writers, fd, reason, sizeof(reason)) &&
                      pail_writers_are_trusted(&writers, &readers, false, reason, sizeof(reason)) &&
                      pail_trust_check(&trusted, resolved, reason, sizeof(reason));
    free(resolved);
    return good ? PAIL_OK : pail_fail(error, PAIL_ERR_ARGUMENT, "--tokens %s: %s", path, reason);
}

static pail_status read_file(char *text, size_t *bytes, const char *path, struct pail_error *error)
{
    struct stat file;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);
    if (fd < 0 && errno == ELOOP)
        return pail_fail(error, PAIL_ERR_IO,
                         "--tokens %s: is a symbolic link, not a regular file; name the file",
                         path);
    if (fd < 0 || fstat(fd, &file) != 0) {
        (void)pail_fail(error, PAIL_ERR_IO, "--tokens %s: cannot be opened: %s", path,
                        strerror(errno));
        if (fd >= 0)
            (void)close(fd);
        return error->status;
    }
    pail_status status = check_file(&file, path, error);
    if (status == PAIL_OK)
        status = check_trust(fd, &file, path, error);
    *bytes = 0;
    while (status == PAIL_OK && *bytes < FILE_BYTES_MAX) {
        const ssize_t got = read(fd, text + *bytes, FILE_BYTES_MAX - *bytes);
        if (got < 0 && errno != EINTR)
            status = pail_fail(error, PAIL_ERR_IO, "--tokens %s: cannot be read: %s", path,
                               strerror(errno));
        if (got == 0)
            break;
        *bytes += got > 0 ? (size_t)got : 0;
    }
    (void)close(fd);
    return status;
}

/* ---- Its lines --------------------------------------------------------------------------------
 */
static pail_status add(struct pail_tokens *tokens, const char *text, size_t chars, size_t line,
                       const char *path, struct pail_error *error)
{
    for (size_t i = 0; i < chars; i++)
        if (text[i] <= ' ' || text[i] > '~')
            return pail_fail(error, PAIL_ERR_DATA,
                             "--tokens %s: line %zu has a character that no token has", path, line);
    if (chars < PAIL_TOKEN_CHARS_MIN || chars > PAIL_TOKEN_CHARS_MAX)
        return pail_fail(error, PAIL_ERR_DATA,
                         "--tokens %s: line %zu has %zu characters, but a token has %d to %d", path,
                         line, chars, PAIL_TOKEN_CHARS_MIN, PAIL_TOKEN_CHARS_MAX);
    if (tokens->n == PAIL_TOKENS_MAX)
        return pail_fail(error, PAIL_ERR_DATA, "--tokens %s: has more than %d tokens", path,
                         PAIL_TOKENS_MAX);
    memcpy(tokens->tokens[tokens->n], text, chars);
    tokens->chars[tokens->n++] = (uint8_t)chars;
    return PAIL_OK;
}

static pail_status parse(struct pail_tokens *tokens, const char *text, size_t bytes,
                         const char *path, struct pail_error *error)
{
    pail_status status = PAIL_OK;
    size_t line = 1;
    for (size_t at = 0; at < bytes && status == PAIL_OK; line++) {
        const char *const end = memchr(text + at, '\n', bytes - at);
        size_t chars = end ? (size_t)(end - (text + at)) : bytes - at;
        const size_t next = at + chars + 1;
        chars -= chars > 0 && text[at + chars - 1] == '\r';
        if (chars > 0 && text[at] != '#')
            status = add(tokens, text + at, chars, line, path, error);
        at = next;
    }
    if (status == PAIL_OK && tokens->n == 0)
        status = pail_fail(error, PAIL_ERR_DATA, "--tokens %s: has no token", path);
    return status;
}

pail_status pail_tokens_read(struct pail_tokens *tokens, const char *path, struct pail_error *error)
{
    char *const text = malloc(FILE_BYTES_MAX);
    size_t bytes = 0;
    memset(tokens, 0, sizeof(*tokens));
    if (!text)
        return pail_fail(error, PAIL_ERR_HOST_MEMORY, "no memory for tokens");
    pail_status status = read_file(text, &bytes, path, error);
    if (status == PAIL_OK)
        status = parse(tokens, text, bytes, path, error);
    pail_wipe(text, FILE_BYTES_MAX);
    free(text);
    if (status != PAIL_OK)
        pail_tokens_wipe(tokens);
    return status;
}

/* ---- Comparing --------------------------------------------------------------------------------
 */
bool pail_tokens_have(const struct pail_tokens *tokens, const char *given)
{
    uint8_t padded[PAIL_TOKEN_CHARS_MAX] = {0};
    const size_t chars = given ? strlen(given) : 0;
    if (chars > PAIL_TOKEN_CHARS_MAX || chars == 0)
        return false;
    memcpy(padded, given, chars);
    uint32_t found = 0;
    for (uint32_t t = 0; t < PAIL_TOKENS_MAX; t++) { /* unused places are empty */
        uint32_t differs = tokens->chars[t] ^ (uint32_t)chars;
        for (size_t i = 0; i < PAIL_TOKEN_CHARS_MAX; i++)
            differs |= (uint32_t)(tokens->tokens[t][i] ^ padded[i]);
        found |= (differs - 1) >> 31; /* 1 where differs is 0 */
    }
    pail_wipe(padded, sizeof(padded));
    return found != 0;
}

void pail_tokens_wipe(struct pail_tokens *tokens)
{
    pail_wipe(tokens, sizeof(*tokens));
}
