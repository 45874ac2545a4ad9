# SPDX-License-Identifier: Apache-2.0
# The Vulkan layer of the plugin, each file a program. All share vk_support.c, as an object: what it overrides under
# sanitizers would be hidden in an archive (--exclude-libs of spirv/).
add_library(vk_support OBJECT ${CMAKE_CURRENT_LIST_DIR}/support.c)
pail_target_defaults(vk_support)
target_compile_definitions(vk_support PUBLIC _POSIX_C_SOURCE=200809L)
target_link_libraries(vk_support PUBLIC pail_vk test_main)
foreach(part IN ITEMS device memory staging cmd fences import indirect pointers portions waits)
  pail_add_test(gpu_vk_${part} SOURCES ${part}.c LIBS vk_support GPU)
endforeach()
pail_add_test(gpu_vk_queues SOURCES queues.c LIBS vk_support pail_plugin GPU)
pail_add_test(gpu_vk_cache SOURCES cache.c caching_driver.c ${PROJECT_SOURCE_DIR}/tests/support/host_store.c
    LIBS vk_support GPU)
pail_add_test(gpu_vk_text SOURCES text.c ${PROJECT_SOURCE_DIR}/tests/support/host_store.c LIBS vk_support GPU)
