/* SPDX-License-Identifier: Apache-2.0 */
#include "vector.h"

#include <inttypes.h>
#include <string.h>

#include "context.h"
#include "modular.h"
#include <curves/little_endian.h>
#include <curves/scalar.h>
#include <platform/memory.h>

/* Elements of a task that only copies or scales. */
#define TASK_ELEMENTS 8192u

pail_status pail_cpu_vector_create(pail_context *context, pail_vector **out, uint32_t curve,
                                   uint64_t n, struct pail_error *err)
{
    const struct pail_cpu_scalars *scalars;
    const pail_status status = pail_cpu_scalars_for(&scalars, &context->choice, curve, err);
    if (status != PAIL_OK)
        return status;
    if (!scalars) {
        return pail_fail(err, PAIL_ERR_UNSUPPORTED,
                         "curve is %u: the CPU backend has no such scalar field", curve);
    }
    const struct pail_alloc *const memory = &context->memory;
    pail_vector *const vector = pail_cpu_alloc(memory, 1, sizeof *vector);
    void *block = NULL;
    if (vector && n <= (SIZE_MAX - PAIL_CPU_ALIGNMENT) / PAIL_SCALAR_BYTES)
        block = pail_cpu_alloc(memory, 1, (size_t)n * PAIL_SCALAR_BYTES + PAIL_CPU_ALIGNMENT);
    if (!block) {
        pail_cpu_free(memory, vector);
        return pail_fail(err, PAIL_ERR_HOST_MEMORY,
                         "no memory for a vector of %" PRIu64 " elements", n);
    }
    *vector = (pail_vector){
        .context = context,
        .ops = pail_curve_ops(curve, PAIL_G1),
        .scalars = scalars,
        .n = n,
        .block = block,
    };
    void *const aligned = pail_cpu_aligned(block);
    vector->words = aligned;
    memset(aligned, 0, (size_t)n * PAIL_SCALAR_BYTES);
    atomic_init(&vector->references, 1);
    *out = vector;
    return PAIL_OK;
}

void pail_cpu_vector_retain(const pail_vector *vector)
{
    atomic_fetch_add(&((pail_vector *)(uintptr_t)vector)->references, 1);
}

void pail_cpu_vector_release(const pail_vector *vector)
{
    pail_vector *const v = (pail_vector *)(uintptr_t)vector;
    if (atomic_fetch_sub(&v->references, 1) != 1)
        return;
    const struct pail_alloc *const memory = &v->context->memory;
    pail_cpu_free_wiped(memory, v->block, 1, (size_t)v->n * PAIL_SCALAR_BYTES + PAIL_CPU_ALIGNMENT);
    pail_cpu_free(memory, v);
}

void pail_cpu_vector_destroy(pail_vector *vector)
{
    pail_cpu_vector_release(vector);
}

void pail_cpu_vector_factor_in(void *factor, const struct pail_cpu_scalars *scalars,
                               const struct pail_curve_ops *ops)
{
    pail_u256 element = {{1}};
    pail_cpu_to_element(&element, ops, &element); /* 2^256, */
    pail_cpu_to_element(&element, ops, &element); /* and its element */
    scalars->factor(factor, &element);
}

void pail_cpu_vector_factor_out(void *factor, const struct pail_cpu_scalars *scalars)
{
    const pail_u256 one = {{1}}; /* the element of 1 / 2^256 */
    scalars->factor(factor, &one);
}

/* ---- Elements of 32 bytes -------------------------------------------------------------------- */
static void reduce(const struct pail_curve_ops *ops, uint64_t *words, size_t n)
{
    for (size_t i = 0; i < n; i++, words += PAIL_CPU_SCALAR_WORDS) {
        pail_u256 x;
        memcpy(&x, words, sizeof x);
        ops->scalar_reduce(&x, &x);
        memcpy(words, &x, sizeof x);
    }
}

static void read_words(uint64_t *words, const uint8_t *bytes, size_t n)
{
    for (size_t i = 0; i < n * PAIL_CPU_SCALAR_WORDS; i++)
        words[i] = pail_read_u64(bytes + i * sizeof words[0]);
}

