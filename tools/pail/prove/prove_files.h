/* The two files that a proof makes. Their places are looked at before anything is computed, and
 * both are written before either gets its name. */
#ifndef PAIL_TOOL_PROVE_PROVE_FILES_H
#define PAIL_TOOL_PROVE_PROVE_FILES_H

#include <platform/replace.h>

#include "prove.h"

struct pail_prove_files {
    struct pail_replace proof, publics;
};

/* PAIL_ERR_IO where a place cannot be taken: only what is new, or begins as such a file does, is.
 */
pail_status pail_prove_files_begin(struct pail_prove_files *files,
                                   const struct pail_prove_options *options,
                                   struct pail_error *error);

pail_status pail_prove_files_write(struct pail_prove_files *files,
                                   const struct pail_prove_outcome *outcome,
                                   struct pail_error *error);

/* Legal on files that are zeroed by PAIL_PROVE_FILES_NONE or failed to begin. */
void pail_prove_files_end(struct pail_prove_files *files);

#define PAIL_PROVE_FILES_NONE                                                                      \
    ((struct pail_prove_files){{.fd = -1, .folder = -1}, {.fd = -1, .folder = -1}})

#endif /* PAIL_TOOL_PROVE_PROVE_FILES_H */
