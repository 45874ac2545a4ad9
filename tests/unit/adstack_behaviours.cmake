# What compilers rely on, where no other test says it: docs/adstack-behaviours.md.
pail_add_test(unit_adstack_behaviours
    SOURCES ${CMAKE_CURRENT_LIST_DIR}/adstack_behaviours.c ${CMAKE_CURRENT_LIST_DIR}/adstack_service_support.c
    LIBS test_adstack pail_adstack)
target_include_directories(unit_adstack_behaviours PRIVATE ${PROJECT_SOURCE_DIR}/host/ref)
