/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations of manual pages of macOS, as far as Pail asks: for the compiler alone. */
#ifndef STUB_SIGNAL_H
#define STUB_SIGNAL_H
#include <sys/types.h>
enum {
    SIGHUP = 1,
    SIGINT = 2,
    SIGQUIT = 3,
    SIGILL = 4,
    SIGTRAP = 5,
    SIGABRT = 6,
    SIGFPE = 8,
    SIGKILL = 9,
    SIGBUS = 10
};
enum {
    SIGSEGV = 11,
    SIGSYS = 12,
    SIGPIPE = 13,
    SIGALRM = 14,
    SIGTERM = 15,
    SIGCHLD = 20,
    SIGXFSZ = 25,
    SIGUSR1 = 30
};
enum { SIGUSR2 = 31 };
enum { SIG_BLOCK = 1, SIG_UNBLOCK = 2, SIG_SETMASK = 3 };
enum { SA_RESTART = 2, SA_RESETHAND = 4, SA_SIGINFO = 0x40 };
typedef uint32_t sigset_t;
typedef int sig_atomic_t;
typedef struct {
    int si_signo;
} siginfo_t;
#define SIG_DFL ((void (*)(int))0)
#define SIG_IGN ((void (*)(int))1)
struct sigaction {
    union {
        void (*as_handler)(int);
        void (*as_action)(int, siginfo_t *, void *);
    } handler;
    sigset_t sa_mask;
    int sa_flags;
};
#define sa_handler handler.as_handler
void (*signal(int number, void (*handler)(int)))(int);
int sigaction(int number, const struct sigaction *action, struct sigaction *before);
int sigemptyset(sigset_t *set);
int sigfillset(sigset_t *set);
int sigaddset(sigset_t *set, int number);
int sigdelset(sigset_t *set, int number);
int sigismember(const sigset_t *set, int number);
int sigpending(sigset_t *set);
int sigwait(const sigset_t *set, int *number);
int sigprocmask(int how, const sigset_t *set, sigset_t *before);
int raise(int number);
int kill(pid_t process, int number);
int pthread_sigmask(int how, const sigset_t *set, sigset_t *before);
#endif
