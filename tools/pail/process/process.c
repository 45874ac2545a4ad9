/* SPDX-License-Identifier: Apache-2.0 */
/* The process: its log, its stack, and its ranks. */
#define _POSIX_C_SOURCE 200809L

#include "process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <platform/clock.h>
#include <platform/process.h>
#include <platform/text.h>
#include <platform/thread.h>

#include "error/error.h"

/* State of the process: two options of every command, and a notice that waits. */
static struct {
    bool quiet, verbose;
    double no_gpu_ms; /* since when a GPU is missed; 0: it is not, or that has been said */
} process;

/* ---- The log --------------------------------------------------------------------------------- */

static void write_line(void *user, pail_log_level level, const char *message)
{
    (void)user;
    static const char *const names[] = {"", "error", "warning", "info", "debug"};
    const char *const name =
        level >= PAIL_LOG_ERROR && level <= PAIL_LOG_DEBUG ? names[level] : "log";
    (void)pail_print(stderr, "pail: %s: %s\n", name, message);
}

static void choose_line(void *user, pail_log_level level, const char *message)
{
    const struct pail_log *const log = user;
    if (process.verbose || (log->warnings && !process.quiet && level == PAIL_LOG_WARNING))
        write_line(NULL, level, message);
}

static pail_host host_of(void (*log)(void *user, pail_log_level level, const char *message),
                         void *user)
{
    return (pail_host){
        .struct_size = sizeof(pail_host),
        .abi_major = PAIL_ABI_MAJOR,
        .abi_minor = PAIL_ABI_MINOR,
        .user = user,
        .log = log,
    };
}

pail_host pail_log_host(void)
{
    /* A failure comes back as a status with its sentence: a line as well would say it twice. */
    return host_of(process.verbose ? write_line : NULL, NULL);
}

pail_host pail_log_host_of(struct pail_log *log)
{
    return host_of(choose_line, log);
}

/* ---- Notices --------------------------------------------------------------------------------- */

static const double patience_ms = 1000;

void pail_verbosity_set(bool quiet, bool verbose)
{
    process.quiet = quiet;
    process.verbose = verbose;
}

bool pail_is_quiet(void)
{
    return process.quiet;
}

void pail_notice_no_gpu(void)
{
    process.no_gpu_ms = pail_now_ms();
}

void pail_notice_show(void)
{
    const double since_ms = process.no_gpu_ms;
    if (since_ms == 0 || pail_now_ms() - since_ms < patience_ms)
        return;
    process.no_gpu_ms = 0;
    if (!process.quiet && isatty(STDERR_FILENO) != 0)
        (void)fputs("pail: CPU; no GPU found. `pail info` says why.\n", stderr);
}

/* ---- The stack ------------------------------------------------------------------------------- */

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

/* ---- Ranks: a command that runs as several processes ----------------------------------------- */

pail_status pail_ranks_begin(struct pail_ranks *ranks, const char *name, struct pail_error *error)
{
    *ranks = (struct pail_ranks){.size = 1};
    const pail_cluster_params params = {.struct_size = sizeof(params), .transport = name};
    pail_cluster_info info = {.struct_size = sizeof(info)};
    pail_status status =
        pail_told(error, pail_cluster_open(&ranks->cluster, &params, PAIL_SENTENCE(error)));
    if (status == PAIL_OK)
        status = pail_told(error, pail_cluster_get_info(ranks->cluster, &info));
    if (status == PAIL_OK) {
        ranks->rank = info.rank;
        ranks->size = info.size;
        ranks->transport = info.transport;
    }
    return status;
}

pail_status pail_ranks_agree(const struct pail_ranks *ranks, struct pail_error *error)
{
    return pail_told(error,
                     pail_cluster_agree(ranks->cluster, error->status, PAIL_SENTENCE(error)));
}

void pail_ranks_end(struct pail_ranks *ranks, struct pail_error *error)
{
    pail_cluster_info info = {.struct_size = sizeof(info)};
    if (!ranks->cluster)
        return;
    (void)pail_cluster_get_info(ranks->cluster, &info);
    if (info.broken != 0) {
        pail_error_say(error);
        (void)fflush(stdout);
        pail_cluster_abort(ranks->cluster, (int)pail_exit_of(error));
        return; /* nothing is left to leave in order */
    }
    if (ranks->rank != 0)
        error->sentence[0] = '\0';
    pail_error_say(error);
    (void)fflush(stdout); /* the launcher may end everybody at the first status that is not 0 */
    pail_cluster_close(&ranks->cluster);
}
