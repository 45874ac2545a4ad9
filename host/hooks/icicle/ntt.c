/* SPDX-License-Identifier: Apache-2.0 */
/* Number-theoretic transforms, and the roots of unity of devices. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <curves/curve_ops.h>
#include <curves/scalar.h>
#include <platform/memory.h>

#include "state.h"

/* Elements that are transformed together at least, if there are so many polynomials. */
enum { GROUP = 1 << 22 };

struct transform {
    struct icicle_device *device;
    struct icicle_operand input, output;
    pail_vector_op op;
    uint32_t curve;
    uint64_t n, batch;
    bool columns;
    pail_pending *pending; /* of work that was started */
};
static_assert(sizeof(struct transform) <= ICICLE_ARGS_MAX, "args are copied");

/* ---- Roots ----------------------------------------------------------------------------------- */

int pail_icicle_root(uint32_t curve, uint64_t n, void *root)
{
    uint32_t log_n = 0;
    if (!root)
        return icicle_fail(ICICLE_INVALID_POINTER, "get_root_of_unity: the root is NULL");
    while (log_n < 64 && (uint64_t)1 << log_n < n)
        log_n++;
    if (n <= (uint64_t)1 << 63 && pail_root_of_unity(root, curve, log_n) == PAIL_OK)
        return ICICLE_SUCCESS;
    memset(root, 0, ICICLE_ELEMENT);
    return icicle_fail(ICICLE_INVALID_ARGUMENT,
                       "get_root_of_unity: the field has no root of the order %llu",
                       (unsigned long long)n);
}

/* True if squares of the root of the larger domain lead to that of the smaller one: transforms of
 * sizes that both have are the same then. */
static bool same_roots(const struct pail_curve_ops *ops, const struct icicle_domain *a,
                       const struct icicle_domain *b)
{
    const struct icicle_domain *const large = a->log_n > b->log_n ? a : b;
    const struct icicle_domain *const small = large == a ? b : a;
    pail_u256 power, root;
    (void)pail_scalar_read(&power, ops, large->root);
    (void)pail_scalar_read(&root, ops, small->root);
    power = pail_scalar_square_times(ops, &power, large->log_n - small->log_n);
    return pail_scalar_equal(&power, &root);
}

/* Makes the domain that of the device, or keeps the one that is there if it is as large. Hosts ask
 * for a domain for each proving key, of the size of that key. */
static int extend_domain(struct icicle_device *device, uint32_t curve,
                         const struct icicle_domain *domain)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    (void)pthread_mutex_lock(&lock);
    const struct icicle_domain before = icicle_device_domain(device, curve, NULL);
    const bool same = !before.set || same_roots(pail_curve_ops(curve, PAIL_G1), &before, domain);
    if (same && (!before.set || before.log_n < domain->log_n))
        (void)icicle_device_domain(device, curve, domain);
    (void)pthread_mutex_unlock(&lock);
    if (same)
        return ICICLE_SUCCESS;
    return icicle_fail(ICICLE_INVALID_ARGUMENT,
                       "ntt_init_domain: the root of order 2^%u does not belong to that of the "
                       "domain of 2^%u, which is in use; ntt_release_domain first",
                       domain->log_n, before.log_n);
}

int pail_icicle_domain_init(uint32_t curve, const void *root,
                            const struct icicle_domain_config *config)
{
    const struct pail_curve_ops *const ops = pail_curve_ops(curve, PAIL_G1);
    struct icicle_domain domain = {.set = true};
    struct icicle_device *device = NULL;
    pail_u256 value, power;
    if (!root || !config)
        return icicle_fail(ICICLE_INVALID_POINTER,
                           "ntt_init_domain: the root or the configuration is NULL");
    const int status = icicle_device_active(&device);
    if (status != ICICLE_SUCCESS)
        return status;
    memcpy(domain.root, root, sizeof(domain.root));
    bool good = pail_scalar_read(&value, ops, domain.root);
    const pail_u256 one = pail_scalar_of(1);
    for (power = value; good && !pail_scalar_equal(&power, &one); domain.log_n++) {
        power = pail_scalar_square_times(ops, &power, 1);
        good = domain.log_n < PAIL_NTT_LOG_MAX;
    }
    if (!good)
        return icicle_fail(ICICLE_INVALID_ARGUMENT,
                           "ntt_init_domain: the root is none of order 2^0 to 2^%u",
                           PAIL_NTT_LOG_MAX);
    return extend_domain(device, curve, &domain);
}

