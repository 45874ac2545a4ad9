/* SPDX-License-Identifier: Apache-2.0 */
/* Sources: types, shapes, strides, and how large that is in memory. */
#include "case.h"

#include <stdlib.h>
#include <string.h>

#include "options/names.h"
#include "output/json.h"

/* ---- Sources --------------------------------------------------------------------------------- */

enum { RANK_MAX = 255 }; /* the most that a kernel's description holds */

/* An array of integers in the member, each from `least` to `most`; *n and *numbers stay as they are
 * where there is none. */
static pail_status read_numbers(struct pail_sizing_case *made, const json_t *object,
                                const char *key, json_int_t least, json_int_t most,
                                const struct pail_json_place *place, int64_t **numbers, size_t *n)
{
    const json_t *const array = json_object_get(object, key);
    if (!array)
        return PAIL_OK;
    const struct pail_json_place member = pail_json_member(place, key);
    if (!json_is_array(array))
        return pail_json_refuse(&member, array, "it is an array of integers, one for each axis");
    *n = json_array_size(array);
    *numbers = pail_sizing_alloc(made, *n, sizeof(**numbers));
    if (!*numbers)
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
    if (!shape)
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
    if (!stride) {
        stride = pail_sizing_alloc(made, n, sizeof(*stride));
        if (!stride)
            return pail_sizing_no_memory(place);
        fits = make_strides(stride, binding->shape, binding->rank, bytes);
    }
    binding->stride_bytes = stride;
    if (!fits || !measure(&binding->size_bytes, binding, bytes))
        return pail_json_complain(place, PAIL_ERR_DATA,
                                  "an array of that shape does not fit 64 bits of addresses");
    return PAIL_OK;
}

/* Sets the flag if the member is true. */
static pail_status read_flag(uint32_t *flags, uint32_t flag, const json_t *json, const char *key,
                             const struct pail_json_place *place)
{
    const json_t *const member = json_object_get(json, key);
    const struct pail_json_place at = pail_json_member(place, key);
    if (pail_json_status(place) == PAIL_OK && member && !json_is_boolean(member))
        return pail_json_refuse(&at, member, "it is true or false");
    if (json_is_true(member))
        *flags |= flag;
    return pail_json_status(place);
}

/* The binding of a source and the bytes of its contents. */
static pail_status sizing_read_source(struct pail_sizing_case *made, json_t *json, uint32_t source,
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
    pail_status status =
        read_flag(&binding->flags, PAIL_BINDING_UNTRACKED, json, "untracked", place);
    if (status == PAIL_OK)
        status = read_shape(made, json, binding, place);

    json_t *const data = json_object_get(json, "data");
    const struct pail_json_place data_place = pail_json_member(place, "data");
    if (status == PAIL_OK && !data && json_object_get(json, "stride_bytes"))
        status = pail_json_complain(place, PAIL_ERR_DATA, "\"stride_bytes\" without \"data\"");
    if (status != PAIL_OK || !data)
        return status;
    status = read_layout(made, json, binding, place);
    return status == PAIL_OK ? pail_sizing_read_contents(made, data, binding, &data_place) : status;
}

/* ---- The case -------------------------------------------------------------------------------- */

/* The header in front of each block of a case's memory. */
struct block {
    void *next;
    uint64_t reserved; /* keeps the memory after it aligned for any number */
};

void *pail_sizing_alloc(struct pail_sizing_case *made, uint64_t n, uint64_t size)
{
    if (size != 0 && n > (SIZE_MAX / 2) / size)
        return NULL;
    struct block *const block = calloc(1, sizeof(*block) + (size_t)(n * size));
    if (!block)
        return NULL;
    block->next = made->blocks;
    made->blocks = block;
    return block + 1;
}

pail_status pail_sizing_no_memory(const struct pail_json_place *place)
{
    return pail_json_complain(place, PAIL_ERR_HOST_MEMORY, "no memory for it");
}

void pail_sizing_case_free(struct pail_sizing_case *made)
{
    for (struct block *block = made->blocks; block != NULL;) {
        struct block *const next = block->next;
        free(block);
        block = next;
    }
    json_decref(made->root);
    *made = (struct pail_sizing_case){0};
}

