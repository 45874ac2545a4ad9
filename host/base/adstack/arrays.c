/* SPDX-License-Identifier: Apache-2.0 */
#include "arrays.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <core/structs.h>

#include "service.h"
#include "tasks.h"

/* Says which binding it is about. */
static pail_status wrong(struct pail_error *err, size_t number, const pail_binding *b,
                         const char *what)
{
    return pail_fail(err, PAIL_ERR_ARGUMENT, "binding %zu, source %u: %s", number, b->source, what);
}

#define WRONG(...) ((void)snprintf(what, sizeof(what), __VA_ARGS__), wrong(err, number, b, what))

/* Extents and strides. elements: whether there are any. */
static pail_status take_shape(struct pail_ad_array *array, bool *elements, const pail_binding *b,
                              size_t number, uint32_t element, struct pail_error *err)
{
    char what[160];
    int64_t step = element;
    bool fits = true;
    *elements = true;
    if (b->rank > 0 && !b->shape)
        return WRONG("shape: NULL");
    for (uint32_t i = b->rank; i-- > 0;) {
        const int64_t n = b->shape[i];
        if (n < 0)
            return WRONG("shape of axis %u is %" PRId64, i, n);
        array->shape[i] = n;
        array->stride[i] = b->stride_bytes ? b->stride_bytes[i] : step;
        *elements = *elements && n > 0;
        if (!b->stride_bytes && n > 1)
            fits = fits && !__builtin_mul_overflow(step, n, &step);
    }
    return fits || !*elements ? PAIL_OK : WRONG("its elements are beyond 64 bits of bytes");
}

/* Checks that every index inside the shape is inside the memory. */
static pail_status check_extent(const struct pail_ad_array *array, const pail_binding *b,
                                size_t number, uint32_t element, struct pail_error *err)
{
    char what[160];
    uint64_t last = element;
    for (uint32_t i = 0; i < b->rank; i++) {
        const int64_t stride = array->stride[i];
        uint64_t reach;
        if (array->shape[i] <= 1)
            continue;
        if (stride < 0)
            return WRONG("stride_bytes of axis %u is %" PRId64
                         ", so that elements are before the first",
                         i, stride);
        if (stride & (int64_t)(element - 1))
            return WRONG("stride_bytes of axis %u is %" PRId64
                         ", no multiple of the %u bytes of an element",
                         i, stride, element);
        if (__builtin_mul_overflow((uint64_t)array->shape[i] - 1, (uint64_t)stride, &reach) ||
            __builtin_add_overflow(last, reach, &last))
            return WRONG("its elements are beyond 64 bits of bytes");
    }
    if (last > b->size_bytes)
        return WRONG("size_bytes is %" PRIu64 ", but its elements take %" PRIu64, b->size_bytes,
                     last);
    if (array->foreign)
        return PAIL_OK;
    if (b->device_address & (element - 1)) /* a power of two */
        return WRONG("device_address is 0x%" PRIx64 ", no multiple of the %u bytes of an element",
                     b->device_address, element);
    if (b->size_bytes > UINT64_MAX - b->device_address)
        return WRONG("device_address 0x%" PRIx64 " and size_bytes %" PRIu64 " are beyond 64 bits",
                     b->device_address, b->size_bytes);
    return PAIL_OK;
}

/* Checks that an address is one that the context gave, and so are the bytes behind it. */
static pail_status check_memory(struct pail_ranges *memories, const pail_binding *b, size_t number,
                                struct pail_error *err)
{
    char what[160];
    struct pail_range range;
    if (!pail_ranges_find(memories, b->device_address, &range))
        return WRONG("device_address is 0x%" PRIx64 ", where no memory of the context is",
                     b->device_address);
    const uint64_t left = range.bytes - (b->device_address - range.begin);
    if (b->size_bytes > left)
        return WRONG("size_bytes is %" PRIu64 ", but the memory at device_address 0x%" PRIx64
                     " ends behind %" PRIu64,
                     b->size_bytes, b->device_address, left);
    return PAIL_OK;
}

