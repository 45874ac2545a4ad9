/* SPDX-License-Identifier: Apache-2.0 */
/* Built where no process can be started as POSIX does. */
#include "report.h"

static pail_status refuse(struct pail_error *error)
{
    return pail_fail(error, PAIL_ERR_UNSUPPORTED,
                     "report is not in the pail of this system; check, bench and membudget are");
}

void pail_report_write(const struct pail_report_options *options, struct pail_error *error)
{
    (void)options;
    (void)refuse(error);
}

pail_status pail_report_make_key(const char *folder, uint32_t constraints, struct pail_error *error)
{
    (void)folder;
    (void)constraints;
    return refuse(error);
}
