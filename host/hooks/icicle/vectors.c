/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors of scalars: arithmetic, conversions, and elements in another order. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include <platform/memory.h>
#include <platform/thread.h>

#include "state.h"

/* Elements of a vector on the device: what a call needs there is bounded. */
enum { PIECE = 1 << 22 };

struct vectors {
    struct icicle_device *device;
    struct icicle_operand a, b, r;
    const char *name;
    uint32_t curve, kind;
    uint32_t in, out; /* pail_encoding */
    uint64_t n, batch;
    bool columns;
    uint64_t offset, stride, n_out; /* of a slice; a transposition has n_out columns */
};
static_assert(sizeof(struct vectors) <= ICICLE_ARGS_MAX, "args are copied");

static void drop_vectors(void *args)
{
    struct vectors *const work = args;
    icicle_operand_drop(&work->a);
    icicle_operand_drop(&work->b);
    icicle_operand_drop(&work->r);
}

/* ---- Loading and storing --------------------------------------------------------------------- */

static struct icicle_operand elements_of(const struct icicle_operand *operand, uint64_t first,
                                         uint64_t n)
{
    struct icicle_operand part = *operand;
    part.offset += first * ICICLE_ELEMENT;
    part.bytes = n * ICICLE_ELEMENT;
    if (part.host)
        part.host += first * ICICLE_ELEMENT;
    return part;
}

void icicle_ops_add(struct icicle_ops *ops, const pail_vector_op *op)
{
    ops->list[ops->n++] = *op;
}

int icicle_ops_load(struct icicle_ops *ops, pail_vector *vector,
                    const struct icicle_elements *elements)
{
    const struct icicle_operand part = elements_of(elements->operand, elements->first, elements->n);
    const uint8_t *bytes = NULL;
    uint8_t *copy = NULL;
    if (icicle_operand_direct(&part, ICICLE_ELEMENT)) {
        icicle_ops_add(ops, &(pail_vector_op){.struct_size = sizeof(pail_vector_op),
                                              .kind = PAIL_VECTOR_OP_LOAD,
                                              .r = vector,
                                              .n = elements->n,
                                              .address = icicle_operand_address(&part),
                                              .encoding = elements->encoding});
        return ICICLE_SUCCESS;
    }
    const int status = icicle_operand_read(&part, &bytes, &copy);
    if (status != ICICLE_SUCCESS)
        return status;
    pail_status told;
    do
        told =
            ops->device->backend->vector_write(vector, 0, bytes, elements->n, elements->encoding);
    while (icicle_bases_retry(ops->device, told));
    icicle_operand_unread(copy);
    return told == PAIL_OK ? ICICLE_SUCCESS : icicle_device_fail(ops->device, told, ops->name);
}

static pail_status start_ops(const struct icicle_ops *ops, pail_pending **pending)
{
    pail_status status;
    do
        status =
            ops->device->backend->vector_start(ops->device->context, pending, ops->list, ops->n);
    while (icicle_bases_retry(ops->device, status));
    return status;
}

static int run_ops(struct icicle_ops *ops)
{
    const pail_backend *const backend = ops->device->backend;
    pail_pending *pending = NULL;
    if (ops->n == 0)
        return ICICLE_SUCCESS;
    pail_status status = start_ops(ops, &pending);
    if (status == PAIL_OK)
        status = backend->vector_finish(&pending, NULL);
    ops->n = 0;
    return status == PAIL_OK ? ICICLE_SUCCESS : icicle_device_fail(ops->device, status, ops->name);
}

static int read_elements(struct icicle_ops *ops, const pail_vector *vector,
                         const struct icicle_operand *part, uint32_t encoding)
{
    uint8_t *const copy = part->host ? NULL : malloc(part->bytes ? part->bytes : 1);
    if (!part->host && !copy)
        return icicle_fail(ICICLE_OUT_OF_MEMORY, "%s: out of host memory: %llu bytes", ops->name,
                           (unsigned long long)part->bytes);
    const pail_status told = ops->device->backend->vector_read(
        vector, part->host ? part->host : copy, 0, part->bytes / ICICLE_ELEMENT, encoding);
    int status =
        told == PAIL_OK ? ICICLE_SUCCESS : icicle_device_fail(ops->device, told, ops->name);
    if (copy && status == ICICLE_SUCCESS)
        status = icicle_operand_write(part, 0, copy, part->bytes);
    icicle_operand_unread(copy);
    return status;
}

