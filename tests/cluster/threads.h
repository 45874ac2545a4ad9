/* SPDX-License-Identifier: Apache-2.0 */
/* A transport whose ranks are threads of one process. */
#ifndef PAIL_TEST_CLUSTER_THREADS_H
#define PAIL_TEST_CLUSTER_THREADS_H

#include <stdbool.h>

#include <pail/cluster.h>

enum { RANKS_MAX = 8 };

/* Runs body(cluster, rank, user) on `size` ranks and waits for all of them. fail_at: the call of
 * the transport, counted from 1 on rank fail_rank, that fails; 0: none. */
void run_ranks(uint32_t size, uint32_t fail_rank, uint32_t fail_at,
               void (*body)(pail_cluster *cluster, uint32_t rank, void *user), void *user);

/* True if run_ranks has begun the calling thread; and the thread's rank. */
bool is_rank(void);
uint32_t rank_of_thread(void);

/* From here on `opened` judges what opening a cluster gave a rank; the body runs where it says so.
 * NULL: opening has to succeed, as at first. */
void watch_opening(bool (*opened)(uint32_t rank, pail_status status, const char *error));

#endif /* PAIL_TEST_CLUSTER_THREADS_H */
