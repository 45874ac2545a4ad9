# The CPU twins of the kernels, driven by the plan of an MSM.
pail_add_test(unit_twin SOURCES ${CMAKE_CURRENT_LIST_DIR}/twin.c LIBS pail_plugin)
