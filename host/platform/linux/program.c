#include "platform/program.h"

#include <signal.h>
#include <sys/resource.h>

void pail_program_begin(int *argc, char ***argv)
{
    (void)argc;
    (void)argv; /* bytes, here */
    (void)signal(SIGXFSZ, SIG_IGN);
}

unsigned long long pail_program_stack(void)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY
               ? 0
               : (unsigned long long)limit.rlim_cur;
}
