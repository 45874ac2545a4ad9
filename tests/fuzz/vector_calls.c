/* SPDX-License-Identifier: Apache-2.0 */
/* The same sequences of calls about vectors, with arguments of all sorts, on the plugin and on the
 * CPU backend: both give the same statuses, and of operations the same sentences, the same outputs
 * and the same elements. Both contexts stay for all inputs, so what an input leaves behind is what
 * the next one finds. */
#include <dlfcn.h>
#include <stdatomic.h>

#include <cpu/cpu.h>
#include <curves/curve_ops.h>

#include "calls.h"
#include "support/test.h"
#include "target.h"

#include "support/moved.h"

enum { SIDES = 2, VECTORS = 4, MATRICES = 2, OPS = 3, ROWS = 5, ENTRIES = 90, LONG = 2048 };

/* A backend, with what the input has made there. */
struct side {
    const pail_backend *backend;
    pail_host host;
    pail_context *context;
    pail_vector *vectors[VECTORS];
    pail_matrix *matrices[MATRICES];
};

/* Properties that both sides have alike. */
struct shape {
    uint64_t n;
    uint32_t curve;
};

static struct side sides[SIDES]; /* the plugin's, and the CPU backend's */
static struct shape shapes[VECTORS];
static atomic_int messages; /* from validation layers */

void check(bool condition, const char *text, const char *file, int line)
{
    if (condition)
        return;
    (void)fprintf(stderr, "%s:%d: %s\n", file, line, text);
    for (size_t s = 0; s < SIDES; s++)
        if (sides[s].backend)
            (void)fprintf(stderr, "%s: \"%s\"\n", sides[s].backend->name,
                          sides[s].backend->error(sides[s].context));
    abort();
}

uint8_t next(struct bytes *bytes)
{
    if (bytes->size == 0)
        return 0;
    bytes->size--;
    return *bytes->data++;
}

static void on_log(void *user, pail_log_level level, const char *message)
{
    (void)user;
    (void)level;
    if (strstr(message, "alidation") == NULL)
        return;
    (void)fprintf(stderr, "%s\n", message);
    atomic_fetch_add(&messages, 1);
}

static void close_sides(void)
{
    for (size_t s = 0; s < SIDES; s++)
        sides[s].backend->context_destroy(&sides[s].context);
}

static void open_sides(void)
{
    const pail_context_params params =
        SIZED(pail_context_params, .device = PAIL_DEVICE_BEST, .threads = 1);
    const char *const path = getenv("PAIL_TEST_PLUGIN");
    void *const library =
        dlopen(path != NULL ? path : test_path(PAIL_TEST_PLUGIN_FILE).text, RTLD_NOW);
    pail_backend_open_fn open = pail_cpu_open;
    for (size_t s = SIDES; s-- > 0;) {
        struct side *const side = &sides[s];
        if (s == 0) {
            if (library == NULL)
                (void)fprintf(stderr, "%s\n", dlerror());
            CHECK(library != NULL);
            void *const symbol = dlsym(library, PAIL_BACKEND_SYMBOL);
            CHECK(symbol != NULL);
            memcpy(&open, &symbol, sizeof(open));
        }
        side->host = (pail_host){.struct_size = sizeof(side->host),
                                 .abi_major = PAIL_ABI_MAJOR,
                                 .abi_minor = PAIL_ABI_MINOR,
                                 .log = on_log};
        CHECK(open(&side->host, &side->backend) == PAIL_OK);
        CHECK(side->backend->context_create(&side->host, &side->context, &params) == PAIL_OK);
    }
    CHECK(atexit(close_sides) == 0);
}

/* Statuses are the same; sentences have one line, and are the same where `word_for_word`. */
static bool agree(const pail_status status[SIDES], bool word_for_word)
{
    CHECK(status[0] == status[1]);
    if (status[0] == PAIL_OK)
        return true;
    const char *said[SIDES];
    for (size_t s = 0; s < SIDES; s++) {
        said[s] = sides[s].backend->error(sides[s].context);
        CHECK(said[s] != NULL && said[s][0] != '\0' && strchr(said[s], '\n') == NULL);
    }
    CHECK(!word_for_word || strcmp(said[0], said[1]) == 0);
    return false;
}

static const struct pail_curve_ops *ops_of(uint32_t curve)
{
    return pail_curve_ops(curve, PAIL_G1);
}

