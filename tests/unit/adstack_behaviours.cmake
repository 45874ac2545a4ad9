# What compilers rely on, where no other test says it: docs/adstack-behaviours.md.
pail_add_test(unit_adstack_behaviours
    SOURCES ${CMAKE_CURRENT_LIST_DIR}/adstack_behaviours.c LIBS test_adstack_service)
