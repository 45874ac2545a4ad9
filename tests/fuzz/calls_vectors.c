/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors in the sequences of calls.c: two in each thread, and copies between them. */
#include <string.h>

#include "calls.h"

/* Creates, writes, or destroys while operations may use it. */
void change_vector(struct thread *t)
{
    const uint8_t how = next(&t->bytes);
    const pail_backend *const backend = t->world->backend;
    const size_t which = how % 2;
    if (t->context == NULL)
        return;
    if (t->vectors[which] == NULL) {
        const uint32_t curve = how >= 0xf0 ? 9 : PAIL_CURVE_BN254;
        const pail_status status =
            backend->vector_create(t->context, &t->vectors[which], curve, ELEMENTS);
        CHECK(went(t, t->context, status, curve == 9 ? PAIL_ERR_UNSUPPORTED : PAIL_OK) ==
              (t->vectors[which] != NULL));
        memset(t->elements[which], 0, sizeof(t->elements[which]));
        return;
    }
    if (how >= 0xe0) {
        backend->vector_destroy(t->context, &t->vectors[which]);
        CHECK(t->vectors[which] == NULL);
        return;
    }
    uint8_t elements[32 * ELEMENTS] = {0};
    for (size_t i = 0; i < ELEMENTS; i++)
        elements[32 * i] = (uint8_t)(how + i);
    pail_status wanted = PAIL_OK;
    if (how >= 0xd0) {
        memset(elements + 32 * 4, 0xff, 32);
        wanted = PAIL_ERR_DATA;
    }
    const size_t n = how >= 0xc0 && how < 0xd0 ? ELEMENTS + 1 : ELEMENTS;
    if (n > ELEMENTS)
        wanted = PAIL_ERR_ARGUMENT;
    const pail_status status =
        backend->vector_write(t->vectors[which], 0, elements, n, PAIL_ENCODING_CANONICAL);
    if (went(t, t->context, status, wanted))
        memcpy(t->elements[which], elements, sizeof(elements));
}

/* Copies one vector to the other, or a part of one into itself, which is refused. */
void start_operations(struct thread *t)
{
    const uint8_t how = next(&t->bytes);
    const pail_backend *const backend = t->world->backend;
    if (t->vectors[0] == NULL || t->vectors[1] == NULL || t->operations != NULL)
        return;
    const size_t to = how % 2;
    pail_vector_op op = {
        .struct_size = sizeof(op),
        .kind = PAIL_VECTOR_OP_COPY,
        .r = t->vectors[to],
        .a = t->vectors[1 - to],
        .n = how / 2 % (ELEMENTS + 1),
    };
    pail_status wanted = PAIL_OK;
    if (how >= 0xf0) {
        op.a = op.r;
        op.a_offset = 1;
        op.n = 2;
        wanted = PAIL_ERR_ARGUMENT;
    } else if (how >= 0xe0) {
        op.kind = PAIL_VECTOR_OP_NTT; /* root is 0 */
        op.n = 1;
        wanted = PAIL_ERR_ARGUMENT;
    }
    const pail_status status = backend->vector_start(t->context, &t->operations, &op, 1);
    CHECK(went(t, t->context, status, wanted) == (t->operations != NULL));
    if (status == PAIL_OK)
        memcpy(t->elements[to], t->elements[1 - to], 32 * (size_t)op.n);
}

void finish_operations(struct thread *t)
{
    pail_stats stats = {.struct_size = sizeof(stats)};
    const bool there = t->operations != NULL;
    const pail_status status = t->world->backend->vector_finish(&t->operations, &stats);
    (void)went(t, NULL, status, there ? PAIL_OK : PAIL_ERR_ARGUMENT);
    CHECK(t->operations == NULL);
}

void read_vector(struct thread *t)
{
    const size_t which = next(&t->bytes) % 2;
    uint8_t elements[32 * ELEMENTS];
    if (t->vectors[which] == NULL)
        return;
    const pail_status status = t->world->backend->vector_read(t->vectors[which], elements, 0,
                                                              ELEMENTS, PAIL_ENCODING_CANONICAL);
    if (went(t, t->context, status, PAIL_OK))
        CHECK(memcmp(elements, t->elements[which], sizeof(elements)) == 0);
    else
        CHECK(all_zero(elements, sizeof(elements)));
}