int pail_icicle_domain_release(uint32_t curve)
{
    struct icicle_device *device = NULL;
    const int status = icicle_device_active(&device);
    if (status == ICICLE_SUCCESS)
        (void)icicle_device_domain(device, curve, &(struct icicle_domain){0});
    if (status == ICICLE_SUCCESS)
        (void)icicle_scratch_trim(device); /* a host has done its transforms */
    return status;
}

/* root: of order 2^log_n. */
static int root_of(const char *name, struct icicle_device *device, uint32_t curve, uint64_t log_n,
                   uint8_t *root)
{
    const struct pail_curve_ops *const ops = pail_curve_ops(curve, PAIL_G1);
    const struct icicle_domain domain = icicle_device_domain(device, curve, NULL);
    if (!domain.set)
        return icicle_fail(ICICLE_INVALID_ARGUMENT,
                           "%s: the device has no domain; ntt_init_domain first", name);
    if (log_n > domain.log_n)
        return icicle_fail(ICICLE_INVALID_ARGUMENT, "%s: 2^%llu is above the domain's size 2^%u",
                           name, (unsigned long long)log_n, domain.log_n);
    pail_u256 value;
    (void)pail_scalar_read(&value, ops, domain.root);
    value = pail_scalar_square_times(ops, &value, domain.log_n - (uint32_t)log_n);
    pail_u256_to_bytes(root, &value);
    return ICICLE_SUCCESS;
}

int pail_icicle_domain_root(uint32_t curve, uint64_t log_n, void *root)
{
    struct icicle_device *device = NULL;
    if (!root)
        return icicle_fail(ICICLE_INVALID_POINTER,
                           "get_root_of_unity_from_domain: the root is NULL");
    const int status = icicle_device_active(&device);
    return status == ICICLE_SUCCESS
               ? root_of("get_root_of_unity_from_domain", device, curve, log_n, root)
               : status;
}

/* ---- Transforms ------------------------------------------------------------------------------ */

static void drop_transform(void *args)
{
    struct transform *const work = args;
    icicle_operand_drop(&work->input);
    icicle_operand_drop(&work->output);
}

/* A batch of sequences of n elements: element j of sequence i is at j * batch + i. */
struct columns {
    uint64_t n, batch;
    size_t bytes; /* of an element */
};

/* Copies the sequences first, ..., first + count - 1 to rows, or back from them. */
static void to_rows(uint8_t *rows, const uint8_t *elements, const struct columns *columns,
                    uint64_t first, uint64_t count)
{
    const size_t bytes = columns->bytes;
    for (uint64_t i = 0; i < count; i++)
        for (uint64_t j = 0; j < columns->n; j++)
            memcpy(rows + (i * columns->n + j) * bytes,
                   elements + (j * columns->batch + first + i) * bytes, bytes);
}

static void from_rows(uint8_t *elements, const uint8_t *rows, const struct columns *columns,
                      uint64_t first, uint64_t count)
{
    const size_t bytes = columns->bytes;
    for (uint64_t i = 0; i < count; i++)
        for (uint64_t j = 0; j < columns->n; j++)
            memcpy(elements + (j * columns->batch + first + i) * bytes,
                   rows + (i * columns->n + j) * bytes, bytes);
}

