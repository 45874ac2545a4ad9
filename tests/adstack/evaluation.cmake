# How an evaluation goes on the host: columns, what ends it, chains of ranges.
pail_add_test(unit_adstack_columns
    SOURCES ${CMAKE_CURRENT_LIST_DIR}/columns.c LIBS test_adstack_programs)
target_compile_options(unit_adstack_columns PRIVATE ${PAIL_BUSY_OPTIONS})
pail_add_test(unit_adstack_bodies
    SOURCES ${CMAKE_CURRENT_LIST_DIR}/bodies.c LIBS test_adstack_programs)
pail_add_test(unit_adstack_stop
    SOURCES ${CMAKE_CURRENT_LIST_DIR}/stop.c LIBS test_adstack_service)
pail_add_test(unit_adstack_launches
    SOURCES ${CMAKE_CURRENT_LIST_DIR}/launches.c LIBS test_adstack_service)
pail_add_test(unit_adstack_chains
    SOURCES ${CMAKE_CURRENT_LIST_DIR}/chains.c LIBS test_adstack_programs)
