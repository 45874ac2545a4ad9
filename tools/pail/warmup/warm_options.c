/* SPDX-License-Identifier: Apache-2.0 */
/* The command line of `pail warmup`: shapes from options and manifests. */
#include "warmup.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pail/backend.h>

#include "error/error.h"
#include "options/knobs.h"
#include "options/names.h"
#include "options/number.h"
#include "output/json.h"

/* ---- Selections ------------------------------------------------------------------------------ */

/* Multiplications that are alike. All zero is the default: every curve, every group, any size, the
 * backend's choice of accumulator. */
struct warm_shape {
    uint32_t curves, groups, accumulators; /* bits, 1 << value */
    bool no_curve;                         /* curve "none": no multiplications at all */
    bool adstack;                          /* also the pipelines of adstack sizing */
    struct pail_list sizes;                /* 0 among them: whatever the size */
};

const char *const pail_warm_key_names[PAIL_WARM_KEYS] = {"curve", "group", "sizes", "accumulators"};

static bool add_names(uint32_t *set, const struct pail_name *names, const char *text)
{
    uint32_t more;
    if (!pail_name_set(&more, names, text))
        return false;
    *set |= more;
    return true;
}

static bool add_sizes(struct pail_list *sizes, const char *text)
{
    struct pail_list more = {.n = 1};
    const bool any = strcmp(text, "any") == 0;
    if (!any && !pail_list_parse(&more, text, PAIL_RANGE_LOG2))
        return false;
    if (sizes->n + more.n > PAIL_LIST_MAX)
        return false;
    for (size_t i = 0; i < more.n; i++)
        if (more.values[i] == 0 && !any)
            return false;
    memcpy(sizes->values + sizes->n, more.values, more.n * sizeof(more.values[0]));
    sizes->n += more.n;
    return true;
}

/* Adds the values in `text` to those of the key: names separated by commas or "all" (for the curve
 * also "none"), or sizes as the instruments take them, or "any". False, and the shape is as before,
 * if it is something else or there are more than PAIL_LIST_MAX sizes. */
static bool warm_shape_add(struct warm_shape *shape, enum pail_warm_key key, const char *text)
{
    switch (key) {
    case PAIL_WARM_CURVE:
        if (strcmp(text, "none") != 0)
            return !shape->no_curve && add_names(&shape->curves, pail_curve_names, text);
        if (shape->curves != 0)
            return false;
        shape->no_curve = true;
        return true;
    case PAIL_WARM_GROUP:
        return add_names(&shape->groups, pail_group_names, text);
    case PAIL_WARM_SIZES:
        return add_sizes(&shape->sizes, text);
    case PAIL_WARM_ACCUMULATORS:
        return add_names(&shape->accumulators, pail_accumulator_names, text);
    case PAIL_WARM_KEYS:
        break;
    }
    return false;
}

/* True for a shape without pipelines: curve "none", and no adstack. */
static bool warm_shape_is_empty(const struct warm_shape *shape)
{
    return shape->no_curve && !shape->adstack;
}

static pail_status append(struct pail_warm_selection *selection, pail_warm_item item)
{
    if (selection->n == selection->capacity) {
        const size_t capacity = selection->capacity != 0 ? 2 * selection->capacity : 64;
        pail_warm_item *const items = realloc(selection->items, capacity * sizeof(*items));
        if (!items)
            return PAIL_ERR_HOST_MEMORY;
        selection->items = items;
        selection->capacity = capacity;
    }
    item.struct_size = sizeof(item);
    selection->items[selection->n++] = item;
    return PAIL_OK;
}

/* The names of a set, which are all of them when none was given. Names of equal value, like
 * bls12-381 and bls12_381, count once. */
static size_t values_of(uint32_t values[32], uint32_t set, const struct pail_name *names)
{
    if (set == 0)
        (void)pail_name_set(&set, names, "all");
    size_t n = 0;
    for (uint32_t value = 0; value < 32; value++)
        if ((set >> value & 1) != 0)
            values[n++] = value;
    return n;
}

static pail_status append_group(struct pail_warm_selection *selection, pail_warm_item item,
                                const struct warm_shape *shape)
{
    const uint32_t automatic = 1U << PAIL_ACCUMULATOR_AUTO;
    uint32_t accumulators[32];
    const size_t n_accumulators =
        values_of(accumulators, shape->accumulators != 0 ? shape->accumulators : automatic,
                  pail_accumulator_names);
    const struct pail_list any = {.n = 1};
    const struct pail_list *const sizes = shape->sizes.n > 0 ? &shape->sizes : &any;
    for (size_t i = 0; i < sizes->n; i++) {
        item.n = sizes->values[i];
        for (size_t k = 0; k < n_accumulators; k++) {
            item.accumulator = accumulators[k];
            if (append(selection, item) != PAIL_OK)
                return PAIL_ERR_HOST_MEMORY;
        }
    }
    return PAIL_OK;
}

/* Appends the items of the shape: one for each curve, group, size and accumulator. Returns PAIL_OK
 * or PAIL_ERR_HOST_MEMORY. */
