# SPDX-License-Identifier: Apache-2.0
# Processes that write one cache file at once and are killed.
add_executable(cache_kill ${CMAKE_CURRENT_LIST_DIR}/cache_kill.c)
pail_target_defaults(cache_kill)
target_link_libraries(cache_kill PRIVATE pail_cache)
set_target_properties(cache_kill PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
add_test(NAME fault_cache_kill COMMAND cache_kill)
set_tests_properties(fault_cache_kill PROPERTIES LABELS cpu)
