#include "json_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

pail_status pail_json_file_read(json_t **root, const char *path, struct pail_error *error)
{
    json_error_t reason;
    *root = NULL;
    FILE *const stream = fopen(path, "re");
    if (stream == NULL)
        return pail_fail(error, PAIL_ERR_IO, "%s: %s", path, strerror(errno));
    errno = 0;
    *root = json_loadf(stream, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &reason);
    const int failure = ferror(stream) != 0 ? errno : 0;
    (void)fclose(stream);
    if (failure != 0) {
        json_decref(*root);
        *root = NULL;
        return pail_fail(error, PAIL_ERR_IO, "%s: %s", path, strerror(failure));
    }
    if (*root == NULL && json_error_code(&reason) == json_error_stack_overflow)
        return pail_fail(error, PAIL_ERR_DATA,
                         "%s: line %d, column %d: arrays and objects are more than %d deep in "
                         "one another",
                         path, reason.line, reason.column, PAIL_JSON_DEPTH);
    if (*root == NULL)
        return pail_fail(error, PAIL_ERR_DATA, "%s: line %d, column %d: %s", path, reason.line,
                         reason.column, reason.text);
    return PAIL_OK;
}