static pail_status warm_selection_add(struct pail_warm_selection *selection,
                                      const struct warm_shape *shape)
{
    uint32_t curves[32], groups[32];
    const size_t n_curves =
        shape->no_curve ? 0 : values_of(curves, shape->curves, pail_curve_names);
    const size_t n_groups = values_of(groups, shape->groups, pail_group_names);
    for (size_t c = 0; c < n_curves; c++) {
        for (size_t g = 0; g < n_groups; g++) {
            const pail_warm_item item = {.curve = curves[c], .group = groups[g]};
            if (append_group(selection, item, shape) != PAIL_OK)
                return PAIL_ERR_HOST_MEMORY;
        }
    }
    return shape->adstack ? append(selection, (pail_warm_item){.adstack = 1}) : PAIL_OK;
}

void pail_warm_selection_free(struct pail_warm_selection *selection)
{
    free(selection->items);
    *selection = (struct pail_warm_selection){0};
}

/* ---- Manifests ------------------------------------------------------------------------------- */

static const char *const wanted_words[PAIL_WARM_KEYS] = {
    [PAIL_WARM_CURVE] = "\"bn254\", \"bls12-381\", \"all\" or \"none\", or an array of such",
    [PAIL_WARM_GROUP] = "\"g1\", \"g2\" or \"all\", or an array of such",
    [PAIL_WARM_SIZES] = "above 0, a range like \"2^10..2^20\", \"any\", or an array of at most 256",
    [PAIL_WARM_ACCUMULATORS] =
        "\"auto\", \"xyzz\", \"walker\", \"coop\", \"debug\" or \"all\", or an array of such",
};

/* A word of the command line; a size may be a number as well. */
static bool add_word(struct warm_shape *shape, enum pail_warm_key key, const json_t *value)
{
    if (json_is_string(value))
        return warm_shape_add(shape, key, json_string_value(value));
    if (!json_is_integer(value) || key != PAIL_WARM_SIZES || json_integer_value(value) <= 0)
        return false;
    char text[24];
    (void)snprintf(text, sizeof(text), "%lld", json_integer_value(value));
    return warm_shape_add(shape, key, text);
}

static pail_status refuse(const struct pail_json_place *place, enum pail_warm_key key,
                          const json_t *value)
{
    return pail_json_refuse(place, value, "it is %s", wanted_words[key]);
}

static pail_status read_value(struct warm_shape *shape, enum pail_warm_key key, const json_t *value,
                              const struct pail_json_place *place)
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
    struct warm_shape shape = {0};
    pail_json_object(object, place, keys);
    pail_status status = pail_json_status(place);
    for (int key = 0; key < PAIL_WARM_KEYS && status == PAIL_OK; key++) {
        const struct pail_json_place member = pail_json_member(place, pail_warm_key_names[key]);
        const json_t *const value = json_object_get(object, pail_warm_key_names[key]);
        if (value)
            status = read_value(&shape, (enum pail_warm_key)key, value, &member);
    }
    const json_t *const adstack = json_object_get(object, "adstack");
    const struct pail_json_place adstack_place = pail_json_member(place, "adstack");
    shape.adstack = json_is_true(adstack);
    if (status != PAIL_OK)
        return status;
    if (adstack && !json_is_boolean(adstack))
        return pail_json_refuse(&adstack_place, adstack, "it is true or false");
    if (warm_shape_is_empty(&shape))
        return pail_json_complain(place, PAIL_ERR_DATA,
                                  "with \"curve\" \"none\" and without \"adstack\" nothing is "
                                  "left to build");
    return warm_selection_add(selection, &shape) == PAIL_OK
               ? PAIL_OK
               : pail_json_complain(place, PAIL_ERR_HOST_MEMORY, "no memory for it");
}

/* Appends what the file lists. Returns PAIL_OK; PAIL_ERR_DATA, with a sentence that names the
 * file, the shape, the key and the value; PAIL_ERR_IO or PAIL_ERR_HOST_MEMORY. The shapes are the
 * file itself, or the only member of its object. */
