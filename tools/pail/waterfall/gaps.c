/* When the device was idle, and why: one walk over all begins and ends, with a count of the spans
 * of each class that are under way. */
#include <stdlib.h>

#include "waterfall.h"

enum { BUSY = PAIL_GAP_CAUSES, CLASSES, NONE };

const char *pail_gap_name(enum pail_gap_cause cause)
{
    static const char *const names[PAIL_GAP_CAUSES] = {
        [PAIL_GAP_UPLOAD] = "upload",   [PAIL_GAP_BUDGET] = "budget",   [PAIL_GAP_LOCK] = "lock",
        [PAIL_GAP_WITNESS] = "witness", [PAIL_GAP_NO_WORK] = "no work",
    };
    return names[cause];
}

static int class_of(uint32_t kind)
{
    static const int classes[PAIL_PROVER_SPAN_KINDS] = {
        [PAIL_PROVER_WAIT_PRODUCER] = PAIL_GAP_WITNESS,
        [PAIL_PROVER_WAIT_HOST_MEMORY] = PAIL_GAP_BUDGET,
        [PAIL_PROVER_PRODUCE] = PAIL_GAP_WITNESS,
        [PAIL_PROVER_WAIT_SLOT] = PAIL_GAP_LOCK,
        [PAIL_PROVER_WAIT_DEVICE_MEMORY] = PAIL_GAP_BUDGET,
        [PAIL_PROVER_LOAD] = PAIL_GAP_UPLOAD,
        [PAIL_PROVER_UPLOAD] = PAIL_GAP_UPLOAD,
        [PAIL_PROVER_DEVICE] = BUSY,
        [PAIL_PROVER_WAIT_FINISHER] = NONE,
        [PAIL_PROVER_FINISH] = NONE,
        [PAIL_PROVER_RELEASE] = NONE,
    };
    return classes[kind];
}

struct event {
    uint64_t ns;
    int class;
    int change; /* 1: begins; -1: ends */
};

static int by_time(const void *a, const void *b)
{
    const struct event *const x = a, *const y = b;
    return (x->ns > y->ns) - (x->ns < y->ns);
}

/* The state that holds now; BUSY: the device works. */
static int state_of(const size_t counts[CLASSES])
{
    int state = 0;
    if (counts[BUSY] != 0)
        return BUSY;
    while (state < PAIL_GAP_NO_WORK && counts[state] == 0)
        state++;
    return state;
}

static void add(struct pail_gaps *gaps, uint64_t begin_ns, uint64_t end_ns, int state)
{
    struct pail_gap *const last = gaps->n > 0 ? &gaps->gaps[gaps->n - 1] : NULL;
    if (begin_ns == end_ns)
        return;
    if (state == BUSY)
        gaps->busy_ns += end_ns - begin_ns;
    else if (last != NULL && last->end_ns == begin_ns && last->cause == (enum pail_gap_cause)state)
        last->end_ns = end_ns;
    else
        gaps->gaps[gaps->n++] = (struct pail_gap){begin_ns, end_ns, (enum pail_gap_cause)state};
}

pail_status pail_gaps_find(struct pail_gaps *gaps, const struct pail_waterfall *waterfall,
                           struct pail_error *error)
{
    const size_t n = 2 * waterfall->n;
    size_t counts[CLASSES] = {0};
    struct event *const events = calloc(n, sizeof(*events));
    *gaps = (struct pail_gaps){.gaps = calloc(n, sizeof(gaps->gaps[0]))};
    if (events == NULL || gaps->gaps == NULL) {
        free(events);
        return pail_fail(error, PAIL_ERR_HOST_MEMORY, "no memory for %zu spans", waterfall->n);
    }
    for (size_t i = 0; i < waterfall->n; i++) {
        const pail_prover_span *const span = &waterfall->spans[i];
        events[2 * i] = (struct event){span->begin_ns, class_of(span->kind), 1};
        events[2 * i + 1] = (struct event){span->end_ns, class_of(span->kind), -1};
    }
    qsort(events, n, sizeof(*events), by_time);
    uint64_t at_ns = waterfall->begin_ns;
    for (size_t i = 0; i < n; at_ns = events[i].ns, i++) {
        add(gaps, at_ns, events[i].ns, state_of(counts));
        if (events[i].class != NONE)
            counts[events[i].class] += (size_t)events[i].change;
    }
    free(events);
    return PAIL_OK;
}

void pail_gaps_free(struct pail_gaps *gaps)
{
    free(gaps->gaps);
    *gaps = (struct pail_gaps){0};
}
