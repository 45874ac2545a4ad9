/* SPDX-License-Identifier: Apache-2.0 */
/* Contents of sources: numbers in the file, a rule that makes them, or the bytes of another file.
 */
#include "case.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <curves/little_endian.h>
#include <curves/rng.h>
#include <formats/file.h>

#include "options/number.h"

/* The least and the largest number of a type; of u64 the largest that a JSON number can be. */
static void limits(uint32_t dtype, json_int_t *least, json_int_t *most)
{
    const uint32_t bits = 8 * pail_sizing_dtype_bytes(dtype);
    const bool is_signed = dtype <= PAIL_DTYPE_I64;
    const uint32_t room = is_signed || bits == 64 ? bits - 1 : bits;
    *most = (json_int_t)(UINT64_MAX >> (64 - room));
    *least = is_signed ? -*most - 1 : 0;
}

/* The bits of a number of the source's type. u64 has those above 2^63 as text. */
static pail_status read_number(uint64_t *bits, const json_t *json, uint32_t dtype,
                               const struct pail_json_place *place)
{
    json_int_t least, most;
    limits(dtype, &least, &most);
    if (json_is_integer(json) && json_integer_value(json) >= least &&
        json_integer_value(json) <= most) {
        *bits = (uint64_t)json_integer_value(json);
        return PAIL_OK;
    }
    if (dtype == PAIL_DTYPE_U64 && json_is_string(json) &&
        pail_number_parse(bits, json_string_value(json)))
        return PAIL_OK;
    return pail_json_refuse(place, json, "it is an integer from %lld to %lld%s", least, most,
                            dtype == PAIL_DTYPE_U64 ? ", or a text like \"18446744073709551615\""
                                                    : "");
}

static void store(uint8_t *to, uint64_t bits, uint32_t dtype)
{
    uint8_t bytes[8];
    pail_store_u64(bytes, bits);
    memcpy(to, bytes, pail_sizing_dtype_bytes(dtype));
}

/* ---- All elements, in the order of C -------------------------------------------------------- */
struct walk {
    const pail_binding *binding;
    uint8_t *memory;
    uint64_t element;  /* how many there were */
    uint64_t elements; /* in all */
};

/* Elements there are along an axis: of one without a stride all indices read the same. */
static uint64_t extent_of(const pail_binding *binding, uint32_t axis)
{
    const uint64_t extent = (uint64_t)binding->shape[axis];
    return binding->stride_bytes[axis] == 0 && extent > 1 ? 1 : extent;
}

static uint8_t *element_at(const struct walk *walk, uint64_t element)
{
    uint64_t offset = 0;
    for (uint32_t axis = walk->binding->rank; axis-- > 0;) {
        const uint64_t extent = extent_of(walk->binding, axis);
        offset += element % extent * (uint64_t)walk->binding->stride_bytes[axis];
        element /= extent;
    }
    return walk->memory + offset;
}

static bool store_element(struct walk *walk, uint64_t bits)
{
    if (walk->element >= walk->elements)
        return false;
    store(element_at(walk, walk->element++), bits, walk->binding->dtype);
    return true;
}

/* Numbers, flat or in arrays of arrays; how they are nested is no matter. */
static pail_status read_inline(struct walk *walk, json_t *json, const struct pail_json_place *place)
{
    if (json_is_array(json)) {
        pail_status status = PAIL_OK;
        for (size_t i = 0; i < json_array_size(json) && status == PAIL_OK; i++) {
            const struct pail_json_place element = pail_json_element(place, i);
            status = read_inline(walk, json_array_get(json, i), &element);
        }
        return status;
    }
    uint64_t bits;
    const pail_status status = read_number(&bits, json, walk->binding->dtype, place);
    if (status != PAIL_OK)
        return status;
    if (!store_element(walk, bits))
        return pail_json_complain(place, PAIL_ERR_DATA,
                                  "there are more numbers than the %" PRIu64 " of the shape",
                                  walk->elements);
    return PAIL_OK;
}

