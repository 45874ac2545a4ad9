/* SPDX-License-Identifier: Apache-2.0 */
/* Memory by its addresses: found, copied, filled, and what works on it in place. */
#include "conformance.h"

#include <curves/curve_ops.h>
#include <curves/scalar.h>

enum { N = 8, BYTES = PAIL_SCALAR_BYTES, POINT = 64 };

struct place {
    pail_memory *memory;
    pail_memory_info info;
};

/* False where the device has no addresses. */
static bool make(const struct subject *subject, struct place *place, uint32_t kind, uint64_t bytes)
{
    *place = (struct place){.info = {.struct_size = sizeof place->info}};
    const pail_status status = subject->backend->memory_create(subject->context, &place->memory,
                                                               &place->info, kind, bytes);
    if (status == PAIL_ERR_UNSUPPORTED)
        return false;
    assert_int_equal(status, PAIL_OK);
    assert_true(place->info.address != 0);
    return true;
}

static void drop(const struct subject *subject, struct place *place)
{
    subject->backend->memory_destroy(subject->context, &place->memory);
    assert_null(place->memory);
}

static void refused(const struct subject *subject, pail_status status, const char *sentence)
{
    assert_int_equal(status, PAIL_ERR_ARGUMENT);
    expect_sentence(subject, sentence);
}

static void expect_bytes(const struct subject *subject, const struct place *place, uint64_t at,
                         const void *want, size_t n)
{
    uint8_t got[512];
    assert_true(n <= sizeof got);
    assert_int_equal(subject->backend->memory_read(place->memory, got, at, n), PAIL_OK);
    assert_memory_equal(got, want, n);
}

CONFORMANCE_NEEDS(memory_is_found_by_its_addresses, memory_find)
{
    struct place places[3];
    pail_memory *found;
    uint64_t offset;
    for (size_t i = 0; i < 3; i++)
        if (!make(subject, &places[i], i % 2 ? PAIL_MEMORY_HOST : PAIL_MEMORY_DEVICE, 1000 + i))
            SKIP_BECAUSE("the device has no addresses");
    for (size_t i = 0; i < 3; i++) {
        const uint64_t offsets[] = {0, 1, 500, 999 + i};
        for (size_t k = 0; k < sizeof offsets / sizeof offsets[0]; k++) {
            assert_int_equal(backend->memory_find(subject->context, &found, &offset,
                                                  places[i].info.address + offsets[k]),
                             PAIL_OK);
            assert_ptr_equal(found, places[i].memory);
            assert_int_equal(offset, offsets[k]);
        }
    }
    const uint64_t middle = places[1].info.address;
    drop(subject, &places[1]);
    refused(subject, backend->memory_find(subject->context, &found, &offset, middle + 7),
            "where no memory of the context is");
    assert_null(found);
    assert_int_equal(offset, 0);
    refused(subject, backend->memory_find(subject->context, &found, &offset, 0),
            "address is 0x0, where no memory of the context is");
    refused(subject, backend->memory_find(subject->context, NULL, &offset, 1), "memory is NULL");
    refused(subject, backend->memory_find(subject->context, &found, NULL, 1), "offset is NULL");
    assert_int_equal(backend->memory_find(NULL, &found, &offset, 1), PAIL_ERR_ARGUMENT);
    drop(subject, &places[0]);
    drop(subject, &places[2]);
}

