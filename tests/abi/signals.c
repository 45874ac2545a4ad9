/* SPDX-License-Identifier: Apache-2.0 */
/* Signals of the host arrive in threads of the host, however many threads of a backend there are:
 * the one that made the context has them unblocked, the first thread of the process does not. */
#include "sums.h"

#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "support/test.h"

enum { THREADS = 4, NAMES_MAX = 16, RUN_MS = 1500 };

static atomic_uint arrived, in_ours, elsewhere;
static atomic_int host_thread;

/* A thread that we started has a name of ours; drivers have threads of their own, which inherit
 * that of the program. */
static void on_signal(int signal)
{
    char name[16] = "";
    (void)signal;
    (void)prctl(PR_GET_NAME, name);
    atomic_fetch_add(&arrived, 1);
    if (strncmp(name, "pail-", 5) == 0)
        atomic_fetch_add(&in_ours, 1);
    else if ((int)syscall(SYS_gettid) != atomic_load(&host_thread))
        atomic_fetch_add(&elsewhere, 1);
}

static void choose(int how)
{
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGALRM);
    sigaddset(&signals, SIGUSR1);
    assert_int_equal(pthread_sigmask(how, &signals, NULL), 0);
}

struct work {
    pail_backend_open_fn open;
    pthread_t thread;
    atomic_bool stop, good;
};

/* A context that streams its points, so that there is a thread that sends; made anew each time. */
static void *host_main(void *argument)
{
    struct work *work = argument;
    bool good = true;
    atomic_store(&host_thread, (int)syscall(SYS_gettid));
    choose(SIG_UNBLOCK);
    while (good && !atomic_load(&work->stop)) {
        struct sums sums;
        good = sums_open(&sums, work->open, THREADS, PAIL_RESIDENCY_HOST);
        for (int i = 0; good && i < 8; i++)
            good = sums_multiply(&sums);
        sums_close(&sums);
    }
    choose(SIG_BLOCK);
    atomic_store(&work->good, good);
    return NULL;
}

static void *send_signals(void *argument)
{
    const struct timespec pause = {.tv_nsec = 200000};
    struct work *work = argument;
    while (!atomic_load(&work->stop)) {
        (void)kill(getpid(), SIGUSR1);
        (void)nanosleep(&pause, NULL);
    }
    return NULL;
}

/* Adds the names of ours among the threads that there are now. */
static void look(char names[NAMES_MAX][16], size_t *n)
{
    DIR *folder = opendir("/proc/self/task");
    assert_non_null(folder);
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        char path[300], name[16] = "";
        (void)snprintf(path, sizeof path, "/proc/self/task/%s/comm", entry->d_name);
        FILE *file = fopen(path, "r");
        if (!file)
            continue; /* it has ended */
        const bool ours = fgets(name, sizeof name, file) && strncmp(name, "pail-", 5) == 0;
        (void)fclose(file);
        name[strcspn(name, "\n")] = '\0';
        bool known = false;
        for (size_t i = 0; i < *n; i++)
            known = known || strcmp(names[i], name) == 0;
        if (ours && !known && *n < NAMES_MAX)
            memcpy(names[(*n)++], name, sizeof name);
    }
    (void)closedir(folder);
}

static void storm(void **state)
{
    const char *path = *state;
    const struct timespec pause = {.tv_nsec = 1000000};
    const struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    const struct itimerval often = {.it_interval = {.tv_usec = 1000}, .it_value = {.tv_usec = 1}};
    const struct itimerval never = {.it_value = {.tv_usec = 0}};
    struct opened opened = backends_open(path);
    struct work work = {.open = opened.open};
    pthread_t sender;
    char names[NAMES_MAX][16];
    size_t n_names = 0;
    atomic_store(&arrived, 0);
    atomic_store(&in_ours, 0);
    atomic_store(&elsewhere, 0);
    choose(SIG_BLOCK);
    assert_int_equal(sigaction(SIGUSR1, &action, NULL), 0);
    assert_int_equal(sigaction(SIGALRM, &action, NULL), 0);
    assert_int_equal(pthread_create(&work.thread, NULL, host_main, &work), 0);
    assert_int_equal(pthread_create(&sender, NULL, send_signals, &work), 0);
    assert_int_equal(setitimer(ITIMER_REAL, &often, NULL), 0);
    for (int ms = 0; ms < RUN_MS; ms++) {
        look(names, &n_names);
        (void)nanosleep(&pause, NULL);
    }
    assert_int_equal(setitimer(ITIMER_REAL, &never, NULL), 0);
    atomic_store(&work.stop, true);
    assert_int_equal(pthread_join(sender, NULL), 0);
    assert_int_equal(pthread_join(work.thread, NULL), 0);
    assert_true(atomic_load(&work.good));
    for (size_t i = 0; i < n_names; i++)
        print_message("a thread of ours: %s\n", names[i]);
    print_message("%u signals\n", atomic_load(&arrived));
    assert_true(n_names >= 2);
    assert_true(atomic_load(&arrived) > 100);
    assert_int_equal(atomic_load(&in_ours), 0);
    if (!path)
        assert_int_equal(atomic_load(&elsewhere), 0); /* there is no driver */
    backends_close(&opened);
}

int main(int argc, char **argv)
{
    char path[4096];
    const bool cpu_only = backends_arguments(path, sizeof path, argc, argv);
    const struct CMUnitTest tests[] = {
        {"signals with the CPU backend", storm, NULL, NULL, NULL},
        {"signals with the plugin", storm, NULL, NULL, path},
    };
    return _cmocka_run_group_tests(argv[0], tests, cpu_only ? 1 : 2, NULL, NULL);
}