const struct pail_name pail_dtype_names[] = {
    {"i8", PAIL_DTYPE_I8},   {"i16", PAIL_DTYPE_I16}, {"i32", PAIL_DTYPE_I32},
    {"i64", PAIL_DTYPE_I64}, {"u8", PAIL_DTYPE_U8},   {"u16", PAIL_DTYPE_U16},
    {"u32", PAIL_DTYPE_U32}, {"u64", PAIL_DTYPE_U64}, {NULL, 0}};

uint32_t pail_sizing_dtype_bytes(uint32_t dtype)
{
    return 1u << (dtype - (dtype < PAIL_DTYPE_U8 ? PAIL_DTYPE_I8 : PAIL_DTYPE_U8));
}

static const struct pail_name heap_names[] = {{"float", PAIL_HEAP_FLOAT},
                                              {"int", PAIL_HEAP_INT},
                                              {"rows", PAIL_HEAP_ROWS},
                                              {"float_claims", PAIL_HEAP_FLOAT_CLAIMS},
                                              {"int_claims", PAIL_HEAP_INT_CLAIMS},
                                              {NULL, 0}};

static const struct pail_name layout_names[] = {{"auto", PAIL_LAYOUT_AUTO},
                                                {"rows", PAIL_LAYOUT_ROWS},
                                                {"claimed", PAIL_LAYOUT_CLAIMED},
                                                {NULL, 0}};

const char *pail_sizing_layout_name(uint32_t layout)
{
    return layout_names[layout].name;
}

const char *pail_sizing_heap_name(uint32_t heap)
{
    return heap_names[heap].name;
}

static const struct pail_name range_names[] = {
    {"as_given", 0}, {"clamped", PAIL_KERNEL_CLAMP_RANGES}, {NULL, 0}};
static const struct pail_name arithmetic_names[] = {
    {"checked", 0}, {"wrapping", PAIL_KERNEL_WRAP_ARITHMETIC}, {NULL, 0}};
static const struct pail_name unit_names[] = {
    {"bytes", 0}, {"elements", PAIL_TASK_ELEMENT_UNITS}, {NULL, 0}};

/* ---- Stacks and tasks ----------------------------------------------------------------------- */
static pail_status read_stack(struct pail_sizing_case *made, json_t *json, pail_stack_desc *stack,
                              struct pail_sizing_expectation *expected,
                              const struct pail_json_place *place)
{
    static const char *const keys[] = {
        "heap",     "element_bytes", "copies", "header_bytes", "alignment",
        "capacity", "tree",          "expect", "note",         NULL};
    *stack = (pail_stack_desc){.struct_size = sizeof(*stack)};
    pail_json_object(json, place, keys);
    pail_json_word(json, place, "heap", heap_names, &stack->heap);
    const bool placed = stack->heap < PAIL_HEAP_ROWS;
    json_int_t bytes = placed ? 4 : 0, copies = stack->heap == PAIL_HEAP_FLOAT ? 2 : placed;
    json_int_t header = 0, alignment = 0, capacity = 0, raw = 0;
    pail_json_integer(json, place, "element_bytes", 0, UINT32_MAX, &bytes);
    pail_json_integer(json, place, "copies", 0, UINT32_MAX, &copies);
    pail_json_integer(json, place, "header_bytes", 0, UINT32_MAX, &header);
    pail_json_integer(json, place, "alignment", 0, UINT32_MAX, &alignment);
    pail_json_integer(json, place, "capacity", 0, INT64_MAX, &capacity);
    pail_json_integer(json, place, "expect", INT64_MIN, INT64_MAX, &raw);
    if (pail_json_status(place) != PAIL_OK)
        return pail_json_status(place);
    stack->element_bytes = (uint32_t)bytes;
    stack->copies = (uint32_t)copies;
    stack->header_bytes = (uint32_t)header;
    stack->alignment = (uint32_t)alignment;
    stack->static_capacity = (uint64_t)capacity;
    *expected = (struct pail_sizing_expectation){json_object_get(json, "expect") != NULL, raw};

    json_t *const tree = json_object_get(json, "tree");
    const struct pail_json_place tree_place = pail_json_member(place, "tree");
    if (!tree && capacity == 0)
        return pail_json_complain(place, PAIL_ERR_DATA,
                                  "there is no \"tree\", and no \"capacity\" "
                                  "in its place");
    return tree ? pail_sizing_read_tree(made, tree, &stack->tree, &tree_place) : PAIL_OK;
}