static void add_store(struct icicle_ops *ops, const pail_vector *vector,
                      const struct icicle_operand *part, uint64_t n, uint32_t encoding)
{
    icicle_ops_add(ops, &(pail_vector_op){.struct_size = sizeof(pail_vector_op),
                                          .kind = PAIL_VECTOR_OP_STORE,
                                          .a = vector,
                                          .n = n,
                                          .address = icicle_operand_address(part),
                                          .encoding = encoding});
}

int icicle_ops_run(struct icicle_ops *ops, const struct icicle_operand *operand)
{
    icicle_operand_changes(operand);
    const int status = run_ops(ops);
    icicle_operand_changes(operand);
    return status;
}

int icicle_ops_start(const struct icicle_ops *ops, const struct icicle_operand *operand,
                     pail_pending **pending)
{
    icicle_operand_changes(operand);
    const pail_status status = start_ops(ops, pending);
    return status == PAIL_OK ? ICICLE_SUCCESS : icicle_device_fail(ops->device, status, ops->name);
}

int icicle_ops_finish(const struct icicle_ops *ops, const struct icicle_operand *operand,
                      pail_pending **pending)
{
    const pail_status status = ops->device->backend->vector_finish(pending, NULL);
    icicle_operand_changes(operand);
    return status == PAIL_OK ? ICICLE_SUCCESS : icicle_device_fail(ops->device, status, ops->name);
}

int icicle_ops_store(struct icicle_ops *ops, const pail_vector *vector,
                     const struct icicle_elements *elements)
{
    const struct icicle_operand part = elements_of(elements->operand, elements->first, elements->n);
    const bool direct = icicle_operand_direct(&part, ICICLE_ELEMENT);
    if (direct)
        add_store(ops, vector, &part, elements->n, elements->encoding);
    icicle_operand_changes(&part);
    int status = run_ops(ops);
    if (status == ICICLE_SUCCESS && !direct)
        status = read_elements(ops, vector, &part, elements->encoding);
    icicle_operand_changes(&part);
    return status;
}

/* ---- Arithmetic and conversions -------------------------------------------------------------- */

/* Elements first, ..., first + n - 1 of the result. b: NULL if the operation has no second
 * operand. */
static int run_piece(const struct vectors *work, pail_vector *a, pail_vector *b, uint64_t first,
                     uint64_t n)
{
    struct icicle_ops ops = {.device = work->device, .name = work->name};
    int status = icicle_ops_load(&ops, a, &(struct icicle_elements){&work->a, first, n, work->in});
    if (status == ICICLE_SUCCESS && b)
        status = icicle_ops_load(&ops, b, &(struct icicle_elements){&work->b, first, n, work->in});
    if (b)
        icicle_ops_add(&ops, &(pail_vector_op){.struct_size = sizeof(pail_vector_op),
                                               .kind = work->kind,
                                               .r = a,
                                               .a = a,
                                               .b = b,
                                               .n = n});
    if (status == ICICLE_SUCCESS)
        status =
            icicle_ops_store(&ops, a, &(struct icicle_elements){&work->r, first, n, work->out});
    return status;
}

static int run_vectors(void *args)
{
    const struct vectors *const work = args;
    const uint64_t total = work->n * work->batch, piece = total < PIECE ? total : PIECE;
    struct icicle_scratch a = {0}, b = {0};
    if (total == 0)
        return ICICLE_SUCCESS;
    int status = icicle_scratch_take(&a, work->device, work->name, work->curve, piece);
    if (status == ICICLE_SUCCESS && work->kind)
        status = icicle_scratch_take(&b, work->device, work->name, work->curve, piece);
    for (uint64_t at = 0; at < total && status == ICICLE_SUCCESS; at += piece)
        status = run_piece(work, a.vector, b.vector, at, total - at < piece ? total - at : piece);
    icicle_scratch_give(&b);
    icicle_scratch_give(&a);
    return icicle_operand_end(&work->r, status);
}