/* Polynomials that are transformed together at most. */
static uint64_t group_of(const struct transform *work)
{
    const uint64_t fit = work->n < GROUP ? GROUP / work->n : 1;
    return work->batch < fit ? work->batch : fit;
}

/* True if the device transforms the elements from where they are to where they go. */
static bool on_device(const struct transform *work)
{
    return !work->columns && icicle_operand_direct(&work->input, ICICLE_ELEMENT) &&
           icicle_operand_direct(&work->output, ICICLE_ELEMENT);
}

/* The operation of a transform that is on the device alone: all polynomials at once. */
static struct icicle_ops transform_at(const struct transform *work)
{
    struct icicle_ops ops = {.device = work->device, .name = "ntt"};
    pail_vector_op op = work->op;
    op.kind = op.kind == PAIL_VECTOR_OP_INTT ? PAIL_VECTOR_OP_INTT_AT : PAIL_VECTOR_OP_NTT_AT;
    op.curve = work->curve;
    op.n = work->n * work->batch;
    op.address = icicle_operand_address(&work->input);
    op.to_address = icicle_operand_address(&work->output);
    icicle_ops_add(&ops, &op);
    return ops;
}

/* The polynomials first, ..., first + count - 1 of the batch. rows: [count][n] in host memory if
 * the batch is of columns, which input and output are in host memory; else all three are NULL. */
static int transform_group(const struct transform *work, pail_vector *vector, uint8_t *rows,
                           const uint8_t *input, uint8_t *output, uint64_t first, uint64_t count)
{
    const uint64_t n = work->n * count;
    const struct icicle_operand staged = {.host = rows, .bytes = n * ICICLE_ELEMENT};
    /* A transform is linear: elements of another form are transformed to values of that form. To
     * and from the host, Montgomery form has no conversion, and no pass of its own. */
    const uint32_t form = PAIL_ENCODING_MONTGOMERY;
    const struct icicle_elements host = {&staged, 0, n, form};
    const struct icicle_elements in = {&work->input, first * work->n, n, form};
    const struct icicle_elements out = {&work->output, first * work->n, n, form};
    const struct columns columns = {work->n, work->batch, ICICLE_ELEMENT};
    struct icicle_ops ops = {.device = work->device, .name = "ntt"};
    pail_vector_op op = work->op;
    op.r = vector;
    op.a = vector;
    op.n = n;
    if (rows)
        to_rows(rows, input, &columns, first, count);
    int status = icicle_ops_load(&ops, vector, rows ? &host : &in);
    if (status != ICICLE_SUCCESS)
        return status;
    icicle_ops_add(&ops, &op);
    status = icicle_ops_store(&ops, vector, rows ? &host : &out);
    if (status == ICICLE_SUCCESS && rows)
        from_rows(output, rows, &columns, first, count);
    return status;
}

/* Transforms all groups; see transform_group. */
static int transform_groups(const struct transform *work, uint8_t *rows, uint64_t most,
                            const uint8_t *input, uint8_t *output)
{
    struct icicle_scratch scratch = {0};
    int status = icicle_scratch_take(&scratch, work->device, "ntt", work->curve, most * work->n);
    for (uint64_t i = 0; i < work->batch && status == ICICLE_SUCCESS; i += most)
        status = transform_group(work, scratch.vector, rows, input, output, i,
                                 work->batch - i < most ? work->batch - i : most);
    icicle_scratch_give(&scratch);
    return status;
}

