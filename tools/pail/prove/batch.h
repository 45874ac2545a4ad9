/* `pail prove KEY --batch LIST`: many proofs with one key, over the ranks of a cluster. */
#ifndef PAIL_TOOL_PROVE_BATCH_H
#define PAIL_TOOL_PROVE_BATCH_H

#include "error/error.h"
#include "prove.h"

/* A line of the list. */
struct pail_batch_entry {
    size_t line; /* from 1 */
    const char *witness, *proof, *publics;
};

struct pail_batch_list {
    struct pail_batch_entry *entries; /* [n] */
    size_t n;
    char *text; /* the text that the entries point into */
};

/* A line is WITNESS PROOF PUBLIC, separated by tabs, or, where a line has none, by spaces. Empty
 * lines and those that begin with # are left out.
 *
 * Returns PAIL_OK; PAIL_ERR_DATA: a line has not three names, or one that is too long, or a name of
 * an output stands twice; PAIL_ERR_IO, PAIL_ERR_HOST_MEMORY. The list is zeroed then. */
pail_status pail_batch_list_read(struct pail_batch_list *list, const char *path,
                                 struct pail_error *error);

/* Legal on a list that is zeroed or failed to be read. */
void pail_batch_list_free(struct pail_batch_list *list);

enum { PAIL_BATCH_PATH = 4096 }; /* bytes of a name with its end */

/* The whole command, when it has --batch. */
void pail_prove_batch(struct pail_error *error, const struct pail_prove_options *options);

#endif /* PAIL_TOOL_PROVE_BATCH_H */
