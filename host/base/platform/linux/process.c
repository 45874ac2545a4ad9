/* SPDX-License-Identifier: Apache-2.0 */
#include "platform/process.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include "platform/clock.h"
#include "platform/file.h"
#include "platform/thread.h"

/* Pages have 4 KiB here, and elsewhere at most 64. */
#if defined(__x86_64__) || defined(__i386__)
enum { PAGE = 4096 };
#else
enum { PAGE = 65536 };
#endif

/* A page of its own, which the kernel clears in a child. It is a part of the object, not a mapping
 * that somebody would have to give back when the object is unloaded. */
static union {
    alignas(PAGE) atomic_uint_fast64_t number;
    unsigned char bytes[PAGE];
} page;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool is_wiped; /* in a child; otherwise the kernel is asked for each number */

static void ask_to_wipe(void)
{
    const long bytes = sysconf(_SC_PAGESIZE);
    is_wiped = bytes > 0 && bytes <= PAGE && madvise(&page, sizeof(page), MADV_WIPEONFORK) == 0;
}

/* Process numbers are used again. */
static uint64_t new_number(void)
{
    return (pail_clock_ns() << 22 ^ (uint64_t)getpid()) | UINT64_C(1) << 63;
}

uint64_t pail_process(void)
{
    uint_fast64_t number = atomic_load_explicit(&page.number, memory_order_relaxed);
    if (number)
        return number;
    (void)pthread_once(&once, ask_to_wipe);
    if (!is_wiped)
        return (uint64_t)getpid();
    const uint64_t made = new_number();
    return atomic_compare_exchange_strong(&page.number, &number, made) ? made : number;
}

bool pail_process_is_first(void)
{
    static atomic_uint_fast64_t first;
    const uint64_t here = pail_process();
    uint_fast64_t asked = atomic_load_explicit(&first, memory_order_relaxed);
    if (asked == 0)
        return atomic_compare_exchange_strong(&first, &asked, here) || asked == here;
    return asked == here;
}

const char *pail_env(const char *name)
{
#ifdef __ANDROID__ /* its C library lacks secure_getenv */
    return getauxval(AT_SECURE) ? NULL : getenv(name);
#else
    return secure_getenv(name);
#endif
}

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

/* The name of the n-th object of the dynamic linker. */
struct nth_object {
    size_t left;
    char name[PATH_MAX];
};

static int find_object(struct dl_phdr_info *info, size_t size, void *user)
{
    (void)size;
    struct nth_object *object = user;
    if (object->left-- > 0)
        return 0;
    (void)snprintf(object->name, sizeof(object->name), "%s", info->dlpi_name);
    return 1;
}

/* dlopen may not be called while the linker goes through its list: it has the other lock first. */
void pail_keep_loaded(const char *symbol)
{
    struct nth_object object;
    for (size_t i = 0; object.left = i, dl_iterate_phdr(find_object, &object) != 0; i++) {
        /* Neither the program nor the vDSO has a path. */
        void *handle =
            strchr(object.name, '/') ? dlopen(object.name, RTLD_LAZY | RTLD_NOLOAD) : NULL;
        if (!handle)
            continue;
        /* dlsym also finds what the libraries define that this one needs. */
        Dl_info info;
        const void *const found = dlsym(handle, symbol);
        if (found && dladdr(found, &info) && strcmp(info.dli_fname, object.name) == 0) {
            void *kept = dlopen(object.name, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
            if (kept)
                (void)dlclose(kept);
        }
        (void)dlclose(handle);
    }
}

void pail_descriptor_path(char *path, size_t capacity, int file)
{
    (void)snprintf(path, capacity, "/proc/self/fd/%d", file);
}

/* The path works also when the file has been replaced since. */
const char *pail_program_path(void)
{
    return "/proc/self/exe";
}
