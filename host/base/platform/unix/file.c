/* SPDX-License-Identifier: Apache-2.0 */
#include "platform/file.h"

#include <errno.h>
#include <signal.h>
#include <time.h>

void pail_file_limit_begin(struct pail_file_limit *limit)
{
    sigset_t signals, before;
    sigemptyset(&signals);
    sigaddset(&signals, SIGXFSZ);
    limit->held = pthread_sigmask(SIG_BLOCK, &signals, &before) == 0;
    limit->blocked = limit->held && sigismember(&before, SIGXFSZ) == 1;
    limit->pending = sigpending(&signals) == 0 && sigismember(&signals, SIGXFSZ) == 1;
}

void pail_file_limit_end(const struct pail_file_limit *limit)
{
    static const struct timespec at_once;
    sigset_t signals;
    if (!limit->held)
        return;
    sigemptyset(&signals);
    sigaddset(&signals, SIGXFSZ);
    if (!limit->pending) /* a signal that is pending now came from this thread's writes */
        while (sigtimedwait(&signals, NULL, &at_once) < 0 && errno == EINTR) {
        }
    if (!limit->blocked)
        (void)pthread_sigmask(SIG_UNBLOCK, &signals, NULL);
}

const char pail_path_list_mark = ':';
const char *const pail_path_root = "a slash";
const char *const pail_path_home = "HOME";
#ifdef __APPLE__
const char *const pail_path_vulkan = "libvulkan.1.dylib"; /* or libMoltenVK.dylib in its place */
const char *const pail_path_cache = "/Library/Caches/pail";
#else
const char *const pail_path_vulkan = "libvulkan.so.1";
const char *const pail_path_cache = "/.cache/pail";
#endif

bool pail_path_is_whole(const char *path)
{
    return path[0] == '/';
}

bool pail_path_is_root(const char *path)
{
    return path[0] == '/' && path[1] == '\0';
}