CONFORMANCE_NEEDS(memory_is_copied_and_filled, memory_copy)
{
    struct place a, b;
    uint8_t want[300];
    for (uint32_t kind = PAIL_MEMORY_DEVICE; kind <= PAIL_MEMORY_HOST; kind++) {
        if (!make(subject, &a, kind, sizeof want) ||
            !make(subject, &b, PAIL_MEMORY_DEVICE, sizeof want))
            SKIP_BECAUSE("the device has no addresses");
        for (size_t i = 0; i < sizeof want; i++)
            want[i] = (uint8_t)(i * 7);
        assert_int_equal(backend->memory_write(a.memory, 0, want, sizeof want), PAIL_OK);
        /* Ranges of all alignments, and of fewer bytes than a word has. */
        static const struct {
            uint64_t at, n;
        } ranges[] = {{0, 4}, {9, 1}, {17, 2}, {30, 3}, {41, 6}, {67, 9}, {88, 40}, {299, 1}};
        for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
            const uint32_t value = 0xf0 + (uint32_t)i;
            assert_int_equal(backend->memory_fill(a.memory, ranges[i].at, ranges[i].n, value),
                             PAIL_OK);
            memset(want + ranges[i].at, (int)value, ranges[i].n);
        }
        expect_bytes(subject, &a, 0, want, sizeof want);
        assert_int_equal(backend->memory_copy(b.memory, 0, a.memory, 0, sizeof want), PAIL_OK);
        assert_int_equal(backend->memory_copy(b.memory, 11, a.memory, 64, 33), PAIL_OK);
        assert_int_equal(backend->memory_copy(b.memory, 3, b.memory, 200, 100), PAIL_OK);
        memcpy(want + 11, want + 64, 33);
        memcpy(want + 3, want + 200, 97);
        want[100] = 0;
        expect_bytes(subject, &b, 0, want, 100);
        assert_int_equal(backend->memory_copy(b.memory, 300, a.memory, 0, 0), PAIL_OK);
        assert_int_equal(backend->memory_fill(b.memory, 300, 0, 1), PAIL_OK);
        refused(subject, backend->memory_copy(b.memory, 10, b.memory, 20, 11),
                "to, from 10 on, overlaps from, from 20 on, with n_bytes = 11");
        refused(subject, backend->memory_copy(b.memory, 290, a.memory, 0, 11),
                "n_bytes: 11 at 290 of to of 300 bytes");
        refused(subject, backend->memory_copy(b.memory, 0, a.memory, UINT64_MAX, 2),
                "n_bytes: 2 at 18446744073709551615 of from of 300 bytes");
        refused(subject, backend->memory_copy(NULL, 0, a.memory, 0, 1), "to is NULL");
        refused(subject, backend->memory_copy(a.memory, 0, NULL, 0, 1), "from is NULL");
        refused(subject, backend->memory_fill(a.memory, 1, 300, 0),
                "n_bytes: 300 at 1 of memory of 300 bytes");
        refused(subject, backend->memory_fill(a.memory, 0, 1, 256),
                "value is 256; a byte is at most 255");
        refused(subject, backend->memory_fill(NULL, 0, 1, 0), "memory is NULL");
        drop(subject, &a);
        drop(subject, &b);
    }
}

/* ---- Vectors --------------------------------------------------------------------------------- */
static pail_pending *begin(const struct subject *subject, const pail_vector_op *ops, size_t n)
{
    pail_pending *pending = NULL;
    if (subject->backend->vector_start(subject->context, &pending, ops, n) != PAIL_OK)
        fail_msg("%s", subject->backend->error(subject->context));
    return pending;
}

