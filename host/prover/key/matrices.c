/* SPDX-License-Identifier: Apache-2.0 */
#include "matrices.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <curves/curve_ops.h>
#include <formats/bytes.h>
#include <formats/prime.h>
#include <formats/report.h>
#include <platform/memory.h>
#include <platform/thread.h>

enum {
    VALUE_BYTES = 32,
    USUAL = 2,
    THREADS_FROM = 1 << 16, /* entries */
    PIECE_ENTRIES = 1024,   /* entries that are read at a time */
    RECENT_LOG = 8,         /* recent values that a new one is compared with */
};

/* Values of a file are n R^2 modulo r, with R = 2^256, and those of a registered matrix n R. Nearly
 * all coefficients of nearly all circuits are 1 or -1, which need no division by R. */
struct converter {
    const struct pail_curve_ops *ops;
    struct {
        uint8_t from[VALUE_BYTES], to[VALUE_BYTES];
    } usual[USUAL];
};

static void converter_init(struct converter *converter, const struct pail_curve_ops *ops)
{
    converter->ops = ops;
    pail_u256 once = {{1}}; /* R, by doubling 1; then -R */
    for (int i = 0; i < 256; i++)
        ops->scalar_add(&once, &once, &once);
    const pail_u256 radix = once;
    for (int i = 0; i < USUAL; i++) {
        pail_u256 twice;
        ops->scalar_mul(&twice, &once, &radix);
        pail_u256_to_bytes(converter->usual[i].from, &twice);
        pail_u256_to_bytes(converter->usual[i].to, &once);
        ops->scalar_neg(&once, &once);
    }
}

static void convert(uint8_t *to, const uint8_t *from, const struct converter *converter)
{
    pail_u256 value;
    pail_u256_from_bytes(&value, from);
    converter->ops->scalar_from_montgomery(&value, &value);
    pail_u256_to_bytes(to, &value);
}

static pail_status check_value(const struct pail_zkey *key, size_t index, const uint8_t *bytes,
                               char *error, size_t error_cap)
{
    uint64_t value[PAIL_SCALAR_LIMBS];
    pail_read_u256(value, bytes);
    if (pail_u256_less(value, pail_prime_limbs(key->curve, PAIL_PRIME_SCALAR)))
        return PAIL_OK;
    return pail_report(error, error_cap, PAIL_ERR_DATA,
                       "%s: coefficient %zu in section 4, at byte %zu, has the value 0x%016" PRIx64
                       "%016" PRIx64 "%016" PRIx64 "%016" PRIx64 ", not below the group order",
                       key->container.name, index, pail_zkey_coefficient_offset(key, index),
                       value[3], value[2], value[1], value[0]);
}

/* ---- What was read ----------------------------------------------------------------------------
 * Most circuits have few different coefficients. Each is kept once, or a few times: a value is
 * compared with the usual ones and with a few that came before it. */
struct entry {
    uint32_t row; /* bit 31 is the matrix: domains are smaller */
    uint32_t signal;
    uint32_t value; /* a usual value, or USUAL and more: the range's own */
};

/* A part of the entries, which one thread reads. */
struct range {
    uint8_t *values; /* [capacity * VALUE_BYTES], as matrices take them */
    uint32_t n_values, capacity;
};

/* Sorted by counting, twice: entries into blocks of rows, and those of a block into its rows. Each
 * step is done by several threads, ranges of entries and blocks being independent, and keeps the
 * order of the file within a row, so that the number of threads changes nothing. */
enum { RANGES = 64, BLOCKS_MAX = 1024, BLOCK_SHIFT_MIN = 6, MATRIX_SHIFT = 31 };

struct pail_coefficients {
    const struct pail_zkey *key;
    uint32_t threads, n_ranges;
    struct converter converter;
    uint32_t block_shift, n_blocks; /* blocks of each matrix, of 2^block_shift rows */
    struct entry *entries;          /* [n_coefficients], in the order of the file */
    struct range ranges[RANGES];
    /* [n_ranges][PAIL_MATRICES * n_blocks]: entries; then, the place of the next one in `order` */
    uint32_t *places;
    uint32_t *begins;           /* [PAIL_MATRICES * n_blocks + 1]: begin of each block in `order` */
    uint32_t *order;            /* [n_coefficients]: numbers of entries, by blocks */
    struct pail_file_part file; /* the entries in the file, where they are not loaded */
    atomic_size_t bad;          /* the first bad entry; SIZE_MAX: none */
    atomic_int failed;          /* pail_status of another failure */
};

static size_t range_begin(const struct pail_coefficients *c, size_t range)
{
    return (size_t)((uint64_t)c->key->n_coefficients * range / c->n_ranges);
}

static uint32_t matrix_of(const struct entry *entry)
{
    return entry->row >> MATRIX_SHIFT;
}

