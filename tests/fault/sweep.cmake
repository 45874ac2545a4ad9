# Links the plugin, for faults in it.
pail_add_test(fault_sweep GPU
    SOURCES ${CMAKE_CURRENT_LIST_DIR}/sweep.c ${CMAKE_CURRENT_LIST_DIR}/devices_faults.c ${PROJECT_SOURCE_DIR}/plugin/entry.c
    LIBS pail_plugin test_prover)
target_include_directories(fault_sweep PRIVATE ${PROJECT_SOURCE_DIR}/host ${PROJECT_SOURCE_DIR}/tests)
target_compile_definitions(fault_sweep PRIVATE _POSIX_C_SOURCE=200809L PAIL_VERSION="${PROJECT_VERSION}")
