# <pail/kzg.h>: the same program on the CPU backend and on a device.
pail_add_test(unit_kzg SOURCES kzg.c made.c LIBS pail_curves pail)
set_tests_properties(unit_kzg PROPERTIES ENVIRONMENT "PAIL_BACKEND=cpu")
pail_again(gpu_kzg unit_kzg PAIL_BACKEND=vulkan)
add_dependencies(unit_kzg pail-vulkan)
