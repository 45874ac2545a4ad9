/* SPDX-License-Identifier: Apache-2.0 */
#include "setup.h"

#include <stdlib.h>
#include <string.h>

#include <cpu/adders.h>
#include <cpu/context.h>
#include <cpu/cpu.h>
#include <curves/fast.h>
#include <formats/report.h>
#include <platform/clock.h>
#include <platform/process.h>

enum {
    BUDGET = 160 << 20, /* bytes, where the caller does not say */
    TABLE_BITS_MIN = 2,
    TABLE_BITS_MAX = 12,
    COMMIT_BITS_MIN = 4,
    COMMIT_BITS_MAX = 16,
    THREADS_MAX = PAIL_HELPERS_MAX + 1,
};

/* ---- Reading --------------------------------------------------------------------------------- */

/* Points of one kind from a caller's array: decodes them, and puts them in order. */
static pail_status take_array(unsigned char *to, const void *from, size_t n, uint32_t group,
                              const pail_kzg_params *params, bool reversed, uint32_t log_n,
                              const char *name, const char *kind, char *error, size_t capacity)
{
    const struct pail_curve_ops *const ops = pail_curve_ops(params->curve, group);
    const uint8_t *const bytes = from;
    struct pail_point_codec codec;
    if (params->form != 0 && !pail_point_codec_init(&codec, params->curve, group, params->form))
        return pail_report(error, capacity, PAIL_ERR_ARGUMENT,
                           "params->form is %u, not a form of points of %s", params->form,
                           ops->curve_name);
    for (size_t i = 0; i < n; i++) {
        const size_t place = reversed ? pail_reverse_bits(i, log_n) : i;
        uint8_t point[2 * PAIL_COORDINATE_MAX];
        char fault[256] = "a coordinate is not below the modulus";
        pail_status status = PAIL_OK;
        if (params->form != 0)
            status = pail_point_decode(&codec, point, bytes + i * codec.encoded_bytes,
                                       PAIL_VALIDATE_CURVE, fault, sizeof(fault));
        else
            memcpy(point, bytes + i * 2 * ops->coordinate_bytes, 2 * ops->coordinate_bytes);
        unsigned char *const affine = to + place * ops->affine_bytes;
        if (status == PAIL_OK && !ops->decode(affine, point, false))
            status = PAIL_ERR_DATA;
        else if (status == PAIL_OK && !ops->on_curve(affine))
            status = pail_report(fault, sizeof(fault), PAIL_ERR_DATA, "it is not on the curve");
        if (status != PAIL_OK)
            return pail_report(error, capacity, status, "%s: %s %zu: %s", name, kind, i, fault);
    }
    return PAIL_OK;
}

static void free_points(struct pail_kzg_points *points)
{
    free(points->powers);
    free(points->lagrange);
    free(points->g2);
    *points = (struct pail_kzg_points){0};
}

static pail_status allocate_points(struct pail_kzg_points *points, const struct pail_kzg *kzg,
                                   const char *name, char *error, size_t capacity)
{
    points->powers = malloc(kzg->n * kzg->g1->affine_bytes);
    points->lagrange = malloc(kzg->n * kzg->g1->affine_bytes);
    points->g2 = malloc(kzg->n_g2 * kzg->g2->affine_bytes);
    return points->powers && points->lagrange && points->g2
               ? PAIL_OK
               : pail_report(error, capacity, PAIL_ERR_HOST_MEMORY,
                             "%s: no memory for %zu points of G1 and %zu of G2", name, 2 * kzg->n,
                             kzg->n_g2);
}