static pail_status warm_manifest_read(struct pail_warm_selection *selection, const char *path,
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

/* ---- Options --------------------------------------------------------------------------------- */

#define OF struct pail_warm_options
const struct pail_option pail_warm_rows[PAIL_WARM_ROWS] = {
    {PAIL_HEADING("what to build")},
    {PAIL_FILE(OF, manifest, "manifest", "FILE",
               "a JSON list; see pipelines.md in share/doc/pail")},
    {PAIL_FLAG(OF, all, "all", "every pipeline of the device, with default parameters")},
    {PAIL_HEADING("or a shape; every option has a default")},
    {PAIL_TEXT(OF, texts[PAIL_WARM_CURVE], "curve", "LIST",
               "bn254, bls12-381, all (default), or none"),
     .values = pail_curve_names},
    {PAIL_TEXT(OF, texts[PAIL_WARM_GROUP], "group", "LIST", "g1, g2, all (default)"),
     .values = pail_group_names},
    {PAIL_TEXT(OF, texts[PAIL_WARM_SIZES], "sizes", "LIST",
               "2^10, 4096, 2^10..2^20 (every power of two), or any (default)")},
    {PAIL_TEXT(OF, texts[PAIL_WARM_ACCUMULATORS], "accumulators", "LIST",
               "auto (default), xyzz, walker, coop, debug, all"),
     .values = pail_accumulator_names},
    {PAIL_FLAG(OF, adstack, "adstack", "also the pipelines of adstack sizing")},
    {PAIL_HEADING("for which devices, and how")},
    {PAIL_TEXT(OF, session.backend, "backend", "NAME",
               "default: the best one that builds pipelines")},
    {PAIL_TEXT(OF, session.device, "device", "DEVICE",
               "index, or a part of the name of one device; default: the best one")},
    {PAIL_FLAG(OF, all_devices, "all-devices", "every device of the backend that can be used")},
    {PAIL_TEXT(OF, threads_text, "threads", "N",
               "threads that build; default: the number of processors")},
    {PAIL_FILE(OF, session.cache_dir, "cache-dir", "DIR",
               "folder of the cache; default: as without the command")},
    {PAIL_HEADING("verification")},
    {PAIL_FLAG(OF, verify, "verify",
               "then repeat it in a new process: status 1 if it compiles anything")},
    {PAIL_FLAG(OF, expect_hits, "expect-hits",
               "status 1 if a pipeline has to be compiled; prints its name")},
    {PAIL_HEADING("for identical machines")},
    {PAIL_FILE(OF, export_path, "export", "FILE", "then write the cache to one file")},
    {PAIL_FILE(OF, import_path, "import", "FILE",
               "first add the contents of such a file to the cache")},
    {PAIL_HEADING("output")},
    {PAIL_FLAG(OF, json, "json", "print JSON objects: one line for each pipeline, and a summary")},
};
#undef OF

/* Refuses the value of an option that is kept as a text. */
static pail_status refuse_text(struct pail_error *error, const char *name, const char *text)
{
    char place[32];
    size_t i = 0;
    while (!pail_option_is(&pail_warm_rows[i], name, strlen(name)))
        i++;
    (void)snprintf(place, sizeof(place), "--%s", name);
    return pail_option_refuse(error, &pail_warm_rows[i], place, text, "warmup");
}

static bool has_shape(const struct pail_warm_options *options)
{
    bool given = options->adstack;
    for (int key = 0; key < PAIL_WARM_KEYS; key++)
        given |= options->texts[key] != NULL;
    return given;
}

bool pail_warm_options_build(const struct pail_warm_options *options)
{
    return options->all || options->manifest || has_shape(options);
}

pail_status pail_warm_options_check(struct pail_warm_options *options, struct pail_error *error)
{
    const char *wrong = NULL;
    if (options->all + !!options->manifest + has_shape(options) > 1)
        wrong = "--all, --manifest and a shape (--curve and its like) exclude each other";
    else if (!pail_warm_options_build(options) && (options->verify || options->expect_hits))
        wrong = "with --verify or --expect-hits there must be something to build";
    else if (!pail_warm_options_build(options) && !options->export_path && !options->import_path)
        wrong = "nothing is to be built: give --all, --manifest or a shape (--curve and its like)";
    else if (options->all_devices && options->session.device)
        wrong = "--device and --all-devices exclude each other";
    else if (options->session.cache_dir && options->session.cache_dir[0] == '\0')
        wrong = "--cache-dir cannot be empty";
    if (wrong)
        return pail_fail(error, PAIL_ERR_ARGUMENT, "%s; see pail warmup --help", wrong);
    uint64_t threads = 0;
    if (options->threads_text &&
        (!pail_number_parse(&threads, options->threads_text) || threads > UINT32_MAX))
        return refuse_text(error, "threads", options->threads_text);
    options->session.threads = (uint32_t)threads;
    return PAIL_OK;
}

pail_status pail_warm_options_select(struct pail_warm_selection *selection,
                                     const struct pail_warm_options *options,
                                     struct pail_error *error)
{
    *selection = (struct pail_warm_selection){.all = options->all};
    if (options->all)
        return PAIL_OK;
    if (options->manifest)
        return warm_manifest_read(selection, options->manifest, error);
    struct warm_shape shape = {.adstack = options->adstack};
    for (int key = 0; key < PAIL_WARM_KEYS; key++) {
        const char *const text = options->texts[key];
        if (text && !warm_shape_add(&shape, (enum pail_warm_key)key, text))
            return refuse_text(error, pail_warm_key_names[key], text);
    }
    if (warm_shape_is_empty(&shape))
        return pail_fail(error, PAIL_ERR_ARGUMENT,
                         "with --curve none and without --adstack nothing is left to build");
    if (warm_selection_add(selection, &shape) != PAIL_OK)
        return pail_fail(error, PAIL_ERR_HOST_MEMORY, "no memory for the shape");
    return PAIL_OK;
}