static int run_transform(void *args)
{
    const struct transform *const work = args;
    if (on_device(work)) {
        struct icicle_ops ops = transform_at(work);
        return icicle_ops_run(&ops, &work->output);
    }
    const uint64_t most = group_of(work);
    const uint8_t *input = NULL;
    uint8_t *rows = NULL, *copy = NULL, *whole = NULL;
    int status = ICICLE_SUCCESS;
    const bool copied = work->columns && !work->output.host;
    if (work->columns)
        rows = malloc(most * work->n * ICICLE_ELEMENT);
    if (copied)
        whole = malloc(work->output.bytes);
    if ((work->columns && !rows) || (copied && !whole))
        status = icicle_fail(ICICLE_OUT_OF_MEMORY, "ntt: out of host memory");
    if (status == ICICLE_SUCCESS && work->columns)
        status = icicle_operand_read(&work->input, &input, &copy);
    icicle_operand_changes(&work->output);
    uint8_t *const output = copied ? whole : work->columns ? work->output.host : NULL;
    if (status == ICICLE_SUCCESS)
        status = transform_groups(work, rows, most, input, output);
    if (status == ICICLE_SUCCESS && whole)
        status = icicle_operand_write(&work->output, 0, whole, work->output.bytes);
    icicle_operand_changes(&work->output);
    icicle_operand_unread(copy);
    icicle_operand_unread(whole);
    icicle_operand_unread(rows);
    return icicle_operand_end(&work->output, status);
}

static int start_transform(void *args)
{
    struct transform *const work = args;
    const struct icicle_ops ops = transform_at(work);
    return icicle_ops_start(&ops, &work->output, &work->pending);
}

static int finish_transform(void *args)
{
    struct transform *const work = args;
    const struct icicle_ops ops = {.device = work->device, .name = "ntt"};
    return icicle_ops_finish(&ops, &work->output, &work->pending);
}

static int check_transform(const char *name, int n, int direction,
                           const struct icicle_ntt_config *config)
{
    static const uint8_t zero[ICICLE_ELEMENT];
    if (!config)
        return icicle_fail(ICICLE_INVALID_POINTER, "%s: the configuration is NULL", name);
    if (n < 1 || (n & (n - 1)) != 0)
        return icicle_fail(ICICLE_INVALID_ARGUMENT, "%s: the size %d is no power of two", name, n);
    if (direction != ICICLE_FORWARD && direction != ICICLE_INVERSE)
        return icicle_fail(ICICLE_INVALID_ARGUMENT, "%s: the direction is %d, not 0 or 1", name,
                           direction);
    if (config->ordering < ICICLE_NN || config->ordering > ICICLE_MN)
        return icicle_fail(ICICLE_INVALID_ARGUMENT, "%s: the ordering is %d, not 0 to 5", name,
                           config->ordering);
    if (config->batch_size < 1 || (uint64_t)n * (uint64_t)config->batch_size >= ICICLE_COUNT_MAX)
        return icicle_fail(ICICLE_INVALID_ARGUMENT,
                           "%s: batch_size is %d; it is at least 1, and %d elements times it fit "
                           "32 bits",
                           name, config->batch_size, n);
    if (memcmp(config->coset_gen, zero, sizeof(zero)) == 0)
        return icicle_fail(ICICLE_INVALID_ARGUMENT, "%s: coset_gen is 0; 1 is no coset", name);
    return ICICLE_SUCCESS;
}

/* The operation of a checked call, without its places and root. */
static pail_vector_op operation_of(int n, int direction, const struct icicle_ntt_config *config,
                                   bool points)
{
    const bool inverse = direction == ICICLE_INVERSE;
    const int ordering = config->ordering;
    const bool in = ordering == ICICLE_RN || ordering == ICICLE_RR || ordering == ICICLE_MN;
    const bool out = ordering == ICICLE_NR || ordering == ICICLE_RR || ordering == ICICLE_NM;
    const bool values = inverse ? in : out, coefficients = inverse ? out : in;
    const uint32_t forward = points ? PAIL_VECTOR_OP_POINTS_NTT : PAIL_VECTOR_OP_NTT,
                   backward = points ? PAIL_VECTOR_OP_POINTS_INTT : PAIL_VECTOR_OP_INTT;
    pail_vector_op op = {.struct_size = sizeof(op),
                         .kind = inverse ? backward : forward,
                         .flags = (values ? PAIL_VECTOR_OP_BIT_REVERSED : 0u) |
                                  (coefficients ? PAIL_VECTOR_OP_COEFFICIENTS_REVERSED : 0u)};
    while ((uint64_t)1 << op.log_n < (uint64_t)n)
        op.log_n++;
    memcpy(op.shift, config->coset_gen, sizeof(op.shift));
    return op;
}

