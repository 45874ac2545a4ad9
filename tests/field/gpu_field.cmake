# SPDX-License-Identifier: Apache-2.0
# Vectors of scalars on a device.
foreach(subject IN ITEMS vectors transforms chain)
  pail_add_plugin_test(gpu_${subject} SOURCES gpu_${subject}.c gpu_support.c)
endforeach()
target_compile_definitions(gpu_transforms PRIVATE _POSIX_C_SOURCE=200809L)

# Faults put in on purpose, as for multiplications.
pail_add_plugin_test(fault_vectors_injected SOURCES ${PROJECT_SOURCE_DIR}/tests/fault/vectors_injected.c gpu_support.c)
target_compile_definitions(fault_vectors_injected PRIVATE PAIL_TEST_FAULTY_PLUGIN_FILE="$<TARGET_FILE:pail-vulkan-test>")
add_dependencies(fault_vectors_injected pail-vulkan-test)

pail_add_test(gpu_vector_kernels GPU SOURCES gpu_kernels.c gpu_points.c gpu_support.c LIBS kernels_support)
pail_add_test(fault_vectors GPU SOURCES ${PROJECT_SOURCE_DIR}/tests/fault/vectors.c gpu_support.c LIBS pail_plugin)
