/* Working time of a queue without timestamps, by the clock of the host: from a submission that
 * found it idle to the end of a wait that found it idle again. */
#ifndef PAIL_VK_BUSY_H
#define PAIL_VK_BUSY_H

#include <pthread.h>

#include "queue.h"

struct pail_vk_busy {
    pthread_mutex_t lock; /* guards what follows */
    pail_vk_ticket first, last;
    double since_ms, expected_ms;
    pail_vk_ticket ended_first, ended_last; /* the stretch that ended last; 0: none */
    double stretch;
};

void pail_vk_busy_init(struct pail_vk_busy *busy);
void pail_vk_busy_fini(struct pail_vk_busy *busy);

/* Notes submitted work that is expected to take so long. idle: what was before it was complete.
 * since_ms: when its first part was submitted. */
void pail_vk_busy_add(struct pail_vk_busy *busy, pail_vk_ticket first, pail_vk_ticket last,
                      bool idle, double since_ms, double expected_ms);

/* Notes that somebody waited from waited_ms to now_ms, and then the ticket was complete. A wait
 * that begins late learns late that work has ended, and its time is not taken for the work's. */
void pail_vk_busy_end(struct pail_vk_busy *busy, pail_vk_ticket ticket, double waited_ms,
                      double now_ms);

/* Time by expected time for tickets first ... last; 0 where it is not known. */
double pail_vk_busy_stretch(struct pail_vk_busy *busy, pail_vk_ticket first, pail_vk_ticket last);

#endif /* PAIL_VK_BUSY_H */
