/* The last spans of the prover's jobs, for who watches. */
#ifndef PAIL_TOOL_SERVE_SPANS_H
#define PAIL_TOOL_SERVE_SPANS_H

#include <pthread.h>

#include <pail/prover.h>

enum { PAIL_SPAN_RING = 2048 };

struct pail_span_ring {
    pthread_mutex_t mutex;
    uint64_t n; /* that there were; number i, from 1 on, is at (i - 1) % PAIL_SPAN_RING */
    pail_prover_span spans[PAIL_SPAN_RING];
};

void pail_span_ring_init(struct pail_span_ring *ring);
void pail_span_ring_add(struct pail_span_ring *ring, const pail_prover_span *span);
/* Copies those after number `after`, at most PAIL_SPAN_RING; *last: the number of the last one. */
size_t pail_span_ring_read(pail_prover_span *spans, uint64_t *last, struct pail_span_ring *ring,
                           uint64_t after);
void pail_span_ring_end(struct pail_span_ring *ring);

#endif /* PAIL_TOOL_SERVE_SPANS_H */
