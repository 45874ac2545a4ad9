/* What Apple documents of it (manual pages of macOS), as far as host/platform/darwin asks: for the
 * compiler alone. */
enum { SIGILL = 4, SIGTRAP = 5, SIGABRT = 6, SIGFPE = 8, SIGBUS = 10, SIGSEGV = 11, SIGSYS = 12 };
enum { SIG_SETMASK = 3 };
typedef unsigned int sigset_t;
int sigfillset(sigset_t *set);
int sigdelset(sigset_t *set, int signal);
int pthread_sigmask(int how, const sigset_t *set, sigset_t *before);
