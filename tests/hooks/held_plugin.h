/* SPDX-License-Identifier: Apache-2.0 */
/* The gate of the plugin "held", found by dlsym. */
#ifndef PAIL_TESTS_HELD_PLUGIN_H
#define PAIL_TESTS_HELD_PLUGIN_H

#include <stdbool.h>

void held_shut(bool shut);
/* Waits until at least n threads wait at the gate. */
void held_wait(int n);

#endif /* PAIL_TESTS_HELD_PLUGIN_H */