/* Sets the sizes of a setup, and checks them. */
static pail_status take_sizes(struct pail_kzg *kzg, const pail_kzg_params *params, uint64_t n_g1,
                              uint64_t n_g2, const char *name, char *error, size_t capacity)
{
    if (n_g1 < 2 || n_g1 > PAIL_KZG_N_MAX || (n_g1 & (n_g1 - 1)) != 0)
        return pail_report(error, capacity, PAIL_ERR_DATA,
                           "%s: %llu points of G1 are not a power of two from 2 to %u", name,
                           (unsigned long long)n_g1, PAIL_KZG_N_MAX);
    if (n_g2 < 2 || n_g2 > PAIL_KZG_N_MAX)
        return pail_report(error, capacity, PAIL_ERR_DATA,
                           "%s: %llu points of G2: 2 to %u are needed", name,
                           (unsigned long long)n_g2, PAIL_KZG_N_MAX);
    const uint32_t standard =
        n_g1 < PAIL_KZG_CELL_ELEMENTS ? (uint32_t)n_g1 : (uint32_t)PAIL_KZG_CELL_ELEMENTS;
    const uint32_t length = params->cell_elements != 0 ? params->cell_elements : standard;
    if ((length & (length - 1)) != 0 || length > n_g1)
        return pail_report(error, capacity, PAIL_ERR_ARGUMENT,
                           "params->cell_elements is %u, not a power of two of at most %llu",
                           length, (unsigned long long)n_g1);
    kzg->n = (size_t)n_g1;
    kzg->n_g2 = (size_t)n_g2;
    kzg->cell_elements = length;
    kzg->n_cells = 2 * kzg->n / length;
    kzg->log_n = pail_kzg_log(n_g1);
    kzg->log_cells = pail_kzg_log(kzg->n_cells);
    return PAIL_OK;
}

/* A setup that is a file, or the bytes of one; of points in memory nothing but the curve is set. */
struct source {
    struct pail_kzg_setup parsed; /* of powers of tau, sizes and curve alone */
    struct pail_ptau ptau;
    bool is_ptau;
};

static pail_status open_source(struct source *source, const pail_kzg_params *params,
                               const char *name, char *error, size_t capacity)
{
    struct pail_kzg_setup *const parsed = &source->parsed;
    pail_status status = PAIL_OK;
    source->is_ptau = pail_kzg_is_ptau(params);
    if (source->is_ptau)
        status = pail_kzg_ptau_open(&source->ptau, parsed, params, name, error, capacity);
    else if (params->path)
        status = pail_kzg_setup_open(parsed, params->path, PAIL_VALIDATE_CURVE, error, capacity);
    else if (params->bytes)
        status = pail_kzg_setup_parse(parsed, name, params->bytes, (size_t)params->n_bytes,
                                      PAIL_VALIDATE_CURVE, error, capacity);
    else
        parsed->curve = params->curve != 0 ? params->curve : PAIL_CURVE_BLS12_381;
    if (status == PAIL_OK && params->curve != 0 && params->curve != parsed->curve)
        return pail_report(error, capacity, PAIL_ERR_DATA,
                           "%s: is a setup of %s, but params->curve is %u", name,
                           pail_curve_ops(parsed->curve, PAIL_G1)->curve_name, params->curve);
    return status;
}

static void close_source(struct source *source)
{
    pail_kzg_setup_free(&source->parsed);
    if (source->is_ptau)
        pail_ptau_close(&source->ptau);
}

static pail_status read_points(struct pail_kzg *kzg, struct pail_kzg_points *points,
                               const pail_kzg_params *params, const struct source *source,
                               const char *name, char *error, size_t capacity)
{
    const struct pail_kzg_setup *const parsed = &source->parsed;
    pail_kzg_params canonical = *params;
    const bool in_memory = params->g1_powers != NULL;
    canonical.curve = parsed->curve;
    if (!in_memory) {
        canonical.form = 0;
        canonical.n_g1 = parsed->n_g1;
        canonical.n_g2 = parsed->n_g2;
        canonical.g1_powers = parsed->g1_monomial;
        canonical.g1_lagrange = parsed->g1_lagrange;
        canonical.g2_powers = parsed->g2_monomial;
    }
    points->derive = source->is_ptau || (in_memory && !params->g1_lagrange);
    pail_status status =
        take_sizes(kzg, params, canonical.n_g1, canonical.n_g2, name, error, capacity);
    /* Of G2, verification uses powers 0, 1 and that of a cell: of powers of tau no more are read,
     * unless it is said. */
    if (status == PAIL_OK && source->is_ptau && params->n_g2 == 0 &&
        kzg->n_g2 > kzg->cell_elements + 1)
        kzg->n_g2 = kzg->cell_elements + 1;
    if (status == PAIL_OK)
        status = allocate_points(points, kzg, name, error, capacity);
    if (status == PAIL_OK && source->is_ptau)
        return pail_kzg_ptau_read(points, kzg, &source->ptau, name, error, capacity);
    if (status == PAIL_OK)
        status = take_array(points->powers, canonical.g1_powers, kzg->n, PAIL_G1, &canonical, false,
                            0, name, "power of G1", error, capacity);
    if (status == PAIL_OK && !points->derive) /* a file's are in this order already */
        status = take_array(points->lagrange, canonical.g1_lagrange, kzg->n, PAIL_G1, &canonical,
                            in_memory, kzg->log_n, name, "Lagrange point", error, capacity);
    if (status == PAIL_OK)
        status = take_array(points->g2, canonical.g2_powers, kzg->n_g2, PAIL_G2, &canonical, false,
                            0, name, "power of G2", error, capacity);
    return status;
}

