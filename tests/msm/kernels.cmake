# SPDX-License-Identifier: Apache-2.0
# Kernels one by one, next to their CPU twins, and the arithmetic under them; the static libraries
# are linked, no plugin is loaded.
add_library(kernels_support STATIC
    ${CMAKE_CURRENT_LIST_DIR}/kernels_support.c ${CMAKE_CURRENT_LIST_DIR}/kernels_mutation.c)
pail_target_defaults(kernels_support)
target_link_libraries(kernels_support PUBLIC vk_support test_twins pail_plugin)
pail_add_test(gpu_kernels GPU SOURCES kernels.c kernels_index.c kernels_order.c kernels_points.c kernels_shares.c
    kernels_walk.c kernels_fuzz.c kernels_check.c kernels_sort.c kernels_glv.c kernels_compact.c kernels_table.c kernels_jacobian.c
    LIBS kernels_support test_jacobian)
# Kernels of tests alone, over the test curves as well: the layer below is built again with the list that has both.
pail_add_test(gpu_probe GPU SOURCES probe.c probe_field.c probe_points.c kernels_support.c kernels_mutation.c
    ${PROJECT_SOURCE_DIR}/tests/vk/support.c LIBS pail_vk_toys)
target_include_directories(gpu_probe PRIVATE ${PROJECT_SOURCE_DIR}/tests)
pail_add_test(gpu_bases GPU SOURCES bases.c bases_memory.c bases_bad.c bases_read.c bases_support.c
    LIBS kernels_support test_jacobian)
pail_add_test(gpu_wipe GPU SOURCES wipe.c LIBS pail_plugin)
