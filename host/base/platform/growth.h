/* Files that may not grow. */
#ifndef PAIL_PLATFORM_GROWTH_H
#define PAIL_PLATFORM_GROWTH_H

#include <signal.h>
#include <stdbool.h>

struct pail_growth {
    sigset_t before;
    bool held, pending;
};

/* Between the two, in the calling thread, writing beyond the limit of the process (RLIMIT_FSIZE)
 * is an error, EFBIG, and no SIGXFSZ, which would end the host. */
void pail_growth_begin(struct pail_growth *growth);
void pail_growth_end(const struct pail_growth *growth);

#endif /* PAIL_PLATFORM_GROWTH_H */