/* [[index...], number] */
static pail_status read_change(struct walk *walk, const json_t *json,
                               const struct pail_json_place *place)
{
    const pail_binding *const binding = walk->binding;
    const json_t *const at = json_array_get(json, 0);
    if (json_array_size(json) != 2 || json_array_size(at) != binding->rank || !json_is_array(at))
        return pail_json_refuse(place, json, "it is [[index of each axis], number]");
    const struct pail_json_place at_place = pail_json_element(place, 0);
    uint64_t offset = 0;
    for (uint32_t axis = 0; axis < binding->rank; axis++) {
        const json_t *const index = json_array_get(at, axis);
        const struct pail_json_place element = pail_json_element(&at_place, axis);
        if (!json_is_integer(index) || json_integer_value(index) < 0 ||
            json_integer_value(index) >= binding->shape[axis])
            return pail_json_refuse(&element, index,
                                    "it is an index of an axis with %" PRId64 " elements",
                                    binding->shape[axis]);
        offset += (uint64_t)json_integer_value(index) * (uint64_t)binding->stride_bytes[axis];
    }
    const struct pail_json_place number = pail_json_element(place, 1);
    uint64_t bits;
    const pail_status status = read_number(&bits, json_array_get(json, 1), binding->dtype, &number);
    if (status == PAIL_OK)
        store(walk->memory + offset, bits, binding->dtype);
    return status;
}

/* {"fill": 0}, {"first": 0, "step": 1}, {"random": [0, 9], "seed": 1}, each with "set" */
static pail_status generate(struct walk *walk, json_t *json, const struct pail_json_place *place)
{
    static const char *const keys[] = {"fill", "first", "step", "random", "seed", "set", NULL};
    const uint32_t dtype = walk->binding->dtype;
    pail_json_object(json, place, keys);
    if (pail_json_status(place) != PAIL_OK)
        return pail_json_status(place);
    const json_t *const fill = json_object_get(json, "fill");
    const json_t *const first = json_object_get(json, "first");
    const json_t *const random = json_object_get(json, "random");
    if (!!fill + !!first + !!random != 1)
        return pail_json_refuse(place, json,
                                "it has one of \"fill\", \"first\", \"random\" and \"file\"");
    if ((!first && json_object_get(json, "step")) || (!random && json_object_get(json, "seed")))
        return pail_json_refuse(place, json,
                                "\"step\" goes with \"first\", and \"seed\" with \"random\"");
    uint64_t value = 0, range = 0;
    json_int_t step = fill ? 0 : 1, seed = 1, least, most;
    limits(dtype, &least, &most);
    if (fill || first) {
        const struct pail_json_place member = pail_json_member(place, fill ? "fill" : "first");
        (void)read_number(&value, fill ? fill : first, dtype, &member);
        pail_json_integer(json, place, "step", INT64_MIN, INT64_MAX, &step);
    } else {
        const struct pail_json_place member = pail_json_member(place, "random");
        const json_t *const low = json_array_get(random, 0), *const high =
                                                                 json_array_get(random, 1);
        if (json_array_size(random) != 2 || !json_is_integer(low) || !json_is_integer(high) ||
            json_integer_value(low) < least || json_integer_value(high) > most ||
            json_integer_value(low) > json_integer_value(high))
            return pail_json_refuse(&member, random,
                                    "it is [least, largest] with integers from "
                                    "%lld to %lld",
                                    least, most);
        value = (uint64_t)json_integer_value(low);
        range = (uint64_t)json_integer_value(high) - value; /* + 1; 2^64 is 0 then */
        pail_json_integer(json, place, "seed", 0, INT64_MAX, &seed);
    }
    pail_status status = pail_json_status(place);
    if (status != PAIL_OK)
        return status;
    struct pail_rng rng;
    pail_rng_init(&rng, (uint64_t)seed);
    for (uint64_t i = 0; i < walk->elements; i++) {
        const uint64_t more = random == NULL   ? (uint64_t)step * i
                              : range + 1 == 0 ? pail_rng_next(&rng)
                                               : pail_rng_below(&rng, range + 1);
        (void)store_element(walk, value + more); /* a sequence wraps at the ends of the type */
    }
    const json_t *const changes = json_object_get(json, "set");
    const struct pail_json_place list = pail_json_member(place, "set");
    if (changes && !json_is_array(changes))
        return pail_json_refuse(&list, changes, "it is an array of [[index of each axis], number]");
    for (size_t i = 0; i < json_array_size(changes) && status == PAIL_OK; i++) {
        const struct pail_json_place element = pail_json_element(&list, i);
        status = read_change(walk, json_array_get(changes, i), &element);
    }
    return status;
}

