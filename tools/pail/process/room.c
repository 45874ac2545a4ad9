#define _POSIX_C_SOURCE 200809L
#define _XOPEN_SOURCE   700 /* SIGXFSZ */

#include "room.h"

#include <platform/thread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "exit.h"

enum {
    DRIVERS = 1 << 20, /* what drivers may use; software drivers compile with LLVM */
    OWN = 96 << 10,    /* what the command needs without any */
};

struct call {
    int (*run)(int argc, char **argv);
    int argc;
    char **argv;
    int status;
};

static void *in_thread(void *argument)
{
    struct call *const call = argument;
    call->status = call->run(call->argc, call->argv);
    return NULL;
}

int pail_run_with_room(int (*run)(int argc, char **argv), int argc, char **argv)
{
    struct call call = {.run = run, .argc = argc, .argv = argv};
    struct rlimit limit;
    pthread_t thread;
    (void)signal(SIGXFSZ, SIG_IGN);
    if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
        limit.rlim_cur >= DRIVERS)
        return run(argc, argv);
    const int error = pail_thread_start(&thread, "pail-main", PAIL_STACK_FOREIGN, in_thread, &call);
    if (error == 0) {
        (void)pthread_join(thread, NULL);
        return call.status;
    }
    if (limit.rlim_cur >= OWN)
        return run(argc, argv);
    (void)fprintf(
        stderr,
        "pail: the stack is limited to %llu KiB, and a thread with a larger one cannot be "
        "started: %s\n",
        (unsigned long long)limit.rlim_cur / 1024, strerror(error));
    return PAIL_EXIT_WORLD;
}
