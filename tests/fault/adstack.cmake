pail_add_test(fault_adstack GPU SOURCES ${CMAKE_CURRENT_LIST_DIR}/adstack.c LIBS adstack_gpu_support)