static pail_status take_contents(struct pail_ad_array *array, const pail_binding *b, size_t number,
                                 uint32_t dtype, bool elements, const struct pail_ad_env *env,
                                 struct pail_error *err)
{
    static const uint8_t nothing; /* the address of an array without elements */
    char what[160];
    if (b->dtype != dtype)
        return WRONG("dtype is %u, but it is read with dtype %u", b->dtype, dtype);
    if (b->identity == 0)
        return WRONG("identity is 0, but its contents are read");
    array->host = elements ? b->host : &nothing;
    array->address = elements && !array->foreign ? b->device_address : 0;
    array->foreign_address = array->foreign ? b->device_address : 0;
    array->size_bytes = b->size_bytes;
    if (!elements)
        return PAIL_OK;
    if (!b->host && !b->device_address && !array->foreign)
        return WRONG("host is NULL and device_address is 0, but its contents are read");
    const pail_status status = check_extent(array, b, number, pail_ad_dtype_bytes(dtype), err);
    if (status != PAIL_OK || !array->address || !env->memories)
        return status;
    if (env->pointers) {
        array->host = array->host ? array->host : (const uint8_t *)(uintptr_t)array->address;
        array->address = 0;
    }
    return check_memory(env->memories, b, number, err);
}

/* seen: written only for a source whose contents are read. */
static pail_status take_one(struct pail_ad_array *array, struct pail_ad_seen *seen,
                            uint8_t *untracked, const struct pail_ad_kernel *kernel,
                            const pail_binding *b, size_t number, const struct pail_ad_env *env,
                            struct pail_error *err)
{
    char what[256];
    const struct pail_ad_source *source = &kernel->sources[b->source];
    bool elements;
    const bool foreign = (b->flags & PAIL_BINDING_FOREIGN) != 0;
    if (b->flags & ~(uint32_t)(PAIL_BINDING_UNTRACKED | PAIL_BINDING_FOREIGN))
        return WRONG("flags is 0x%x", b->flags);
    if (b->rank != kernel->desc->source_rank[b->source])
        return WRONG("rank is %u, registered was %u", b->rank,
                     kernel->desc->source_rank[b->source]);
    if (b->device_address && !foreign && env->no_addresses)
        return WRONG("device_address is 0x%" PRIx64 ", but %s", b->device_address,
                     env->no_addresses);
    if (foreign && !env->fetch.start)
        return WRONG(
            "flags is 0x%x, with PAIL_BINDING_FOREIGN, but the context was created without "
            "params->fetch",
            b->flags);
    *untracked = (b->flags & PAIL_BINDING_UNTRACKED) != 0;
    /* Field by field: nobody looks at axes beyond the rank. */
    array->host = NULL;
    array->address = array->size_bytes = array->foreign_address = 0;
    array->foreign = foreign;
    array->dtype = b->dtype;
    array->rank = b->rank;
    pail_status status = take_shape(array, &elements, b, number,
                                    source->dtype ? pail_ad_dtype_bytes(source->dtype) : 1, err);
    if (status != PAIL_OK || !source->contents)
        return status;
    *seen = (struct pail_ad_seen){b->identity, b->generation, 0};
    return take_contents(array, b, number, source->dtype, elements, env, err);
}

/* Reads a binding of an array, which names a source. The first one says how far apart they are. */
static pail_status read_one(pail_binding *binding, const struct pail_ad_kernel *kernel,
                            const pail_binding *bindings, size_t number, struct pail_error *err)
{
    uint32_t stride = 0;
    struct pail_error inner; /* is written where something fails */
    memcpy(&stride, bindings, sizeof(stride));
    const pail_status status =
        pail_struct_in(binding, sizeof(*binding), (const char *)bindings + number * stride,
                       PAIL_BINDING_SIZE_1_0, "pail_binding", &inner);
    if (status != PAIL_OK)
        return pail_fail(err, status, "binding %zu: %s", number, inner.text);
    if (binding->struct_size != stride)
        return pail_fail(err, PAIL_ERR_ARGUMENT, "binding %zu: struct_size is %u, of binding 0 %u",
                         number, binding->struct_size, stride);
    if (binding->source >= kernel->desc->n_sources)
        return pail_fail(err, PAIL_ERR_ARGUMENT,
                         "binding %zu: source is %u, but the kernel has %zu", number,
                         binding->source, kernel->desc->n_sources);
    return PAIL_OK;
}

/* Memory that bindings are taken into. */
struct target {
    struct pail_ad_array *arrays;
    struct pail_ad_seen *seen;
    uint8_t *untracked;
    uint8_t *bound; /* a source may be bound that is not yet; NULL: any */
    bool alone;     /* there is one place, for each in turn */
};

