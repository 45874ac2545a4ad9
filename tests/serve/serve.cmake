# SPDX-License-Identifier: Apache-2.0
# pail serve, run as a user runs it.
include(PailMicrohttpd)
find_package(Python3 3.9 REQUIRED COMPONENTS Interpreter)

# A device that can be lost.
add_library(serve_losing_backend MODULE ${CMAKE_CURRENT_LIST_DIR}/losing_backend.c)
pail_target_defaults(serve_losing_backend)
target_include_directories(serve_losing_backend PRIVATE ${CMAKE_SOURCE_DIR}/plugin/include ${CMAKE_SOURCE_DIR}/host)
target_link_libraries(serve_losing_backend PRIVATE pail_cpu pail_points pail_curves pail_platform)
set_target_properties(serve_losing_backend PROPERTIES
    PREFIX libpail- OUTPUT_NAME losing LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests/serve)

set(serve_arguments $<TARGET_FILE:pail_command> ${CMAKE_SOURCE_DIR}/tests/data $<TARGET_FILE:serve_losing_backend>)
if(MICROHTTPD_INCLUDE_DIR)
  foreach(part IN ITEMS serve config requests limits faults page)
    set(python ${Python3_EXECUTABLE})
    if(part STREQUAL page)
      set(python ${PAIL_BROWSER_PYTHON})
    endif()
    add_test(NAME serve_${part} COMMAND ${python} ${CMAKE_CURRENT_LIST_DIR}/test_${part}.py ${serve_arguments})
    set_tests_properties(serve_${part} PROPERTIES LABELS cpu)
  endforeach()
  add_test(NAME serve_hardware COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/test_serve.py ${serve_arguments})
  set_tests_properties(serve_hardware PROPERTIES LABELS hardware ENVIRONMENT PAIL_TEST_BACKEND=vulkan)
  set_tests_properties(serve_requests serve_limits serve_faults PROPERTIES COST 100) # as in ../CMakeLists.txt
endif()
# Requests and tokens, without a connection.
pail_add_test(unit_serve_request
    SOURCES ${CMAKE_CURRENT_LIST_DIR}/request.c LIBS pail_command_parts)
target_compile_definitions(unit_serve_request PRIVATE _GNU_SOURCE) # mkstemp
if(MICROHTTPD_INCLUDE_DIR)
  pail_add_test(unit_serve_forget SOURCES ${CMAKE_CURRENT_LIST_DIR}/forget.c LIBS pail_command_parts)
  target_compile_definitions(unit_serve_forget PRIVATE _POSIX_C_SOURCE=200809L) # nanosleep
endif()
