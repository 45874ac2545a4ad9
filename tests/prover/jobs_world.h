/* SPDX-License-Identifier: Apache-2.0 */
/* The world of provers under load: two circuits, and how they are proved. */
#ifndef PAIL_TESTS_JOBS_WORLD_H
#define PAIL_TESTS_JOBS_WORLD_H

#include <pail/prover.h>

#include "support.h"

enum { JOBS = 12, PUBLICS_MAX = 8 };

extern struct support_case files[2];
extern pail_groth16_key *keys[2]; /* to verify with */
extern bool slow;                 /* a driver that interprets: fewer proofs, and kernels */
extern int n_jobs;                /* at most JOBS */
extern uint32_t keys_b2;          /* pail_groth16_b2 of the keys that are added; auto */

/* Fixtures of a group of cmocka. */
int setup(void **state);
int teardown(void **state);

/* On the context of support.h, so many times. */
pail_prover *make_on(const pail_backend *on, uint32_t n_devices, pail_prover_params params);
pail_prover *make(pail_prover_params params);
/* On that context by first, and by the right backend as a spare device. */
pail_prover *make_with_spare(const pail_backend *first, pail_prover_params params);
pail_groth16_key_params key_params(int i);
uint32_t add_key(pail_prover *prover, int i);
/* path: optional, of the witness. */
pail_status submit(pail_prover *prover, pail_prover_job **job, uint32_t key, int file,
                   const char *path);
void expect_valid(pail_prover *prover, pail_prover_job **job, int file);
/* Nothing is left. */
void end(pail_prover **prover);

#endif /* PAIL_TESTS_JOBS_WORLD_H */
