/* SPDX-License-Identifier: Apache-2.0 */
/* Rules that every backend keeps, whatever computes behind it. */
#ifndef PAIL_TESTS_CONFORMANCE_H
#define PAIL_TESTS_CONFORMANCE_H

#include "backends.h"
#include "support/test.h"

struct subject {
    struct counting_host counting;
    struct opened opened; /* no `open`: a table that is not opened */
    const pail_backend *backend;
    const pail_host *host; /* its functions take this one */
    void *own;             /* belongs to whoever opened it */
    pail_vulkan_import imported;
    const pail_vulkan_import *import; /* NULL, or &imported: the device of all contexts */
    pail_context *context;            /* for the tests that need one */
};

/* The last sentence speaks of the value that was wrong. */
void expect_sentence(const struct subject *subject, const char *word);

/* The same with another context, made with words of PAIL_LIMITS. False: the backend is without a
 * device, and ignores them. */
bool open_limited(const struct subject *subject, struct subject *limited, const char *words);

/* Refused of a good operation with a member set otherwise: vector_start, with that sentence. */
#define OP_REFUSED(good, code, sentence, ...)                                                      \
    do {                                                                                           \
        pail_vector_op op = good;                                                                  \
        pail_pending *pending = NULL;                                                              \
        op.__VA_ARGS__;                                                                            \
        assert_int_equal(backend->vector_start(subject->context, &pending, &op, 1), code);         \
        expect_sentence(subject, sentence);                                                        \
        assert_null(pending);                                                                      \
    } while (0)

/* All bytes behind the struct_size are zero. */
void expect_zeroed(const void *object, size_t bytes);

/* Multiples of the generator of BN254 G1, affine, canonical. */
extern const uint8_t g1_generator[64], g1_times_2[64], g1_times_3[64];

/* A description of n points of BN254 G1. */
pail_bases_desc desc_of(const void *points, size_t n);
/* [n] points: generator, infinity, and again. */
pail_bases *make_bases(const struct subject *subject, size_t n);
pail_msm_job job_of(const pail_bases *bases, const void *scalars, size_t n);
pail_pending *start(const struct subject *subject, const pail_msm_job *jobs, size_t n,
                    const pail_msm_config *config);

/* Little-endian numbers: 1, 2, 3, 4. */
extern const uint8_t small_scalars[4][PAIL_SCALAR_BYTES];
/* r - 1 of BN254, which is -1: the root of order 2. */
extern const uint8_t minus_one[PAIL_SCALAR_BYTES];

/* conformance_backends.c, conformance_devices.c: what the tests run on, a file for each program.
 */
struct conformance_row {
    const char *name;
    bool plugin;   /* it is needed, at backends_plugin_path() */
    bool imported; /* on a device of the host, made without timelineSemaphore */
    bool bare;     /* and without any other feature */
};

extern const struct conformance_row conformance_rows[];
extern const size_t conformance_n_rows;

/* Opens subject->backend; subject->counting is ready. */
void conformance_open(struct subject *subject, const struct conformance_row *row);
void conformance_close(struct subject *subject);

int conformance_set_up(void **state);
int conformance_tear_down(void **state);

/* A case on each row. It has its parameters in scope: `subject` and its `backend`. */
#define CONFORMANCE_ALONE(name)                                                                    \
    CONFORMANCE_FUNCTION(name);                                                                    \
    PAIL_TEST_WITH(name, conformance_set_up, conformance_tear_down)                                \
    {                                                                                              \
        struct subject *const alone = *state;                                                      \
        name##_on(alone, alone->backend);                                                          \
    }                                                                                              \
    CONFORMANCE_FUNCTION(name)

/* A case that needs subject->context, which the cases of a row share: making it compiles shaders.
 * It is skipped by a backend without the slot. */
#define CONFORMANCE_NEEDS(name, slot)                                                              \
    CONFORMANCE_FUNCTION(name);                                                                    \
    PAIL_TEST(name)                                                                                \
    {                                                                                              \
        struct subject *const shared = *state;                                                     \
        if (!shared->context)                                                                      \
            SKIP_BECAUSE("the backend has no device here");                                        \
        if (!PAIL_HAS(shared->backend, slot))                                                      \
            SKIP_BECAUSE("the backend has no " #slot);                                             \
        name##_on(shared, shared->backend);                                                        \
    }                                                                                              \
    CONFORMANCE_FUNCTION(name)

#define CONFORMANCE(name) CONFORMANCE_NEEDS(name, msm_start)

#define CONFORMANCE_FUNCTION(name)                                                                 \
    static void name##_on(__attribute__((unused)) struct subject *subject,                         \
                          __attribute__((unused)) const pail_backend *backend)

#endif
