# SPDX-License-Identifier: Apache-2.0
# The layout of the boundary, and a host library among plugins that fit or do not: nothing here needs a plugin that computes.
# Compiling it is the test.
add_library(abi_layout OBJECT ${CMAKE_CURRENT_LIST_DIR}/layout.c)
pail_target_defaults(abi_layout)
target_include_directories(abi_layout PRIVATE ${PROJECT_SOURCE_DIR}/plugin/include)

# Plugins that are right, old, new or wrong. The last folder of the path must not hold the library
# that one of them depends on.
set(fakes ${CMAKE_BINARY_DIR}/tests/fakes)
add_library(fake_dependency SHARED ${CMAKE_CURRENT_LIST_DIR}/fake_dependency.c)
set_target_properties(fake_dependency PROPERTIES
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests/elsewhere)
foreach(variant IN ITEMS current software other newer short major rude no_table no_name no_slot stub no_device
                         broken stranger dependent undefined)
  string(TOUPPER ${variant} number)
  set(target fake_${variant})
  add_library(${target} MODULE ${CMAKE_CURRENT_LIST_DIR}/fake_plugin.c)
  pail_target_defaults(${target})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/plugin/include)
  set(score 1000000000)
  if(variant STREQUAL software)
    set(score 1)
  endif()
  target_compile_definitions(${target}
      PRIVATE FAKE=FAKE_${number} FAKE_NAME="fake_${variant}" FAKE_SCORE=${score})
  set_target_properties(${target} PROPERTIES
      PREFIX libpail- LIBRARY_OUTPUT_DIRECTORY ${fakes} SKIP_BUILD_RPATH ON)
endforeach()
target_link_libraries(fake_dependent PRIVATE fake_dependency)

add_library(test_files STATIC ${CMAKE_CURRENT_LIST_DIR}/files.c)
pail_target_defaults(test_files)
target_compile_definitions(test_files PUBLIC _GNU_SOURCE)
target_include_directories(test_files PUBLIC ${CMAKE_CURRENT_LIST_DIR})

pail_add_test(abi_negotiate SOURCES negotiate.c LIBS test_files pail)
target_compile_definitions(abi_negotiate
    PRIVATE PAIL_TEST_FAKES="${fakes}" FAKE_SCORE=1000000000)
pail_add_test(abi_statuses SOURCES statuses.c LIBS pail pail_curves)
target_compile_definitions(abi_statuses PRIVATE PAIL_TEST_VERSION="${PROJECT_VERSION}")
