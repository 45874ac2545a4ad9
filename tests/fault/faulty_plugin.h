/* SPDX-License-Identifier: Apache-2.0 */
/* The plugin of the tests alone, which has the faults of plugin/faults.c, one at a time. */
#ifndef PAIL_TESTS_FAULT_FAULTY_PLUGIN_H
#define PAIL_TESTS_FAULT_FAULTY_PLUGIN_H

#include "support/moved.h"
#include "support/plugin.h"
#include "support/test.h"

/* Returns 0, or what is the matter, as a setup function of cmocka's does. */
static inline int faulty_plugin_load(struct test_plugin *plugin)
{
    setenv("PAIL_TEST_PLUGIN", test_path(PAIL_TEST_FAULTY_PLUGIN_FILE).text, 1);
    unsetenv("PAIL_FAULT");
    return test_plugin_load(plugin);
}

static inline int faulty_plugin_close(struct test_plugin *plugin)
{
    unsetenv("PAIL_FAULT");
    return test_plugin_close(plugin);
}

/* A context with the fault; "": with none. */
static inline void faulty_plugin_context(struct test_plugin *plugin, const char *fault)
{
    setenv("PAIL_FAULT", fault, 1);
    if (test_plugin_context(plugin) != 0)
        fail_msg("%s", fault);
}

#endif /* PAIL_TESTS_FAULT_FAULTY_PLUGIN_H */