CONFORMANCE_NEEDS(vectors_are_loaded_and_stored, memory_find)
{
    struct place m;
    pail_vector *v = NULL;
    uint8_t in[N * BYTES] = {0}, want[N * BYTES] = {0}, montgomery[N * BYTES];
    if (!make(subject, &m, PAIL_MEMORY_DEVICE, 3 * sizeof in))
        SKIP_BECAUSE("the device has no addresses");
    assert_int_equal(backend->vector_create(subject->context, &v, PAIL_CURVE_BN254, 2 * N),
                     PAIL_OK);
    /* 1, 2, 3, ..., among them -1, and integers that are not below r: r + 4, and r. */
    for (size_t i = 0; i < N; i++)
        in[i * BYTES] = want[i * BYTES] = (uint8_t)(i + 1);
    memcpy(in + 2 * BYTES, minus_one, BYTES);
    memcpy(want + 2 * BYTES, minus_one, BYTES);
    memcpy(in + 4 * BYTES, minus_one, BYTES);
    in[4 * BYTES] += 5; /* the lowest byte of -1 is 0 */
    want[4 * BYTES] = 4;
    memcpy(in + 5 * BYTES, minus_one, BYTES);
    in[5 * BYTES] += 1;
    want[5 * BYTES] = 0;
    assert_int_equal(backend->memory_write(m.memory, BYTES, in, sizeof in), PAIL_OK);
    const pail_vector_op load = SIZED(pail_vector_op, .kind = PAIL_VECTOR_OP_LOAD, .r = v,
                                      .r_offset = 3, .n = N, .address = m.info.address + BYTES);
    pail_vector_op ops[4] = {load, load, load, load};
    ops[1] = (pail_vector_op)SIZED(pail_vector_op, .kind = PAIL_VECTOR_OP_STORE, .a = v,
                                   .a_offset = 3, .n = N, .address = m.info.address + BYTES,
                                   .encoding = PAIL_ENCODING_MONTGOMERY);
    ops[2].encoding = PAIL_ENCODING_MONTGOMERY;
    ops[3] = ops[1];
    ops[3].encoding = PAIL_ENCODING_CANONICAL;
    ops[3].address += sizeof in;
    pail_stats stats = {.struct_size = sizeof stats};
    pail_pending *pending = begin(subject, ops, 4);
    assert_int_equal(backend->vector_finish(&pending, &stats), PAIL_OK);
    assert_int_equal(backend->vector_read(v, montgomery, 3, N, PAIL_ENCODING_MONTGOMERY), PAIL_OK);
    expect_bytes(subject, &m, BYTES, montgomery, sizeof montgomery);
    expect_bytes(subject, &m, BYTES + sizeof in, want, sizeof want);

    /* Montgomery elements that are not below r mean the same as those that are. */
    memset(in, 0, sizeof in);
    memcpy(in, minus_one, BYTES);
    in[0] += 1;
    assert_int_equal(backend->memory_write(m.memory, 0, in, sizeof in), PAIL_OK);
    ops[0].encoding = PAIL_ENCODING_MONTGOMERY;
    ops[0].address = m.info.address;
    pending = begin(subject, ops, 1);
    assert_int_equal(backend->vector_finish(&pending, NULL), PAIL_OK);
    memset(want, 0, sizeof want);
    assert_int_equal(backend->vector_read(v, in, 3, N, PAIL_ENCODING_MONTGOMERY), PAIL_OK);
    assert_memory_equal(in, want, sizeof in);

    /* All bits set, which is several times r: what vector_write takes of the remainder. */
    memset(in, 0xff, sizeof in);
    assert_int_equal(backend->memory_write(m.memory, BYTES, in, sizeof in), PAIL_OK);
    ops[0] = load;
    ops[1] = ops[3];
    pending = begin(subject, ops, 2);
    /* Copies come behind work that runs. */
    assert_int_equal(backend->memory_copy(m.memory, 0, m.memory, BYTES + sizeof in, BYTES),
                     PAIL_OK);
    assert_int_equal(backend->vector_finish(&pending, NULL), PAIL_OK);
    const uint8_t rest[BYTES] = {/* 2^256 - 1 - 5 r */
                                 0xfa, 0xff, 0xff, 0x4f, 0x1c, 0x34, 0x96, 0xac, 0x29, 0xcd, 0x60,
                                 0x9f, 0x95, 0x76, 0xfc, 0x36, 0x2e, 0x46, 0x79, 0x78, 0x6f, 0xa3,
                                 0x6e, 0x66, 0x2f, 0xdf, 0x07, 0x9a, 0xc1, 0x77, 0x0a, 0x0e};
    expect_bytes(subject, &m, 0, rest, BYTES);
    backend->vector_destroy(subject->context, &v);
    drop(subject, &m);
}

