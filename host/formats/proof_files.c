/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L

#include "proof_files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proof_json.h"
#include "report.h"

#define BEGINS(text)                                                                               \
    {                                                                                              \
        .bytes = (text), .n = sizeof(text) - 1                                                     \
    }

/* The forms that snarkjs and rapidsnark write. */
static const struct pail_magic proof_magic[] = {BEGINS("{\n \"pi_a\""), BEGINS("{\"pi_a\"")};
static const struct pail_magic public_magic[] = {BEGINS("[\n \""), BEGINS("[\""), BEGINS("[\n]"),
                                                 BEGINS("[]")};

static pail_status begin(struct pail_replace *file, const char *path,
                         const struct pail_magic *magic, size_t n, char *error, size_t error_cap)
{
    if (path[0] == '\0')
        return pail_report(error, error_cap, PAIL_ERR_IO, "\"\" names no file");
    const struct pail_replace_rule rule = {.ours = magic, .n_ours = n, .mode = 0666};
    const char *const why = pail_replace_begin(file, path, &rule);
    return !why ? PAIL_OK : pail_report(error, error_cap, PAIL_ERR_IO, "%s: %s", path, why);
}

pail_status pail_proof_files_begin(struct pail_proof_files *files, const char *proof_path,
                                   const char *public_path, char *error, size_t error_cap)
{
    *files = PAIL_PROOF_FILES_NONE;
    files->proof_path = proof_path;
    files->public_path = public_path;
    pail_status status = begin(&files->proof, proof_path, proof_magic,
                               sizeof(proof_magic) / sizeof(proof_magic[0]), error, error_cap);
    if (status == PAIL_OK)
        status = begin(&files->publics, public_path, public_magic,
                       sizeof(public_magic) / sizeof(public_magic[0]), error, error_cap);
    if (status == PAIL_OK && pail_replace_same(&files->proof, &files->publics))
        return pail_report(error, error_cap, PAIL_ERR_ARGUMENT,
                           "%s: the proof and the public values cannot be one file", public_path);
    return status;
}

enum { PORTION_MAX = 1 << 30 }; /* no system writes fewer bytes at once */

static pail_status write_text(const struct pail_replace *file, const char *path, const char *text,
                              size_t length, char *error, size_t error_cap)
{
    while (length > 0) {
        const unsigned portion = length < PORTION_MAX ? (unsigned)length : PORTION_MAX;
        const ssize_t written = write(file->fd, text, portion);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return pail_report(error, error_cap, PAIL_ERR_IO, "%s: %s", path, strerror(errno));
        text += written;
        length -= (size_t)written;
    }
    return PAIL_OK;
}

/* The proof last: a new one is found beside its public values, and an old proof beside new public
 * values is not valid. */
static pail_status publish(struct pail_proof_files *files, char *error, size_t error_cap)
{
    const struct pail_replace *failed;
    const char *const why = pail_replace_publish_both(&files->publics, &files->proof, &failed);
    if (!why)
        return PAIL_OK;
    if (files->publics.published)
        return pail_report(error, error_cap, PAIL_ERR_IO,
                           "%s: %s; %s has the new public values already", files->proof_path, why,
                           files->public_path);
    return pail_report(error, error_cap, PAIL_ERR_IO, "%s: %s",
                       failed == &files->proof ? files->proof_path : files->public_path, why);
}

pail_status pail_proof_files_write_texts(struct pail_proof_files *files, const char *proof_text,
                                         size_t proof_length, const char *public_text,
                                         size_t public_length, char *error, size_t error_cap)
{
    pail_status status =
        write_text(&files->proof, files->proof_path, proof_text, proof_length, error, error_cap);
    if (status == PAIL_OK)
        status = write_text(&files->publics, files->public_path, public_text, public_length, error,
                            error_cap);
    return status == PAIL_OK ? publish(files, error, error_cap) : status;
}

pail_status pail_proof_files_write(struct pail_proof_files *files, const pail_groth16_proof *proof,
                                   const uint8_t *publics, size_t n_public,
                                   enum pail_groth16_layout layout, char *error, size_t error_cap)
{
    char proof_text[4096];
    size_t proof_length, public_length;
    pail_status status = pail_proof_json(proof_text, sizeof(proof_text), &proof_length, proof,
                                         layout, error, error_cap);
    if (status == PAIL_OK)
        status =
            pail_public_json(NULL, 0, &public_length, publics, n_public, layout, error, error_cap);
    if (status != PAIL_OK)
        return status;
    char *const public_text = malloc(public_length + 1);
    if (!public_text)
        return pail_report(error, error_cap, PAIL_ERR_HOST_MEMORY, "no memory for %s",
                           files->public_path);
    status = pail_public_json(public_text, public_length + 1, &public_length, publics, n_public,
                              layout, error, error_cap);
    if (status == PAIL_OK)
        status = pail_proof_files_write_texts(files, proof_text, proof_length, public_text,
                                              public_length, error, error_cap);
    free(public_text);
    return status;
}

void pail_proof_files_end(struct pail_proof_files *files)
{
    pail_replace_end(&files->proof);
    pail_replace_end(&files->publics);
}
