# Vectors of scalars on a device.
pail_add_plugin_test(gpu_vectors
    SOURCES ${CMAKE_CURRENT_LIST_DIR}/gpu_vectors.c ${CMAKE_CURRENT_LIST_DIR}/gpu_support.c)
pail_add_test(gpu_vector_kernels GPU
    SOURCES ${CMAKE_CURRENT_LIST_DIR}/gpu_kernels.c ${CMAKE_CURRENT_LIST_DIR}/gpu_support.c LIBS kernels_support)
