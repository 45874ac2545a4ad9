/* SPDX-License-Identifier: Apache-2.0 */
/* The plugin under the tests of the prover. */
#include "support.h"
#include "support/plugin_group.h"
#include "support/test.h"

const pail_backend *backend;
pail_context *context;

int support_setup(void **state)
{
    if (plugin_setup(state) != 0)
        return -1;
    backend = plugin.api;
    context = plugin.context;
    return 0;
}

int support_teardown(void **state)
{
    return plugin_teardown(state);
}
