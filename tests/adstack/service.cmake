# SPDX-License-Identifier: Apache-2.0
# The service around the evaluators: ids, layouts, what is found again, threads, blobs, overflows.
add_library(test_adstack_service STATIC ${CMAKE_CURRENT_LIST_DIR}/service_support.c
    ${CMAKE_CURRENT_LIST_DIR}/prepared_support.c)
pail_target_defaults(test_adstack_service)
target_include_directories(test_adstack_service PUBLIC ${PROJECT_SOURCE_DIR}/host)
target_link_libraries(test_adstack_service PUBLIC test_adstack pail_adstack)
foreach(part IN ITEMS blob cache counters foreign foreign_bytes healing hits ids launch layout memory overflow pointers
        prepared prepared_random recorded tasks threads)
  pail_add_test(unit_adstack_service_${part} SOURCES service_${part}.c LIBS test_adstack_service)
endforeach()
pail_add_test(unit_adstack_culprit SOURCES culprit.c LIBS test_adstack_service)
pail_add_test(unit_adstack_turnover SOURCES turnover.c LIBS test_adstack_service)
