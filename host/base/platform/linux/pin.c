#include "platform/pin.h"
#include "platform/thread.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

/* A reference by dlopen will not do: giving the last one up unmaps the code that does it. So a
 * thread has a destructor of a thread-local variable in this object, for which the C library keeps
 * the object until the thread has ended; unmapping is left to a dlclose of somebody else's. */
extern int __cxa_thread_atexit_impl(void (*destructor)(void *), void *variable, void *object)
    __attribute__((weak));

static pthread_mutex_t doors = PTHREAD_MUTEX_INITIALIZER; /* guards what follows */
static size_t pins;
static bool has_thread, stays;
static pthread_t thread;

static struct {
    pthread_mutex_t lock; /* guards what follows; taken after `doors` */
    pthread_cond_t changed;
    bool begun, kept, leave;
} keeper = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static void nothing(void *variable)
{
    (void)variable;
}

static void *keep(void *argument)
{
    const bool kept =
        __cxa_thread_atexit_impl && __cxa_thread_atexit_impl(nothing, argument, argument) == 0;
    pthread_mutex_lock(&keeper.lock);
    keeper.kept = kept;
    keeper.begun = true;
    pthread_cond_broadcast(&keeper.changed);
    while (!keeper.leave)
        pthread_cond_wait(&keeper.changed, &keeper.lock);
    pthread_mutex_unlock(&keeper.lock);
    return NULL;
}

/* Starts the thread; true if it keeps the object loaded. */
static bool begin(void)
{
    keeper.begun = keeper.kept = keeper.leave = false;
    has_thread = pail_thread_start(&thread, "pail-pin", PAIL_STACK_OWN, keep, &keeper) == 0;
    if (!has_thread)
        return false;
    pthread_mutex_lock(&keeper.lock);
    while (!keeper.begun)
        pthread_cond_wait(&keeper.changed, &keeper.lock);
    const bool kept = keeper.kept;
    pthread_mutex_unlock(&keeper.lock);
    return kept;
}

static void stay_for_good(void)
{
    Dl_info info;
    if (!dladdr(&keeper, &info) || !info.dli_fname)
        return;
    void *handle = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
    if (handle)
        (void)dlclose(handle);
}

void pail_pin(void)
{
    pthread_mutex_lock(&doors);
    if (pins++ == 0 && !stays && !begin()) {
        stays = true;
        stay_for_good();
    }
    pthread_mutex_unlock(&doors);
}

void pail_unpin(void)
{
    pthread_mutex_lock(&doors);
    if (--pins == 0 && has_thread) {
        pthread_mutex_lock(&keeper.lock);
        keeper.leave = true;
        pthread_cond_broadcast(&keeper.changed);
        pthread_mutex_unlock(&keeper.lock);
        (void)pthread_join(thread, NULL);
        has_thread = false;
    }
    pthread_mutex_unlock(&doors);
}