/* ---- Arithmetic on the CPU ------------------------------------------------------------------- */

enum { BLOCK = 1 << 12 }; /* elements that a thread takes in one go */

/* A call's maps: one for each block of each vector of the batch. */
struct maps {
    const struct vectors *work;
    const uint8_t *a, *b;
    uint8_t *r; /* of sums and products: one element for each block */
    uint32_t blocks;
};

static bool folds(const struct vectors *work)
{
    return work->kind == ICICLE_MAP_SUM || work->kind == ICICLE_MAP_PRODUCT;
}

static void map_block(void *user, uint32_t i)
{
    const struct maps *const maps = user;
    const struct vectors *const work = maps->work;
    const uint64_t vector = i / maps->blocks, first = (uint64_t)(i % maps->blocks) * BLOCK;
    const uint64_t stride = work->columns ? work->batch : 1;
    const uint64_t at =
        ICICLE_ELEMENT * (work->columns ? first * work->batch + vector : vector * work->n + first);
    const bool single = work->a.bytes < work->n * work->batch * ICICLE_ELEMENT;
    icicle_elements_map(&(struct icicle_map){
        .curve = work->curve,
        .kind = (enum icicle_map_kind)work->kind,
        .a = maps->a + (single ? vector * ICICLE_ELEMENT : at),
        .b = maps->b ? maps->b + at : NULL,
        .r = maps->r + (folds(work) ? (uint64_t)i * ICICLE_ELEMENT : at),
        .stride_a = single ? 0 : stride,
        .stride_b = stride,
        .stride_r = stride,
        .n = work->n - first < BLOCK ? (size_t)(work->n - first) : BLOCK,
    });
}

/* r: [batch], folded from those of the blocks. */
static void fold_blocks(const struct maps *maps, uint8_t *r)
{
    for (uint64_t i = 0; i < maps->work->batch; i++)
        icicle_elements_map(&(struct icicle_map){.curve = maps->work->curve,
                                                 .kind = (enum icicle_map_kind)maps->work->kind,
                                                 .a = maps->r + i * maps->blocks * ICICLE_ELEMENT,
                                                 .r = r + i * ICICLE_ELEMENT,
                                                 .stride_a = 1,
                                                 .n = maps->blocks});
}

static int run_maps(void *args)
{
    const struct vectors *const work = args;
    struct maps maps = {.work = work, .blocks = (uint32_t)((work->n + BLOCK - 1) / BLOCK)};
    const uint64_t partial = folds(work) ? work->batch * maps.blocks * ICICLE_ELEMENT : 0;
    uint8_t *copies[2] = {NULL, NULL};
    uint8_t *const made = malloc(partial + work->r.bytes + 1);
    int status = made ? icicle_operand_read(&work->a, &maps.a, &copies[0])
                      : icicle_fail(ICICLE_OUT_OF_MEMORY, "%s: out of host memory", work->name);
    if (status == ICICLE_SUCCESS && work->b.bytes)
        status = icicle_operand_read(&work->b, &maps.b, &copies[1]);
    if (status == ICICLE_SUCCESS) {
        maps.r = made;
        pail_team_run((uint32_t)(work->batch * maps.blocks), pail_team_processors(), map_block,
                      &maps);
        if (folds(work))
            fold_blocks(&maps, made + partial);
        status = icicle_operand_write(&work->r, 0, made + partial, work->r.bytes);
    }
    icicle_operand_unread(copies[0]);
    icicle_operand_unread(copies[1]);
    icicle_operand_unread(made);
    return icicle_operand_end(&work->r, status);
}

