# SPDX-License-Identifier: Apache-2.0
# Behaviours that compilers rely on, where no other test says it: docs/adstack-behaviours.md.
pail_add_test(unit_adstack_behaviours SOURCES behaviours.c LIBS test_adstack_service)
# The example that takes a compiler's own expressions, on the CPU backend.
pail_add_test(unit_adstack_adapter SOURCES adapter.cpp LIBS pail_cpu)
target_compile_options(unit_adstack_adapter PRIVATE ${PAIL_BUSY_OPTIONS})
target_include_directories(unit_adstack_adapter PRIVATE ${PROJECT_SOURCE_DIR}/host ${PROJECT_SOURCE_DIR}/host/example)
