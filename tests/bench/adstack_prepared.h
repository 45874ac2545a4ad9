/* SPDX-License-Identifier: Apache-2.0 */
/* Costs of launches that are prepared, beside those that are described each time. */
#ifndef PAIL_BENCH_ADSTACK_PREPARED_H
#define PAIL_BENCH_ADSTACK_PREPARED_H

#include <pail/backend.h>

/* Prints a row for each number of arrays, and how many launches threads with a kernel each make.
 * Ends the process where a size is wrong. */
void bench_prepared(const pail_backend *api, pail_context *context);

#endif /* PAIL_BENCH_ADSTACK_PREPARED_H */
