/* A kernel with its trees and what its arrays hold at a launch, as a JSON file says it
 * (docs/adstack-eval.md). */
#ifndef PAIL_TOOL_ADSTACK_CASE_H
#define PAIL_TOOL_ADSTACK_CASE_H

#include <stdbool.h>

#include <jansson.h>

#include "error/error.h"
#include <pail/backend.h>

/* The sizes that a stack's tree is expected to give. */
struct pail_sizing_expectation {
    bool given;
    int64_t raw;
};

/* Everything a kernel is registered and launched with. Strings and arrays belong to the case. */
struct pail_sizing_case {
    const char *path;
    pail_kernel_desc kernel;
    pail_binding *bindings;     /* [kernel.n_sources] */
    const char **source_names;  /* [kernel.n_sources] */
    pail_task_launch *launches; /* [kernel.n_tasks] */
    uint64_t *first_stack;      /* [kernel.n_tasks + 1]: number of a task's first stack */
    struct pail_sizing_expectation *expected; /* [of all stacks] */

    json_t *root; /* strings point into it */
    void *blocks; /* of memory */
};

/* Reads and checks a file as far as its form goes; whether trees are legal is for the backend to
 * say. On failure, too, the case is to be freed.
 * Errors: PAIL_ERR_IO, PAIL_ERR_DATA, PAIL_ERR_HOST_MEMORY with one sentence. */
pail_status pail_sizing_case_read(struct pail_sizing_case *made, const char *path,
                                  struct pail_error *error);

/* Legal on a case that is zeroed. */
void pail_sizing_case_free(struct pail_sizing_case *made);

#endif /* PAIL_TOOL_ADSTACK_CASE_H */
