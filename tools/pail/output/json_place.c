#define _POSIX_C_SOURCE 200809L

#include "json_place.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <platform/text.h>

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
    const size_t length = whole != NULL ? strlen(whole) : 0;
    (void)snprintf(text, VALUE_CHARS, "%s", whole != NULL ? whole : "?");
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
        const int n = place->key != NULL ? snprintf(step, sizeof(step), "%s%s",
                                                    place->up->up != NULL ? "." : "", place->key)
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
    for (size_t i = 0, used = 0; keys[i] != NULL && used < cap; i++, used = strlen(text))
        (void)snprintf(text + used, cap - used, "%s%s",
                       i == 0                ? ""
                       : keys[i + 1] != NULL ? ", "
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
        while (keys[i] != NULL && strcmp(keys[i], name) != 0)
            i++;
        if (keys[i] == NULL && pail_json_status(place) == PAIL_OK)
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
    else if (value != NULL)
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
    if (json != NULL)
        (void)pail_json_refuse(&member, json, "it is one of %s", list);
}

void pail_json_text(const json_t *object, const struct pail_json_place *place, const char *key,
                    const char **text)
{
    struct pail_json_place member;
    const json_t *const value = find(object, place, key, &member);
    if (json_is_string(value))
        *text = json_string_value(value);
    else if (value != NULL)
        (void)pail_json_refuse(&member, value, "it is a text");
}

void pail_json_array(const json_t *object, const struct pail_json_place *place, const char *key,
                     json_t **array)
{
    struct pail_json_place member;
    json_t *const value = find(object, place, key, &member);
    if (json_is_array(value))
        *array = value;
    else if (value != NULL)
        (void)pail_json_refuse(&member, value, "it is an array");
}
