# SPDX-License-Identifier: Apache-2.0
# Memory that is counted, for tests that need no plugin.
add_library(test_counted STATIC ${CMAKE_CURRENT_LIST_DIR}/counted.c)
pail_target_defaults(test_counted)
# Jacobian points of tests.
add_library(test_jacobian STATIC ${CMAKE_CURRENT_LIST_DIR}/jacobian.c)
pail_target_defaults(test_jacobian)
target_link_libraries(test_jacobian PUBLIC pail_curves test_main)
# Tests that drive the plugin as a host does. The path of this build's plugin is compiled in.
add_library(test_plugin STATIC ${CMAKE_CURRENT_LIST_DIR}/plugin.c)
pail_target_defaults(test_plugin)
target_include_directories(test_plugin PUBLIC ${CMAKE_SOURCE_DIR}/plugin/include)
target_compile_definitions(test_plugin PRIVATE PAIL_TEST_PLUGIN_FILE="$<TARGET_FILE:pail-vulkan>")
target_link_libraries(test_plugin PUBLIC pail_curves test_main ${CMAKE_DL_LIBS})
# A program of a GPU test again, in another environment: pail_again(gpu_x_fences gpu_x PAIL_LIMITS=timeline=0).
function(pail_again name test)
  add_test(NAME ${name} COMMAND ${test})
  set_tests_properties(${name} PROPERTIES LABELS gpu ENVIRONMENT "PAIL_TUNE=0;${ARGN}")
endfunction()
# A host's own device, which such tests import.
find_package(Vulkan REQUIRED)
add_library(test_host_device STATIC ${CMAKE_CURRENT_LIST_DIR}/host_device.c ${CMAKE_CURRENT_LIST_DIR}/limits.c)
pail_target_defaults(test_host_device)
target_include_directories(test_host_device PUBLIC ${CMAKE_SOURCE_DIR}/tests)
target_link_libraries(test_host_device PUBLIC test_plugin Vulkan::Vulkan)
function(pail_add_plugin_test name)
  cmake_parse_arguments(arg "" "" "SOURCES;LIBS" ${ARGN})
  pail_add_test(${name} GPU SOURCES ${arg_SOURCES} LIBS test_plugin ${arg_LIBS})
  target_compile_definitions(${name} PRIVATE
      PAIL_TEST_PLUGIN_FILE="$<TARGET_FILE:pail-vulkan>")
  add_dependencies(${name} pail-vulkan)
endfunction()

# The interpreter of tests in a browser: Debian's has the packages of apt, where another one comes first in the path.
find_program(PAIL_BROWSER_PYTHON python3 PATHS /usr/bin NO_DEFAULT_PATH)
find_program(PAIL_BROWSER_PYTHON python3)
