#include "matrices.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <curves/curve_ops.h>
#include <formats/bytes.h>
#include <formats/prime.h>
#include <formats/report.h>
#include <platform/team.h>

enum { VALUE_BYTES = 32, USUAL = 2, THREADS_FROM = 1 << 16 /* entries */ };

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
    for (int i = 0; i < USUAL; i++) {
        if (memcmp(from, converter->usual[i].from, VALUE_BYTES) == 0) {
            memcpy(to, converter->usual[i].to, VALUE_BYTES);
            return;
        }
    }
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

/* ---- Sorting ---------------------------------------------------------------------------------
 * By counting, twice: entries into blocks of rows, and those of a block into its rows. Each step is
 * done by several threads, ranges of entries and blocks being independent, and keeps the order of
 * the file within a row, so that the number of threads changes nothing. */
enum { RANGES = 64, BLOCKS_MAX = 1024, BLOCK_SHIFT_MIN = 6 };

struct sorting {
    const struct pail_zkey *key;
    struct pail_rows *matrices; /* [PAIL_MATRICES] */
    uint32_t threads, n_ranges;
    struct converter converter;
    uint32_t block_shift, n_blocks; /* of each matrix, of 2^block_shift rows */
    /* [n_ranges][PAIL_MATRICES * n_blocks]: entries; then, the place of the next one in `order` */
    uint32_t *places;
    uint32_t *begins;  /* [PAIL_MATRICES * n_blocks + 1]: of the block, in `order` */
    uint32_t *order;   /* [n_coefficients]: numbers of entries, by blocks */
    atomic_size_t bad; /* the first entry that is; SIZE_MAX: none */
};

static size_t range_begin(const struct sorting *sorting, size_t range)
{
    return (size_t)((uint64_t)sorting->key->n_coefficients * range / sorting->n_ranges);
}

static uint32_t block_of(const struct sorting *sorting, const struct pail_zkey_coefficient *entry)
{
    return entry->matrix * sorting->n_blocks + (entry->constraint >> sorting->block_shift);
}

static uint32_t *places_of(const struct sorting *sorting, uint32_t range)
{
    return sorting->places + (size_t)range * PAIL_MATRICES * sorting->n_blocks;
}

static bool is_good(struct pail_zkey_coefficient *entry, const struct pail_zkey *key, size_t index)
{
    uint64_t value[PAIL_SCALAR_LIMBS];
    if (pail_zkey_coefficient(entry, key, index, NULL, 0) != PAIL_OK)
        return false;
    pail_read_u256(value, entry->value);
    return pail_u256_less(value, pail_prime_limbs(key->curve, PAIL_PRIME_SCALAR));
}

/* Checks the entries of a range, up to the first bad one, and counts them by blocks. */
static void count(void *user, uint32_t range)
{
    struct sorting *const sorting = user;
    uint32_t *const counts = places_of(sorting, range);
    const size_t end = range_begin(sorting, range + 1);
    for (size_t i = range_begin(sorting, range); i < end; i++) {
        struct pail_zkey_coefficient entry;
        if (!is_good(&entry, sorting->key, i)) {
            size_t first = atomic_load(&sorting->bad);
            while (i < first && !atomic_compare_exchange_weak(&sorting->bad, &first, i)) {
            }
            return;
        }
        counts[block_of(sorting, &entry)]++;
    }
}

/* From the numbers of entries to where they begin. */
static void find_places(struct sorting *sorting)
{
    const uint32_t n = PAIL_MATRICES * sorting->n_blocks;
    uint32_t at = 0;
    for (uint32_t block = 0; block < n; block++) {
        sorting->begins[block] = at;
        for (uint32_t range = 0; range < sorting->n_ranges; range++) {
            uint32_t *const place = &places_of(sorting, range)[block];
            const uint32_t entries = *place;
            *place = at;
            at += entries;
        }
    }
    sorting->begins[n] = at;
}

static void order(void *user, uint32_t range)
{
    struct sorting *const sorting = user;
    uint32_t *const places = places_of(sorting, range);
    const size_t end = range_begin(sorting, range + 1);
    for (size_t i = range_begin(sorting, range); i < end; i++) {
        struct pail_zkey_coefficient entry;
        (void)pail_zkey_coefficient(&entry, sorting->key, i, NULL, 0); /* as it was in count */
        sorting->order[places[block_of(sorting, &entry)]++] = (uint32_t)i;
    }
}

/* Entries of a block go to their rows. starts[row + 1] counts those of the row, then moves through
 * it, and is where the next one begins in the end. */
