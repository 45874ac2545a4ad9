/* SPDX-License-Identifier: Apache-2.0 */
/* Waiting for a child that might hang. */
#ifndef PAIL_TESTS_AWAIT_H
#define PAIL_TESTS_AWAIT_H

#include <signal.h>
#include <sys/wait.h>
#include <time.h>

/* Returns the status of waitpid; -1: the child hung for a minute, and was killed. */
static inline int await(pid_t child)
{
    const struct timespec pause = {.tv_nsec = 5000000};
    int status = 0;
    for (int ms = 0; ms < 60000; ms += 5) {
        if (waitpid(child, &status, WNOHANG) == child)
            return status;
        (void)nanosleep(&pause, NULL);
    }
    (void)kill(child, SIGKILL);
    (void)waitpid(child, &status, 0);
    return -1;
}

#endif
