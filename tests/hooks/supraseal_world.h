/* SPDX-License-Identifier: Apache-2.0 */
/* A caller of supraseal-c2's functions: the library, by whichever set of arguments, a key, an
 * assignment for it, and the proofs that are to come of it. */
#ifndef PAIL_TESTS_SUPRASEAL_WORLD_H
#define PAIL_TESTS_SUPRASEAL_WORLD_H

#include "prover/assigned.h"
#include "supraseal.h"

enum { CIRCUITS = 3, PUBLIC = 2, CONSTRAINTS = 60 };

#define FUNCTIONS(X)                                                                               \
    X(create_SRS) X(clone_SRS) X(evict_SRS) X(drop_SRS) X(generate_groth16_proofs_c)
#define FUNCTIONS_IN_PARTS(X)                                                                      \
    X(create_gpu_mutex)                                                                            \
    X(destroy_gpu_mutex)                                                                           \
    X(get_membw_throttle)                                                                          \
    X(generate_groth16_proofs_start_c) X(finalize_groth16_proof_c) X(destroy_pending_proof)

#define MEMBER(name) __typeof__(name) *name;
#if PAIL_SUPRASEAL_ARGUMENTS == 0
#define MORE(resources)
#elif PAIL_SUPRASEAL_ARGUMENTS == 1
#define MORE(resources) , resources
#else
#define MORE(resources) , resources, -1
#endif

struct supraseal_functions {
    FUNCTIONS(MEMBER)
#if PAIL_SUPRASEAL_ARGUMENTS >= 1
    FUNCTIONS_IN_PARTS(MEMBER)
#endif
};
extern struct supraseal_functions its;

extern supraseal_assignment given;
extern uint8_t r_s[CIRCUITS][32], s_s[CIRCUITS][32];
extern supraseal_proof expected[CIRCUITS];

/* Fixtures of a group of cmocka. */
int supraseal_setup(void **state);
int supraseal_teardown(void **state);

/* Opens a library by its path, to find more of its functions, or of those it is linked with. */
void *supraseal_library(void);

/* Makes the arguments that a call has of an assignment, whose arrays they name. */
supraseal_assignment supraseal_of(const struct assigned *from);

void expect_none(RustError error);
void expect_error(RustError error, const char *words);
SRS create(bool cache);

#endif /* PAIL_TESTS_SUPRASEAL_WORLD_H */