/* ---- Elements in another order --------------------------------------------------------------- */

static uint64_t reversed(uint64_t index, uint64_t n)
{
    uint64_t r = 0;
    for (uint64_t bit = 1; bit < n; bit <<= 1, index >>= 1)
        r = r << 1 | (index & 1);
    return r;
}

/* The index in vector i of the input of what comes to `index` of the output. */
static uint64_t source_of(const struct vectors *work, uint64_t index)
{
    if (work->kind == 0)
        return reversed(index, work->n);
    if (work->kind == 1)
        return work->offset + index * work->stride;
    const uint64_t rows = work->n / work->n_out;
    return index % rows * work->n_out + index / rows;
}

static int run_reordering(void *args)
{
    const struct vectors *const work = args;
    const uint64_t n_out = work->r.bytes / ICICLE_ELEMENT / work->batch;
    const uint8_t *from = NULL;
    uint8_t *copy = NULL;
    uint8_t *const to = malloc(work->r.bytes ? work->r.bytes : 1);
    int status = to ? icicle_operand_read(&work->a, &from, &copy)
                    : icicle_fail(ICICLE_OUT_OF_MEMORY, "%s: out of host memory", work->name);
    for (uint64_t i = 0; i < work->batch && status == ICICLE_SUCCESS; i++) {
        for (uint64_t j = 0; j < n_out; j++) {
            const uint64_t k = source_of(work, j);
            const uint64_t target = work->columns ? j * work->batch + i : i * n_out + j;
            const uint64_t source = work->columns ? k * work->batch + i : i * work->n + k;
            memcpy(to + target * ICICLE_ELEMENT, from + source * ICICLE_ELEMENT, ICICLE_ELEMENT);
        }
    }
    if (status == ICICLE_SUCCESS)
        status = icicle_operand_write(&work->r, 0, to, work->r.bytes);
    icicle_operand_unread(copy);
    icicle_operand_unread(to);
    return icicle_operand_end(&work->r, status);
}

/* ---- Calls ----------------------------------------------------------------------------------- */

/* Takes the operands of n_a, n_b and n_r elements for each vector of the batch, and runs the work.
 * n_b: 0 without a second operand. */
static int start(struct vectors *work, int (*run)(void *args), const void *a, uint64_t n_a,
                 const void *b, uint64_t n_b, void *r, uint64_t n_r,
                 const struct icicle_vectors_config *config)
{
    if (!config)
        return icicle_fail(ICICLE_INVALID_POINTER, "%s: the configuration is NULL", work->name);
    if (config->batch_size < 1)
        return icicle_fail(ICICLE_INVALID_ARGUMENT, "%s: batch_size is %d, not at least 1",
                           work->name, config->batch_size);
    work->batch = (uint64_t)config->batch_size;
    work->columns = config->columns_batch;
    const uint64_t most = (ICICLE_COUNT_MAX - 1) / work->batch;
    if (n_a > most || n_r > most)
        return icicle_fail(ICICLE_INVALID_ARGUMENT,
                           "%s: %llu times %llu elements are more than fit 32 bits", work->name,
                           (unsigned long long)work->batch, (unsigned long long)n_a);
    int status = icicle_device_active(&work->device);
    if (status != ICICLE_SUCCESS)
        return status;
    status = icicle_operand_take(&work->a, work->name, a, n_a * work->batch * ICICLE_ELEMENT,
                                 config->is_a_on_device, work->device);
    if (status == ICICLE_SUCCESS && n_b)
        status = icicle_operand_take(&work->b, work->name, b, n_b * work->batch * ICICLE_ELEMENT,
                                     config->is_b_on_device, work->device);
    if (status == ICICLE_SUCCESS)
        status = icicle_operand_take(&work->r, work->name, r, n_r * work->batch * ICICLE_ELEMENT,
                                     config->is_result_on_device, work->device);
    if (status == ICICLE_SUCCESS && (icicle_operands_overlap(&work->r, &work->a, false) ||
                                     icicle_operands_overlap(&work->r, &work->b, false)))
        status = icicle_fail(ICICLE_INVALID_ARGUMENT,
                             "%s: the result overlaps an operand without being the same vector",
                             work->name);
    if (status != ICICLE_SUCCESS) {
        drop_vectors(work);
        return status;
    }
    const bool async = config->is_async && config->is_a_on_device && config->is_result_on_device &&
                       (n_b == 0 || config->is_b_on_device);
    return icicle_stream_run(work->device, config->stream, async, run, drop_vectors, work,
                             sizeof(*work));
}