/* "ca332149" or a number */
static pail_status read_id(uint32_t *id, const json_t *json, const struct pail_json_place *place)
{
    const char *const text = json_is_string(json) ? json_string_value(json) : "";
    if (strlen(text) == 8 && strspn(text, "0123456789abcdefABCDEF") == 8)
        *id = (uint32_t)strtoul(text, NULL, 16);
    else if (json_is_integer(json) && json_integer_value(json) > 0 &&
             json_integer_value(json) <= UINT32_MAX)
        *id = (uint32_t)json_integer_value(json);
    return *id != 0 ? PAIL_OK
                    : pail_json_refuse(place, json,
                                       "it is a text of 8 hexadecimal digits, or a number of 32 "
                                       "bits, and not 0");
}

static pail_status read_task(struct pail_sizing_case *made, json_t *json, size_t index,
                             pail_task_desc *task, const struct pail_json_place *place)
{
    static const char *const keys[] = {"task",       "id",         "units",  "wide_metadata",
                                       "threads",    "gated_rows", "layout", "rows_ns",
                                       "claimed_ns", "stacks",     "note",   NULL};
    pail_task_launch *const launch = &made->launches[index];
    *task = (pail_task_desc){.struct_size = sizeof(*task)};
    json_int_t number = (json_int_t)index, threads = 1, rows = -1, rows_ns = 0, claimed_ns = 0;
    uint32_t wide = 0, layout = PAIL_LAYOUT_AUTO;
    json_t *stacks = NULL;
    const json_t *const id = json_object_get(json, "id");
    const struct pail_json_place id_place = pail_json_member(place, "id");
    task->flags = PAIL_TASK_ELEMENT_UNITS;
    pail_json_object(json, place, keys);
    pail_json_integer(json, place, "task", INT32_MIN, INT32_MAX, &number);
    pail_json_integer(json, place, "threads", 0, INT64_MAX, &threads);
    pail_json_integer(json, place, "gated_rows", 0, INT64_MAX, &rows);
    pail_json_integer(json, place, "rows_ns", 0, INT64_MAX, &rows_ns);
    pail_json_integer(json, place, "claimed_ns", 0, INT64_MAX, &claimed_ns);
    pail_json_word(json, place, "layout", layout_names, &layout);
    (void)read_flag(&wide, PAIL_TASK_WIDE_METADATA, json, "wide_metadata", place);
    if (pail_json_status(place) == PAIL_OK && id)
        (void)read_id(&task->wanted_id, id, &id_place);
    pail_json_word(json, place, "units", unit_names, &task->flags);
    pail_json_array(json, place, "stacks", &stacks);
    pail_status status = pail_json_status(place);
    if (status != PAIL_OK)
        return status;
    task->task_index = (int32_t)number;
    task->flags |= wide;
    *launch = (pail_task_launch){.struct_size = sizeof(*launch),
                                 .flags = rows < 0 ? 0 : PAIL_TASK_LAUNCH_GATED,
                                 .threads = (uint64_t)threads,
                                 .gated_rows = rows < 0 ? 0 : (uint64_t)rows,
                                 .layout = layout,
                                 .rows_ns = (uint64_t)rows_ns,
                                 .claimed_ns = (uint64_t)claimed_ns};

    const struct pail_json_place list = pail_json_member(place, "stacks");
    const size_t n = json_array_size(stacks);
    pail_stack_desc *const descs = pail_sizing_alloc(made, n, sizeof(*descs));
    if (!descs)
        return pail_sizing_no_memory(&list);
    task->stacks = descs;
    task->n_stacks = n;
    for (size_t i = 0; i < n && status == PAIL_OK; i++) {
        const struct pail_json_place element = pail_json_element(&list, i);
        status = read_stack(made, json_array_get(stacks, i), &descs[i],
                            &made->expected[made->first_stack[index] + i], &element);
    }
    return status;
}

