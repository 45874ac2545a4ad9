/* Built where no process can be started as POSIX does. */
#include "report.h"

void pail_report_write(const struct pail_report_options *options, struct pail_error *error)
{
    (void)options;
    (void)pail_fail(error, PAIL_ERR_UNSUPPORTED,
                    "report is not in the pail of this system; check, bench and membudget are");
}
