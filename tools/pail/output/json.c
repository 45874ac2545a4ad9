#include "json.h"

#include <stdlib.h>

void pail_json_begin(struct pail_json *json)
{
    *json = (struct pail_json){.object = json_object()};
    json->failed = json->object == NULL;
}

void pail_json_begin_list(struct pail_json *list)
{
    *list = (struct pail_json){.object = json_array()};
    list->failed = list->object == NULL;
}

void pail_json_add(struct pail_json *list, json_t *value)
{
    if (json_array_append_new(list->object, value) != 0)
        list->failed = true;
}

void pail_json_set(struct pail_json *json, const char *key, json_t *value)
{
    if (json_object_set_new(json->object, key, value) != 0)
        json->failed = true;
}

void pail_json_set_text(struct pail_json *json, const char *key, const char *text)
{
    /* Names of files and devices may be no UTF-8: those come out as null, not as a failure. */
    json_t *const value = json_string(text);
    pail_json_set(json, key, value != NULL ? value : json_null());
}

void pail_json_set_number(struct pail_json *json, const char *key, uint64_t number)
{
    pail_json_set(json, key, json_integer((json_int_t)number));
}

void pail_json_set_real(struct pail_json *json, const char *key, double real)
{
    pail_json_set(json, key, json_real(real));
}

void pail_json_set_bool(struct pail_json *json, const char *key, bool value)
{
    pail_json_set(json, key, json_boolean(value));
}

json_t *pail_json_take(struct pail_json *json)
{
    json_t *object = json->object;
    if (json->failed) {
        json_decref(object);
        object = NULL;
    }
    *json = (struct pail_json){0};
    return object;
}

pail_status pail_json_print(FILE *out, struct pail_json *json, struct pail_error *error)
{
    json_t *const object = pail_json_take(json);
    char *const text =
        object != NULL
            ? json_dumps(object, JSON_INDENT(2) | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(7))
            : NULL;
    if (text != NULL) {
        (void)fputs(text, out);
        (void)fputc('\n', out);
    }
    json_decref(object);
    if (text == NULL)
        return pail_fail(error, PAIL_ERR_HOST_MEMORY, "no memory for the output");
    free(text);
    return PAIL_OK;
}
