#include "spans.h"

void pail_span_ring_init(struct pail_span_ring *ring)
{
    ring->n = 0;
    pthread_mutex_init(&ring->mutex, NULL);
}

void pail_span_ring_add(struct pail_span_ring *ring, const pail_prover_span *span)
{
    pthread_mutex_lock(&ring->mutex);
    ring->spans[ring->n++ % PAIL_SPAN_RING] = *span;
    pthread_mutex_unlock(&ring->mutex);
}

size_t pail_span_ring_read(pail_prover_span *spans, uint64_t *last, struct pail_span_ring *ring,
                           uint64_t after)
{
    size_t n = 0;
    pthread_mutex_lock(&ring->mutex);
    uint64_t at = ring->n > PAIL_SPAN_RING ? ring->n - PAIL_SPAN_RING : 0;
    if (after > at)
        at = after;
    for (; at < ring->n; at++)
        spans[n++] = ring->spans[at % PAIL_SPAN_RING];
    *last = ring->n;
    pthread_mutex_unlock(&ring->mutex);
    return n;
}

void pail_span_ring_end(struct pail_span_ring *ring)
{
    pthread_mutex_destroy(&ring->mutex);
}