void pail_cpu_elements_load(const pail_vector *vector, uint64_t *words, const uint8_t *bytes,
                            const void *factor, size_t n)
{
    uint64_t bad = 0;
    const bool below = pail_scalars_below(vector->ops, bytes, n, &bad);
    read_words(words, bytes, n);
    if (!below)
        reduce(vector->ops, words + bad * PAIL_CPU_SCALAR_WORDS, (size_t)(n - bad));
    if (factor)
        vector->scalars->scale(words, words, factor, n);
}

void pail_cpu_elements_store(const struct pail_cpu_scalars *scalars, uint8_t *bytes,
                             const uint64_t *words, const void *factor, size_t n)
{
    uint64_t some[64 * PAIL_CPU_SCALAR_WORDS];
    for (size_t i = 0; i < n; i += 64) {
        const uint64_t *from = words + i * PAIL_CPU_SCALAR_WORDS;
        const size_t few = n - i < 64 ? n - i : 64;
        if (factor) {
            scalars->scale(some, from, factor, few);
            from = some;
        }
        for (size_t k = 0; k < few * PAIL_CPU_SCALAR_WORDS; k++, bytes += sizeof from[0])
            pail_store_u64(bytes, from[k]);
    }
    pail_wipe(some, sizeof some);
}

/* ---- Between the host's memory and a vector -------------------------------------------------- */
struct copy {
    struct pail_cpu_work work; /* first */
    const pail_vector *vector;
    uint64_t offset, n;
    const uint8_t *from;     /* the host's memory, or: */
    pail_read_elements read; /* a reader with its argument, or: */
    void *user;
    uint8_t *to;
    bool montgomery;
    bool checked;             /* all of `from` are below the order */
    bool zeroing;             /* the vector's range is zeroed: what was read is of no use */
    atomic_int failed;        /* pail_status of the reader, of its first call that failed */
    atomic_uint_fast64_t bad; /* the first one that is not; UINT64_MAX: none so far */
    struct pail_cpu_use use;
    uint64_t factor[PAIL_CPU_FACTOR_WORDS];
};

/* bytes: of elements begin to begin + n - 1. */
static void check_task(struct copy *copy, const uint8_t *bytes, uint64_t begin, uint64_t n)
{
    uint64_t i;
    if (pail_scalars_below(copy->vector->ops, bytes, n, &i))
        return;
    uint_fast64_t bad = atomic_load(&copy->bad);
    while (begin + i < bad && !atomic_compare_exchange_weak(&copy->bad, &bad, begin + i)) {
    }
}

/* Reads into the vector itself, where nobody else looks meanwhile. */
static void read_task(struct copy *copy, uint64_t *words, uint64_t begin, uint64_t n)
{
    const size_t bytes = (size_t)n * PAIL_SCALAR_BYTES;
    if (copy->zeroing) {
        memset(words, 0, bytes);
        return;
    }
    if (atomic_load(&copy->failed) != PAIL_OK)
        return;
    const pail_status status = copy->read(copy->user, words, begin * PAIL_SCALAR_BYTES, bytes);
    if (status != PAIL_OK) {
        const pail_status_kind kind = PAIL_STATUS_KIND(status);
        const bool failure = kind >= PAIL_KIND_CALLER && kind <= PAIL_KIND_WORLD;
        int none = PAIL_OK;
        (void)atomic_compare_exchange_strong(&copy->failed, &none,
                                             (int)(failure ? status : PAIL_ERR_IO));
        return;
    }
    check_task(copy, (const uint8_t *)words, begin, n);
    read_words(words, (const uint8_t *)words, (size_t)n);
    if (!copy->montgomery)
        copy->vector->scalars->scale(words, words, copy->factor, (size_t)n);
}

static void copy_task(struct pail_cpu_work *work, size_t task, size_t slot)
{
    (void)slot;
    struct copy *const copy = (struct copy *)work;
    const struct pail_cpu_scalars *const scalars = copy->vector->scalars;
    const uint64_t begin = (uint64_t)task * TASK_ELEMENTS, left = copy->n - begin;
    const uint64_t n = left < TASK_ELEMENTS ? left : TASK_ELEMENTS;
    uint64_t *const words = pail_cpu_vector_at(copy->vector, copy->offset + begin);
    if (copy->read) {
        read_task(copy, words, begin, n);
    } else if (copy->from && !copy->checked) {
        check_task(copy, copy->from + begin * PAIL_SCALAR_BYTES, begin, n);
    } else if (copy->from) {
        read_words(words, copy->from + begin * PAIL_SCALAR_BYTES, n);
        if (!copy->montgomery)
            scalars->scale(words, words, copy->factor, n);
    } else {
        pail_cpu_elements_store(scalars, copy->to + begin * PAIL_SCALAR_BYTES, words,
                                copy->montgomery ? NULL : copy->factor, (size_t)n);
    }
    pail_wipe_stack();
}

