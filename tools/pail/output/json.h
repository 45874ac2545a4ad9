/* JSON objects that are printed once they are complete. */
#ifndef PAIL_TOOL_OUTPUT_JSON_H
#define PAIL_TOOL_OUTPUT_JSON_H

#include <stdbool.h>
#include <stdio.h>

#include <jansson.h>

#include "error/error.h"
#include <pail/backend.h>

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

#endif /* PAIL_TOOL_OUTPUT_JSON_H */
