# Memory that is counted, for tests that need no plugin.
add_library(test_counted STATIC ${CMAKE_CURRENT_LIST_DIR}/counted.c)
pail_target_defaults(test_counted)
# Tests that drive the plugin as a host does. The path of this build's plugin is compiled in.
add_library(test_plugin STATIC ${CMAKE_CURRENT_LIST_DIR}/plugin.c)
pail_target_defaults(test_plugin)
target_include_directories(test_plugin PUBLIC ${CMAKE_SOURCE_DIR}/plugin/include)
target_compile_definitions(test_plugin PRIVATE PAIL_TEST_PLUGIN_FILE="$<TARGET_FILE:pail-vulkan>")
target_link_libraries(test_plugin PUBLIC pail_curves cmocka ${CMAKE_DL_LIBS})
function(pail_add_plugin_test name)
  cmake_parse_arguments(arg "" "" "SOURCES;LIBS" ${ARGN})
  pail_add_test(${name} GPU
      SOURCES ${arg_SOURCES} LIBS test_plugin ${arg_LIBS})
  target_compile_definitions(${name} PRIVATE
      PAIL_TEST_PLUGIN_FILE="$<TARGET_FILE:pail-vulkan>")
  add_dependencies(${name} pail-vulkan)
endfunction()
