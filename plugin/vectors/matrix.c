/* SPDX-License-Identifier: Apache-2.0 */
#include "matrix.h"

#include "field.h"

#include <string.h>

#include <front/front.h>

#include <shared/vector_layout.h>

#include "run.h"
#include "vector.h"
#include "vk/staging.h"

/* A matrix on its way: what goes to the device. */
struct building {
    struct pail_matrix *matrix;
    const pail_matrix_desc *desc;
    uint32_t *words; /* [n_words] */
    uint64_t n_words;
    uint32_t *counts; /* [n_rows] items of each row that the level before has left */
};

static uint32_t pieces_of(uint32_t items)
{
    return items ? (items + PAIL_MATRIX_PIECE - 1) / PAIL_MATRIX_PIECE : 1;
}

/* Sums of one level, behind the words that there are; where `out` is NULL only their number. */
static uint64_t level_sums(const struct building *b, uint32_t *out)
{
    uint64_t n = 0;
    uint32_t at = 0;
    for (uint64_t row = 0; row < b->matrix->n_rows; row++) {
        uint32_t left = b->counts[row];
        const uint32_t pieces = pieces_of(left);
        for (uint32_t i = 0; i < pieces && out; i++) {
            out[n + i] = at;
            at += left < PAIL_MATRIX_PIECE ? left : PAIL_MATRIX_PIECE;
            left -= left < PAIL_MATRIX_PIECE ? left : PAIL_MATRIX_PIECE;
        }
        n += pieces;
    }
    if (out)
        out[n] = at;
    return n;
}

static pail_status add_words(struct building *b, uint64_t n, struct pail_error *err)
{
    const struct pail_alloc *alloc = &b->matrix->field->alloc;
    uint32_t *words = pail_calloc(alloc, (size_t)(b->n_words + n), sizeof(*words));
    if (!words)
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory for a matrix of %llu words",
                         (unsigned long long)(b->n_words + n));
    if (b->n_words)
        memcpy(words, b->words, b->n_words * sizeof(*words));
    pail_free(alloc, b->words);
    b->words = words;
    b->n_words += n;
    return PAIL_OK;
}

static pail_status make_levels(struct building *b, struct pail_error *err)
{
    struct pail_matrix *m = b->matrix;
    uint64_t n;
    do {
        n = level_sums(b, NULL);
        const struct pail_matrix_level level = {.starts = b->n_words, .n = n};
        const pail_status status = add_words(b, n + 1, err);
        if (status != PAIL_OK)
            return status;
        (void)level_sums(b, b->words + level.starts);
        m->levels[m->n_levels++] = level;
        for (uint64_t row = 0; row < m->n_rows; row++)
            b->counts[row] = pieces_of(b->counts[row]);
    } while (n != m->n_rows);
    return PAIL_OK;
}

/* Pieces of the first level, as many at a time as there are values for in a binding. */
static pail_status make_parts(struct building *b, struct pail_error *err)
{
    struct pail_matrix *m = b->matrix;
    const uint64_t most = pail_field_binding_most(m->field), pieces = m->levels[0].n;
    const uint32_t *starts = b->words + m->levels[0].starts;
    m->parts = pail_calloc(&m->field->alloc, (size_t)(m->n_values / (most - PAIL_MATRIX_PIECE) + 2),
                           sizeof(*m->parts));
    if (!m->parts)
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory for a matrix");
    for (uint64_t piece = 0; piece < pieces; piece++)
        if (piece == 0 || starts[piece + 1] - m->parts[m->n_parts - 1].value > most)
            m->parts[m->n_parts++] = (struct pail_matrix_part){piece, starts[piece]};
    m->parts[m->n_parts] = (struct pail_matrix_part){pieces, m->n_values};
    return PAIL_OK;
}

static pail_status send(struct pail_vectors *field, struct pail_vk_buffer *buffer, const char *name,
                        const void *bytes, uint64_t n_bytes, struct pail_error *err)
{
    pail_status status = pail_field_buffer(field, buffer, n_bytes ? n_bytes : 4, name, err);
    if (status != PAIL_OK || n_bytes == 0)
        return status;
    const struct pail_vk_slice all = pail_vk_buffer_slice(buffer, 0, n_bytes);
    return pail_vk_upload(field->dev, &all, 0, bytes, n_bytes, NULL, err);
}