static pail_status read_tasks(struct pail_sizing_case *made, const struct pail_json_place *file)
{
    json_t *tasks = NULL;
    pail_json_array(made->root, file, "tasks", &tasks);
    pail_status status = pail_json_status(file);
    if (status != PAIL_OK)
        return status;
    const struct pail_json_place list = pail_json_member(file, "tasks");
    const size_t n = json_array_size(tasks);
    if (n == 0)
        return pail_json_complain(file, PAIL_ERR_DATA,
                                  "it has no \"tasks\"%s, and a kernel has at least one task",
                                  !tasks ? "" : " but an empty array");
    uint64_t n_stacks = 0;
    made->first_stack = pail_sizing_alloc(made, n + 1, sizeof(*made->first_stack));
    for (size_t i = 0; i < n && made->first_stack; i++) {
        n_stacks += json_array_size(json_object_get(json_array_get(tasks, i), "stacks"));
        made->first_stack[i + 1] = n_stacks;
    }
    pail_task_desc *const descs = pail_sizing_alloc(made, n, sizeof(*descs));
    made->launches = pail_sizing_alloc(made, n, sizeof(*made->launches));
    made->expected = pail_sizing_alloc(made, n_stacks, sizeof(*made->expected));
    if (!made->first_stack || !descs || !made->launches || !made->expected)
        return pail_sizing_no_memory(&list);
    made->kernel.tasks = descs;
    made->kernel.n_tasks = n;
    for (size_t i = 0; i < n && status == PAIL_OK; i++) {
        const struct pail_json_place element = pail_json_element(&list, i);
        status = read_task(made, json_array_get(tasks, i), i, &descs[i], &element);
    }
    return status;
}

/* ---- Sources -------------------------------------------------------------------------------- */
static pail_status read_sources(struct pail_sizing_case *made, const struct pail_json_place *file)
{
    json_t *sources = NULL;
    pail_json_array(made->root, file, "sources", &sources);
    pail_status status = pail_json_status(file);
    if (status != PAIL_OK)
        return status;
    const struct pail_json_place list = pail_json_member(file, "sources");
    const size_t n = json_array_size(sources);
    uint8_t *const ranks = pail_sizing_alloc(made, n, 1);
    made->bindings = pail_sizing_alloc(made, n, sizeof(*made->bindings));
    made->source_names = pail_sizing_alloc(made, n, sizeof(*made->source_names));
    if (!ranks || !made->bindings || !made->source_names || n > UINT32_MAX)
        return pail_sizing_no_memory(&list);
    for (size_t i = 0; i < n && status == PAIL_OK; i++) {
        const struct pail_json_place element = pail_json_element(&list, i);
        status = sizing_read_source(made, json_array_get(sources, i), (uint32_t)i, &element);
        ranks[i] = (uint8_t)made->bindings[i].rank;
    }
    made->kernel.source_rank = ranks;
    made->kernel.n_sources = n;
    return status;
}

pail_status pail_sizing_find_source(const struct pail_sizing_case *made, const json_t *json,
                                    const struct pail_json_place *place, int32_t *source)
{
    for (size_t i = 0; i < made->kernel.n_sources; i++) {
        const bool same = json_is_string(json)
                              ? strcmp(json_string_value(json), made->source_names[i]) == 0
                              : json_is_integer(json) && json_integer_value(json) == (json_int_t)i;
        if (!same)
            continue;
        *source = (int32_t)i;
        return PAIL_OK;
    }
    return pail_json_refuse(place, json, "no source has that name or number; there are %zu",
                            made->kernel.n_sources);
}

pail_status pail_sizing_case_read(struct pail_sizing_case *made, const char *path,
                                  struct pail_error *error)
{
    static const char *const keys[] = {"kernel",     "sources", "tasks", "ranges",
                                       "arithmetic", "note",    NULL};
    const struct pail_json_file file = {path, error};
    const struct pail_json_place place = {.file = &file};
    *made = (struct pail_sizing_case){.path = path};
    made->kernel = (pail_kernel_desc){.struct_size = sizeof(made->kernel), .name = ""};
    if (pail_json_file_read(&made->root, path, error) != PAIL_OK)
        return error->status;
    pail_json_object(made->root, &place, keys);
    pail_json_text(made->root, &place, "kernel", &made->kernel.name);
    uint32_t arithmetic = 0;
    pail_json_word(made->root, &place, "ranges", range_names, &made->kernel.flags);
    pail_json_word(made->root, &place, "arithmetic", arithmetic_names, &arithmetic);
    made->kernel.flags |= arithmetic;
    if (error->status == PAIL_OK && made->kernel.name[0] != '\0')
        made->kernel.name_bytes = json_string_length(json_object_get(made->root, "kernel"));
    if (error->status == PAIL_OK && read_sources(made, &place) == PAIL_OK)
        (void)read_tasks(made, &place);
    return error->status;
}
