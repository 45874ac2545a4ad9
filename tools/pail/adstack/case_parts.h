/* The parts of a reader of case.h. Functions return PAIL_OK, or a status after a sentence. */
#ifndef PAIL_TOOL_ADSTACK_CASE_PARTS_H
#define PAIL_TOOL_ADSTACK_CASE_PARTS_H

#include "case.h"
#include "options/names.h"
#include "output/json_place.h"

/* Zeroed memory that lives as long as the case; for 0 elements there is memory, too. NULL: there is
 * none. */
void *pail_sizing_alloc(struct pail_sizing_case *made, uint64_t n, uint64_t size);
pail_status pail_sizing_no_memory(const struct pail_json_place *place);

extern const struct pail_name pail_dtype_names[]; /* "i32" */
extern const struct pail_name pail_node_names[];  /* kinds: "max_over" */

/* The binding of a source and the bytes of its contents. */
pail_status pail_sizing_read_source(struct pail_sizing_case *made, json_t *json, uint32_t source,
                                    const struct pail_json_place *place);

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

/* The bytes of an element. dtype: one of pail_dtype_names, signed and unsigned each by their width.
 */
uint32_t pail_sizing_dtype_bytes(uint32_t dtype);

#endif /* PAIL_TOOL_ADSTACK_CASE_PARTS_H */