int pail_icicle_ntt(uint32_t curve, const void *input, int n, int direction,
                    const struct icicle_ntt_config *config, void *output)
{
    int status = check_transform("ntt", n, direction, config);
    struct transform work = {.curve = curve};
    if (status == ICICLE_SUCCESS)
        status = icicle_device_active(&work.device);
    if (status != ICICLE_SUCCESS)
        return status;
    work.n = (uint64_t)n;
    work.batch = (uint64_t)config->batch_size;
    work.columns = config->columns_batch && work.batch > 1;
    work.op = operation_of(n, direction, config, false);
    status = root_of("ntt", work.device, curve, work.op.log_n, work.op.root);
    const uint64_t bytes = work.n * work.batch * ICICLE_ELEMENT;
    if (status == ICICLE_SUCCESS)
        status = icicle_operand_take(&work.input, "ntt: input", input, bytes,
                                     config->are_inputs_on_device, work.device);
    if (status == ICICLE_SUCCESS)
        status = icicle_operand_take(&work.output, "ntt: output", output, bytes,
                                     config->are_outputs_on_device, work.device);
    if (status == ICICLE_SUCCESS && icicle_operands_overlap(&work.output, &work.input, false))
        status = icicle_fail(ICICLE_INVALID_ARGUMENT,
                             "ntt: the output overlaps the input without being the same vector");
    if (status != ICICLE_SUCCESS) {
        drop_transform(&work);
        return status;
    }
    const bool async =
        config->is_async && config->are_inputs_on_device && config->are_outputs_on_device;
    if (async && on_device(&work) &&
        icicle_stream_start(work.device, config->stream, start_transform, finish_transform,
                            drop_transform, &work, sizeof(work)))
        return ICICLE_SUCCESS;
    return icicle_stream_run(work.device, config->stream, async, run_transform, drop_transform,
                             &work, sizeof(work));
}

/* ---- Transforms of points -------------------------------------------------------------------- */
struct point_transform {
    struct icicle_device *device;
    struct icicle_operand input, output;
    pail_vector_op op;
    uint64_t batch;
    size_t point; /* bytes */
    bool columns;
};
static_assert(sizeof(struct point_transform) <= ICICLE_ARGS_MAX, "args are copied");

static void drop_points(void *args)
{
    struct point_transform *const work = args;
    icicle_operand_drop(&work->input);
    icicle_operand_drop(&work->output);
}

/* Transforms what is at addresses of the device. */
static int transform_points(const struct point_transform *work, uint64_t from, uint64_t to)
{
    struct icicle_ops ops = {.device = work->device, .name = "ecntt"};
    pail_vector_op op = work->op;
    op.address = from;
    op.to_address = to;
    icicle_ops_add(&ops, &op);
    return icicle_ops_run(&ops, &work->output);
}

/* Transforms bytes of the host in place, by way of memory of the device. */
static int transform_bytes(const struct point_transform *work, uint8_t *bytes, size_t n)
{
    const pail_backend *const backend = work->device->backend;
    pail_memory_info info = {.struct_size = sizeof(info)};
    pail_memory *memory = NULL;
    int status = ICICLE_SUCCESS;
    pail_status told;
    do
        told = backend->memory_create(work->device->context, &memory, &info, PAIL_MEMORY_DEVICE, n);
    while (icicle_bases_retry(work->device, told));
    if (told == PAIL_OK)
        told = backend->memory_write(memory, 0, bytes, n);
    if (told == PAIL_OK)
        status = transform_points(work, info.address, info.address);
    if (told == PAIL_OK && status == ICICLE_SUCCESS)
        told = backend->memory_read(memory, bytes, 0, n);
    if (told != PAIL_OK)
        status = icicle_device_fail(work->device, told, "ecntt");
    backend->memory_destroy(work->device->context, &memory);
    return status;
}