/* ---- Raw files ------------------------------------------------------------------------------ */
/* Relative paths start at the folder of the JSON file. */
static pail_status read_raw(struct pail_sizing_case *made, json_t *json, pail_binding *binding,
                            const struct pail_json_place *place)
{
    static const char *const keys[] = {"file", "offset", NULL};
    const char *name = "";
    json_int_t offset = 0;
    pail_json_object(json, place, keys);
    pail_json_text(json, place, "file", &name);
    pail_json_integer(json, place, "offset", 0, INT64_MAX, &offset);
    pail_status status = pail_json_status(place);
    if (status != PAIL_OK)
        return status;
    const char *const slash = name[0] != '/' ? strrchr(made->path, '/') : NULL;
    const size_t folder = slash ? (size_t)(slash + 1 - made->path) : 0;
    char *const path = pail_sizing_alloc(made, folder + strlen(name) + 1, 1);
    uint8_t *const memory = pail_sizing_alloc(made, binding->size_bytes, 1);
    if (!path || !memory)
        return pail_sizing_no_memory(place);
    memcpy(path, made->path, folder);
    memcpy(path + folder, name, strlen(name) + 1);
    char reason[512];
    struct pail_file file = {0};
    status = pail_file_open(&file, path, reason, sizeof(reason));
    if (status != PAIL_OK)
        return pail_json_complain(place, status, "%s", reason);
    if ((uint64_t)offset > file.size || file.size - (uint64_t)offset < binding->size_bytes)
        status = pail_json_complain(place, PAIL_ERR_DATA,
                                    "%s has %zu bytes, and %" PRIu64 " from %lld on are needed",
                                    path, file.size, binding->size_bytes, offset);
    else if (binding->size_bytes > 0)
        status = pail_file_read(&file, memory, (size_t)binding->size_bytes, (size_t)offset, reason,
                                sizeof(reason));
    if (status == PAIL_ERR_IO)
        status = pail_json_complain(place, status, "%s", reason);
    pail_file_close(&file);
    binding->host = memory;
    return status;
}

pail_status pail_sizing_read_contents(struct pail_sizing_case *made, json_t *json,
                                      pail_binding *binding, const struct pail_json_place *place)
{
    if (json_object_get(json, "file"))
        return read_raw(made, json, binding, place);
    struct walk walk = {.binding = binding, .elements = 1};
    for (uint32_t axis = 0; axis < binding->rank; axis++) {
        const uint64_t extent = extent_of(binding, axis);
        if (extent != 0 && walk.elements > (uint64_t)INT64_MAX / extent)
            return pail_json_complain(place, PAIL_ERR_DATA,
                                      "the shape has more elements than 63 bits hold");
        walk.elements *= extent;
    }
    walk.memory = pail_sizing_alloc(made, binding->size_bytes, 1);
    if (!walk.memory)
        return pail_sizing_no_memory(place);
    binding->host = walk.memory;
    if (json_is_object(json))
        return generate(&walk, json, place);
    const pail_status status = read_inline(&walk, json, place);
    if (status == PAIL_OK && walk.element != walk.elements)
        return pail_json_complain(place, PAIL_ERR_DATA,
                                  "there are %" PRIu64 " numbers for the %" PRIu64 " of the shape",
                                  walk.element, walk.elements);
    return status;
}