/* Element i of a pattern: mostly small, sometimes -1, sometimes too large where `hostile`. */
static void put_element(uint8_t to[32], uint8_t pattern, size_t i, uint32_t curve, bool hostile)
{
    memset(to, 0, 32);
    to[0] = (uint8_t)(pattern + i);
    to[29] = (uint8_t)(pattern * i);
    if ((pattern + i) % 7 == 3) {
        pail_u256 last = ops_of(curve)->order;
        last.l[0]--;
        pail_u256_to_bytes(to, &last);
    }
    if (hostile && i == pattern % 9u)
        memset(to, 0xff, 32);
}

/* ---- Vectors --------------------------------------------------------------------------------- */
static void change(struct bytes *bytes)
{
    const uint8_t which = next(bytes) % VECTORS, how = next(bytes);
    pail_status status[SIDES];
    if (sides[0].vectors[which] != NULL) {
        for (size_t s = 0; s < SIDES; s++) {
            sides[s].backend->vector_destroy(sides[s].context, &sides[s].vectors[which]);
            CHECK(sides[s].vectors[which] == NULL);
        }
        return;
    }
    const bool hostile = how >= 0xf8;
    const uint32_t curve = hostile ? how - 0xf8u + (how > 0xf8 ? 7u : 0u) : 1u + how % 8 / 7;
    const uint64_t n = how >= 0xf0 ? LONG : how / 4;
    for (size_t s = 0; s < SIDES; s++) {
        sides[s].vectors[which] = (pail_vector *)(void *)&sides[s];
        status[s] =
            sides[s].backend->vector_create(sides[s].context, &sides[s].vectors[which], curve, n);
        CHECK((sides[s].vectors[which] != NULL) == (status[s] == PAIL_OK));
        CHECK((status[s] == PAIL_OK) == !hostile);
    }
    shapes[which] = (struct shape){.n = n, .curve = curve};
}

static pail_status give(void *user, void *to, uint64_t offset, size_t bytes)
{
    memcpy(to, (const uint8_t *)user + offset, bytes);
    return PAIL_OK;
}

static pail_status refuse(void *user, void *to, uint64_t offset, size_t bytes)
{
    (void)user;
    (void)offset;
    memset(to, 0xa5, bytes);
    return PAIL_ERR_IO;
}

/* An offset and a number of elements, which often lie in the vector. */
static void range_of(struct bytes *bytes, uint64_t all, uint64_t *offset, uint64_t *n)
{
    const uint8_t a = next(bytes), b = next(bytes);
    *offset = a >= 0xfc ? UINT64_MAX - (a - 0xfcu) : a >= 0xf0 ? all : all ? a % all : 0;
    const uint64_t left = *offset <= all ? all - *offset : 1;
    *n = b >= 0xfc ? left + 1 : b >= 0xf8 ? UINT64_MAX - b : b >= 0xc0 ? left : left ? b % left : 0;
}

static void write(struct bytes *bytes)
{
    const uint8_t which = next(bytes) % VECTORS, how = next(bytes);
    uint64_t offset, n;
    pail_status status[SIDES];
    range_of(bytes, shapes[which].n, &offset, &n);
    if (sides[0].vectors[which] == NULL)
        return;
    static uint8_t elements[32 * (LONG + 1)];
    const size_t made = n <= LONG ? (size_t)n : LONG;
    for (size_t i = 0; i < made; i++)
        put_element(elements + 32 * i, how, i, shapes[which].curve, how >= 0xe0);
    const uint32_t encoding = how == 0xdf ? 7 : how % 2;
    const bool reads = how / 2 % 4 == 0;
    for (size_t s = 0; s < SIDES; s++) {
        const pail_backend *const backend = sides[s].backend;
        pail_vector *const vector = sides[s].vectors[which];
        if (reads)
            status[s] = backend->vector_fill(vector, offset,
                                             how % 16 == 8    ? refuse
                                             : how % 32 == 16 ? NULL
                                                              : give,
                                             elements, n, encoding);
        else
            status[s] = backend->vector_write(vector, offset, how % 64 == 10 ? NULL : elements, n,
                                              encoding);
    }
    (void)agree(status, false);
}