static uint32_t row_of(const struct entry *entry)
{
    return entry->row & ~(UINT32_C(1) << MATRIX_SHIFT);
}

static uint32_t block_of(const struct pail_coefficients *c, const struct entry *entry)
{
    return matrix_of(entry) * c->n_blocks + (row_of(entry) >> c->block_shift);
}

static uint32_t *places_of(const struct pail_coefficients *c, uint32_t range)
{
    return c->places + (size_t)range * PAIL_MATRICES * c->n_blocks;
}

/* ---- Reading --------------------------------------------------------------------------------- */
/* State of a thread while it reads a range. */
struct reading {
    struct pail_coefficients *coefficients;
    struct range *range;
    uint8_t bytes[PIECE_ENTRIES * PAIL_ZKEY_COEFFICIENT_BYTES]; /* entries as in the file */
    struct {
        uint8_t from[VALUE_BYTES];
        uint32_t value; /* 0: none */
    } recent[1 << RECENT_LOG];
};

static bool add_value(struct range *range, const uint8_t *from, const struct converter *converter)
{
    if (range->n_values == range->capacity) {
        const uint32_t capacity = range->capacity == 0 ? 16 : 2 * range->capacity;
        uint8_t *const values = realloc(range->values, (size_t)capacity * VALUE_BYTES);
        if (!values)
            return false;
        range->values = values;
        range->capacity = capacity;
    }
    convert(range->values + (size_t)VALUE_BYTES * range->n_values++, from, converter);
    return true;
}

/* Returns the number of the value. UINT32_MAX: there is no memory. */
static uint32_t find_value(struct reading *reading, const uint8_t *from)
{
    const struct converter *const converter = &reading->coefficients->converter;
    for (uint32_t i = 0; i < USUAL; i++)
        if (memcmp(from, converter->usual[i].from, VALUE_BYTES) == 0)
            return i;
    uint64_t limbs[PAIL_SCALAR_LIMBS];
    pail_read_u256(limbs, from);
    const uint64_t mixed = limbs[0] ^ limbs[1] * 3 ^ limbs[2] * 5 ^ limbs[3] * 7;
    const size_t at = (size_t)(mixed * UINT64_C(0x9e3779b97f4a7c15) >> (64 - RECENT_LOG));
    if (reading->recent[at].value == 0 ||
        memcmp(from, reading->recent[at].from, VALUE_BYTES) != 0) {
        if (!add_value(reading->range, from, converter))
            return UINT32_MAX;
        memcpy(reading->recent[at].from, from, VALUE_BYTES);
        reading->recent[at].value = USUAL + reading->range->n_values - 1;
    }
    return reading->recent[at].value;
}

static bool is_good(struct pail_zkey_coefficient *found, const struct pail_zkey *key,
                    const uint8_t *bytes, size_t index)
{
    uint64_t value[PAIL_SCALAR_LIMBS];
    if (pail_zkey_coefficient_of(found, key, bytes, index, NULL, 0) != PAIL_OK)
        return false;
    pail_read_u256(value, found->value);
    return pail_u256_less(value, pail_prime_limbs(key->curve, PAIL_PRIME_SCALAR));
}

static void note_bad(struct pail_coefficients *c, size_t index)
{
    size_t first = atomic_load(&c->bad);
    while (index < first && !atomic_compare_exchange_weak(&c->bad, &first, index)) {
    }
}

/* Reads entries of the file from `first` on, up to a bad one; returns whether all were good. */
static bool read_piece(struct reading *reading, uint32_t *counts, size_t first, size_t n)
{
    struct pail_coefficients *const c = reading->coefficients;
    const size_t offset = first * PAIL_ZKEY_COEFFICIENT_BYTES;
    const uint8_t *bytes = reading->bytes;
    if (c->key->coefficients) {
        bytes = c->key->coefficients + offset;
    } else {
        const pail_status status =
            pail_file_part_read(&c->file, reading->bytes, offset, n * PAIL_ZKEY_COEFFICIENT_BYTES);
        if (status != PAIL_OK) {
            atomic_store(&c->failed, (int)status);
            return false;
        }
    }
    for (size_t i = first; i < first + n; i++, bytes += PAIL_ZKEY_COEFFICIENT_BYTES) {
        struct pail_zkey_coefficient found;
        if (!is_good(&found, c->key, bytes, i)) {
            note_bad(c, i);
            return false;
        }
        struct entry *const entry = &c->entries[i];
        *entry = (struct entry){.row = found.matrix << MATRIX_SHIFT | found.constraint,
                                .signal = found.signal,
                                .value = find_value(reading, found.value)};
        if (entry->value == UINT32_MAX) {
            atomic_store(&c->failed, (int)PAIL_ERR_HOST_MEMORY);
            return false;
        }
        counts[block_of(c, entry)]++;
    }
    return true;
}