/* Takes bindings [first, end) of an array. The only caller of what it calls, so that it is one loop
 * without calls: a launch with many arrays spends its time here. */
static pail_status take(const struct target *to, const struct pail_ad_kernel *kernel,
                        const pail_binding *bindings, size_t first, size_t end,
                        const struct pail_ad_env *env, struct pail_error *err)
{
    pail_binding binding;
    for (size_t i = first; i < end; i++) {
        pail_status status = read_one(&binding, kernel, bindings, i, err);
        if (status != PAIL_OK)
            return status;
        if (to->bound && to->bound[binding.source])
            return wrong(err, i, &binding, "the source has a binding before");
        if (to->bound)
            to->bound[binding.source] = 1;
        const uint32_t at = to->alone ? 0 : binding.source;
        const struct pail_ad_source *source = &kernel->sources[binding.source];
        struct pail_ad_seen *seen = NULL;
        if (source->contents)
            seen = &to->seen[to->alone ? 0 : source->seen];
        status = take_one(&to->arrays[at], seen, &to->untracked[at], kernel, &binding, i, env, err);
        if (status != PAIL_OK)
            return status;
    }
    return PAIL_OK;
}

pail_status pail_ad_arrays_take(struct pail_ad_frame *frame, const struct pail_ad_kernel *kernel,
                                const pail_launch *launch, const struct pail_ad_env *env,
                                struct pail_error *err)
{
    const struct target to = {frame->arrays, frame->seen, frame->untracked, frame->bound, false};
    const size_t n_sources = kernel->desc->n_sources;
    memset(frame->bound, 0, n_sources);
    if (launch->n_bindings > 0 && !launch->bindings)
        return pail_fail(err, PAIL_ERR_ARGUMENT, "bindings: NULL");
    const pail_status status = take(&to, kernel, launch->bindings, 0, launch->n_bindings, env, err);
    if (status != PAIL_OK)
        return status;
    for (size_t i = 0; i < n_sources; i++)
        if (kernel->sources[i].used && !frame->bound[i])
            return pail_fail(err, PAIL_ERR_ARGUMENT,
                             "bindings: there is none for source %zu, which "
                             "is needed",
                             i);
    return PAIL_OK;
}

uint32_t pail_ad_arrays_source(const pail_binding *bindings, size_t number)
{
    uint32_t stride, source;
    memcpy(&stride, bindings, sizeof(stride));
    memcpy(&source, (const char *)bindings + number * stride + offsetof(pail_binding, source),
           sizeof(source));
    return source;
}

pail_status pail_ad_arrays_check(const struct pail_ad_kernel *kernel, const pail_binding *bindings,
                                 size_t n, const struct pail_ad_env *env, struct pail_error *err)
{
    struct pail_ad_array array;
    struct pail_ad_seen seen;
    uint8_t untracked;
    const struct target to = {&array, &seen, &untracked, NULL, true};
    return take(&to, kernel, bindings, 0, n, env, err);
}

void pail_ad_arrays_bind(struct pail_ad_frame *frame, const struct pail_ad_kernel *kernel,
                         const pail_binding *bindings, size_t number, const struct pail_ad_env *env)
{
    const struct target to = {frame->arrays, frame->seen, frame->untracked, NULL, false};
    struct pail_error none; /* it was checked */
    (void)take(&to, kernel, bindings, number, number + 1, env, &none);
    frame->bound[pail_ad_arrays_source(bindings, number)] = 1;
}

uint64_t pail_ad_arrays_bytes(const struct pail_ad_frame *frame,
                              const struct pail_ad_program *program, uint32_t slot,
                              uint8_t counted[])
{
    const struct pail_ad_slot *sl = &program->slots[slot];
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < sl->n_deps; i++) {
        const struct pail_ad_dep *dep = &program->deps[program->dep_lists[sl->deps_first + i]];
        const struct pail_ad_array *array = &frame->arrays[dep->source];
        struct pail_ad_reach all = {0, 0};
        if (dep->kind != PAIL_AD_DEP_CONTENTS || counted[dep->source] || array->address)
            continue;
        counted[dep->source] = 1;
        pail_ad_reach_elements(&all, array, NULL, NULL);
        bytes += all.end - all.first;
    }
    return bytes;
}