/* Copies that are asked for while work runs come behind it, and later work behind them. */
CONFORMANCE_NEEDS(memory_is_used_in_the_order_of_calls, memory_copy)
{
    enum { MANY = 1 << 16, LAST = (MANY - 1) * BYTES };
    struct place m, few;
    pail_vector *v = NULL;
    uint8_t before[BYTES], after[BYTES], copied[BYTES];
    if (!make(subject, &m, PAIL_MEMORY_DEVICE, MANY * BYTES))
        SKIP_BECAUSE("the device has no addresses");
    assert_true(make(subject, &few, PAIL_MEMORY_DEVICE, 2 * BYTES));
    assert_int_equal(backend->vector_create(subject->context, &v, PAIL_CURVE_BN254, MANY), PAIL_OK);
    assert_int_equal(backend->memory_fill(m.memory, 0, MANY * BYTES, 1), PAIL_OK);
    assert_int_equal(backend->memory_read(m.memory, before, LAST, BYTES), PAIL_OK);
    pail_vector_op ops[6];
    for (size_t i = 0; i < 6; i++)
        ops[i] = (pail_vector_op)SIZED(pail_vector_op, .kind = PAIL_VECTOR_OP_MUL, .r = v, .a = v,
                                       .b = v, .n = MANY);
    ops[0] = (pail_vector_op)SIZED(pail_vector_op, .kind = PAIL_VECTOR_OP_LOAD, .r = v, .n = MANY,
                                   .address = m.info.address);
    ops[5] = (pail_vector_op)SIZED(pail_vector_op, .kind = PAIL_VECTOR_OP_STORE, .a = v, .n = MANY,
                                   .address = m.info.address);
    pail_pending *pending = begin(subject, ops, 6);
    assert_int_equal(backend->memory_copy(few.memory, 0, m.memory, LAST, BYTES), PAIL_OK);
    assert_int_equal(backend->memory_fill(m.memory, 0, MANY * BYTES, 2), PAIL_OK);
    pail_pending *second = begin(subject, ops, 6);
    assert_int_equal(backend->memory_copy(few.memory, BYTES, m.memory, LAST, BYTES), PAIL_OK);
    assert_int_equal(backend->vector_finish(&pending, NULL), PAIL_OK);
    assert_int_equal(backend->vector_finish(&second, NULL), PAIL_OK);
    assert_int_equal(backend->memory_read(m.memory, after, LAST, BYTES), PAIL_OK);
    assert_int_equal(backend->memory_read(few.memory, copied, BYTES, BYTES), PAIL_OK);
    assert_memory_equal(copied, after, BYTES);
    assert_int_equal(backend->memory_read(few.memory, copied, 0, BYTES), PAIL_OK);
    assert_memory_not_equal(copied, before, BYTES);
    assert_memory_not_equal(copied, after, BYTES);
    backend->vector_destroy(subject->context, &v);
    drop(subject, &m);
    drop(subject, &few);
}

/* ---- Transforms ------------------------------------------------------------------------------ */
/* One transform of elements in memory next to the same of a vector. */
struct transform {
    uint32_t curve, log_n, batch, flags;
    bool inverse, shifted, in_place;
};

/* Small and large elements, and integers that are not below r; the first are all bits set. */
static void put_elements(uint8_t *bytes, size_t n)
{
    for (size_t i = 0; i < n * BYTES; i++)
        bytes[i] = (uint8_t)(i < 4 * BYTES ? 0xff : i % 7 == 0 ? i / 7 : i * 31 ^ i >> 5);
    memset(bytes + (n > 5 ? 5 * BYTES : 0), n > 5 ? 0 : 0xff, BYTES);
}

static void check_transform(const struct subject *subject, const struct transform *t)
{
    const pail_backend *const backend = subject->backend;
    const size_t n = (size_t)t->batch << t->log_n, bytes = n * BYTES;
    struct place from, to;
    pail_vector *v = NULL;
    uint8_t *const in = malloc(bytes), *const want = malloc(bytes + 2 * BYTES),
                   *const got = malloc(bytes + 2 * BYTES);
    assert_true(in && want && got);
    assert_true(make(subject, &from, PAIL_MEMORY_DEVICE, bytes + BYTES));
    assert_true(make(subject, &to, PAIL_MEMORY_DEVICE, bytes + 2 * BYTES));
    put_elements(in, n);
    memset(want, 0x5a, bytes + 2 * BYTES); /* bytes around the results stay */
    assert_int_equal(backend->memory_write(from.memory, BYTES, in, bytes), PAIL_OK);
    assert_int_equal(backend->memory_write(to.memory, 0, want, bytes + 2 * BYTES), PAIL_OK);
    if (t->in_place)
        assert_int_equal(backend->memory_write(to.memory, BYTES, in, bytes), PAIL_OK);
    assert_int_equal(backend->vector_create(subject->context, &v, t->curve, n), PAIL_OK);
    pail_vector_op op =
        SIZED(pail_vector_op, .kind = t->inverse ? PAIL_VECTOR_OP_INTT : PAIL_VECTOR_OP_NTT,
              .flags = t->flags, .log_n = t->log_n, .n = n, .r = v, .a = v);
    const struct pail_curve_ops *const ops = pail_curve_ops(t->curve, PAIL_G1);
    const pail_u256 root = pail_scalar_root(ops, t->log_n);
    pail_u256_to_bytes(op.root, &root);
    op.shift[0] = t->shifted ? 7 : 1;
    pail_vector_op all[3] = {op, op, op};
    all[0] = (pail_vector_op)SIZED(pail_vector_op, .kind = PAIL_VECTOR_OP_LOAD, .r = v, .n = n,
                                   .address = from.info.address + BYTES);
    all[2] = op;
    all[2].kind = t->inverse ? PAIL_VECTOR_OP_INTT_AT : PAIL_VECTOR_OP_NTT_AT;
    all[2].r = NULL;
    all[2].a = NULL;
    all[2].curve = t->curve;
    all[2].address = (t->in_place ? to : from).info.address + BYTES;
    all[2].to_address = to.info.address + BYTES;
    pail_pending *pending = begin(subject, all, 3);
    assert_int_equal(backend->vector_finish(&pending, NULL), PAIL_OK);
    assert_int_equal(backend->vector_read(v, want + BYTES, 0, n, PAIL_ENCODING_CANONICAL), PAIL_OK);
    assert_int_equal(backend->memory_read(to.memory, got, 0, bytes + 2 * BYTES), PAIL_OK);
    if (memcmp(got, want, bytes + 2 * BYTES) != 0)
        fail_msg("curve %u, 2^%u, %u of them, flags %u%s%s%s", t->curve, t->log_n, t->batch,
                 t->flags, t->inverse ? ", inverse" : "", t->shifted ? ", shifted" : "",
                 t->in_place ? ", in place" : "");
    assert_int_equal(backend->memory_read(from.memory, got, BYTES, bytes), PAIL_OK);
    assert_memory_equal(got, in, bytes); /* the operand is as it was */
    backend->vector_destroy(subject->context, &v);
    drop(subject, &from);
    drop(subject, &to);
    free(in);
    free(want);
    free(got);
}