/* Reads and checks the entries of a range, up to the first bad one, and counts them by blocks. */
static void read_range(void *user, uint32_t range)
{
    struct pail_coefficients *const c = user;
    const size_t end = range_begin(c, range + 1);
    struct reading *const reading = calloc(1, sizeof(*reading));
    if (!reading) {
        atomic_store(&c->failed, (int)PAIL_ERR_HOST_MEMORY);
        return;
    }
    reading->coefficients = c;
    reading->range = &c->ranges[range];
    for (size_t i = range_begin(c, range); i < end; i += PIECE_ENTRIES)
        if (!read_piece(reading, places_of(c, range), i,
                        end - i < PIECE_ENTRIES ? end - i : PIECE_ENTRIES))
            break;
    free(reading);
}

/* Turns counts of entries into the places where they begin. */
static void find_places(struct pail_coefficients *c)
{
    const uint32_t n = PAIL_MATRICES * c->n_blocks;
    uint32_t at = 0;
    for (uint32_t block = 0; block < n; block++) {
        c->begins[block] = at;
        for (uint32_t range = 0; range < c->n_ranges; range++) {
            uint32_t *const place = &places_of(c, range)[block];
            const uint32_t entries = *place;
            *place = at;
            at += entries;
        }
    }
    c->begins[n] = at;
}

static void order(void *user, uint32_t range)
{
    struct pail_coefficients *const c = user;
    uint32_t *const places = places_of(c, range);
    const size_t end = range_begin(c, range + 1);
    for (size_t i = range_begin(c, range); i < end; i++)
        c->order[places[block_of(c, &c->entries[i])]++] = (uint32_t)i;
}

/* Words the error of the first bad entry. */
static pail_status explain(struct pail_coefficients *c, char *error, size_t error_cap)
{
    uint8_t copy[PAIL_ZKEY_COEFFICIENT_BYTES];
    struct pail_zkey_coefficient found;
    const size_t index = atomic_load(&c->bad), offset = index * PAIL_ZKEY_COEFFICIENT_BYTES;
    const uint8_t *bytes = copy;
    if (c->key->coefficients)
        bytes = c->key->coefficients + offset;
    else if (pail_file_part_read(&c->file, copy, offset, sizeof(copy)) != PAIL_OK)
        return pail_report(error, error_cap, PAIL_ERR_IO, "%s", c->file.error);
    pail_status status = pail_zkey_coefficient_of(&found, c->key, bytes, index, error, error_cap);
    if (status == PAIL_OK)
        status = check_value(c->key, index, found.value, error, error_cap);
    if (status == PAIL_OK) /* it was bad when first read, and the file has changed */
        status = pail_report(error, error_cap, PAIL_ERR_IO,
                             "%s: coefficient %zu has changed while it was read",
                             c->key->container.name, index);
    return status;
}

static pail_status no_memory(const struct pail_coefficients *c, char *error, size_t error_cap)
{
    return pail_report(error, error_cap, PAIL_ERR_HOST_MEMORY,
                       "no memory for the %zu coefficients of %s", c->key->n_coefficients,
                       c->key->container.name);
}

static pail_status read_all(struct pail_coefficients *c, char *error, size_t error_cap)
{
    const size_t n_blocks = (size_t)PAIL_MATRICES * c->n_blocks;
    const size_t n = c->key->n_coefficients;
    c->places = calloc(c->n_ranges * n_blocks, sizeof(*c->places));
    c->begins = calloc(n_blocks + 1, sizeof(*c->begins));
    c->entries = pail_alloc_huge_pages((n + 1) * sizeof(*c->entries));
    if (!c->places || !c->begins || !c->entries)
        return no_memory(c, error, error_cap);
    pail_team_run(c->n_ranges, c->threads, read_range, c);
    const pail_status failed = (pail_status)atomic_load(&c->failed);
    if (failed == PAIL_ERR_HOST_MEMORY)
        return no_memory(c, error, error_cap);
    if (failed != PAIL_OK)
        return pail_report(error, error_cap, failed, "%s", c->file.error);
    if (atomic_load(&c->bad) != SIZE_MAX)
        return explain(c, error, error_cap);
    find_places(c);
    c->order = pail_alloc_huge_pages((n + 1) * sizeof(*c->order));
    if (!c->order)
        return no_memory(c, error, error_cap);
    pail_team_run(c->n_ranges, c->threads, order, c);
    free(c->places);
    c->places = NULL;
    return PAIL_OK;
}