static pail_status upload(struct building *b, struct pail_error *err)
{
    struct pail_matrix *m = b->matrix;
    struct pail_vectors *field = m->field;
    const uint64_t bytes = 4 * b->n_words,
                   most = pail_vk_device_caps(field->dev)->max_storage_range;
    if (bytes > most)
        return pail_fail(
            err, PAIL_ERR_UNSUPPORTED,
            "a matrix of %llu entries has %llu bytes of structure, device \"%s\" binds "
            "%llu",
            (unsigned long long)m->n_values, (unsigned long long)bytes,
            pail_vk_device_caps(field->dev)->name, (unsigned long long)most);
    pail_status status = send(field, &m->structure, "matrix structure", b->words, bytes, err);
    if (status == PAIL_OK)
        status = send(field, &m->values, "matrix values", b->desc->values, 32 * m->n_values, err);
    const struct pail_vk_slice all = pail_vk_buffer_slice(&m->values, 0, m->values.size);
    if (status == PAIL_OK && m->n_values && b->desc->encoding == PAIL_ENCODING_CANONICAL)
        status =
            pail_vector_encode(field, m->curve, VECTOR_DECODE, &all, 0, &all, 0, m->n_values, err);
    return status;
}

static pail_status build(struct building *b, struct pail_error *err)
{
    struct pail_matrix *m = b->matrix;
    const pail_matrix_desc *desc = b->desc;
    if (m->n_rows == 0)
        return PAIL_OK;
    b->counts = pail_calloc(&m->field->alloc, (size_t)m->n_rows, sizeof(*b->counts));
    if (!b->counts)
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory for %llu rows",
                         (unsigned long long)m->n_rows);
    for (uint64_t row = 0; row < m->n_rows; row++)
        b->counts[row] = (uint32_t)(desc->row_starts[row + 1] - desc->row_starts[row]);
    pail_status status = add_words(b, m->n_values, err);
    if (status == PAIL_OK && m->n_values)
        memcpy(b->words, desc->columns, m->n_values * sizeof(*b->words));
    if (status == PAIL_OK)
        status = make_levels(b, err);
    if (status == PAIL_OK)
        status = make_parts(b, err);
    return status == PAIL_OK ? upload(b, err) : status;
}

pail_status pail_matrix_register(struct pail_vectors *field, struct pail_matrix **out,
                                 uint64_t *bad, const pail_matrix_desc *desc,
                                 struct pail_error *err)
{
    const struct pail_curve_ops *ops;
    *out = NULL;
    *bad = UINT64_MAX;
    pail_status status = pail_vector_curve(&ops, desc->curve, err);
    if (status == PAIL_OK)
        status = pail_front_matrix_desc(desc, ops, bad, err);
    if (status == PAIL_OK && desc->row_starts[desc->n_rows] > UINT32_MAX)
        status =
            pail_fail(err, PAIL_ERR_UNSUPPORTED, "desc->row_starts: %llu entries, not below 2^32",
                      (unsigned long long)desc->row_starts[desc->n_rows]);
    if (status != PAIL_OK)
        return status;
    struct pail_matrix *matrix = pail_calloc(&field->alloc, 1, sizeof(*matrix));
    if (!matrix)
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory for a matrix");
    matrix->field = field;
    matrix->ops = ops;
    matrix->curve = desc->curve;
    matrix->n_rows = desc->n_rows;
    matrix->n_columns = desc->n_columns;
    matrix->n_values = desc->row_starts[desc->n_rows];
    atomic_init(&matrix->refs, 1);
    struct building b = {.matrix = matrix, .desc = desc};
    status = build(&b, err);
    pail_free(&field->alloc, b.words);
    pail_free(&field->alloc, b.counts);
    /* Work under way may still write, and the matrix may be gone at once. */
    struct pail_error late;
    const pail_status sent =
        pail_vk_wait(field->dev, pail_vk_last_ticket(field->dev, PAIL_VK_QUEUE_MAIN),
                     PAIL_VK_FOREVER, status == PAIL_OK ? err : &late);
    if (status == PAIL_OK)
        status = sent;
    if (status != PAIL_OK) {
        pail_matrix_release(matrix);
        return status;
    }
    *out = matrix;
    return PAIL_OK;
}

void pail_matrix_retain(struct pail_matrix *matrix)
{
    atomic_fetch_add(&matrix->refs, 1);
}

void pail_matrix_release(struct pail_matrix *matrix)
{
    if (!matrix || atomic_fetch_sub(&matrix->refs, 1) != 1)
        return;
    struct pail_vectors *field = matrix->field;
    pail_vk_buffer_destroy(field->dev, &matrix->structure);
    pail_vk_buffer_destroy(field->dev, &matrix->values);
    pail_free(&field->alloc, matrix->parts);
    pail_free(&field->alloc, matrix);
}

uint64_t pail_matrix_scratch(const struct pail_matrix *matrix)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i + 1 < matrix->n_levels; i++)
        n += matrix->levels[i].n;
    return n;
}
