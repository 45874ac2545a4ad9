/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel with its trees and what its arrays hold at a launch, as a JSON file says it
 * (docs/adstack-eval.md). */
#ifndef PAIL_TOOL_ADSTACK_CASE_H
#define PAIL_TOOL_ADSTACK_CASE_H

#include <stdbool.h>

#include <jansson.h>

#include <pail/backend.h>

#include "error/error.h"
#include "options/names.h"
#include "output/json.h"

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

/* ---- Parts of the reader: they return PAIL_OK, or a status after a sentence ------------------ */

/* Zeroed memory that lives as long as the case; for 0 elements there is memory, too. NULL: there is
 * none. */
void *pail_sizing_alloc(struct pail_sizing_case *made, uint64_t n, uint64_t size);
pail_status pail_sizing_no_memory(const struct pail_json_place *place);

extern const struct pail_name pail_dtype_names[]; /* "i32" */
extern const struct pail_name pail_node_names[];  /* kinds: "max_over" */

/* Contents of a source whose type, shape and strides are in the binding. */
pail_status pail_sizing_read_contents(struct pail_sizing_case *made, json_t *json,
                                      pail_binding *binding, const struct pail_json_place *place);

/* A tree in either form. */
pail_status pail_sizing_read_tree(struct pail_sizing_case *made, json_t *json, pail_tree *tree,
                                  const struct pail_json_place *place);

/* ["max_over", "i", 0, ["shape", "n", 0], ["read", "n", "i"]] */
pail_status pail_sizing_read_nested(struct pail_sizing_case *made, json_t *json, pail_tree *tree,
                                    const struct pail_json_place *place);

/* The source that a name or a number names. */
pail_status pail_sizing_find_source(const struct pail_sizing_case *made, const json_t *json,
                                    const struct pail_json_place *place, int32_t *source);

/* "float", "int" or "rows", as files have it. */
const char *pail_sizing_heap_name(uint32_t heap);
const char *pail_sizing_layout_name(uint32_t layout); /* of pail_layout */

/* The bytes of an element. dtype: one of pail_dtype_names, signed and unsigned each by their width.
 */
uint32_t pail_sizing_dtype_bytes(uint32_t dtype);

#endif /* PAIL_TOOL_ADSTACK_CASE_H */
