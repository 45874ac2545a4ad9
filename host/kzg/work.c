/* SPDX-License-Identifier: Apache-2.0 */
#include "work.h"

#include <stdlib.h>

#include <platform/memory.h>

static size_t rounded_up(size_t bytes)
{
    return (bytes + PAIL_CPU_ALIGNMENT - 1) / PAIL_CPU_ALIGNMENT * PAIL_CPU_ALIGNMENT;
}

static size_t pairs_bytes(const struct pail_kzg *kzg)
{
    return rounded_up(kzg->adder->batch * sizeof(struct pail_cpu_pair));
}

static size_t bytes_of_worker(const struct pail_kzg *kzg)
{
    return pairs_bytes(kzg) + rounded_up(kzg->adder->scratch_bytes) + rounded_up(kzg->ntt_scratch);
}

uint64_t pail_kzg_work_bytes(const struct pail_kzg *kzg)
{
    return kzg->threads * (sizeof(struct pail_kzg_worker) + bytes_of_worker(kzg)) +
           PAIL_CPU_ALIGNMENT;
}

pail_status pail_kzg_work_begin(struct pail_kzg_work *work, struct pail_kzg *kzg,
                                const atomic_bool *cancelled)
{
    *work = (struct pail_kzg_work){.kzg = kzg, .n_workers = kzg->threads, .cancelled = cancelled};
    const size_t pairs = pairs_bytes(kzg), bytes = bytes_of_worker(kzg);
    const size_t adder = rounded_up(kzg->adder->scratch_bytes);
    work->workers = calloc(work->n_workers, sizeof(*work->workers));
    work->block = malloc(work->n_workers * bytes + PAIL_CPU_ALIGNMENT);
    if (!work->workers || !work->block) {
        pail_kzg_work_end(work);
        return PAIL_ERR_HOST_MEMORY;
    }
    unsigned char *const block = pail_cpu_aligned(work->block);
    work->worker_bytes = bytes;
    for (uint32_t i = 0; i < work->n_workers; i++) {
        unsigned char *const at = block + i * bytes;
        work->workers[i].adder_scratch = at;
        work->workers[i].ntt_scratch = at + adder;
        work->workers[i].pairs = (struct pail_cpu_pair *)(void *)(at + bytes - pairs);
    }
    return PAIL_OK;
}

void pail_kzg_work_end(struct pail_kzg_work *work)
{
    for (uint32_t i = 0; work->workers && work->block && i < work->n_workers; i++)
        if (work->workers[i].used) /* transforms of blobs */
            pail_wipe(work->workers[i].adder_scratch, work->worker_bytes);
    free(work->workers);
    free(work->block);
    work->workers = NULL;
    work->block = NULL;
}

bool pail_kzg_cancelled(const struct pail_kzg_work *work)
{
    return work->cancelled && atomic_load(work->cancelled);
}

uint64_t pail_kzg_adds(const struct pail_kzg_work *work)
{
    uint64_t adds = 0;
    for (uint32_t i = 0; i < work->n_workers; i++)
        adds += work->workers[i].adds;
    return adds;
}

static void take_items(void *user, uint32_t i)
{
    struct pail_kzg_work *const work = user;
    for (;;) {
        const size_t item = atomic_fetch_add(&work->next, 1);
        if (item >= work->n_items || pail_kzg_cancelled(work))
            return;
        work->workers[i].used = true;
        work->item(work->user, item, &work->workers[i]);
    }
}

void pail_kzg_each(struct pail_kzg_work *work, size_t n,
                   void (*item)(void *user, size_t i, struct pail_kzg_worker *worker), void *user)
{
    atomic_store(&work->next, 0);
    work->n_items = n;
    work->item = item;
    work->user = user;
    if (work->n_workers == 1 || n == 1)
        take_items(work, 0);
    else if (!pail_helpers_try(&work->kzg->helpers, work->n_workers, take_items, work))
        take_items(work, 0); /* they help another job */
}

static void double_pairs(const struct pail_kzg *kzg, struct pail_kzg_worker *worker,
                         unsigned char *points)
{
    const struct pail_cpu_adder *const adder = kzg->adder;
    if (worker->n_pairs > 0 && adder->twice)
        adder->twice(points, points, worker->pairs, worker->n_pairs, worker->adder_scratch);
    else if (worker->n_pairs > 0)
        adder->add(points, points, points, worker->pairs, worker->n_pairs, worker->adder_scratch);
    worker->adds += worker->n_pairs;
    worker->n_pairs = 0;
}

void pail_kzg_double(struct pail_kzg *kzg, struct pail_kzg_worker *worker, unsigned char *points,
                     const bool *only, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (only && !only[i])
            continue;
        worker->pairs[worker->n_pairs++] = (struct pail_cpu_pair){
            .p = (uint32_t)(2 * i), .q = (uint32_t)(2 * i), .to = (uint32_t)i};
        if (worker->n_pairs == kzg->adder->batch)
            double_pairs(kzg, worker, points);
    }
    double_pairs(kzg, worker, points);
}

unsigned char *pail_kzg_points_alloc(const struct pail_kzg *kzg, void **block, size_t n)
{
    *block = NULL;
    if (n < SIZE_MAX / kzg->adder->point_bytes - 1)
        *block = malloc(n * kzg->adder->point_bytes + PAIL_CPU_ALIGNMENT);
    return *block ? pail_cpu_aligned(*block) : NULL;
}