static int run_points_by_host(const struct point_transform *work)
{
    const size_t n = (size_t)work->output.bytes;
    const struct columns by_columns = {work->op.n / work->batch, work->batch, work->point};
    uint8_t *const rows = malloc(n), *const columns = work->columns ? malloc(n) : NULL;
    uint8_t *copy = NULL;
    const uint8_t *input = NULL;
    int status = rows && (columns || !work->columns)
                     ? icicle_operand_read(&work->input, &input, &copy)
                     : icicle_fail(ICICLE_OUT_OF_MEMORY, "ecntt: out of host memory");
    if (status == ICICLE_SUCCESS) {
        if (columns)
            to_rows(rows, input, &by_columns, 0, work->batch);
        else
            memcpy(rows, input, n);
        status = transform_bytes(work, rows, n);
    }
    if (status == ICICLE_SUCCESS && columns)
        from_rows(columns, rows, &by_columns, 0, work->batch);
    if (status == ICICLE_SUCCESS)
        status = icicle_operand_write(&work->output, 0, columns ? columns : rows, n);
    icicle_operand_unread(copy);
    icicle_operand_unread(columns);
    icicle_operand_unread(rows);
    return status;
}

static int run_points(void *args)
{
    const struct point_transform *const work = args;
    enum { ALIGN = 16 };
    const bool direct = !work->columns && icicle_operand_direct(&work->input, ALIGN) &&
                        icicle_operand_direct(&work->output, ALIGN);
    const int status = direct ? transform_points(work, icicle_operand_address(&work->input),
                                                 icicle_operand_address(&work->output))
                              : run_points_by_host(work);
    return icicle_operand_end(&work->output, status);
}

int pail_icicle_ecntt(uint32_t curve, const void *input, int n, int direction,
                      const struct icicle_ntt_config *config, void *output)
{
    int status = check_transform("ecntt", n, direction, config);
    struct point_transform work = {.device = NULL};
    if (status == ICICLE_SUCCESS)
        status = icicle_device_active(&work.device);
    if (status != ICICLE_SUCCESS)
        return status;
    work.point = 3 * pail_curve_ops(curve, PAIL_G1)->coordinate_bytes;
    work.batch = (uint64_t)config->batch_size;
    work.columns = config->columns_batch && work.batch > 1;
    work.op = operation_of(n, direction, config, true);
    work.op.n = (uint64_t)n * work.batch;
    work.op.curve = curve;
    work.op.group = PAIL_G1;
    work.op.encoding = work.op.to_encoding = PAIL_ENCODING_PROJECTIVE;
    status = root_of("ecntt", work.device, curve, work.op.log_n, work.op.root);
    const uint64_t bytes = work.op.n * work.point;
    if (status == ICICLE_SUCCESS)
        status = icicle_operand_take(&work.input, "ecntt: input", input, bytes,
                                     config->are_inputs_on_device, work.device);
    if (status == ICICLE_SUCCESS)
        status = icicle_operand_take(&work.output, "ecntt: output", output, bytes,
                                     config->are_outputs_on_device, work.device);
    if (status == ICICLE_SUCCESS && icicle_operands_overlap(&work.output, &work.input, false))
        status = icicle_fail(ICICLE_INVALID_ARGUMENT,
                             "ecntt: the output overlaps the input without being the same array");
    if (status != ICICLE_SUCCESS) {
        drop_points(&work);
        return status;
    }
    return icicle_stream_run(work.device, config->stream,
                             config->is_async && config->are_inputs_on_device &&
                                 config->are_outputs_on_device,
                             run_points, drop_points, &work, sizeof(work));
}
