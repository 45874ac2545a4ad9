# Vectors of scalars on a device.
foreach(subject IN ITEMS vectors transforms chain)
  pail_add_plugin_test(gpu_${subject}
      SOURCES ${CMAKE_CURRENT_LIST_DIR}/gpu_${subject}.c ${CMAKE_CURRENT_LIST_DIR}/gpu_support.c)
endforeach()
target_compile_definitions(gpu_transforms PRIVATE _POSIX_C_SOURCE=200809L)
pail_add_test(gpu_vector_kernels GPU
    SOURCES ${CMAKE_CURRENT_LIST_DIR}/gpu_kernels.c ${CMAKE_CURRENT_LIST_DIR}/gpu_support.c LIBS kernels_support)
pail_add_test(fault_vectors GPU
    SOURCES ${PROJECT_SOURCE_DIR}/tests/fault/vectors.c ${CMAKE_CURRENT_LIST_DIR}/gpu_support.c LIBS pail_plugin)
target_compile_definitions(fault_vectors PRIVATE _POSIX_C_SOURCE=200809L)