int pail_icicle_vector(uint32_t curve, uint32_t kind, const void *a, const void *b, uint64_t n,
                       const struct icicle_vectors_config *config, void *result)
{
    struct vectors work = {.name = "vector operation", .curve = curve, .kind = kind, .n = n};
    return start(&work, run_vectors, a, n, b, n, result, n, config);
}

int pail_icicle_map(uint32_t curve, enum icicle_map_kind kind, const void *a, uint64_t n_a,
                    const void *b, uint64_t n, const struct icicle_vectors_config *config,
                    void *result)
{
    struct vectors work = {.name = "vector operation", .curve = curve, .kind = kind, .n = n};
    const bool one = kind == ICICLE_MAP_SUM || kind == ICICLE_MAP_PRODUCT;
    const bool second = !one && kind != ICICLE_MAP_INV;
    return start(&work, run_maps, a, n_a, b, second ? n : 0, result, one ? 1 : n, config);
}

int pail_icicle_convert(uint32_t curve, const void *input, uint64_t n, bool to_montgomery,
                        const struct icicle_vectors_config *config, void *output)
{
    struct vectors work = {.name = "scalar_convert_montgomery", .curve = curve, .n = n};
    work.in = to_montgomery ? PAIL_ENCODING_CANONICAL : PAIL_ENCODING_MONTGOMERY;
    work.out = to_montgomery ? PAIL_ENCODING_MONTGOMERY : PAIL_ENCODING_CANONICAL;
    return start(&work, run_vectors, input, n, NULL, 0, output, n, config);
}

int pail_icicle_bit_reverse(const void *input, uint64_t n,
                            const struct icicle_vectors_config *config, void *output)
{
    struct vectors work = {.name = "bit_reverse", .n = n};
    if (n == 0 || (n & (n - 1)) != 0)
        return icicle_fail(ICICLE_INVALID_ARGUMENT, "bit_reverse: %llu is no power of two",
                           (unsigned long long)n);
    return start(&work, run_reordering, input, n, NULL, 0, output, n, config);
}

int pail_icicle_slice(const void *input, uint64_t offset, uint64_t stride, uint64_t n_in,
                      uint64_t n_out, const struct icicle_vectors_config *config, void *output)
{
    struct vectors work = {
        .name = "slice", .kind = 1, .n = n_in, .offset = offset, .stride = stride};
    const uint64_t steps = n_out ? n_out - 1 : 0;
    if (n_in >= ICICLE_COUNT_MAX || n_out >= ICICLE_COUNT_MAX || offset >= ICICLE_COUNT_MAX ||
        stride >= ICICLE_COUNT_MAX || (n_out && offset + steps * stride >= n_in))
        return icicle_fail(ICICLE_INVALID_ARGUMENT,
                           "slice: %llu elements from %llu on, %llu apart, are not all among %llu",
                           (unsigned long long)n_out, (unsigned long long)offset,
                           (unsigned long long)stride, (unsigned long long)n_in);
    return start(&work, run_reordering, input, n_in, NULL, 0, output, n_out, config);
}

int pail_icicle_transpose(const void *input, uint32_t rows, uint32_t columns,
                          const struct icicle_vectors_config *config, void *output)
{
    const uint64_t n = (uint64_t)rows * columns;
    struct vectors work = {.name = "matrix_transpose", .kind = 2, .n = n, .n_out = columns};
    return start(&work, run_reordering, input, n, NULL, 0, output, n, config);
}
