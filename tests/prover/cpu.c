/* SPDX-License-Identifier: Apache-2.0 */
/* The CPU backend under the tests of the prover. */
#include "support.h"
#include <cpu/cpu.h>

#include "support/test.h"

const pail_backend *backend;
pail_context *context;

int support_setup(void **state)
{
    (void)state;
    static const pail_host host = {
        .struct_size = sizeof(host), .abi_major = PAIL_ABI_MAJOR, .abi_minor = PAIL_ABI_MINOR};
    const pail_context_params params = {.struct_size = sizeof(params)};
    return pail_cpu_open(&host, &backend) != PAIL_OK ||
           backend->context_create(&host, &context, &params) != PAIL_OK;
}

int support_teardown(void **state)
{
    (void)state;
    backend->context_destroy(&context);
    return 0;
}