static void read(struct bytes *bytes)
{
    const uint8_t which = next(bytes) % VECTORS, how = next(bytes);
    uint64_t offset, n;
    pail_status status[SIDES];
    range_of(bytes, shapes[which].n, &offset, &n);
    if (sides[0].vectors[which] == NULL)
        return;
    static uint8_t elements[SIDES][32 * (LONG + 1)];
    const uint32_t encoding = how == 0xdf ? 7 : how % 2;
    memset(elements, 0x5a, sizeof(elements));
    for (size_t s = 0; s < SIDES; s++)
        status[s] = sides[s].backend->vector_read(
            sides[s].vectors[which], how % 64 == 10 ? NULL : elements[s], offset, n, encoding);
    (void)agree(status, false);
    CHECK(memcmp(elements[0], elements[1], sizeof(elements[0])) == 0);
}

/* Both sides have the same elements in all vectors. */
static void compare(void)
{
    static uint8_t elements[SIDES][32 * LONG];
    for (size_t v = 0; v < VECTORS; v++) {
        const size_t n = (size_t)shapes[v].n;
        for (size_t s = 0; s < SIDES && sides[0].vectors[v] != NULL; s++)
            CHECK(sides[s].backend->vector_read(sides[s].vectors[v], elements[s], 0, n,
                                                PAIL_ENCODING_CANONICAL) == PAIL_OK);
        if (sides[0].vectors[v] != NULL)
            CHECK(memcmp(elements[0], elements[1], 32 * n) == 0);
    }
}

/* ---- Matrices -------------------------------------------------------------------------------- */
static void change_matrix(struct bytes *bytes)
{
    const uint8_t which = next(bytes) % MATRICES, how = next(bytes), hostile = next(bytes);
    pail_status status[SIDES];
    if (sides[0].matrices[which] != NULL) {
        for (size_t s = 0; s < SIDES; s++) {
            sides[s].backend->matrix_destroy(sides[s].context, &sides[s].matrices[which]);
            CHECK(sides[s].matrices[which] == NULL);
        }
        return;
    }
    uint64_t starts[ROWS + 1] = {0}, bad[SIDES];
    uint32_t columns[ENTRIES];
    static uint8_t values[32 * ENTRIES];
    const uint32_t n_columns = 1u + how % 20;
    const uint32_t curve = 1u + how % 8 / 7;
    for (uint32_t row = 0; row < ROWS; row++) /* one row is long */
        starts[row + 1] = starts[row] + (how / 16 % 3 == 0 && row == 2 ? 70 : row * how % 5);
    for (uint32_t k = 0; k < ENTRIES; k++) {
        columns[k] = (how + 3 * k) % n_columns;
        put_element(values + 32 * (size_t)k, how, k, curve, hostile == 1);
    }
    pail_matrix_desc desc =
        SIZED(pail_matrix_desc, .curve = curve, .encoding = how % 2, .n_rows = ROWS,
              .n_columns = n_columns, .row_starts = starts, .columns = columns, .values = values);
    switch (hostile) {
    case 2:
        starts[1 + how % ROWS] = how;
        break;
    case 3:
        starts[0] = 1;
        break;
    case 4:
        columns[how % 4] = UINT32_MAX;
        break;
    case 5:
        desc.row_starts = NULL;
        break;
    case 6:
        desc.columns = NULL;
        break;
    case 7:
        desc.values = NULL;
        break;
    case 8:
        desc.n_rows = UINT64_MAX;
        break;
    case 9:
        desc.n_columns = UINT64_C(1) << 32;
        break;
    case 10:
        desc.encoding = 77;
        break;
    case 11:
        desc.struct_size = how % 64;
        break;
    case 12:
        desc.n_rows = 0;
        break;
    default:
        break;
    }
    if (starts[ROWS] > ENTRIES) /* more than there are, which no callee can see */
        return;
    for (size_t s = 0; s < SIDES; s++) {
        sides[s].matrices[which] = (pail_matrix *)(void *)&sides[s];
        bad[s] = 5;
        status[s] = sides[s].backend->matrix_create(sides[s].context, &sides[s].matrices[which],
                                                    &bad[s], &desc);
        CHECK((sides[s].matrices[which] != NULL) == (status[s] == PAIL_OK));
    }
    (void)agree(status, false);
    CHECK(bad[0] == bad[1]);
}

