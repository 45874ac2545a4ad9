# SPDX-License-Identifier: Apache-2.0
# Reductions on a device, next to the host's evaluator.
add_library(adstack_gpu_support STATIC ${CMAKE_CURRENT_LIST_DIR}/gpu_support.c)
pail_target_defaults(adstack_gpu_support)
target_link_libraries(adstack_gpu_support PUBLIC vk_support pail_plugin test_adstack)
foreach(part IN ITEMS arith ends portions random record reduce threads)
  pail_add_test(gpu_adstack_${part} SOURCES gpu_${part}.c LIBS adstack_gpu_support GPU)
endforeach()
pail_add_test(gpu_adstack_choices SOURCES gpu_choices.c ${PROJECT_SOURCE_DIR}/tests/support/host_store.c
    LIBS adstack_gpu_support GPU)
