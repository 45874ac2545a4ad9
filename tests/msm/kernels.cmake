# Kernels one by one, next to their CPU twins, and the arithmetic under them; the static libraries
# are linked, no plugin is loaded.
add_library(kernels_support STATIC
    ${CMAKE_CURRENT_LIST_DIR}/kernels_support.c ${CMAKE_CURRENT_LIST_DIR}/kernels_mutation.c)
pail_target_defaults(kernels_support)
target_link_libraries(kernels_support PUBLIC vk_support test_twins pail_plugin)
pail_add_test(gpu_kernels GPU
    SOURCES ${CMAKE_CURRENT_LIST_DIR}/kernels.c ${CMAKE_CURRENT_LIST_DIR}/kernels_index.c
            ${CMAKE_CURRENT_LIST_DIR}/kernels_order.c
            ${CMAKE_CURRENT_LIST_DIR}/kernels_points.c ${CMAKE_CURRENT_LIST_DIR}/kernels_shares.c
            ${CMAKE_CURRENT_LIST_DIR}/kernels_walk.c ${CMAKE_CURRENT_LIST_DIR}/kernels_fuzz.c
            ${CMAKE_CURRENT_LIST_DIR}/kernels_check.c ${CMAKE_CURRENT_LIST_DIR}/kernels_sort.c
            ${CMAKE_CURRENT_LIST_DIR}/kernels_glv.c ${CMAKE_CURRENT_LIST_DIR}/kernels_table.c
            ${CMAKE_CURRENT_LIST_DIR}/kernels_jacobian.c
    LIBS kernels_support test_jacobian)
# Kernels of tests alone, over the test curves as well: the layer below is built again with the list that has both.
pail_add_test(gpu_probe GPU
    SOURCES ${CMAKE_CURRENT_LIST_DIR}/probe.c ${CMAKE_CURRENT_LIST_DIR}/probe_field.c
            ${CMAKE_CURRENT_LIST_DIR}/probe_points.c ${CMAKE_CURRENT_LIST_DIR}/kernels_support.c
            ${CMAKE_CURRENT_LIST_DIR}/kernels_mutation.c
            ${PROJECT_SOURCE_DIR}/tests/vk/support.c
    LIBS pail_vk_toys)
target_include_directories(gpu_probe PRIVATE ${PROJECT_SOURCE_DIR}/tests)
target_compile_definitions(gpu_probe PRIVATE _POSIX_C_SOURCE=200809L)
pail_add_test(gpu_bases GPU
    SOURCES ${CMAKE_CURRENT_LIST_DIR}/bases.c ${CMAKE_CURRENT_LIST_DIR}/bases_memory.c
            ${CMAKE_CURRENT_LIST_DIR}/bases_bad.c ${CMAKE_CURRENT_LIST_DIR}/bases_read.c ${CMAKE_CURRENT_LIST_DIR}/bases_support.c
    LIBS kernels_support test_jacobian)
pail_add_test(gpu_wipe GPU SOURCES ${CMAKE_CURRENT_LIST_DIR}/wipe.c LIBS pail_plugin)
target_compile_definitions(gpu_wipe PRIVATE _POSIX_C_SOURCE=200809L)
