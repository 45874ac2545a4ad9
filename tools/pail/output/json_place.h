/* Places of values in a JSON file, and one sentence for each value that cannot be used. */
#ifndef PAIL_TOOL_OUTPUT_JSON_PLACE_H
#define PAIL_TOOL_OUTPUT_JSON_PLACE_H

#include <jansson.h>

#include "error/error.h"
#include "options/names.h"

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

#endif /* PAIL_TOOL_OUTPUT_JSON_PLACE_H */