static void place(void *user, uint32_t block)
{
    const struct sorting *const sorting = user;
    const struct pail_zkey *const key = sorting->key;
    const uint32_t matrix = block / sorting->n_blocks;
    struct pail_rows *const rows = &sorting->matrices[matrix];
    uint64_t *const starts = rows->row_starts + 1;
    const uint32_t *const begin = sorting->order + sorting->begins[block];
    const uint32_t *const end = sorting->order + sorting->begins[block + 1];
    const size_t first_window = (size_t)(block % sorting->n_blocks) << sorting->block_shift;
    const size_t rows_most = (size_t)1 << sorting->block_shift;
    const size_t past =
        first_window + (rows_most < key->domain_size ? rows_most : key->domain_size);
    struct pail_zkey_coefficient entry;
    for (const uint32_t *i = begin; i < end; i++) {
        (void)pail_zkey_coefficient(&entry, key, *i, NULL, 0);
        starts[entry.constraint]++;
    }
    uint64_t at = sorting->begins[block] - sorting->begins[matrix * sorting->n_blocks];
    for (size_t row = first_window; row < past; row++) {
        const uint64_t entries = starts[row];
        starts[row] = at;
        at += entries;
    }
    for (const uint32_t *i = begin; i < end; i++) {
        (void)pail_zkey_coefficient(&entry, key, *i, NULL, 0);
        const size_t to = (size_t)starts[entry.constraint]++;
        rows->columns[to] = entry.signal;
        convert(rows->values + VALUE_BYTES * to, entry.value, &sorting->converter);
    }
}

/* The sentence of the first bad entry. */
static pail_status explain(const struct sorting *sorting, char *error, size_t error_cap)
{
    struct pail_zkey_coefficient entry;
    const size_t index = atomic_load(&sorting->bad);
    const pail_status status = pail_zkey_coefficient(&entry, sorting->key, index, error, error_cap);
    return status == PAIL_OK ? check_value(sorting->key, index, entry.value, error, error_cap)
                             : status;
}

/* What holds the rows, once it is known how many entries there are. */
static bool make_rows(const struct sorting *sorting)
{
    bool enough = true;
    for (uint32_t m = 0; m < PAIL_MATRICES; m++) {
        struct pail_rows *const rows = &sorting->matrices[m];
        const size_t entries =
            sorting->begins[(m + 1) * sorting->n_blocks] - sorting->begins[m * sorting->n_blocks];
        rows->row_starts = calloc((size_t)sorting->key->domain_size + 1, sizeof(uint64_t));
        rows->columns = malloc((entries + 1) * sizeof(uint32_t));
        rows->values = malloc((entries + 1) * VALUE_BYTES);
        enough &= rows->row_starts != NULL && rows->columns != NULL && rows->values != NULL;
    }
    return enough;
}

static pail_status sort(struct sorting *sorting, char *error, size_t error_cap)
{
    const size_t n_blocks = (size_t)PAIL_MATRICES * sorting->n_blocks;
    const size_t n = sorting->key->n_coefficients;
    sorting->places = calloc(sorting->n_ranges * n_blocks, sizeof(*sorting->places));
    sorting->begins = calloc(n_blocks + 1, sizeof(*sorting->begins));
    sorting->order = malloc((n + 1) * sizeof(*sorting->order));
    bool enough = sorting->places != NULL && sorting->begins != NULL && sorting->order != NULL;
    if (enough) {
        pail_team_run(sorting->n_ranges, sorting->threads, count, sorting);
        if (atomic_load(&sorting->bad) != SIZE_MAX)
            return explain(sorting, error, error_cap);
        find_places(sorting);
        enough = make_rows(sorting);
    }
    if (!enough)
        return pail_report(error, error_cap, PAIL_ERR_HOST_MEMORY,
                           "no memory for the %zu coefficients of %s", n,
                           sorting->key->container.name);
    pail_team_run(sorting->n_ranges, sorting->threads, order, sorting);
    pail_team_run((uint32_t)n_blocks, sorting->threads, place, sorting);
    return PAIL_OK;
}

pail_status pail_matrices_sort(struct pail_rows matrices[PAIL_MATRICES],
                               const struct pail_zkey *key, char *error, size_t error_cap)
{
    const bool few = key->n_coefficients < THREADS_FROM;
    struct sorting sorting = {
        .key = key,
        .matrices = matrices,
        .threads = few ? 1 : pail_team_processors(),
        .n_ranges = few ? 1 : RANGES,
        .block_shift = BLOCK_SHIFT_MIN,
    };
    memset(matrices, 0, PAIL_MATRICES * sizeof(*matrices));
    atomic_init(&sorting.bad, SIZE_MAX);
    converter_init(&sorting.converter, pail_curve_ops(key->curve, PAIL_G1));
    while (key->domain_size >> sorting.block_shift > BLOCKS_MAX)
        sorting.block_shift++;
    /* Both are powers of two. */
    sorting.n_blocks = (uint32_t)(((uint64_t)key->domain_size - 1) >> sorting.block_shift) + 1;
    const pail_status status = sort(&sorting, error, error_cap);
    free(sorting.places);
    free(sorting.begins);
    free(sorting.order);
    if (status != PAIL_OK)
        pail_matrices_free(matrices);
    return status;
}

void pail_matrices_free(struct pail_rows matrices[PAIL_MATRICES])
{
    for (int m = 0; m < PAIL_MATRICES; m++) {
        free(matrices[m].row_starts);
        free(matrices[m].columns);
        free(matrices[m].values);
        matrices[m] = (struct pail_rows){0};
    }
}
