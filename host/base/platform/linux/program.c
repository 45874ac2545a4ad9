#include "platform/program.h"

#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>

void pail_program_begin(int *argc, char ***argv)
{
    (void)argc;
    (void)argv; /* bytes, here */
    (void)signal(SIGXFSZ, SIG_IGN);
}

void pail_program_thread_stack(unsigned long long bytes)
{
#if defined(__linux__) && !defined(__ANDROID__) /* others go by no limit of the process */
    pthread_attr_t attributes;
    size_t now;
    if (pthread_getattr_default_np(&attributes) != 0)
        return;
    if (pthread_attr_getstacksize(&attributes, &now) == 0 && now < bytes &&
        pthread_attr_setstacksize(&attributes, (size_t)bytes) == 0)
        (void)pthread_setattr_default_np(&attributes);
    (void)pthread_attr_destroy(&attributes);
#else
    (void)bytes;
#endif
}

unsigned long long pail_program_stack(void)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY
               ? 0
               : (unsigned long long)limit.rlim_cur;
}
