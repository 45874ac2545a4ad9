#include "manifest.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "output/json_file.h"

/* Where in the file a value stands, and where its refusal goes. */
struct place {
    const char *path;
    size_t shape;
    struct pail_error *error;
};

enum { VALUE_CHARS = 48 }; /* of a value that is cited in a sentence */

static void cite(char text[VALUE_CHARS], const json_t *value)
{
    char *const whole = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);
    const size_t length = whole != NULL ? strlen(whole) : 0;
    (void)snprintf(text, VALUE_CHARS, "%s", whole != NULL ? whole : "?");
    if (length >= VALUE_CHARS)
        memcpy(text + VALUE_CHARS - 4, "...", 4);
    free(whole);
}

static pail_status refuse(const struct place *place, const char *key, const json_t *value,
                          const char *wanted)
{
    char cited[VALUE_CHARS];
    cite(cited, value);
    return pail_fail(place->error, PAIL_ERR_DATA, "%s: shapes[%zu]: \"%s\" cannot be %s: it is %s",
                     place->path, place->shape, key, cited, wanted);
}

static const char *const wanted_words[PAIL_WARM_KEYS] = {
    [PAIL_WARM_CURVE] = "\"bn254\", \"bls12-381\", \"all\" or \"none\", or an array of such",
    [PAIL_WARM_GROUP] = "\"g1\", \"g2\" or \"all\", or an array of such",
    [PAIL_WARM_SIZES] = "above 0, a range like \"2^10..2^20\", \"any\", or an array of at most 256",
    [PAIL_WARM_ACCUMULATORS] =
        "\"auto\", \"xyzz\", \"walker\", \"coop\", \"debug\" or \"all\", or an array of such",
};

/* A word of the command line; a size may be a number as well. */
static bool add_word(struct pail_warm_shape *shape, enum pail_warm_key key, const json_t *value)
{
    if (json_is_string(value))
        return pail_warm_shape_add(shape, key, json_string_value(value));
    if (!json_is_integer(value) || key != PAIL_WARM_SIZES || json_integer_value(value) <= 0)
        return false;
    char text[24];
    (void)snprintf(text, sizeof(text), "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    return pail_warm_shape_add(shape, key, text);
}

static pail_status read_value(struct pail_warm_shape *shape, enum pail_warm_key key,
                              const json_t *value, const struct place *place)
{
    const char *const name = pail_warm_key_names[key];
    if (!json_is_array(value))
        return add_word(shape, key, value) ? PAIL_OK
                                           : refuse(place, name, value, wanted_words[key]);
    size_t i;
    json_t *element;
    json_array_foreach(value, i, element)
    {
        if (!add_word(shape, key, element))
            return refuse(place, name, element, wanted_words[key]);
    }
    return json_array_size(value) > 0 ? PAIL_OK : refuse(place, name, value, wanted_words[key]);
}

static pail_status read_member(struct pail_warm_shape *shape, const char *name, const json_t *value,
                               const struct place *place)
{
    for (int key = 0; key < PAIL_WARM_KEYS; key++)
        if (strcmp(name, pail_warm_key_names[key]) == 0)
            return read_value(shape, (enum pail_warm_key)key, value, place);
    if (strcmp(name, "adstack") != 0)
        return pail_fail(place->error, PAIL_ERR_DATA,
                         "%s: shapes[%zu]: there is no key \"%s\"; there are curve, group, "
                         "sizes, accumulators and adstack",
                         place->path, place->shape, name);
    if (!json_is_boolean(value))
        return refuse(place, name, value, "true or false");
    shape->adstack = json_is_true(value);
    return PAIL_OK;
}

static pail_status read_shape(struct pail_warm_selection *selection, json_t *object,
                              const struct place *place)
{
    char cited[VALUE_CHARS];
    if (!json_is_object(object)) {
        cite(cited, object);
        return pail_fail(place->error, PAIL_ERR_DATA,
                         "%s: shapes[%zu] cannot be %s: a shape is an object", place->path,
                         place->shape, cited);
    }
    struct pail_warm_shape shape = {0};
    const char *name;
    json_t *value;
    json_object_foreach(object, name, value)
    {
        const pail_status status = read_member(&shape, name, value, place);
        if (status != PAIL_OK)
            return status;
    }
    if (pail_warm_shape_is_empty(&shape))
        return pail_fail(place->error, PAIL_ERR_DATA,
                         "%s: shapes[%zu]: with \"curve\" \"none\" and without \"adstack\" "
                         "nothing is left to build",
                         place->path, place->shape);
    if (pail_warm_selection_add(selection, &shape) != PAIL_OK)
        return pail_fail(place->error, PAIL_ERR_HOST_MEMORY, "no memory for the shapes of %s",
                         place->path);
    return PAIL_OK;
}

/* The array of shapes: the file itself, or the only member of its object. */
static pail_status find_shapes(json_t **shapes, json_t *root, const struct place *place)
{
    *shapes = root;
    if (json_is_object(root)) {
        const char *name;
        json_t *value;
        json_object_foreach(root, name, value)
        {
            if (strcmp(name, "shapes") != 0)
                return pail_fail(place->error, PAIL_ERR_DATA,
                                 "%s: there is no key \"%s\" beside \"shapes\"", place->path, name);
        }
        *shapes = json_object_get(root, "shapes");
    }
    if (!json_is_array(*shapes))
        return pail_fail(place->error, PAIL_ERR_DATA,
                         "%s: a manifest is an array of shapes, or an object whose \"shapes\" is "
                         "one",
                         place->path);
    if (json_array_size(*shapes) == 0)
        return pail_fail(place->error, PAIL_ERR_DATA, "%s: it lists no shapes", place->path);
    return PAIL_OK;
}

pail_status pail_warm_manifest_read(struct pail_warm_selection *selection, const char *path,
                                    struct pail_error *error)
{
    struct place place = {.path = path, .error = error};
    json_t *root = NULL, *shapes = NULL;
    pail_status status = pail_json_file_read(&root, path, error);
    if (status == PAIL_OK)
        status = find_shapes(&shapes, root, &place);
    for (; status == PAIL_OK && place.shape < json_array_size(shapes); place.shape++)
        status = read_shape(selection, json_array_get(shapes, place.shape), &place);
    json_decref(root);
    return status;
}
