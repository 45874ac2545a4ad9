#define _POSIX_C_SOURCE 200809L

#include "prove_files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BEGINS(text)                                                                               \
    {                                                                                              \
        .bytes = (text), .n = sizeof(text) - 1                                                     \
    }

/* As snarkjs and rapidsnark write them. */
static const struct pail_magic proof_magic[] = {BEGINS("{\n \"pi_a\""), BEGINS("{\"pi_a\"")};
static const struct pail_magic public_magic[] = {BEGINS("[\n \""), BEGINS("[\""), BEGINS("[\n]"),
                                                 BEGINS("[]")};

static pail_status begin(struct pail_replace *file, const char *path,
                         const struct pail_magic *magic, size_t n, struct pail_error *error)
{
    const struct pail_replace_rule rule = {.ours = magic, .n_ours = n, .mode = 0666};
    const char *const why = pail_replace_begin(file, path, &rule);
    return why == NULL ? PAIL_OK : pail_fail(error, PAIL_ERR_IO, "%s: %s", path, why);
}

pail_status pail_prove_files_begin(struct pail_prove_files *files,
                                   const struct pail_prove_options *options,
                                   struct pail_error *error)
{
    const pail_status status = begin(&files->proof, options->proof, proof_magic,
                                     sizeof(proof_magic) / sizeof(proof_magic[0]), error);
    return status != PAIL_OK ? status
                             : begin(&files->publics, options->publics, public_magic,
                                     sizeof(public_magic) / sizeof(public_magic[0]), error);
}

static pail_status write_text(const struct pail_replace *file, const char *path, const char *text,
                              size_t length, struct pail_error *error)
{
    while (length > 0) {
        const ssize_t written = write(file->fd, text, length);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return pail_fail(error, PAIL_ERR_IO, "%s: %s", path, strerror(errno));
        text += written;
        length -= (size_t)written;
    }
    return PAIL_OK;
}

static pail_status write_proof(const struct pail_prove_files *files,
                               const struct pail_prove_outcome *outcome, struct pail_error *error)
{
    char text[4096];
    size_t length;
    pail_status status =
        pail_told(error, pail_groth16_proof_text(text, sizeof(text), &length, &outcome->proof,
                                                 PAIL_GROTH16_SNARKJS, PAIL_SENTENCE(error)));
    if (status == PAIL_OK)
        status = write_text(&files->proof, outcome->options->proof, text, length, error);
    return status;
}

static pail_status write_publics(const struct pail_prove_files *files,
                                 const struct pail_prove_outcome *outcome, struct pail_error *error)
{
    size_t length;
    const uint64_t n = outcome->key.n_public;
    pail_status status =
        pail_told(error, pail_groth16_public_text(NULL, 0, &length, outcome->publics, n,
                                                  PAIL_GROTH16_SNARKJS, PAIL_SENTENCE(error)));
    char *const text = status == PAIL_OK ? malloc(length + 1) : NULL;
    if (status == PAIL_OK && text == NULL)
        status =
            pail_fail(error, PAIL_ERR_HOST_MEMORY, "no memory for %s", outcome->options->publics);
    if (status == PAIL_OK)
        status = pail_told(error,
                           pail_groth16_public_text(text, length + 1, &length, outcome->publics, n,
                                                    PAIL_GROTH16_SNARKJS, PAIL_SENTENCE(error)));
    if (status == PAIL_OK)
        status = write_text(&files->publics, outcome->options->publics, text, length, error);
    free(text);
    return status;
}

static pail_status publish(struct pail_replace *file, const char *path, struct pail_error *error)
{
    const char *const why = pail_replace_publish(file);
    return why == NULL ? PAIL_OK : pail_fail(error, PAIL_ERR_IO, "%s: %s", path, why);
}

pail_status pail_prove_files_write(struct pail_prove_files *files,
                                   const struct pail_prove_outcome *outcome,
                                   struct pail_error *error)
{
    pail_status status = write_proof(files, outcome, error);
    if (status == PAIL_OK)
        status = write_publics(files, outcome, error);
    if (status == PAIL_OK)
        status = publish(&files->proof, outcome->options->proof, error);
    if (status == PAIL_OK)
        status = publish(&files->publics, outcome->options->publics, error);
    return status;
}

void pail_prove_files_end(struct pail_prove_files *files)
{
    pail_replace_end(&files->proof);
    pail_replace_end(&files->publics);
}
