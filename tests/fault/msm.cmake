pail_add_test(fault_msm GPU SOURCES ${CMAKE_CURRENT_LIST_DIR}/msm.c LIBS pail_plugin)