/* ---- Tables ---------------------------------------------------------------------------------- */
static size_t columns_bytes(const struct pail_kzg *kzg, uint32_t bits)
{
    return (2 * kzg->n << (bits - 1)) * pail_kzg_point_bytes(kzg);
}

static uint32_t windows_of(const struct pail_kzg *kzg, uint32_t bits)
{
    return kzg->g1->order_bits / bits + 1;
}

/* The window with the fewest additions: of points to buckets, and two for each bucket. */
static uint32_t best_commit_bits(const struct pail_kzg *kzg)
{
    uint32_t best = COMMIT_BITS_MIN;
    size_t least = SIZE_MAX;
    for (uint32_t bits = COMMIT_BITS_MIN; bits <= COMMIT_BITS_MAX; bits++) {
        const size_t adds = kzg->n * windows_of(kzg, bits) + ((size_t)1 << bits);
        if (adds < least) {
            least = adds;
            best = bits;
        }
    }
    return best;
}

/* Chooses both windows, so that all tables fit the budget. */
static pail_status choose_tables(struct pail_kzg *kzg, uint64_t budget, const char *name,
                                 char *error, size_t capacity)
{
    const size_t bytes = pail_kzg_point_bytes(kzg);
    kzg->commit_bits = best_commit_bits(kzg);
    kzg->commit_windows = windows_of(kzg, kzg->commit_bits);
    const uint64_t others = (uint64_t)kzg->n * (kzg->commit_windows * bytes + sizeof(pail_u256)) +
                            kzg->cell_elements * kzg->g1->affine_bytes;
    uint32_t bits = TABLE_BITS_MAX;
    /* Operands of columns are indices of multiples, doubled, in 32 bits. */
    while (bits > TABLE_BITS_MIN && (uint64_t)kzg->n << bits > UINT64_C(1) << 31)
        bits--;
    while (bits > TABLE_BITS_MIN && others + columns_bytes(kzg, bits) > budget)
        bits--;
    if (others + columns_bytes(kzg, bits) > budget)
        return pail_report(error, capacity, PAIL_ERR_HOST_MEMORY,
                           "%s: memory_budget is %llu bytes, but points and tables take at least "
                           "%llu",
                           name, (unsigned long long)budget,
                           (unsigned long long)(others + columns_bytes(kzg, bits)));
    /* A smaller window with as many digits takes less memory. */
    while (bits > TABLE_BITS_MIN && windows_of(kzg, bits - 1) == windows_of(kzg, bits))
        bits--;
    kzg->table_bits = bits;
    kzg->table_windows = windows_of(kzg, bits);
    kzg->info.host_bytes = others + columns_bytes(kzg, bits);
    kzg->info.table_bytes =
        columns_bytes(kzg, bits) + (uint64_t)kzg->n * kzg->commit_windows * bytes;
    return PAIL_OK;
}

/* Points in the adder's form, which the setup keeps. pail_kzg_points_alloc has aligned them: the
 * block begins up to an alignment before. */
static pail_status make_host_tables(struct pail_kzg_work *work,
                                    const struct pail_kzg_points *points,
                                    const unsigned char *fixed)
{
    struct pail_kzg *const kzg = work->kzg;
    kzg->shifted = pail_kzg_points_alloc(kzg, &kzg->shifted_block, kzg->n * kzg->commit_windows);
    kzg->columns =
        pail_kzg_points_alloc(kzg, &kzg->columns_block, 2 * kzg->n << (kzg->table_bits - 1));
    if (!kzg->shifted || !kzg->columns)
        return PAIL_ERR_HOST_MEMORY;
    const pail_status status = pail_kzg_shifted_make(work, points->lagrange);
    return status == PAIL_OK ? pail_kzg_columns_make(work, fixed) : status;
}

