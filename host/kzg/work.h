/* SPDX-License-Identifier: Apache-2.0 */
/* Work of a job: memory of its threads, and loops over items by all of them. */
#ifndef PAIL_KZG_WORK_H
#define PAIL_KZG_WORK_H

#include <stdatomic.h>

#include "opened.h"

/* Memory of one thread. */
struct pail_kzg_worker {
    void *adder_scratch;
    struct pail_cpu_pair *pairs; /* [adder->batch] */
    size_t n_pairs;
    void *ntt_scratch;
    uint64_t adds;
    bool used; /* its memory may have something to wipe; that of others was never touched */
};

struct pail_kzg_work {
    struct pail_kzg *kzg;
    uint32_t n_workers;
    struct pail_kzg_worker *workers;
    void *block;
    size_t worker_bytes;          /* of each in the block */
    const atomic_bool *cancelled; /* optional */

    /* Of the loop that runs. */
    atomic_size_t next;
    size_t n_items;
    void (*item)(void *user, size_t i, struct pail_kzg_worker *worker);
    void *user;
};

/* cancelled: optional: loops end early when it is set. PAIL_OK or PAIL_ERR_HOST_MEMORY, then with
 * nothing to free. */
pail_status pail_kzg_work_begin(struct pail_kzg_work *work, struct pail_kzg *kzg,
                                const atomic_bool *cancelled);
void pail_kzg_work_end(struct pail_kzg_work *work);
/* Bytes of it. */
uint64_t pail_kzg_work_bytes(const struct pail_kzg *kzg);

/* Calls item(user, i, worker) for each i below n, in the threads of the setup that are free, the
 * caller's among them. No two calls at a time have the same worker. */
void pail_kzg_each(struct pail_kzg_work *work, size_t n,
                   void (*item)(void *user, size_t i, struct pail_kzg_worker *worker), void *user);

bool pail_kzg_cancelled(const struct pail_kzg_work *work);
uint64_t pail_kzg_adds(const struct pail_kzg_work *work);

/* ---- Additions of points that wait until there are enough ------------------------------------ */
struct pail_kzg_sums {
    struct pail_kzg *kzg;
    struct pail_kzg_worker *worker;
    unsigned char *to;
    const unsigned char *p, *q;
};

static inline void pail_kzg_flush(struct pail_kzg_sums *sums)
{
    struct pail_kzg_worker *const worker = sums->worker;
    if (worker->n_pairs == 0)
        return;
    sums->kzg->adder->add(sums->to, sums->p, sums->q, worker->pairs, worker->n_pairs,
                          worker->adder_scratch);
    worker->adds += worker->n_pairs;
    worker->n_pairs = 0;
}

/* to[to] = p[p / 2] + q[q / 2], negated where odd, by the next flush at the latest. */
static inline void pail_kzg_push(struct pail_kzg_sums *sums, size_t to, size_t p, size_t q)
{
    struct pail_kzg_worker *const worker = sums->worker;
    worker->pairs[worker->n_pairs] =
        (struct pail_cpu_pair){.p = (uint32_t)p, .q = (uint32_t)q, .to = (uint32_t)to};
    if (++worker->n_pairs == sums->kzg->adder->batch)
        pail_kzg_flush(sums);
}

/* points[i] = 2 points[i] for n points in the adder's form, where only[i]; NULL: everywhere. */
void pail_kzg_double(struct pail_kzg *kzg, struct pail_kzg_worker *worker, unsigned char *points,
                     const bool *only, size_t n);

/* A block whose first byte is aligned as points of adders are; free() takes *block. */
unsigned char *pail_kzg_points_alloc(const struct pail_kzg *kzg, void **block, size_t n);

#endif /* PAIL_KZG_WORK_H */
