# SPDX-License-Identifier: Apache-2.0
# Reductions on a device: what they must not do quietly.
pail_add_test(gpu_adstack_review SOURCES gpu_review.c LIBS adstack_gpu_support GPU)
# Through the boundary, as a device that something watches over.
pail_add_plugin_test(gpu_adstack_watchdog SOURCES watchdog.c LIBS test_adstack)
