/* SPDX-License-Identifier: Apache-2.0 */
/* A device of a host's that Pail cannot read: arrays by identity, and callbacks that copy and
 * reduce them, count what they are asked, and fail or hesitate where they are told to. */
#ifndef PAIL_TESTS_ADSTACK_REMOTE_H
#define PAIL_TESTS_ADSTACK_REMOTE_H

#include <pail/backend.h>
#include <pthread.h>
#include <stdbool.h>

enum { REMOTE_ARRAYS = 32, REMOTE_CALLS = 64 };

enum remote_way {
    REMOTE_AT_ONCE,  /* start copies */
    REMOTE_IN_WAIT,  /* a wait copies */
    REMOTE_REVERSED, /* waits copy, but none before that of the last start */
    REMOTE_NEVER,    /* waits last as long as they may, until `release` */
};

struct remote_call {
    pail_fetch_range range;
    void *to;
    int64_t *value; /* of reduce */
    bool open;      /* it goes on */
};

struct remote {
    pthread_mutex_t lock; /* guards all below */
    pthread_cond_t told;
    struct {
        uint64_t identity;
        const void *data;
    } arrays[REMOTE_ARRAYS];
    uint32_t n_arrays;
    enum remote_way way;
    bool release;
    uint32_t start_fails, wait_fails, reduce_fails; /* number of the call from 1 on; 0: none */
    pail_status fails;                              /* with that */
    uint32_t starts, waits, abandons, reductions;
    uint64_t bytes;                         /* that starts asked for */
    uint32_t open, most_open;               /* calls that go on */
    bool waited_before_starts;              /* a start after a wait */
    struct remote_call calls[REMOTE_CALLS]; /* the last ones, by ticket */
    uint64_t tickets;
    void (*on_start)(void *user); /* called in start, outside of the lock */
    void *on_start_user;
};

void remote_open(struct remote *remote);
void remote_close(struct remote *remote); /* fails the test if a call goes on */
void remote_put(struct remote *remote, uint64_t identity, const void *data);
/* Counters become 0. */
void remote_reset(struct remote *remote);
/* reduces: with `reduce`. */
pail_fetch_callbacks remote_callbacks(struct remote *remote, bool reduces);
/* The last call's range. */
pail_fetch_range remote_last(struct remote *remote);

#endif /* PAIL_TESTS_ADSTACK_REMOTE_H */
