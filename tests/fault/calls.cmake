# SPDX-License-Identifier: Apache-2.0
# Calls of the system that fail, in a program of the cache's and by LD_PRELOAD in the command.
pail_add_test(fault_cache_calls SOURCES cache_calls.c syscalls.c LIBS test_cache ${CMAKE_DL_LIBS})
pail_add_test(fault_power_loss SOURCES power_loss.c disk.c syscalls.c LIBS test_cache ${CMAKE_DL_LIBS})
pail_add_test(fault_format_calls SOURCES format_calls.c syscalls.c LIBS test_formats ${CMAKE_DL_LIBS})
target_compile_definitions(fault_format_calls PRIVATE _GNU_SOURCE PAIL_TEST_DATA="${CMAKE_SOURCE_DIR}/tests/data")
add_library(test_syscalls MODULE ${CMAKE_CURRENT_LIST_DIR}/syscalls.c)
pail_target_defaults(test_syscalls)
target_compile_definitions(test_syscalls PRIVATE _GNU_SOURCE PAIL_TEST_PRELOADED)
target_link_libraries(test_syscalls PRIVATE ${CMAKE_DL_LIBS})
set_target_properties(test_syscalls PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
# A sanitizer wants to be the first library of a process.
if(NOT PAIL_SANITIZE)
  set(fault_calls ${cli_command})
  list(TRANSFORM fault_calls REPLACE "/test_pail\\.py$" "/test_calls.py")
  list(APPEND fault_calls $<TARGET_FILE:test_syscalls> $<TARGET_FILE:cli_fake_backend> $<TARGET_FILE:insecure_setup>)
  add_test(NAME cli_calls COMMAND ${fault_calls} Calls)
  set_tests_properties(cli_calls PROPERTIES LABELS cpu COST 100) # as in ../CMakeLists.txt
  add_test(NAME cli_calls_vulkan COMMAND ${fault_calls} Drivers)
  set_tests_properties(cli_calls_vulkan PROPERTIES LABELS gpu)
endif()
