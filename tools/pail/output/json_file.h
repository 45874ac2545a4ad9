/* JSON that is read. */
#ifndef PAIL_TOOL_OUTPUT_JSON_FILE_H
#define PAIL_TOOL_OUTPUT_JSON_FILE_H

#include <jansson.h>

#include "error/error.h"
#include <pail/backend.h>

/* The deepest nesting of arrays and objects: the JSON library's limit. */
#define PAIL_JSON_DEPTH 2048

/* The value in a file; a key that stands twice in an object is refused. The sentence names the
 * path, and line and column of what is no JSON. root: NULL on failure, else to be released. Returns
 * PAIL_OK, PAIL_ERR_IO or PAIL_ERR_DATA. */
pail_status pail_json_file_read(json_t **root, const char *path, struct pail_error *error);

#endif /* PAIL_TOOL_OUTPUT_JSON_FILE_H */
