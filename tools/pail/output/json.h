/* SPDX-License-Identifier: Apache-2.0 */
/* JSON: objects that are written, files that are read. */
#ifndef PAIL_TOOL_OUTPUT_JSON_H
#define PAIL_TOOL_OUTPUT_JSON_H

#include <stdbool.h>
#include <stdio.h>

#include <jansson.h>

#include <pail/backend.h>

#include "error/error.h"
#include "options/names.h"

/* From here on, memory of JSON is wiped before it is freed: inputs of circuits are secret. Before
 * any other use of JSON. */
void pail_json_wipe_memory(void);

/* An object or an array in the making. Whatever cannot be made marks it as failed, and taking or
 * printing it tells: nobody has to look at each step. */
struct pail_json {
    json_t *object;
    bool failed;
};

void pail_json_begin(struct pail_json *json);
/* The same for an array, to be taken as an object is; pail_json_add appends to it. */
void pail_json_begin_list(struct pail_json *list);
void pail_json_add(struct pail_json *list, json_t *value);
/* Takes over the reference to the value; NULL, one that could not be made, is a failure. */
void pail_json_set(struct pail_json *json, const char *key, json_t *value);
void pail_json_set_text(struct pail_json *json, const char *key, const char *text);
void pail_json_set_number(struct pail_json *json, const char *key, uint64_t number);
void pail_json_set_real(struct pail_json *json, const char *key, double real);
void pail_json_set_bool(struct pail_json *json, const char *key, bool value);

/* The object, for use as a value of another; NULL if any part of it could not be made. Ends the
 * object: begin it again before further use. */
json_t *pail_json_take(struct pail_json *json);

/* Prints the object and a newline, and ends it. Returns PAIL_OK, or PAIL_ERR_HOST_MEMORY with a
 * sentence. */
pail_status pail_json_print(FILE *out, struct pail_json *json, struct pail_error *error);

/* ---- Statistics ------------------------------------------------------------------------------ */

/* [{"name": ..., "ms": ...}, ...]; NULL if there is no memory for it. */
json_t *pail_phases_array(const pail_stats *stats);

/* Everything else but the times: the plan, the effective knobs, the bytes, kernels, pipelines. */
void pail_json_set_stats(struct pail_json *json, const pail_stats *stats);

/* ---- Files ----------------------------------------------------------------------------------- */

/* The value in a file; a key that stands twice in an object is refused. The sentence names the
 * path, and line and column of what is no JSON. root: NULL on failure, else to be released. Returns
 * PAIL_OK, PAIL_ERR_IO or PAIL_ERR_DATA. */
pail_status pail_json_file_read(json_t **root, const char *path, struct pail_error *error);

/* ---- Reading: values with their place, for sentences ----------------------------------------- */

/* The file's path, with which sentences begin, and the error that they go to. */
struct pail_json_file {
    const char *path;
    struct pail_error *error;
};

/* A member of an object, or with a NULL key an element of an array, inside of another. The place
 * without `up` is the file itself. */
struct pail_json_place {
    const struct pail_json_place *up;
    const char *key;
    size_t index;
    const struct pail_json_file *file;
};

struct pail_json_place pail_json_member(const struct pail_json_place *up, const char *key);
struct pail_json_place pail_json_element(const struct pail_json_place *up, size_t index);

/* "FILE: tasks[0].threads cannot be -1: " and the rest, and PAIL_ERR_DATA. */
pail_status pail_json_refuse(const struct pail_json_place *place, const json_t *value,
                             const char *format, ...) PAIL_REPORT_PRINTF(3, 4);

/* "FILE: tasks[0]: " and the rest, with a status. */
pail_status pail_json_complain(const struct pail_json_place *place, pail_status status,
                               const char *format, ...) PAIL_REPORT_PRINTF(3, 4);

/* The status of the file so far: what follows does nothing any more once it has failed, so that a
 * reader can go on and look at the end. */
pail_status pail_json_status(const struct pail_json_place *place);

/* Refuses a value that is no object, or has other keys; the list ends with NULL. */
void pail_json_object(json_t *value, const struct pail_json_place *place, const char *const *keys);

/* Members of an object; what is not there stays as it is. An integer from `least` to `most`: */
void pail_json_integer(const json_t *object, const struct pail_json_place *place, const char *key,
                       json_int_t least, json_int_t most, json_int_t *number);
/* a name out of a list, or its number: */
void pail_json_word(const json_t *object, const struct pail_json_place *place, const char *key,
                    const struct pail_name *names, uint32_t *value);
/* a text: */
void pail_json_text(const json_t *object, const struct pail_json_place *place, const char *key,
                    const char **text);
/* an array: */
void pail_json_array(const json_t *object, const struct pail_json_place *place, const char *key,
                     json_t **array);

#endif /* PAIL_TOOL_OUTPUT_JSON_H */
