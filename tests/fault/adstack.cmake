pail_add_test(fault_adstack GPU SOURCES adstack.c LIBS adstack_gpu_support)
