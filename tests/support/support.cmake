# Tests that drive the plugin as a host does. The path of this build's plugin is compiled in.
function(pail_add_plugin_test name)
  cmake_parse_arguments(arg "" "" "SOURCES;LIBS" ${ARGN})
  pail_add_test(${name} GPU
      SOURCES ${arg_SOURCES} ${PROJECT_SOURCE_DIR}/tests/support/plugin.c
      LIBS pail_curves ${arg_LIBS} ${CMAKE_DL_LIBS})
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR}/plugin/include)
  target_compile_definitions(${name} PRIVATE
      PAIL_TEST_PLUGIN_FILE="$<TARGET_FILE:pail-vulkan>")
  add_dependencies(${name} pail-vulkan)
endfunction()
