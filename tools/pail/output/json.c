/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L

#include "json.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include <pail/backend.h>

#include <platform/memory.h>
#include <platform/text.h>

#include "error/error.h"
#include "options/names.h"

/* ---- Writing --------------------------------------------------------------------------------- */

void pail_json_wipe_memory(void)
{
    json_set_alloc_funcs(malloc, pail_wipe_and_free);
}

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
    pail_json_set(json, key, value ? value : json_null());
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
    if (text) {
        (void)fputs(text, out);
        (void)fputc('\n', out);
    }
    json_decref(object);
    if (!text)
        return pail_fail(error, PAIL_ERR_HOST_MEMORY, "no memory for the output");
    free(text);
    return PAIL_OK;
}

/* ---- Statistics of multiplications ----------------------------------------------------------- */

json_t *pail_phases_array(const pail_stats *stats)
{
    struct pail_json phases, phase;
    pail_json_begin_list(&phases);
    for (uint32_t i = 0; i < stats->n_phases && i < PAIL_PHASES_MAX; i++) {
        pail_json_begin(&phase);
        pail_json_set_text(&phase, "name", stats->phases[i].name);
        pail_json_set_real(&phase, "ms", stats->phases[i].ms);
        pail_json_add(&phases, pail_json_take(&phase));
    }
    return pail_json_take(&phases);
}

void pail_json_set_stats(struct pail_json *json, const pail_stats *stats)
{
    pail_json_set_number(json, "window_bits", stats->window_bits);
    pail_json_set_number(json, "windows", stats->windows);
    pail_json_set_number(json, "batches", stats->batches);
    pail_json_set_number(json, "chunks", stats->chunks);
    pail_json_set_number(json, "blocks", stats->blocks);
    pail_json_set_number(json, "sorts", stats->sorts);
    pail_json_set_number(json, "submissions", stats->submissions);
    pail_json_set_real(json, "longest_submission_ms", stats->longest_submission_ms);
    pail_json_set_text(json, "accumulator",
                       pail_name_of(pail_accumulator_names, stats->accumulator));
    pail_json_set_text(json, "field", pail_name_of(pail_field_names, stats->field));
    pail_json_set_text(json, "placement",
                       stats->prefix_placement == PAIL_PLACEMENT_AUTO
                           ? "none"
                           : pail_name_of(pail_placement_names, stats->prefix_placement));
    pail_json_set_number(json, "slots", stats->slots);
    pail_json_set_number(json, "inversion_group", stats->inversion_group);
    pail_json_set_number(json, "workgroup", stats->workgroup);
    pail_json_set_number(json, "threads", stats->threads);
    pail_json_set_number(json, "adds", stats->adds);
    pail_json_set_number(json, "bytes_estimate", stats->bytes_estimate);
    pail_json_set_number(json, "bytes_requested", stats->bytes_requested);
    pail_json_set_number(json, "bytes_allocated", stats->bytes_allocated);
    pail_json_set_number(json, "bytes_bases", stats->bytes_bases);
    pail_json_set_number(json, "bytes_streamed", stats->bytes_streamed);
    pail_json_set_number(json, "bytes_wiped", stats->bytes_wiped);
    char hash[32];
    (void)snprintf(hash, sizeof(hash), "0x%016" PRIx64, stats->kernel_hash);
    pail_json_set_text(json, "kernel_hash", hash);
    struct pail_json pipelines;
    pail_json_begin(&pipelines);
    pail_json_set_number(&pipelines, "memory", stats->pipelines_memory);
    pail_json_set_number(&pipelines, "disk", stats->pipelines_disk);
    pail_json_set_number(&pipelines, "compiled", stats->pipelines_compiled);
    pail_json_set_real(&pipelines, "ms", stats->pipelines_ms);
    pail_json_set(json, "pipelines", pail_json_take(&pipelines));
}

/* ---- Files ----------------------------------------------------------------------------------- */

/* The deepest nesting of arrays and objects: the JSON library's limit. */
#define PAIL_JSON_DEPTH 2048

pail_status pail_json_file_read(json_t **root, const char *path, struct pail_error *error)
{
    json_error_t reason;
    *root = NULL;
    FILE *const stream = fopen(path, "re");
    if (!stream)
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
    if (!*root && json_error_code(&reason) == json_error_stack_overflow)
        return pail_fail(error, PAIL_ERR_DATA,
                         "%s: line %d, column %d: arrays and objects are more than %d deep in "
                         "one another",
                         path, reason.line, reason.column, PAIL_JSON_DEPTH);
    if (!*root)
        return pail_fail(error, PAIL_ERR_DATA, "%s: is no JSON: line %d, column %d: %s", path,
                         reason.line, reason.column, reason.text);
    return PAIL_OK;
}

/* ---- Reading, with the place in sentences ---------------------------------------------------- */

enum {
    VALUE_CHARS = 64,  /* of a value that is cited in a sentence */
    PLACE_CHARS = 512, /* of a place */
    REST_CHARS = 512,
};

struct pail_json_place pail_json_member(const struct pail_json_place *up, const char *key)
{
    return (struct pail_json_place){.up = up, .key = key, .file = up->file};
}

struct pail_json_place pail_json_element(const struct pail_json_place *up, size_t index)
{
    return (struct pail_json_place){.up = up, .index = index, .file = up->file};
}

static void cite(char text[VALUE_CHARS], const json_t *value)
{
    char *const whole = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);
    const size_t length = whole ? strlen(whole) : 0;
    (void)snprintf(text, VALUE_CHARS, "%s", whole ? whole : "?");
    if (length >= VALUE_CHARS)
        memcpy(text + VALUE_CHARS - 4, "...", 4);
    free(whole);
}