/* ---- Operations ------------------------------------------------------------------------------ */
/* 5^((r - 1) / 2^log_n), of order 2^log_n on both curves. */
static void put_root(uint8_t to[32], uint32_t curve, uint32_t log_n)
{
    const struct pail_curve_ops *const ops = ops_of(curve);
    const pail_u256 five = {{5, 0, 0, 0}};
    pail_u256 r = {{1, 0, 0, 0}};
    for (uint32_t bit = 256; bit-- > log_n;) {
        ops->scalar_mul(&r, &r, &r);
        if ((bit > 0 || log_n > 0) && ops->order.l[bit / 64] >> bit % 64 & 1)
            ops->scalar_mul(&r, &r, &five);
    }
    pail_u256_to_bytes(to, &r);
}

/* An operation as the numbers of its operands. */
struct op {
    pail_vector_op op;
    uint8_t operands[4]; /* r, a, b, c; VECTORS: none */
    uint8_t matrix;      /* MATRICES: none */
};

static uint64_t offset_of(uint8_t how, uint64_t all)
{
    if (how >= 0xfe)
        return UINT64_MAX - (uint64_t)how;
    if (how >= 0xf8)
        return all;
    return how < 0x80 ? 0 : how % 8u;
}

static struct op make_op(struct bytes *bytes)
{
    struct op o = {.op = {.struct_size = sizeof(o.op)}, .matrix = MATRICES};
    const uint8_t kind = next(bytes), hostile = next(bytes);
    o.op.kind = kind >= 0xf0 ? kind - 0xe6u : 1u + kind % 9u; /* from LOAD on without memory */
    if (kind >= 0xf8)
        o.op.curve = kind % 4u;
    const bool transforms = o.op.kind <= PAIL_VECTOR_OP_INTT;
    const unsigned n_operands =
        o.op.kind == PAIL_VECTOR_OP_MUL_SUB                                     ? 4
        : o.op.kind >= PAIL_VECTOR_OP_ADD && o.op.kind < PAIL_VECTOR_OP_MUL_SUB ? 3
                                                                                : 2;
    uint64_t *const offsets[] = {&o.op.r_offset, &o.op.a_offset, &o.op.b_offset, &o.op.c_offset};
    for (unsigned i = 0; i < 4; i++) {
        o.operands[i] = VECTORS;
        if (i >= n_operands && hostile != 1)
            continue;
        const uint8_t byte = next(bytes);
        o.operands[i] = hostile == 2 && i == byte % 4u ? VECTORS : byte % VECTORS;
        if (o.operands[i] < VECTORS)
            *offsets[i] = offset_of(byte, shapes[o.operands[i]].n);
    }
    const struct shape shape = o.operands[0] < VECTORS ? shapes[o.operands[0]] : shapes[0];
    const uint32_t curve = shape.curve == PAIL_CURVE_BLS12_381 ? shape.curve : PAIL_CURVE_BN254;
    const uint8_t size = next(bytes);
    if (transforms) {
        o.op.log_n = size >= 0xf8 ? size - 0xf0u + 8u * (size == 0xff) : size % 12u;
        o.op.n = UINT64_C(1) << (o.op.log_n & 15u);
        o.op.flags = size / 16 % 2;
        put_root(o.op.root, curve, o.op.log_n % 32 + (hostile == 3));
    } else {
        o.op.n = size >= 0xf8 ? shape.n + size - 0xf8 : shape.n ? size % (shape.n + 1) : 0;
    }
    if (o.op.kind == PAIL_VECTOR_OP_SPMV || hostile == 4) {
        o.matrix = size % MATRICES;
        o.op.n = hostile == 5 ? o.op.n : ROWS;
    }
    if (transforms || o.op.kind == PAIL_VECTOR_OP_POWERS) {
        put_element(o.op.shift, size, 1, curve, false);
        put_element(o.op.scale, size, 2, curve, false);
    }
    switch (hostile) {
    case 6:
        memset(o.op.root, 0xff, sizeof(o.op.root));
        break;
    case 7:
        memset(o.op.shift, 0xff, sizeof(o.op.shift));
        break;
    case 8:
        memset(o.op.scale, 0xff, sizeof(o.op.scale));
        break;
    case 9:
        o.op.flags = 0x80000000u | size;
        break;
    case 10:
        o.op.struct_size = size % 64; /* more is another array */
        break;
    case 11:
        o.op.n = UINT64_MAX - size;
        break;
    case 12:
        o.op.log_n = UINT32_MAX - size;
        break;
    default:
        break;
    }
    return o;
}

