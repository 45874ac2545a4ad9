# SPDX-License-Identifier: Apache-2.0
# The cache of pipelines: entries, files, what becomes of damage, and many threads at once.
add_library(test_cache STATIC ${CMAKE_CURRENT_LIST_DIR}/support.c)
pail_target_defaults(test_cache)
target_include_directories(test_cache PUBLIC ${PROJECT_SOURCE_DIR}/host)
target_link_libraries(test_cache PUBLIC pail_cache test_files)
foreach(part IN ITEMS bytes entry limits lock memory outside process refuse round threads)
  pail_add_test(unit_cache_${part} SOURCES ${part}.c LIBS test_cache)
  target_compile_definitions(unit_cache_${part} PRIVATE PAIL_TEST_DOCS="${PROJECT_SOURCE_DIR}/docs")
endforeach()
