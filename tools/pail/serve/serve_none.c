/* SPDX-License-Identifier: Apache-2.0 */
/* Built where there are no sockets and signals of POSIX. */
#include "serve.h"

pail_status pail_serve(const struct pail_serve_options *options, struct pail_error *error)
{
    (void)options;
    return pail_fail(error, PAIL_ERR_UNSUPPORTED,
                     "serve is not in the pail of this system; prove and --batch are");
}
