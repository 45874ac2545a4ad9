# GPU tests drive the plugin as a host does; the path of this build's plugin is compiled in.
pail_add_test(gpu_msm GPU
    SOURCES ${CMAKE_CURRENT_LIST_DIR}/msm.c ${CMAKE_CURRENT_LIST_DIR}/plugin.c
    LIBS pail_ref ${CMAKE_DL_LIBS})
target_include_directories(gpu_msm PRIVATE ${CMAKE_SOURCE_DIR}/plugin/include)
target_compile_definitions(gpu_msm PRIVATE
    PAIL_TEST_PLUGIN_FILE="$<TARGET_FILE:pail-vulkan>")
add_dependencies(gpu_msm pail-vulkan)
