/* Sources: types, shapes, strides, and how large that is in memory. */
#include <string.h>

#include "case_parts.h"

enum { RANK_MAX = 255 }; /* the most that a kernel's description holds */

/* An array of integers in the member, each from `least` to `most`; *n and *numbers stay as they are
 * where there is none. */
static pail_status read_numbers(struct pail_sizing_case *made, const json_t *object,
                                const char *key, json_int_t least, json_int_t most,
                                const struct pail_json_place *place, int64_t **numbers, size_t *n)
{
    const json_t *const array = json_object_get(object, key);
    if (array == NULL)
        return PAIL_OK;
    const struct pail_json_place member = pail_json_member(place, key);
    if (!json_is_array(array))
        return pail_json_refuse(&member, array, "it is an array of integers, one for each axis");
    *n = json_array_size(array);
    *numbers = pail_sizing_alloc(made, *n, sizeof(**numbers));
    if (*numbers == NULL)
        return pail_sizing_no_memory(&member);
    for (size_t i = 0; i < *n; i++) {
        const json_t *const value = json_array_get(array, i);
        const struct pail_json_place element = pail_json_element(&member, i);
        if (!json_is_integer(value) || json_integer_value(value) < least ||
            json_integer_value(value) > most)
            return pail_json_refuse(&element, value, "it is an integer from %lld to %lld", least,
                                    most);
        (*numbers)[i] = json_integer_value(value);
    }
    return PAIL_OK;
}

/* Strides in C order; false where they do not fit 63 bits. */
static bool make_strides(int64_t *stride, const int64_t *shape, uint32_t rank, uint32_t bytes)
{
    uint64_t step = bytes;
    for (uint32_t axis = rank; axis-- > 0;) {
        stride[axis] = (int64_t)step;
        const uint64_t extent = shape[axis] > 0 ? (uint64_t)shape[axis] : 1;
        if (step > (uint64_t)INT64_MAX / extent)
            return false;
        step *= extent;
    }
    return true;
}

/* Bytes from the first element to the end of the last; false where they do not fit 63 bits. */
static bool measure(uint64_t *total, const pail_binding *binding, uint32_t bytes)
{
    *total = bytes;
    for (uint32_t axis = 0; axis < binding->rank; axis++) {
        if (binding->shape[axis] == 0) {
            *total = 0;
            return true;
        }
        const uint64_t steps = (uint64_t)binding->shape[axis] - 1;
        const uint64_t stride = (uint64_t)binding->stride_bytes[axis];
        if (stride != 0 && steps > ((uint64_t)INT64_MAX - *total) / stride)
            return false;
        *total += steps * stride;
    }
    return true;
}

/* The shape, and the rank where it is given as well. */
static pail_status read_shape(struct pail_sizing_case *made, const json_t *json,
                              pail_binding *binding, const struct pail_json_place *place)
{
    int64_t *shape = NULL;
    size_t n = 0;
    const pail_status status = read_numbers(made, json, "shape", 0, INT64_MAX, place, &shape, &n);
    if (status != PAIL_OK)
        return status;
    if (shape == NULL)
        return pail_json_complain(place, PAIL_ERR_DATA, "there is no \"shape\"");
    if (n > RANK_MAX)
        return pail_json_complain(place, PAIL_ERR_DATA,
                                  "\"shape\" has %zu axes; at most %d can be "
                                  "described",
                                  n, RANK_MAX);
    json_int_t rank = (json_int_t)n;
    pail_json_integer(json, place, "rank", rank, rank, &rank);
    binding->shape = shape;
    binding->rank = (uint32_t)n;
    return pail_json_status(place);
}

/* Strides and size of an array with contents. */
static pail_status read_layout(struct pail_sizing_case *made, const json_t *json,
                               pail_binding *binding, const struct pail_json_place *place)
{
    int64_t *stride = NULL;
    size_t n = binding->rank;
    const pail_status status =
        read_numbers(made, json, "stride_bytes", 0, INT64_MAX, place, &stride, &n);
    if (status != PAIL_OK)
        return status;
    const struct pail_json_place member = pail_json_member(place, "stride_bytes");
    const uint32_t bytes = pail_sizing_dtype_bytes(binding->dtype);
    if (n != binding->rank)
        return pail_json_complain(&member, PAIL_ERR_DATA, "%zu strides for %u axes", n,
                                  binding->rank);
    bool fits = true;
    if (stride == NULL) {
        stride = pail_sizing_alloc(made, n, sizeof(*stride));
        if (stride == NULL)
            return pail_sizing_no_memory(place);
        fits = make_strides(stride, binding->shape, binding->rank, bytes);
    }
    binding->stride_bytes = stride;
    if (!fits || !measure(&binding->size_bytes, binding, bytes))
        return pail_json_complain(place, PAIL_ERR_DATA,
                                  "an array of that shape does not fit 64 bits of addresses");
    return PAIL_OK;
}

pail_status pail_sizing_read_source(struct pail_sizing_case *made, json_t *json, uint32_t source,
                                    const struct pail_json_place *place)
{
    static const char *const keys[] = {"name",         "dtype", "rank",     "shape",
                                       "stride_bytes", "data",  "identity", "generation",
                                       "untracked",    "note",  NULL};
    pail_binding *const binding = &made->bindings[source];
    *binding =
        (pail_binding){.struct_size = sizeof(*binding), .source = source, .dtype = PAIL_DTYPE_I32};
    made->source_names[source] = "";
    pail_json_object(json, place, keys);
    pail_json_text(json, place, "name", &made->source_names[source]);
    for (uint32_t i = 0; pail_json_status(place) == PAIL_OK && i < source; i++)
        if (made->source_names[source][0] != '\0' &&
            strcmp(made->source_names[i], made->source_names[source]) == 0)
            (void)pail_json_complain(place, PAIL_ERR_DATA, "sources[%u] has the name \"%s\", too",
                                     i, made->source_names[i]);
    pail_json_word(json, place, "dtype", pail_dtype_names, &binding->dtype);
    json_int_t identity = (json_int_t)source + 1, generation = 1;
    pail_json_integer(json, place, "identity", 1, INT64_MAX, &identity);
    pail_json_integer(json, place, "generation", 0, INT64_MAX, &generation);
    binding->identity = (uint64_t)identity;
    binding->generation = (uint64_t)generation;
    const json_t *const untracked = json_object_get(json, "untracked");
    const struct pail_json_place untracked_place = pail_json_member(place, "untracked");
    pail_status status = pail_json_status(place);
    if (status == PAIL_OK && untracked != NULL && !json_is_boolean(untracked))
        status = pail_json_refuse(&untracked_place, untracked, "it is true or false");
    if (json_is_true(untracked))
        binding->flags |= PAIL_BINDING_UNTRACKED;
    if (status == PAIL_OK)
        status = read_shape(made, json, binding, place);

    json_t *const data = json_object_get(json, "data");
    const struct pail_json_place data_place = pail_json_member(place, "data");
    if (status == PAIL_OK && data == NULL && json_object_get(json, "stride_bytes") != NULL)
        status = pail_json_complain(place, PAIL_ERR_DATA, "\"stride_bytes\" without \"data\"");
    if (status != PAIL_OK || data == NULL)
        return status;
    status = read_layout(made, json, binding, place);
    return status == PAIL_OK ? pail_sizing_read_contents(made, data, binding, &data_place) : status;
}
