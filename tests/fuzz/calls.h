/* SPDX-License-Identifier: Apache-2.0 */
/* Shared declarations of calls.c and its parts. */
#ifndef PAIL_FUZZ_CALLS_H
#define PAIL_FUZZ_CALLS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <curves/curve_ops.h>
#include <pail/backend.h>

#define CHECK(condition) check(condition, #condition, __FILE__, __LINE__)

enum {
    THREADS_MAX = 3,
    POINTS = 12,
    SETS = 3,
    WORKS = 3,
    ELEMENTS = 9,
    JOBS = 3,
    CALLS_MAX = 64,
    SEED = 7
};

struct bytes {
    const uint8_t *data;
    size_t size, step;
};

/* Work of one start; `expected` is what finishing has to deliver. */
struct work {
    pail_pending *pending;
    size_t n_jobs;
    bool done; /* polled to its end */
    pail_point expected[JOBS];
};

struct set {
    pail_bases *bases;
    size_t n;
};

/* State that all threads share. */
struct world {
    const pail_backend *backend;
    pail_host host;
    pail_context *context;
    struct set set;
    pthread_mutex_t lock; /* guards the mailbox */
    struct work mailbox;
    atomic_long blocks; /* blocks of the host's memory that are out */
};

struct thread {
    struct world *world;
    struct bytes bytes;
    pail_context *context; /* its own */
    struct set sets[SETS]; /* for its own context */
    struct work works[WORKS];
    bool own[WORKS]; /* the work is of its own context */
    /* Vectors of its own context, what has to be in them, and operations on them. */
    pail_vector *vectors[2];
    uint8_t elements[2][32 * ELEMENTS];
    pail_pending *operations;
};

void check(bool condition, const char *text, const char *file, int line);
uint8_t next(struct bytes *bytes); /* 0 past the end */
bool all_zero(const void *bytes, size_t n);

/* A call that ought to have that status has it, or failed of memory that was made to run out; a
 * failure has a sentence of one line. */
bool went(const struct thread *t, const pail_context *context, pail_status status,
          pail_status wanted);

/* calls_vectors.c */
void change_vector(struct thread *t);
void start_operations(struct thread *t);
void finish_operations(struct thread *t);
void read_vector(struct thread *t);

#endif /* PAIL_FUZZ_CALLS_H */
