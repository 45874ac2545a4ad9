#include "crew.h"

#include <platform/machine.h>
#include <platform/thread.h>

#include "device_priv.h"

/* One core copies 6 to 10 GB/s and the fastest bus takes 50; more threads only wait for it. */
#define HELPERS_MAX 11u

struct pail_vk_crew {
    uint32_t wanted; /* helpers */
    pthread_mutex_t lock;
    pthread_cond_t begun, ended;
    pthread_t threads[HELPERS_MAX];
    uint32_t n; /* made so far */
    bool tried; /* to make them */
    bool leave;
    void (*work)(void *user); /* NULL: nobody wants help */
    bool open;                /* more helpers may begin it */
    void *user;
    uint64_t number; /* of the work: each helper does it once */
    uint32_t busy;   /* helpers in it */
};

pail_status pail_vk_crew_create(struct pail_vk_device *dev, uint32_t threads,
                                struct pail_error *err)
{
    struct pail_vk_crew *crew = pail_calloc(&dev->alloc, 1, sizeof(*crew));
    if (!crew)
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory for threads that copy");
    if (!threads)
        threads = pail_machine_processors();
    crew->wanted = threads - 1 < HELPERS_MAX ? threads - 1 : HELPERS_MAX;
    pthread_mutex_init(&crew->lock, NULL);
    pthread_cond_init(&crew->begun, NULL);
    pthread_cond_init(&crew->ended, NULL);
    dev->crew = crew;
    return PAIL_OK;
}

void pail_vk_crew_destroy(struct pail_vk_device *dev)
{
    struct pail_vk_crew *crew = dev->crew;
    if (!crew)
        return;
    pthread_mutex_lock(&crew->lock);
    crew->leave = true;
    pthread_cond_broadcast(&crew->begun);
    pthread_mutex_unlock(&crew->lock);
    for (uint32_t i = 0; i < crew->n; i++)
        pthread_join(crew->threads[i], NULL);
    pthread_cond_destroy(&crew->begun);
    pthread_cond_destroy(&crew->ended);
    pthread_mutex_destroy(&crew->lock);
    pail_free(&dev->alloc, crew);
    dev->crew = NULL;
}

static void *help(void *argument)
{
    struct pail_vk_crew *crew = argument;
    uint64_t done = 0;
    pthread_mutex_lock(&crew->lock);
    while (!crew->leave) {
        if (!crew->open || crew->number == done) {
            pthread_cond_wait(&crew->begun, &crew->lock);
            continue;
        }
        void (*const work)(void *user) = crew->work;
        void *const user = crew->user;
        done = crew->number;
        crew->busy++;
        pthread_mutex_unlock(&crew->lock);
        work(user);
        pthread_mutex_lock(&crew->lock);
        if (--crew->busy == 0)
            pthread_cond_broadcast(&crew->ended);
    }
    pthread_mutex_unlock(&crew->lock);
    return NULL;
}

/* Called with the lock held. Threads that cannot be made are done without. */
static void hire(struct pail_vk_crew *crew)
{
    crew->tried = true;
    while (crew->n < crew->wanted && pail_thread_start(&crew->threads[crew->n], "pail-copy",
                                                       PAIL_STACK_FOREIGN, help, crew) == 0)
        crew->n++;
}

bool pail_vk_crew_begin(struct pail_vk_device *dev, void (*work)(void *user), void *user)
{
    struct pail_vk_crew *crew = dev->crew;
    pthread_mutex_lock(&crew->lock);
    if (!crew->tried)
        hire(crew);
    const bool free = crew->n && !crew->work;
    if (free) {
        crew->work = work;
        crew->user = user;
        crew->open = true;
        crew->number++;
        pthread_cond_broadcast(&crew->begun);
    }
    pthread_mutex_unlock(&crew->lock);
    return free;
}

void pail_vk_crew_end(struct pail_vk_device *dev)
{
    struct pail_vk_crew *crew = dev->crew;
    pthread_mutex_lock(&crew->lock);
    crew->open = false;
    while (crew->busy)
        pthread_cond_wait(&crew->ended, &crew->lock);
    crew->work = NULL;
    pthread_mutex_unlock(&crew->lock);
}
