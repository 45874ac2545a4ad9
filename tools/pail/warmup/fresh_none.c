/* Built where no process can be started from this one as POSIX does. */
#include "warmup.h"

pail_status pail_warm_verify(struct pail_warm_fresh *fresh, const struct pail_warm_options *options,
                             struct pail_error *error)
{
    (void)options;
    *fresh = (struct pail_warm_fresh){0};
    return pail_fail(error, PAIL_ERR_UNSUPPORTED,
                     "--verify: there is no fresh process on this system; run pail warmup "
                     "--expect-hits");
}