/* Every order, direction and shift, in place and not, of one pass and of more. */
CONFORMANCE_NEEDS(transforms_go_from_address_to_address, memory_find)
{
    static const uint32_t sizes[][2] = {{0, 3}, {1, 1}, {3, 5}, {6, 2}, {11, 1}};
    struct place probe;
    if (!make(subject, &probe, PAIL_MEMORY_DEVICE, BYTES))
        SKIP_BECAUSE("the device has no addresses");
    drop(subject, &probe);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (uint32_t way = 0; way < 32; way++)
            check_transform(subject, &(struct transform){
                                         .curve = 1 + (way + (uint32_t)i) / 4 % 2,
                                         .log_n = sizes[i][0],
                                         .batch = sizes[i][1],
                                         .flags = way % 4,
                                         .inverse = way & 4,
                                         .shifted = way & 8,
                                         .in_place = way & 16,
                                     });
}

/* The same transform turns Montgomery elements into Montgomery elements. */
CONFORMANCE_NEEDS(transforms_at_addresses_keep_the_encoding, memory_find)
{
    struct place m;
    pail_vector *v = NULL;
    uint8_t in[2 * BYTES] = {3, [BYTES] = 5}, got[2 * BYTES];
    uint8_t want[2 * BYTES] = {8}; /* and -2 */
    if (!make(subject, &m, PAIL_MEMORY_DEVICE, 2 * sizeof in))
        SKIP_BECAUSE("the device has no addresses");
    assert_int_equal(backend->vector_create(subject->context, &v, PAIL_CURVE_BN254, 2), PAIL_OK);
    assert_int_equal(backend->vector_write(v, 0, in, 2, PAIL_ENCODING_CANONICAL), PAIL_OK);
    const pail_vector_op store =
        SIZED(pail_vector_op, .kind = PAIL_VECTOR_OP_STORE, .a = v, .n = 2,
              .address = m.info.address, .encoding = PAIL_ENCODING_MONTGOMERY);
    pail_vector_op ops[3] = {store};
    ops[1] = (pail_vector_op)SIZED(pail_vector_op, .kind = PAIL_VECTOR_OP_NTT_AT, .log_n = 1,
                                   .n = 2, .curve = PAIL_CURVE_BN254, .address = m.info.address,
                                   .encoding = PAIL_ENCODING_MONTGOMERY,
                                   .to_address = m.info.address + sizeof in);
    memcpy(ops[1].root, minus_one, BYTES);
    ops[2] = (pail_vector_op)SIZED(pail_vector_op, .kind = PAIL_VECTOR_OP_LOAD, .r = v, .n = 2,
                                   .address = m.info.address + sizeof in,
                                   .encoding = PAIL_ENCODING_MONTGOMERY);
    pail_pending *pending = begin(subject, ops, 3);
    assert_int_equal(backend->vector_finish(&pending, NULL), PAIL_OK);
    assert_int_equal(backend->vector_read(v, got, 0, 2, PAIL_ENCODING_CANONICAL), PAIL_OK);
    memcpy(want + BYTES, minus_one, BYTES);
    memcpy(want + BYTES, (const uint8_t[]){0xff, 0xff, 0xff, 0xef},
           4); /* it ends in 0, 0, 0, 0xf0 */
    assert_memory_equal(got, want, sizeof want);
    backend->vector_destroy(subject->context, &v);
    drop(subject, &m);
}

