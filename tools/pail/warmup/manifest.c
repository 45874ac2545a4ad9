#include "manifest.h"

#include <stdio.h>

#include "output/json_file.h"
#include "output/json_place.h"

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
    (void)snprintf(text, sizeof(text), "%lld", json_integer_value(value));
    return pail_warm_shape_add(shape, key, text);
}

static pail_status refuse(const struct pail_json_place *place, enum pail_warm_key key,
                          const json_t *value)
{
    return pail_json_refuse(place, value, "it is %s", wanted_words[key]);
}

static pail_status read_value(struct pail_warm_shape *shape, enum pail_warm_key key,
                              const json_t *value, const struct pail_json_place *place)
{
    if (!json_is_array(value))
        return add_word(shape, key, value) ? PAIL_OK : refuse(place, key, value);
    for (size_t i = 0; i < json_array_size(value); i++) {
        const struct pail_json_place element = pail_json_element(place, i);
        if (!add_word(shape, key, json_array_get(value, i)))
            return refuse(&element, key, json_array_get(value, i));
    }
    return json_array_size(value) > 0 ? PAIL_OK : refuse(place, key, value);
}

static pail_status read_shape(struct pail_warm_selection *selection, json_t *object,
                              const struct pail_json_place *place)
{
    static const char *const keys[] = {"curve", "group", "sizes", "accumulators", "adstack", NULL};
    struct pail_warm_shape shape = {0};
    pail_json_object(object, place, keys);
    pail_status status = pail_json_status(place);
    for (int key = 0; key < PAIL_WARM_KEYS && status == PAIL_OK; key++) {
        const struct pail_json_place member = pail_json_member(place, pail_warm_key_names[key]);
        const json_t *const value = json_object_get(object, pail_warm_key_names[key]);
        if (value != NULL)
            status = read_value(&shape, (enum pail_warm_key)key, value, &member);
    }
    const json_t *const adstack = json_object_get(object, "adstack");
    const struct pail_json_place adstack_place = pail_json_member(place, "adstack");
    shape.adstack = json_is_true(adstack);
    if (status != PAIL_OK)
        return status;
    if (adstack != NULL && !json_is_boolean(adstack))
        return pail_json_refuse(&adstack_place, adstack, "it is true or false");
    if (pail_warm_shape_is_empty(&shape))
        return pail_json_complain(place, PAIL_ERR_DATA,
                                  "with \"curve\" \"none\" and without \"adstack\" nothing is "
                                  "left to build");
    return pail_warm_selection_add(selection, &shape) == PAIL_OK
               ? PAIL_OK
               : pail_json_complain(place, PAIL_ERR_HOST_MEMORY, "no memory for it");
}

/* The shapes are the file itself, or the only member of its object. */
pail_status pail_warm_manifest_read(struct pail_warm_selection *selection, const char *path,
                                    struct pail_error *error)
{
    static const char *const keys[] = {"shapes", NULL};
    const struct pail_json_file file = {path, error};
    const struct pail_json_place whole = {.file = &file};
    const struct pail_json_place list = pail_json_member(&whole, "shapes");
    json_t *root = NULL;
    pail_status status = pail_json_file_read(&root, path, error);
    if (status == PAIL_OK && json_is_object(root)) {
        pail_json_object(root, &whole, keys);
        status = error->status;
    }
    json_t *const shapes = json_is_object(root) ? json_object_get(root, "shapes") : root;
    if (status == PAIL_OK && !json_is_array(shapes))
        status = pail_fail(error, PAIL_ERR_DATA,
                           "%s: a manifest is an array of shapes, or an object whose \"shapes\" is "
                           "one",
                           path);
    if (status == PAIL_OK && json_array_size(shapes) == 0)
        status = pail_fail(error, PAIL_ERR_DATA, "%s: it lists no shapes", path);
    for (size_t i = 0; status == PAIL_OK && i < json_array_size(shapes); i++) {
        const struct pail_json_place element = pail_json_element(&list, i);
        status = read_shape(selection, json_array_get(shapes, i), &element);
    }
    json_decref(root);
    return status;
}