/* "tasks[0].stacks[1].tree", written from its end. A place too long loses its beginning. */
static const char *describe(char text[PLACE_CHARS], const struct pail_json_place *place)
{
    size_t at = PLACE_CHARS - 1;
    text[at] = '\0';
    for (; place->up != NULL; place = place->up) {
        char step[PLACE_CHARS];
        const int n =
            place->key ? snprintf(step, sizeof(step), "%s%s", place->up->up ? "." : "", place->key)
                       : snprintf(step, sizeof(step), "[%zu]", place->index);
        if (n < 0 || (size_t)n > at || (size_t)n >= sizeof(step)) {
            memcpy(text + at, "...", at + 3 < PLACE_CHARS ? 3 : 0);
            break;
        }
        at -= (size_t)n;
        memcpy(text + at, step, (size_t)n);
    }
    return text + at;
}

pail_status pail_json_refuse(const struct pail_json_place *place, const json_t *value,
                             const char *format, ...)
{
    char cited[VALUE_CHARS], where[PLACE_CHARS], rest[REST_CHARS];
    cite(cited, value);
    va_list arguments;
    va_start(arguments, format);
    (void)pail_line_list(rest, sizeof(rest), format, arguments);
    va_end(arguments);
    const struct pail_json_file *const file = place->file;
    const char *const at = describe(where, place);
    return pail_fail(file->error, PAIL_ERR_DATA, "%s: %s cannot be %s: %s", file->path,
                     at[0] != '\0' ? at : "the file", cited, rest);
}

pail_status pail_json_complain(const struct pail_json_place *place, pail_status status,
                               const char *format, ...)
{
    char where[PLACE_CHARS], rest[REST_CHARS];
    va_list arguments;
    va_start(arguments, format);
    (void)pail_line_list(rest, sizeof(rest), format, arguments);
    va_end(arguments);
    const struct pail_json_file *const file = place->file;
    const char *const at = describe(where, place);
    return pail_fail(file->error, status, "%s: %s%s%s", file->path, at, at[0] != '\0' ? ": " : "",
                     rest);
}

/* "name, dtype and shape" */
static void list_keys(char *text, size_t cap, const char *const *keys)
{
    text[0] = '\0';
    for (size_t i = 0, used = 0; keys[i] && used < cap; i++, used = strlen(text))
        (void)snprintf(text + used, cap - used, "%s%s",
                       i == 0        ? ""
                       : keys[i + 1] ? ", "
                                     : " and ",
                       keys[i]);
}

pail_status pail_json_status(const struct pail_json_place *place)
{
    return place->file->error->status;
}

void pail_json_object(json_t *value, const struct pail_json_place *place, const char *const *keys)
{
    char list[256];
    const char *name;
    json_t *member;
    list_keys(list, sizeof(list), keys);
    if (!json_is_object(value) && pail_json_status(place) == PAIL_OK)
        (void)pail_json_refuse(place, value, "it is an object with %s", list);
    json_object_foreach(value, name, member)
    {
        size_t i = 0;
        while (keys[i] && strcmp(keys[i], name) != 0)
            i++;
        if (!keys[i] && pail_json_status(place) == PAIL_OK)
            (void)pail_json_complain(place, PAIL_ERR_DATA, "there is no key \"%s\"; there are %s",
                                     name, list);
    }
}

/* The member, and its place; NULL: there is none, or nothing is read any more. */
static json_t *find(const json_t *object, const struct pail_json_place *place, const char *key,
                    struct pail_json_place *member)
{
    *member = pail_json_member(place, key);
    return pail_json_status(place) == PAIL_OK ? json_object_get(object, key) : NULL;
}

void pail_json_integer(const json_t *object, const struct pail_json_place *place, const char *key,
                       json_int_t least, json_int_t most, json_int_t *number)
{
    struct pail_json_place member;
    const json_t *const value = find(object, place, key, &member);
    if (json_is_integer(value) && json_integer_value(value) >= least &&
        json_integer_value(value) <= most)
        *number = json_integer_value(value);
    else if (value)
        (void)pail_json_refuse(&member, value, "it is an integer from %lld to %lld", least, most);
}

void pail_json_word(const json_t *object, const struct pail_json_place *place, const char *key,
                    const struct pail_name *names, uint32_t *value)
{
    struct pail_json_place member;
    const json_t *const json = find(object, place, key, &member);
    char list[512] = "";
    for (const struct pail_name *at = names; at->name != NULL; at++) {
        const size_t used = strlen(list);
        (void)snprintf(list + used, sizeof(list) - used, "%s%s", at != names ? ", " : "", at->name);
        if (json_is_string(json) ? strcmp(json_string_value(json), at->name) == 0
                                 : json_is_integer(json) && json_integer_value(json) == at->value) {
            *value = at->value;
            return;
        }
    }
    if (json)
        (void)pail_json_refuse(&member, json, "it is one of %s", list);
}

void pail_json_text(const json_t *object, const struct pail_json_place *place, const char *key,
                    const char **text)
{
    struct pail_json_place member;
    const json_t *const value = find(object, place, key, &member);
    if (json_is_string(value))
        *text = json_string_value(value);
    else if (value)
        (void)pail_json_refuse(&member, value, "it is a text");
}

void pail_json_array(const json_t *object, const struct pail_json_place *place, const char *key,
                     json_t **array)
{
    struct pail_json_place member;
    json_t *const value = find(object, place, key, &member);
    if (json_is_array(value))
        *array = value;
    else if (value)
        (void)pail_json_refuse(&member, value, "it is an array");
}