CONFORMANCE_NEEDS(places_of_operations_are_refused_in_the_same_words, memory_find)
{
    struct place m;
    pail_vector *v = NULL;
    if (!make(subject, &m, PAIL_MEMORY_DEVICE, N * BYTES))
        SKIP_BECAUSE("the device has no addresses");
    assert_int_equal(backend->vector_create(subject->context, &v, PAIL_CURVE_BN254, N), PAIL_OK);
    const pail_vector_op load = SIZED(pail_vector_op, .kind = PAIL_VECTOR_OP_LOAD, .r = v, .n = N,
                                      .address = m.info.address);
    const pail_vector_op store = SIZED(pail_vector_op, .kind = PAIL_VECTOR_OP_STORE, .a = v, .n = N,
                                       .address = m.info.address);
    const pail_vector_op add =
        SIZED(pail_vector_op, .kind = PAIL_VECTOR_OP_ADD, .r = v, .a = v, .b = v, .n = N);
#define REFUSED(good, sentence, ...)                                                               \
    do {                                                                                           \
        pail_vector_op op = good;                                                                  \
        pail_pending *pending = NULL;                                                              \
        op.__VA_ARGS__;                                                                            \
        refused(subject, backend->vector_start(subject->context, &pending, &op, 1), sentence);     \
        assert_null(pending);                                                                      \
    } while (0)
    REFUSED(load, "bytes are asked for; its memory ends behind 224", address += BYTES);
    REFUSED(load, "where no memory of the context is", address += N * BYTES);
    REFUSED(load, "where no memory of the context is", address -= 1);
    REFUSED(store, "where no memory of the context is", address = 0);
    REFUSED(store, "4 bytes into its memory, which is no multiple of 32", address += 4, op.n = 1);
    REFUSED(load, "ops[0].encoding is 2, which is none", encoding = PAIL_ENCODING_JACOBIAN);
    REFUSED(load, "ops[0].curve is set, but kind 10, load, has no such member", curve = 1);
    REFUSED(store, "ops[0].to_address is set, but kind 11, store, has no such member",
            to_address = m.info.address);
    REFUSED(load, "ops[0].a is set, but kind 10, load, has no such operand", a = v);
    REFUSED(load, "ops[0].r is NULL", r = NULL);
    REFUSED(store, "ops[0].r is set, but kind 11, store, has no such operand", r = v);
    REFUSED(store, "ops[0].b is set, but kind 11, store, has no such operand", b = v);
    REFUSED(store, "ops[0].a is NULL", a = NULL);
    REFUSED(store, "ops[0].a: elements 1 to 1 + 8 are asked for; there are 8", a_offset = 1);
    REFUSED(add, "ops[0].address is set, but kind 4, add, has no memory", address = m.info.address);
    REFUSED(add, "ops[0].encoding is set, but kind 4, add, has no memory", encoding = 1);
    pail_vector_op ntt = SIZED(pail_vector_op, .kind = PAIL_VECTOR_OP_NTT_AT, .log_n = 1, .n = 2,
                               .curve = PAIL_CURVE_BN254, .address = m.info.address,
                               .to_address = m.info.address + 2 * BYTES);
    memcpy(ntt.root, minus_one, BYTES);
    REFUSED(ntt, "ops[0].curve is 0, which is none", curve = 0);
    REFUSED(ntt, "ops[0].curve is 3, which is none", curve = 3);
    REFUSED(ntt, "ops[0].root is not below the order of bls12_381", curve = PAIL_CURVE_BLS12_381,
            op.root[31] = 0xff);
    REFUSED(ntt, "ops[0].n is 576460752303423488: more elements", n = UINT64_C(1) << 59);
    REFUSED(ntt, "ops[0].n is 3, no multiple of 2^1", n = 3, op.to_address = m.info.address);
    REFUSED(ntt, "ops[0].encoding is 2, which is none", encoding = PAIL_ENCODING_JACOBIAN);
    REFUSED(ntt, "ops[0].flags is 0x4; kind 16, ntt_at, knows 0x3", flags = 4);
    REFUSED(ntt, "ops[0].group is set, but kind 16, ntt_at, has no such member", group = PAIL_G1);
    REFUSED(ntt, "ops[0].r is set, but kind 16, ntt_at, has no such operand", r = v);
    REFUSED(ntt, "ops[0].a is set, but kind 16, ntt_at, has no such operand", a = v);
    REFUSED(ntt, "ops[0].b is set, but kind 17, intt_at, has no such operand", b = v,
            op.kind = PAIL_VECTOR_OP_INTT_AT);
    REFUSED(ntt, "ops[0].address is 0x0, where no memory of the context is", address = 0);
    REFUSED(ntt, "4 bytes into its memory, which is no multiple of 32", address += 4);
    REFUSED(ntt, "bytes are asked for; its memory ends behind 32", address += 7 * BYTES);
    REFUSED(ntt, "ops[0].to_address is 0x0, where no memory of the context is", to_address = 0);
    REFUSED(ntt, "68 bytes into its memory, which is no multiple of 32", to_address += 4);
    REFUSED(ntt, "bytes are asked for; its memory ends behind 32", to_address += 5 * BYTES);
    REFUSED(ntt, "elements of 32 bytes overlap those of 32 from", to_address -= BYTES);
    REFUSED(ntt, "elements of 32 bytes overlap those of 32 from", address += BYTES);
    const uint64_t address = m.info.address;
    drop(subject, &m);
    REFUSED(load, "where no memory of the context is", address = address);
#undef REFUSED
    pail_vector_op none = load;
    none.n = none.address = 0;
    pail_pending *pending = begin(subject, &none, 1);
    assert_int_equal(backend->vector_finish(&pending, NULL), PAIL_OK);
    backend->vector_destroy(subject->context, &v);
}

