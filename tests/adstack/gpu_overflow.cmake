# Kernels of a host that report overflows. The functions of msm.cmake are not there yet: lists are taken in order.
find_package(Vulkan REQUIRED)
pail_add_test(gpu_adstack_overflow GPU
    SOURCES ${CMAKE_CURRENT_LIST_DIR}/gpu_overflow.c
            ${CMAKE_CURRENT_LIST_DIR}/host_kernel.c
    LIBS test_host_device)
target_compile_definitions(gpu_adstack_overflow PRIVATE PAIL_TEST_PLUGIN_FILE="$<TARGET_FILE:pail-vulkan>")
add_dependencies(gpu_adstack_overflow pail-vulkan)
foreach(shader IN ITEMS stacks storm storm_address)
  pail_add_shader(gpu_adstack_overflow ${CMAKE_CURRENT_LIST_DIR}/shaders ${shader} ${CMAKE_SOURCE_DIR}/plugin/include)
endforeach()

# The whole of it, through the boundary.
pail_add_test(gpu_adstack_host GPU
    SOURCES ${CMAKE_CURRENT_LIST_DIR}/gpu_host.c
            ${CMAKE_CURRENT_LIST_DIR}/host_kernel.c
    LIBS test_adstack test_host_device)
target_compile_definitions(gpu_adstack_host PRIVATE PAIL_TEST_PLUGIN_FILE="$<TARGET_FILE:pail-vulkan>")
add_dependencies(gpu_adstack_host pail-vulkan)
pail_add_shader(gpu_adstack_host ${CMAKE_CURRENT_LIST_DIR}/shaders storm_address ${CMAKE_SOURCE_DIR}/plugin/include)
pail_add_test(gpu_adstack_pointers GPU
    SOURCES ${CMAKE_CURRENT_LIST_DIR}/gpu_pointers.c
    LIBS test_adstack test_host_device)
target_compile_definitions(gpu_adstack_pointers PRIVATE PAIL_TEST_PLUGIN_FILE="$<TARGET_FILE:pail-vulkan>")
add_dependencies(gpu_adstack_pointers pail-vulkan)
pail_add_test(gpu_adstack_healing GPU
    SOURCES ${CMAKE_CURRENT_LIST_DIR}/gpu_healing.c
            ${CMAKE_CURRENT_LIST_DIR}/host_kernel.c
    LIBS test_adstack test_host_device)
target_compile_definitions(gpu_adstack_healing PRIVATE PAIL_TEST_PLUGIN_FILE="$<TARGET_FILE:pail-vulkan>")
add_dependencies(gpu_adstack_healing pail-vulkan)
pail_add_shader(gpu_adstack_healing ${CMAKE_CURRENT_LIST_DIR}/shaders storm_address ${CMAKE_SOURCE_DIR}/plugin/include)