pail_status pail_coefficients_read(struct pail_coefficients **out, const struct pail_zkey *key,
                                   char *error, size_t error_cap)
{
    const bool few = key->n_coefficients < THREADS_FROM;
    *out = NULL;
    struct pail_coefficients *c = calloc(1, sizeof(*c));
    if (!c)
        return pail_report(error, error_cap, PAIL_ERR_HOST_MEMORY,
                           "no memory for the coefficients of %s", key->container.name);
    c->key = key;
    c->threads = few ? 1 : pail_team_processors();
    c->n_ranges = few ? 1 : RANGES;
    c->block_shift = BLOCK_SHIFT_MIN;
    atomic_init(&c->bad, SIZE_MAX);
    atomic_init(&c->failed, PAIL_OK);
    converter_init(&c->converter, pail_curve_ops(key->curve, PAIL_G1));
    if (!key->coefficients)
        pail_zkey_coefficients_part(&c->file, key);
    while (key->domain_size >> c->block_shift > BLOCKS_MAX)
        c->block_shift++;
    /* Both are powers of two. */
    c->n_blocks = (uint32_t)(((uint64_t)key->domain_size - 1) >> c->block_shift) + 1;
    const pail_status status = read_all(c, error, error_cap);
    if (status != PAIL_OK)
        pail_coefficients_free(&c);
    *out = c;
    return status;
}

void pail_coefficients_free(struct pail_coefficients **coefficients)
{
    struct pail_coefficients *const c = *coefficients;
    *coefficients = NULL;
    if (!c)
        return;
    for (uint32_t i = 0; i < RANGES; i++)
        free(c->ranges[i].values);
    free(c->places);
    free(c->begins);
    free(c->order);
    free(c->entries);
    free(c);
}

/* ---- Rows ------------------------------------------------------------------------------------ */
struct placing {
    const struct pail_coefficients *coefficients;
    uint32_t first_block; /* first block of the matrix */
    struct pail_rows *rows;
};

static const uint8_t *value_of(const struct pail_coefficients *c, const struct entry *entry,
                               uint32_t range)
{
    return entry->value < USUAL
               ? c->converter.usual[entry->value].to
               : c->ranges[range].values + (size_t)VALUE_BYTES * (entry->value - USUAL);
}

/* Moves entries of a block to their rows. starts[row + 1] counts those of the row, then moves
 * through it, and is the begin of the next row in the end. */
static void place(void *user, uint32_t index)
{
    const struct placing *const placing = user;
    const struct pail_coefficients *const c = placing->coefficients;
    const uint32_t block = placing->first_block + index;
    struct pail_rows *const rows = placing->rows;
    uint64_t *const starts = rows->row_starts + 1;
    const uint32_t *const begin = c->order + c->begins[block];
    const uint32_t *const end = c->order + c->begins[block + 1];
    const size_t first_window = (size_t)index << c->block_shift;
    const size_t rows_most = (size_t)1 << c->block_shift, domain = c->key->domain_size;
    const size_t past = first_window + (rows_most < domain ? rows_most : domain);
    for (const uint32_t *i = begin; i < end; i++)
        starts[row_of(&c->entries[*i])]++;
    uint64_t at = c->begins[block] - c->begins[placing->first_block];
    for (size_t row = first_window; row < past; row++) {
        const uint64_t entries = starts[row];
        starts[row] = at;
        at += entries;
    }
    uint32_t range = 0; /* range of the entry; within a block entries rise */
    size_t range_end = range_begin(c, 1);
    for (const uint32_t *i = begin; i < end; i++) {
        const struct entry *const entry = &c->entries[*i];
        while (*i >= range_end)
            range_end = range_begin(c, ++range + 1);
        const size_t to = (size_t)starts[row_of(entry)]++;
        rows->columns[to] = entry->signal;
        memcpy(rows->values + VALUE_BYTES * to, value_of(c, entry, range), VALUE_BYTES);
    }
}

pail_status pail_coefficients_rows(struct pail_rows *rows, const struct pail_coefficients *c,
                                   uint32_t matrix, char *error, size_t error_cap)
{
    struct placing placing = {.coefficients = c, .first_block = matrix * c->n_blocks, .rows = rows};
    const size_t entries =
        c->begins[placing.first_block + c->n_blocks] - c->begins[placing.first_block];
    const size_t starts_bytes = ((size_t)c->key->domain_size + 1) * sizeof(uint64_t);
    *rows = (struct pail_rows){
        .row_starts = pail_alloc_huge_pages(starts_bytes),
        .columns = pail_alloc_huge_pages((entries + 1) * sizeof(uint32_t)),
        .values = pail_alloc_huge_pages((entries + 1) * VALUE_BYTES),
    };
    if (!rows->row_starts || !rows->columns || !rows->values) {
        pail_rows_free(rows);
        return no_memory(c, error, error_cap);
    }
    memset(rows->row_starts, 0, starts_bytes);
    pail_team_run(c->n_blocks, c->threads, place, &placing);
    return PAIL_OK;
}

void pail_rows_free(struct pail_rows *rows)
{
    free(rows->row_starts);
    free(rows->columns);
    free(rows->values);
    *rows = (struct pail_rows){0};
}
