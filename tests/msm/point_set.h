/* SPDX-License-Identifier: Apache-2.0 */
/* Sets of bases of every kind, and multiplications over them next to the closed form: for tests of
 * what a set has besides its points, tables and GLV images. */
#ifndef PAIL_TESTS_MSM_POINT_SET_H
#define PAIL_TESTS_MSM_POINT_SET_H

#include <curves/inputs.h>

#include "support/plugin.h"

struct point_set {
    const struct pail_curve_ops *ops;
    size_t n;
    enum pail_base_kind kind;
    uint32_t factor; /* copies, as pail_bases_desc.table_factor */
    bool in_group;   /* asked for, so that scalars count modulo the order */
    uint32_t residency;
    uint32_t flags; /* as in pail_bases_desc */
};

/* Registers it. *bases: the caller destroys it; NULL after a failure. */
pail_status point_set_try(struct test_plugin *plugin, const struct point_set *s,
                          pail_bases **bases);

/* The same as an assertion of cmocka. */
pail_bases *point_set_make(struct test_plugin *plugin, const struct point_set *s);

pail_bases_info point_set_info(const struct test_plugin *plugin, const pail_bases *bases);

/* The closed form of n scalars under the points from the base `offset` on. */
void point_set_expected(const struct point_set *s, pail_point *out, const uint8_t *scalars,
                        size_t offset, size_t n);

/* n scalars from the base `offset` on, as an assertion. bits: what is promised of them, 0: nothing.
 */
pail_stats point_set_multiply(struct test_plugin *plugin, const struct point_set *s,
                              const pail_bases *bases, size_t offset, size_t n,
                              enum pail_scalar_dist dist, uint32_t bits,
                              const pail_msm_config *config);

/* Same, with scalars in memory of the plugin; memory: enum pail_memory_kind. */
pail_stats point_set_multiply_at(struct test_plugin *plugin, const struct point_set *s,
                                 const pail_bases *bases, size_t offset, size_t n,
                                 enum pail_scalar_dist dist, uint32_t bits,
                                 const pail_msm_config *config, uint32_t memory);

/* Vectors over one set, one for each of so many jobs: the vector v is of distribution v and begins
 * at base 3 v. */
enum { POINT_SET_JOBS = 20, POINT_SET_VECTOR = 40 };

struct point_set_jobs {
    uint8_t scalars[POINT_SET_JOBS][32 * POINT_SET_VECTOR];
    pail_msm_job jobs[POINT_SET_JOBS];
    pail_msm_result results[POINT_SET_JOBS];
};

/* A set that is long enough for all of them has so many bases. */
#define POINT_SET_BUNDLE (POINT_SET_VECTOR + 3 * POINT_SET_JOBS)

/* Runs all of them in one start, as an assertion, and leaves them in *all. */
pail_stats point_set_bundle(struct test_plugin *plugin, const struct point_set *s,
                            const pail_bases *bases, const pail_msm_config *config,
                            struct point_set_jobs *all);

/* Runs the first vector of `all` under each of n sets in one start, as an assertion; n at most
 * POINT_SET_JOBS. */
pail_stats point_set_one_vector(struct test_plugin *plugin, const struct point_set sets[], size_t n,
                                const pail_msm_config *config, struct point_set_jobs *all);

#endif /* PAIL_TESTS_MSM_POINT_SET_H */
