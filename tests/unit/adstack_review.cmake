# What looked wrong to a sceptical reader of the adstack service.
pail_add_test(unit_adstack_review
    SOURCES ${CMAKE_CURRENT_LIST_DIR}/adstack_review.c ${CMAKE_CURRENT_LIST_DIR}/adstack_service_support.c
    LIBS test_adstack pail_adstack)
target_include_directories(unit_adstack_review PRIVATE ${PROJECT_SOURCE_DIR}/host/ref)