enum { FOREIGN = 2 }; /* beside `untracked` in the last word of a source's contents */

/* Returns the end of the words. */
static inline uint64_t *put_words(uint64_t *at, const struct pail_ad_frame *frame,
                                  const struct pail_ad_kernel *kernel,
                                  const struct pail_ad_dep *dep)
{
    const struct pail_ad_array *array = &frame->arrays[dep->source];
    if (dep->kind == PAIL_AD_DEP_SHAPE) {
        *at++ = (uint64_t)array->shape[dep->axis];
        return at;
    }
    const struct pail_ad_seen *seen = &frame->seen[kernel->sources[dep->source].seen];
    const size_t bytes = array->rank * sizeof(int64_t);
    *at++ = seen->identity;
    *at++ = seen->generation;
    *at++ = seen->epoch;
    memcpy(at, array->shape, bytes);
    memcpy(at + array->rank, array->stride, bytes);
    at += 2 * array->rank;
    *at++ = (uint64_t)(uintptr_t)array->host;
    *at++ = array->foreign ? array->foreign_address : array->address;
    *at++ = array->size_bytes;
    *at++ = frame->untracked[dep->source] | (array->foreign ? FOREIGN : 0u);
    return at;
}

uint32_t pail_ad_arrays_words(uint64_t words[], const struct pail_ad_frame *frame,
                              const struct pail_ad_kernel *kernel, uint32_t dep)
{
    return (uint32_t)(put_words(words, frame, kernel, &kernel->program->deps[dep]) - words);
}

bool pail_ad_arrays_key(struct pail_ad_frame *frame, const struct pail_ad_kernel *kernel,
                        const pail_launch *launch)
{
    const struct pail_ad_program *p = kernel->program;
    uint64_t *at = frame->key;
    bool keep = true;
    for (uint32_t i = 0; i < p->n_deps; i++) {
        const struct pail_ad_dep *dep = &p->deps[i];
        if (!kernel->needed[i])
            continue;
        if (dep->kind == PAIL_AD_DEP_CONTENTS)
            keep = keep && !frame->untracked[dep->source];
        at = put_words(at, frame, kernel, dep);
    }
    frame->hash = pail_ad_launches_hash(&kernel->launches, frame->key);
    *at++ = launch->heap_float;
    *at++ = launch->heap_int;
    for (size_t i = 0; i < launch->n_tasks; i++) {
        const pail_task_launch task = pail_ad_task_launch(launch, i);
        pail_ad_task_words(at, &task);
        at += PAIL_AD_TASK_WORDS;
    }
    return keep;
}

void pail_ad_arrays_of_key(struct pail_ad_frame *frame, const struct pail_ad_kernel *kernel,
                           const uint64_t key[])
{
    const struct pail_ad_program *p = kernel->program;
    memset(frame->bound, 0, p->n_sources);
    for (uint32_t i = 0; i < p->n_deps; i++) {
        const struct pail_ad_dep *dep = &p->deps[i];
        const struct pail_ad_source *source = &kernel->sources[dep->source];
        struct pail_ad_array *array = &frame->arrays[dep->source];
        const uint32_t rank = p->ranks[dep->source];
        if (!kernel->needed[i])
            continue;
        if (dep->kind == PAIL_AD_DEP_SHAPE) {
            if (!frame->bound[dep->source])
                *array = (struct pail_ad_array){.rank = rank};
            array->shape[dep->axis] = (int64_t)*key++;
        } else {
            *array = (struct pail_ad_array){.dtype = source->dtype, .rank = rank};
            frame->seen[source->seen] = (struct pail_ad_seen){key[0], key[1], key[2]};
            memcpy(array->shape, key + 3, rank * sizeof(int64_t));
            memcpy(array->stride, key + 3 + rank, rank * sizeof(int64_t));
            key += 3 + 2 * rank;
            array->host = (const uint8_t *)(uintptr_t)key[0];
            array->foreign = (key[3] & FOREIGN) != 0;
            array->address = array->foreign ? 0 : key[1];
            array->foreign_address = array->foreign ? key[1] : 0;
            array->size_bytes = key[2];
            frame->untracked[dep->source] = key[3] & 1;
            key += 4;
        }
        frame->bound[dep->source] = 1;
    }
}