static pail_status make_tables(struct pail_kzg_work *work, const struct pail_kzg_points *points,
                               const char *name, char *error, size_t capacity)
{
    struct pail_kzg *const kzg = work->kzg;
    void *block = NULL;
    unsigned char *const fixed = pail_kzg_points_alloc(kzg, &block, 2 * kzg->n);
    pail_status status = fixed ? pail_kzg_constants_make(kzg) : PAIL_ERR_HOST_MEMORY;
    if (status == PAIL_OK)
        status = pail_kzg_columns_points(work, fixed, points->powers);
    if (status == PAIL_OK && kzg->on_host)
        status = make_host_tables(work, points, fixed);
    if (status == PAIL_ERR_HOST_MEMORY)
        status = pail_report(error, capacity, status, "%s: no memory for its tables", name);
    if (status == PAIL_OK && !kzg->on_host)
        status = pail_kzg_device_open(kzg, points->lagrange, fixed, name, error, capacity);
    free(block);
    return status;
}

/* ---- Opening --------------------------------------------------------------------------------- */

/* The arithmetic of the context, or the best one. */
static pail_status choose_arithmetic(struct pail_kzg *kzg, uint32_t curve, char *error,
                                     size_t capacity)
{
    struct pail_cpu_choice choice;
    enum pail_cpu_arithmetic arithmetic;
    struct pail_error err = {0};
    const char *const word = pail_env("PAIL_CPU");
    bool failed;
    if (kzg->on_host)
        choice = kzg->context->choice;
    else
        (void)pail_cpu_arithmetic_choose(&choice, word ? word : "", &err);
    if (err.status != PAIL_OK ||
        pail_cpu_arithmetic_of(&arithmetic, &choice, curve, PAIL_CPU_TEST_MORE, &err) != PAIL_OK)
        return pail_report(error, capacity, err.status, "%s", err.text);
    kzg->g1 = pail_fast_ops(pail_curve_ops(curve, PAIL_G1), &failed);
    kzg->g2 = pail_curve_ops(curve, PAIL_G2);
    kzg->pairing =
        arithmetic == PAIL_CPU_PORTABLE ? pail_pairing_ops(curve) : pail_pairing_fast(curve);
    kzg->adder = pail_cpu_adder_find(arithmetic, curve, PAIL_G1);
    kzg->scalars = pail_cpu_scalars_find(arithmetic, curve);
    (void)pail_point_codec_init(&kzg->codec, curve, PAIL_G1,
                                curve == PAIL_CURVE_BN254 ? PAIL_POINT_GNARK : PAIL_POINT_ZCASH);
    return PAIL_OK;
}

static uint32_t choose_threads(const struct pail_kzg *kzg, uint32_t wanted)
{
    uint32_t threads = wanted != 0    ? wanted
                       : kzg->on_host ? (uint32_t)pail_cpu_pool_threads(kzg->context->pool)
                                      : pail_team_processors();
    return threads > THREADS_MAX ? THREADS_MAX : threads;
}

static void keep_points(struct pail_kzg *kzg, const struct pail_kzg_points *points)
{
    const size_t g2 = kzg->g2->affine_bytes;
    memcpy(kzg->powers, points->powers, kzg->cell_elements * kzg->g1->affine_bytes);
    const size_t powers[PAIL_KZG_FIXED_G2S] = {
        [PAIL_KZG_G2_TAU] = 1, [PAIL_KZG_G2_CELL] = kzg->cell_elements};
    for (size_t i = 0; i < PAIL_KZG_FIXED_G2S; i++)
        if (powers[i] < kzg->n_g2) /* without the last one there are no cells */
            kzg->pairing->prepare(kzg->lines + i * kzg->pairing->lines_bytes,
                                  points->g2 + powers[i] * g2);
}

static void fill_info(struct pail_kzg *kzg)
{
    pail_kzg_info *const info = &kzg->info;
    info->curve = kzg->g1->curve;
    info->n = kzg->n;
    info->n_g2 = kzg->n_g2;
    info->cell_elements = (uint32_t)kzg->cell_elements;
    info->n_cells = (uint32_t)kzg->n_cells;
    info->scalar_bytes = PAIL_KZG_SCALAR_BYTES;
    info->point_bytes = (uint32_t)kzg->codec.encoded_bytes;
    info->table_bits = kzg->table_bits;
    info->commit_bits = kzg->commit_bits;
    info->threads = kzg->threads;
}

