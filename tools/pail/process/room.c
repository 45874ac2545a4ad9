#include "room.h"

#include <platform/process.h>
#include <platform/thread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error/exit.h"

enum {
    DRIVERS = 1 << 20, /* stack of drivers; software drivers compile with LLVM */
    OWN = 96 << 10,    /* stack of the command without drivers */
    THREADS = 8 << 20, /* stack of threads that drivers start: the usual size */
};

struct call {
    int (*run)(int argc, char **argv);
    int argc;
    char **argv;
};

/* Drivers also run code when the process exits, so it exits from here. */
static void *in_thread(void *argument)
{
    const struct call *const call = argument;
    exit(call->run(call->argc, call->argv));
}

int pail_run_with_room(int (*run)(int argc, char **argv), int argc, char **argv)
{
    struct call call = {.run = run, .argc = argc, .argv = argv};
    pthread_t thread;
    const unsigned long long stack = pail_program_stack();
    if (stack == 0 || stack >= DRIVERS)
        return run(argc, argv);
    pail_program_thread_stack(THREADS);
    const int error = pail_thread_start(&thread, "pail-main", PAIL_STACK_FOREIGN, in_thread, &call);
    if (error == 0) {
        (void)pthread_join(thread, NULL); /* without an end: the thread exits the process */
        return PAIL_EXIT_WORLD;
    }
    if (stack >= OWN)
        return run(argc, argv);
    (void)fprintf(
        stderr,
        "pail: the stack is limited to %llu KiB, and a thread with a larger one cannot be "
        "started: %s\n",
        stack / 1024, strerror(error));
    return PAIL_EXIT_WORLD;
}
