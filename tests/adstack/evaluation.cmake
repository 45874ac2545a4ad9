# SPDX-License-Identifier: Apache-2.0
# How an evaluation goes on the host: columns, what ends it, chains of ranges.
pail_add_test(unit_adstack_columns SOURCES columns.c LIBS test_adstack_programs)
target_compile_options(unit_adstack_columns PRIVATE ${PAIL_BUSY_OPTIONS})
pail_add_test(unit_adstack_bodies SOURCES bodies.c LIBS test_adstack_programs)
pail_add_test(unit_adstack_stop SOURCES stop.c LIBS test_adstack_service)
pail_add_test(unit_adstack_launches SOURCES launches.c LIBS test_adstack_service)
pail_add_test(unit_adstack_chains SOURCES chains.c LIBS test_adstack_programs)
