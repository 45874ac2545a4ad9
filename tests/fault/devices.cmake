pail_add_test(fault_devices GPU
    SOURCES ${CMAKE_CURRENT_LIST_DIR}/devices.c ${CMAKE_CURRENT_LIST_DIR}/devices_faults.c ${PROJECT_SOURCE_DIR}/plugin/entry.c
    LIBS pail_plugin pail_host)
target_include_directories(fault_devices PRIVATE ${PROJECT_SOURCE_DIR}/host)
target_compile_definitions(fault_devices PRIVATE _POSIX_C_SOURCE=200809L PAIL_VERSION="${PROJECT_VERSION}")