/* ---- Points and scalars ---------------------------------------------------------------------- */
CONFORMANCE_NEEDS(points_are_registered_from_memory, memory_find)
{
    struct place m;
    pail_bases *bases = NULL;
    size_t bad = 0;
    uint8_t points[4 * POINT] = {0};
    if (!make(subject, &m, PAIL_MEMORY_DEVICE, 1024))
        SKIP_BECAUSE("the device has no addresses");
    memcpy(points, g1_generator, POINT); /* then infinity */
    memcpy(points + 2 * POINT, g1_times_2, POINT);
    memcpy(points + 3 * POINT, g1_generator, POINT);
    assert_int_equal(backend->memory_write(m.memory, 4, points, sizeof points), PAIL_OK);
    assert_int_equal(backend->memory_write(m.memory, 512, small_scalars, sizeof small_scalars),
                     PAIL_OK);
    for (uint32_t residency = PAIL_RESIDENCY_AUTO; residency <= PAIL_RESIDENCY_HOST; residency++) {
        pail_bases_desc desc = desc_of(NULL, 4);
        desc.address = m.info.address + 4;
        desc.residency = residency;
        if (backend->bases_create(subject->context, &bases, &bad, &desc) != PAIL_OK)
            fail_msg("%s", backend->error(subject->context));
        /* 1 + 3 2 + 4 = 11; the result is in memory, too. */
        pail_msm_job job = job_of(bases, (const void *)(uintptr_t)(m.info.address + 512), 4);
        job.scalar_location = job.result_location = PAIL_LOCATION_DEVICE_ADDRESS;
        job.result_address = m.info.address + 800;
        pail_msm_job short_job = job_of(bases, (const void *)(uintptr_t)(m.info.address + 512), 2);
        short_job.scalar_location = PAIL_LOCATION_DEVICE_ADDRESS;
        short_job.base_offset = 2; /* 1 2 + 2 1 = 4 */
        const pail_msm_job jobs[2] = {job, short_job};
        pail_msm_result results[2] = {{.struct_size = sizeof results[0]},
                                      {.struct_size = sizeof results[0]}};
        pail_pending *pending = start(subject, jobs, 2, NULL);
        assert_int_equal(backend->msm_finish(&pending, results, 2, NULL), PAIL_OK);
        uint8_t written[POINT];
        assert_int_equal(backend->memory_read(m.memory, written, 800, POINT), PAIL_OK);
        assert_memory_equal(written, results[0].x, 32);
        assert_memory_equal(written + 32, results[0].y, 32);
        /* Compared with sums over host memory. */
        const uint8_t eleven[1][BYTES] = {{11}}, four[1][BYTES] = {{4}};
        pail_bases *one = make_bases(subject, 1);
        const pail_msm_job known[2] = {job_of(one, eleven, 1), job_of(one, four, 1)};
        pail_msm_result want[2] = {{.struct_size = sizeof want[0]},
                                   {.struct_size = sizeof want[0]}};
        pending = start(subject, known, 2, NULL);
        assert_int_equal(backend->msm_finish(&pending, want, 2, NULL), PAIL_OK);
        assert_memory_equal(want, results, sizeof want);
        backend->bases_destroy(subject->context, &one);
        backend->bases_destroy(subject->context, &bases);
    }
    pail_bases_desc desc = desc_of(NULL, 4);
    desc.address = m.info.address + 4;
#define REFUSED(sentence, ...)                                                                     \
    do {                                                                                           \
        pail_bases_desc changed = desc;                                                            \
        changed.__VA_ARGS__;                                                                       \
        refused(subject, backend->bases_create(subject->context, &bases, &bad, &changed),          \
                sentence);                                                                         \
        assert_null(bases);                                                                        \
    } while (0)
    REFUSED("where no memory of the context is", address += 1024);
    REFUSED("bytes are asked for; its memory ends behind 124", address += 896);
    REFUSED("6 bytes into its memory, which is no multiple of 4", address += 2);
    REFUSED("desc->address and desc->points are both given", points = points);
    REFUSED("desc->stride is set, but points at desc->address are packed", stride = 80);
    REFUSED("desc->infinity_byte is set, but points at desc->address are packed",
            infinity_byte = 1);
#undef REFUSED
    points[2 * POINT] ^= 1; /* off the curve */
    assert_int_equal(backend->memory_write(m.memory, 4, points, sizeof points), PAIL_OK);
    assert_int_equal(backend->bases_create(subject->context, &bases, &bad, &desc), PAIL_ERR_DATA);
    assert_int_equal(bad, 2);
    assert_null(bases);
    drop(subject, &m);
}

