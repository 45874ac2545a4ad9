pail_add_test(fault_msm GPU SOURCES ${CMAKE_CURRENT_LIST_DIR}/msm.c LIBS pail_plugin)
target_compile_definitions(fault_msm PRIVATE _POSIX_C_SOURCE=200809L)