static pail_vector_op op_of(const struct op *o, const struct side *side)
{
    pail_vector_op op = o->op;
    const pail_vector *operands[4] = {NULL};
    for (size_t i = 0; i < 4; i++)
        if (o->operands[i] < VECTORS)
            operands[i] = side->vectors[o->operands[i]];
    op.r = (pail_vector *)(uintptr_t)operands[0];
    op.a = operands[1];
    op.b = operands[2];
    op.c = operands[3];
    op.matrix = o->matrix < MATRICES ? side->matrices[o->matrix] : NULL;
    return op;
}

/* Clears the results of an abandoned operation, which may be any of three things: zeros make them
 * one. */
static void clear_results(struct side *side, const pail_vector_op *ops, size_t n)
{
    static const uint8_t zeros[32 * LONG];
    for (size_t i = 0; i < n; i++)
        CHECK(ops[i].n == 0 ||
              side->backend->vector_write(ops[i].r, ops[i].r_offset, zeros, ops[i].n,
                                          PAIL_ENCODING_MONTGOMERY) == PAIL_OK);
}

static void operate(struct bytes *bytes)
{
    const uint8_t how = next(bytes);
    const size_t n = how >= 0xfc ? 0 : 1 + how % OPS;
    struct op made[OPS];
    pail_vector_op ops[SIDES][OPS];
    pail_pending *pending[SIDES];
    pail_status status[SIDES];
    for (size_t i = 0; i < OPS; i++)
        made[i] = i < n ? make_op(bytes) : (struct op){.matrix = MATRICES};
    for (size_t s = 0; s < SIDES; s++) {
        for (size_t i = 0; i < OPS; i++)
            ops[s][i] = op_of(&made[i], &sides[s]);
        pending[s] = (pail_pending *)(void *)&sides[s];
        status[s] = sides[s].backend->vector_start(sides[s].context, &pending[s],
                                                   how == 0xfb ? NULL : ops[s], n);
        CHECK((pending[s] != NULL) == (status[s] == PAIL_OK));
    }
    bool understood = n > 0 && how != 0xfb; /* the list is: each backend has words of its own */
    for (size_t i = 0; i < n; i++)
        understood = understood && made[i].op.struct_size == sizeof(made[i].op);
    if (!agree(status, understood))
        return;
    const bool abandoned = how / 4 % 8 == 7, destroyed = how / 4 % 8 == 6;
    for (size_t s = 0; s < SIDES; s++) {
        const pail_backend *const backend = sides[s].backend;
        if (destroyed && made[0].operands[0] < VECTORS) /* while it is in use */
            backend->vector_destroy(sides[s].context, &sides[s].vectors[made[0].operands[0]]);
        if (abandoned) {
            backend->pending_abandon(&pending[s]);
            clear_results(&sides[s], ops[s], n);
        } else {
            pail_stats stats = {.struct_size = how / 4 % 8 == 5 ? how : sizeof(stats)};
            status[s] = backend->vector_finish(&pending[s], &stats);
        }
        CHECK(pending[s] == NULL);
    }
    if (!abandoned)
        (void)agree(status, false);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bytes bytes = {data, size, 1};
    if (sides[0].backend == NULL)
        open_sides();
    for (int i = 0; i < CALLS_MAX && bytes.size > 0; i++) {
        switch (next(&bytes) % 8) {
        case 0:
            change(&bytes);
            break;
        case 1:
            write(&bytes);
            break;
        case 2:
            read(&bytes);
            break;
        case 3:
            change_matrix(&bytes);
            break;
        default:
            operate(&bytes);
            break;
        }
    }
    compare();
    for (size_t s = 0; s < SIDES; s++) {
        for (size_t v = 0; v < VECTORS; v++)
            sides[s].backend->vector_destroy(sides[s].context, &sides[s].vectors[v]);
        for (size_t m = 0; m < MATRICES; m++)
            sides[s].backend->matrix_destroy(sides[s].context, &sides[s].matrices[m]);
    }
    memset(shapes, 0, sizeof(shapes));
    CHECK(atomic_load(&messages) == 0);
    return 0;
}