/* A context of several devices says that it has none. */
CONFORMANCE(addresses_are_one_device_s)
{
    if (PAIL_HAS(backend, memory_find))
        SKIP_BECAUSE("the context is of one device");
    pail_vector *v = NULL;
    pail_bases *bases = NULL;
    pail_pending *pending = NULL;
    size_t bad;
    assert_int_equal(backend->vector_create(subject->context, &v, PAIL_CURVE_BN254, N), PAIL_OK);
    const pail_vector_op load =
        SIZED(pail_vector_op, .kind = PAIL_VECTOR_OP_LOAD, .r = v, .n = N, .address = 4096);
    assert_int_equal(backend->vector_start(subject->context, &pending, &load, 1),
                     PAIL_ERR_UNSUPPORTED);
    expect_sentence(subject, "ops[0].kind is 10, but a context of several devices has no");
    for (uint32_t kind = PAIL_VECTOR_OP_NTT_AT; kind <= PAIL_VECTOR_OP_INTT_AT; kind++) {
        const pail_vector_op within = SIZED(pail_vector_op, .kind = kind, .n = N, .address = 4096,
                                            .curve = PAIL_CURVE_BN254, .to_address = 8192);
        assert_int_equal(backend->vector_start(subject->context, &pending, &within, 1),
                         PAIL_ERR_UNSUPPORTED);
        expect_sentence(subject, "but a context of several devices has no");
    }
    pail_bases_desc desc = desc_of(NULL, 1);
    desc.address = 4096;
    assert_int_equal(backend->bases_create(subject->context, &bases, &bad, &desc),
                     PAIL_ERR_UNSUPPORTED);
    expect_sentence(subject, "desc->address is set, but a context of several devices has no");
    backend->vector_destroy(subject->context, &v);
}
