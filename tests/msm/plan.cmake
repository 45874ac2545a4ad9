# SPDX-License-Identifier: Apache-2.0
# The plan of an MSM, without a device.
pail_add_test(unit_plan SOURCES plan.c plan_check.c LIBS pail_plugin)
pail_add_test(unit_plan_streamed SOURCES plan_streamed.c plan_check.c LIBS pail_plugin)
pail_add_test(unit_resolution SOURCES resolution.c LIBS pail_plugin pail_modules)
pail_add_test(unit_accumulator SOURCES accumulator.c LIBS pail_plugin pail_modules)
pail_add_test(unit_comparison SOURCES comparison.c LIBS pail_plugin)
pail_add_test(unit_sorter SOURCES sort_kernels.c LIBS pail_plugin pail_modules)
pail_add_test(unit_ids SOURCES ids.c LIBS pail_plugin)
pail_add_test(unit_doubles SOURCES fp64.c LIBS pail_plugin pail_modules)