static pail_status open_all(struct pail_kzg *kzg, struct pail_kzg_points *points,
                            const pail_kzg_params *params, const struct source *source,
                            const char *name, char *error, size_t capacity)
{
    const double begin = pail_now_ms();
    struct pail_kzg_work work = {0};
    kzg->budget_given = params->memory_budget != 0;
    kzg->budget = kzg->budget_given ? params->memory_budget : BUDGET;
    pail_status status = read_points(kzg, points, params, source, name, error, capacity);
    if (status == PAIL_OK && kzg->on_host)
        status = choose_tables(kzg, kzg->budget, name, error, capacity);
    if (status != PAIL_OK)
        return status;
    status = pail_kzg_scalars_make(kzg);
    kzg->powers = malloc(kzg->cell_elements * kzg->g1->affine_bytes);
    kzg->lines = malloc(PAIL_KZG_FIXED_G2S * kzg->pairing->lines_bytes);
    if (status == PAIL_OK && kzg->powers && kzg->lines)
        status = pail_kzg_work_begin(&work, kzg, NULL);
    if (status != PAIL_OK || !kzg->powers || !kzg->lines)
        return pail_report(error, capacity, PAIL_ERR_HOST_MEMORY,
                           "%s: no memory for transforms of %zu scalars", name, kzg->n);
    if (points->derive)
        status = pail_kzg_lagrange_make(&work, points);
    if (status != PAIL_OK) {
        pail_kzg_work_end(&work);
        return pail_report(error, capacity, status, "%s: %s", name,
                           status == PAIL_ERR_HOST_MEMORY ? "no memory for its Lagrange points"
                                                          : "its Lagrange points cannot be made");
    }
    const double read = pail_now_ms();
    kzg->info.read_ms += read - begin;
    if (!(params->flags & PAIL_KZG_TRUSTED))
        status = pail_kzg_check_points(&work, points, name, error, capacity);
    const double checked = pail_now_ms();
    kzg->info.check_ms = checked - read;
    keep_points(kzg, points);
    if (status == PAIL_OK)
        status = make_tables(&work, points, name, error, capacity);
    kzg->info.table_ms = pail_now_ms() - checked;
    pail_kzg_work_end(&work);
    fill_info(kzg);
    return status;
}

pail_status pail_kzg_setup_make(struct pail_kzg **out, const pail_backend *backend,
                                pail_context *context, const pail_kzg_params *params, char *error,
                                size_t capacity)
{
    const char *const name = params->name   ? params->name
                             : params->path ? params->path
                                            : "the setup";
    struct pail_kzg *const kzg = calloc(1, sizeof(*kzg));
    struct pail_kzg_points points = {0};
    struct source source = {.is_ptau = false};
    if (!kzg)
        return pail_report(error, capacity, PAIL_ERR_HOST_MEMORY, "%s: no memory for a setup",
                           name);
    kzg->backend = backend;
    kzg->context = context;
    kzg->on_host = backend == &pail_cpu_table;
    kzg->threads = choose_threads(kzg, params->threads);
    pail_helpers_init(&kzg->helpers, kzg->threads - 1, "pail-kzg");
    pthread_mutex_init(&kzg->device.lock, NULL);
    const double begin = pail_now_ms();
    pail_status status = open_source(&source, params, name, error, capacity);
    kzg->info.read_ms = pail_now_ms() - begin;
    if (status == PAIL_OK)
        status = choose_arithmetic(kzg, source.parsed.curve, error, capacity);
    if (status == PAIL_OK)
        status = open_all(kzg, &points, params, &source, name, error, capacity);
    close_source(&source);
    free_points(&points);
    if (status == PAIL_OK)
        *out = kzg;
    else
        pail_kzg_setup_close(kzg);
    return status;
}

void pail_kzg_setup_close(struct pail_kzg *kzg)
{
    pail_kzg_device_close(kzg);
    pthread_mutex_destroy(&kzg->device.lock);
    pail_helpers_destroy(&kzg->helpers);
    pail_kzg_scalars_free(kzg);
    free(kzg->powers);
    free(kzg->lines);
    free(kzg->shifted_block);
    free(kzg->columns_block);
    free(kzg->forward);
    free(kzg->backward);
    free(kzg);
}
