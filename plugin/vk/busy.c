#include "busy.h"

#include <string.h>

/* Part of the busy time of a queue after which a wait begins late: it may have missed the end. */
#define LATE_PART 0.25

void pail_vk_busy_init(struct pail_vk_busy *busy)
{
    memset(busy, 0, sizeof(*busy));
    pthread_mutex_init(&busy->lock, NULL);
}

void pail_vk_busy_fini(struct pail_vk_busy *busy)
{
    pthread_mutex_destroy(&busy->lock);
}

void pail_vk_busy_add(struct pail_vk_busy *busy, pail_vk_ticket first, pail_vk_ticket last,
                      bool idle, double since_ms, double expected_ms)
{
    if (!(expected_ms > 0)) /* copies and fills, which nobody waits for in time */
        return;
    pthread_mutex_lock(&busy->lock);
    if (idle) {
        busy->first = first;
        busy->since_ms = since_ms;
        busy->expected_ms = 0;
    }
    if (busy->last < last)
        busy->last = last;
    busy->expected_ms += expected_ms;
    pthread_mutex_unlock(&busy->lock);
}

void pail_vk_busy_end(struct pail_vk_busy *busy, pail_vk_ticket ticket, double waited_ms,
                      double now_ms)
{
    pthread_mutex_lock(&busy->lock);
    const double ms = now_ms - busy->since_ms;
    if (busy->first && ticket >= busy->last) {
        const bool late = waited_ms - busy->since_ms > LATE_PART * ms;
        if (!late && busy->expected_ms > 0) {
            busy->ended_first = busy->first;
            busy->ended_last = busy->last;
            busy->stretch = ms / busy->expected_ms;
        }
        busy->first = 0;
    }
    pthread_mutex_unlock(&busy->lock);
}

double pail_vk_busy_stretch(struct pail_vk_busy *busy, pail_vk_ticket first, pail_vk_ticket last)
{
    pthread_mutex_lock(&busy->lock);
    const bool known = busy->ended_last && first >= busy->ended_first && last <= busy->ended_last;
    const double stretch = known ? busy->stretch : 0;
    pthread_mutex_unlock(&busy->lock);
    return stretch;
}