/* After the check, if nothing is wrong: the copy itself. After reading, if something is: zeros. */
static size_t copy_more(struct pail_cpu_work *work)
{
    struct copy *const copy = (struct copy *)work;
    if (copy->read && !copy->zeroing &&
        (atomic_load(&copy->failed) != PAIL_OK || atomic_load(&copy->bad) != UINT64_MAX)) {
        copy->zeroing = true;
        return copy->work.n_tasks;
    }
    if (!copy->from || copy->checked || atomic_load(&copy->bad) != UINT64_MAX)
        return 0;
    copy->checked = true;
    return copy->work.n_tasks;
}

static pail_status run_copy(struct copy *copy, uint32_t encoding, struct pail_error *err)
{
    pail_context *const context = copy->vector->context;
    const struct pail_alloc *const memory = &context->memory;
    copy->montgomery = encoding == PAIL_ENCODING_MONTGOMERY;
    if (copy->n == 0)
        return PAIL_OK;
    if (copy->from || copy->read)
        pail_cpu_vector_factor_in(copy->factor, copy->vector->scalars, copy->vector->ops);
    else
        pail_cpu_vector_factor_out(copy->factor, copy->vector->scalars);
    const size_t n_tasks = (size_t)((copy->n - 1) / TASK_ELEMENTS + 1);
    const size_t threads = pail_cpu_pool_threads(context->pool);
    const size_t running = threads < n_tasks ? threads : n_tasks;
    size_t *const slots = pail_cpu_alloc(memory, running, sizeof *slots);
    if (!slots)
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no memory for the threads of a copy");
    copy->use = (struct pail_cpu_use){copy->vector, !copy->to};
    copy->work = (struct pail_cpu_work){
        .run = copy_task,
        .more = copy_more,
        .n_tasks = n_tasks,
        .max_running = running,
        .slots = slots,
        .uses = &copy->use,
        .n_uses = 1,
    };
    atomic_init(&copy->bad, UINT64_MAX);
    atomic_init(&copy->failed, PAIL_OK);
    pail_cpu_pool_submit(context->pool, &copy->work);
    pail_cpu_pool_wait(context->pool, &copy->work, UINT64_MAX);
    pail_cpu_free(memory, slots);
    const pail_status failed = (pail_status)atomic_load(&copy->failed);
    if (failed != PAIL_OK)
        return pail_fail(err, failed, "read: failed with status %d", (int)failed);
    const uint64_t bad = atomic_load(&copy->bad);
    if (bad != UINT64_MAX) {
        return pail_fail(err, PAIL_ERR_DATA, "elements[%" PRIu64 "] is not below the order of %s",
                         bad, copy->vector->ops->curve_name);
    }
    return PAIL_OK;
}

pail_status pail_cpu_vector_write(pail_vector *vector, uint64_t offset, const void *elements,
                                  uint64_t n, uint32_t encoding, struct pail_error *err)
{
    struct copy copy = {.vector = vector, .offset = offset, .n = n, .from = elements};
    return run_copy(&copy, encoding, err);
}

pail_status pail_cpu_vector_fill(pail_vector *vector, uint64_t offset, pail_read_elements read,
                                 void *user, uint64_t n, uint32_t encoding, struct pail_error *err)
{
    struct copy copy = {.vector = vector, .offset = offset, .n = n, .read = read, .user = user};
    return run_copy(&copy, encoding, err);
}

pail_status pail_cpu_vector_read(const pail_vector *vector, void *elements, uint64_t offset,
                                 uint64_t n, uint32_t encoding, struct pail_error *err)
{
    struct copy copy = {.vector = vector, .offset = offset, .n = n, .to = elements};
    return run_copy(&copy, encoding, err);
}
