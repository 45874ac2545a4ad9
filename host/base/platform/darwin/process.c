/* SPDX-License-Identifier: Apache-2.0 */
#include "platform/process.h"

#include <dlfcn.h>
#include <limits.h>
#include <mach-o/dyld.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "platform/file.h"

/* No page can be had that is zero in a child, so the kernel is asked each time. */
uint64_t pail_process(void)
{
    return (uint64_t)getpid();
}

bool pail_process_is_first(void)
{
    static _Atomic uint64_t first;
    const uint64_t here = pail_process();
    uint64_t asked = atomic_load_explicit(&first, memory_order_relaxed);
    if (asked == 0)
        return atomic_compare_exchange_strong(&first, &asked, here) || asked == here;
    return asked == here;
}

const char *pail_env(const char *name)
{
    return issetugid() ? NULL : getenv(name);
}

/* The first pin is for good: an object that has run threads is not unmapped any more. */
void pail_pin(void)
{
    static const char here;
    Dl_info info;
    if (!dladdr(&here, &info) || !info.dli_fname)
        return;
    void *handle = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
    if (handle)
        (void)dlclose(handle);
}

void pail_unpin(void)
{
}

void pail_keep_loaded(const char *symbol)
{
    (void)symbol;
}

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char program[PATH_MAX];

static void look(void)
{
    uint32_t capacity = sizeof(program);
    if (_NSGetExecutablePath(program, &capacity) != 0)
        program[0] = '\0';
}

/* A descriptor that is opened by this path shares its position with the file, so files are read by
 * pread alone. */
void pail_descriptor_path(char *path, size_t capacity, int file)
{
    (void)snprintf(path, capacity, "/dev/fd/%d", file);
}

const char *pail_program_path(void)
{
    (void)pthread_once(&once, look);
    return program;
}
