/* Made-up points and scalars for one case after another: what a case needs and the one before it
 * had is not made again. */
#ifndef PAIL_TOOL_MEASURE_SUPPLY_H
#define PAIL_TOOL_MEASURE_SUPPLY_H

#include <curves/inputs.h>

#include "error/error.h"
#include <pail/backend.h>

/* The scalars of some jobs over the same bases. Referenced: see pail_scalars_release. */
struct pail_scalars {
    size_t references;
    const struct pail_curve_ops *ops;
    enum pail_scalar_dist dist;
    uint64_t seed; /* of the first job; each other's is greater by 1 than the one's before it */
    size_t jobs, n;
    uint8_t *bytes; /* [jobs][n][32] */
};

struct pail_supply {
    uint32_t threads; /* of the CPU; 0: as many as there are processors */
    /* The points that were made last. */
    const struct pail_curve_ops *ops;
    enum pail_base_kind kind;
    uint64_t seed;
    size_t n;
    uint8_t *points;
    struct pail_scalars *scalars; /* that were made last */
};

/* Out: *points: base 0 and the n - 1 after it, in Montgomery form; valid until the next call. */
pail_status pail_supply_points(struct pail_supply *supply, const uint8_t **points,
                               const struct pail_curve_ops *ops, enum pail_base_kind kind,
                               uint64_t seed, size_t n, struct pail_error *error);

/* Out: *scalars: of at least n for each of exactly `jobs` jobs; to be released. */
pail_status pail_supply_scalars(struct pail_supply *supply, struct pail_scalars **scalars,
                                const struct pail_curve_ops *ops, enum pail_scalar_dist dist,
                                uint64_t seed, size_t jobs, size_t n, struct pail_error *error);

/* result = the sum of the job's first n scalars times bases first, first + 1, ..., by the closed
 * form. */
void pail_supply_expected(const struct pail_supply *supply, pail_point *result,
                          const struct pail_scalars *scalars, size_t job, uint64_t first, size_t n,
                          enum pail_base_kind kind, uint64_t base_seed);

/* Sets the reference to NULL. Legal on NULL. */
void pail_scalars_release(struct pail_scalars **scalars);

/* Legal on a supply that is zeroed. */
void pail_supply_free(struct pail_supply *supply);

#endif /* PAIL_TOOL_MEASURE_SUPPLY_H */
