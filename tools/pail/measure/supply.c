#include "supply.h"

#include <stdlib.h>

#include "parallel.h"

enum { SCALAR_BYTES = 32, PIECE = 1 << 14 };

static size_t pieces_of(size_t n)
{
    return n / PIECE + (n % PIECE != 0);
}

static size_t piece_size(size_t n, size_t i)
{
    const size_t left = n - i * PIECE;
    return left < PIECE ? left : PIECE;
}

static pail_status no_memory(size_t count, const char *what, struct pail_error *error)
{
    return pail_fail(error, PAIL_ERR_HOST_MEMORY, "no memory for %zu %s", count, what);
}

/* ---- Points --------------------------------------------------------------------------------- */
struct points_work {
    const struct pail_supply *supply;
    size_t first, n;
};

static void make_piece(void *user, size_t i)
{
    const struct points_work *const work = user;
    const struct pail_supply *const supply = work->supply;
    const size_t first = work->first + i * PIECE;
    pail_make_bases(supply->ops, supply->points + first * 2 * supply->ops->coordinate_bytes, true,
                    first, piece_size(work->n, i), supply->kind, supply->seed);
}

pail_status pail_supply_points(struct pail_supply *supply, const uint8_t **points,
                               const struct pail_curve_ops *ops, enum pail_base_kind kind,
                               uint64_t seed, size_t n, struct pail_error *error)
{
    if (supply->ops != ops || supply->kind != kind || supply->seed != seed) {
        free(supply->points);
        supply->points = NULL;
        supply->n = 0;
        supply->ops = ops;
        supply->kind = kind;
        supply->seed = seed;
    }
    if (supply->points == NULL || supply->n < n) {
        const size_t point_bytes = 2 * ops->coordinate_bytes;
        uint8_t *const grown =
            n < SIZE_MAX / point_bytes ? realloc(supply->points, n * point_bytes + 1) : NULL;
        if (grown == NULL)
            return no_memory(n, "points", error);
        supply->points = grown;
        struct points_work work = {.supply = supply, .first = supply->n, .n = n - supply->n};
        pail_parallel(pieces_of(work.n), make_piece, &work, supply->threads, "making up points");
        supply->n = n;
    }
    *points = supply->points;
    return PAIL_OK;
}

/* ---- Scalars -------------------------------------------------------------------------------- */
static size_t blocks_of(size_t n)
{
    return n / PAIL_SCALARS_BLOCK + (n % PAIL_SCALARS_BLOCK != 0);
}

/* Blocks of all jobs are numbered through. */
static void make_block(void *user, size_t i)
{
    const struct pail_scalars *const scalars = user;
    const size_t blocks = blocks_of(scalars->n), job = i / blocks, block = i % blocks;
    const size_t first = block * PAIL_SCALARS_BLOCK, left = scalars->n - first;
    pail_make_scalar_block(scalars->ops, scalars->bytes + (job * scalars->n + first) * SCALAR_BYTES,
                           block, left < PAIL_SCALARS_BLOCK ? left : PAIL_SCALARS_BLOCK,
                           scalars->dist, scalars->seed + job);
}

void pail_scalars_release(struct pail_scalars **scalars)
{
    if (*scalars != NULL && --(*scalars)->references == 0) {
        free((*scalars)->bytes);
        free(*scalars);
    }
    *scalars = NULL;
}

pail_status pail_supply_scalars(struct pail_supply *supply, struct pail_scalars **scalars,
                                const struct pail_curve_ops *ops, enum pail_scalar_dist dist,
                                uint64_t seed, size_t jobs, size_t n, struct pail_error *error)
{
    struct pail_scalars *last = supply->scalars;
    if (last == NULL || last->ops != ops || last->dist != dist || last->seed != seed ||
        last->jobs != jobs || last->n < n) {
        pail_scalars_release(&supply->scalars);
        last = malloc(sizeof(*last));
        uint8_t *const bytes =
            n < SIZE_MAX / SCALAR_BYTES / jobs ? malloc(n * jobs * SCALAR_BYTES + 1) : NULL;
        if (last == NULL || bytes == NULL) {
            free(last);
            free(bytes);
            *scalars = NULL;
            return no_memory(n, "scalars", error);
        }
        *last = (struct pail_scalars){.references = 1,
                                      .ops = ops,
                                      .dist = dist,
                                      .seed = seed,
                                      .jobs = jobs,
                                      .n = n,
                                      .bytes = bytes};
        pail_parallel(jobs * blocks_of(n), make_block, last, supply->threads, "making up scalars");
        supply->scalars = last;
    }
    last->references++;
    *scalars = last;
    return PAIL_OK;
}

/* ---- The answer ----------------------------------------------------------------------------- */
struct expected_work {
    const struct pail_scalars *scalars;
    const uint8_t *bytes;
    uint64_t first; /* base */
    size_t n;
    enum pail_base_kind kind;
    uint64_t seed;
    pail_point *sums; /* of each piece */
};

static void sum_piece(void *user, size_t i)
{
    const struct expected_work *const work = user;
    const size_t first = i * PIECE;
    pail_expected_msm(work->scalars->ops, &work->sums[i], work->bytes + first * SCALAR_BYTES,
                      work->first + first, piece_size(work->n, i), work->kind, work->seed);
}

void pail_supply_expected(const struct pail_supply *supply, pail_point *result,
                          const struct pail_scalars *scalars, size_t job, uint64_t first, size_t n,
                          enum pail_base_kind kind, uint64_t base_seed)
{
    const struct pail_curve_ops *const ops = scalars->ops;
    const uint8_t *const bytes = scalars->bytes + job * scalars->n * SCALAR_BYTES;
    const size_t n_pieces = pieces_of(n);
    pail_point *const sums = malloc(n_pieces * sizeof(*sums) + 1);
    if (sums == NULL) { /* then all at once, which needs none */
        pail_expected_msm(ops, result, bytes, first, n, kind, base_seed);
        return;
    }
    struct expected_work work = {.scalars = scalars,
                                 .bytes = bytes,
                                 .first = first,
                                 .n = n,
                                 .kind = kind,
                                 .seed = base_seed,
                                 .sums = sums};
    pail_parallel(n_pieces, sum_piece, &work, supply->threads, "computing the closed form");
    const pail_affine infinity = {{0}};
    ops->from_affine(result, &infinity);
    for (size_t i = 0; i < n_pieces; i++)
        ops->add(result, result, &sums[i]);
    free(sums);
}

void pail_supply_free(struct pail_supply *supply)
{
    free(supply->points);
    pail_scalars_release(&supply->scalars);
    *supply = (struct pail_supply){0};
}
