# Multiplications through the boundary.
find_package(Vulkan REQUIRED)
pail_add_plugin_test(gpu_msm SOURCES ${CMAKE_CURRENT_LIST_DIR}/msm.c ${CMAKE_CURRENT_LIST_DIR}/workload.c)
find_package(Python3 3.9 REQUIRED COMPONENTS Interpreter)
add_test(NAME gpu_msm_profiles
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/profiles.py $<TARGET_FILE:gpu_msm>)
set_tests_properties(gpu_msm_profiles PROPERTIES LABELS gpu)
pail_add_plugin_test(gpu_memory SOURCES ${CMAKE_CURRENT_LIST_DIR}/memory.c)
target_compile_definitions(gpu_memory PRIVATE _POSIX_C_SOURCE=200809L)
pail_add_plugin_test(gpu_buckets SOURCES ${CMAKE_CURRENT_LIST_DIR}/buckets.c)
pail_add_plugin_test(gpu_overlap SOURCES ${CMAKE_CURRENT_LIST_DIR}/overlap.c LIBS Threads::Threads)
target_compile_definitions(gpu_overlap PRIVATE _POSIX_C_SOURCE=200809L)
pail_add_plugin_test(gpu_bundles SOURCES ${CMAKE_CURRENT_LIST_DIR}/bundles.c LIBS Threads::Threads)
pail_add_plugin_test(gpu_soundness SOURCES ${CMAKE_CURRENT_LIST_DIR}/soundness.c)
pail_add_plugin_test(gpu_tables
    SOURCES ${CMAKE_CURRENT_LIST_DIR}/tables.c ${CMAKE_CURRENT_LIST_DIR}/point_set.c)
target_compile_definitions(gpu_tables PRIVATE _POSIX_C_SOURCE=200809L)
pail_add_plugin_test(gpu_glv
    SOURCES ${CMAKE_CURRENT_LIST_DIR}/glv.c ${CMAKE_CURRENT_LIST_DIR}/point_set.c)
pail_add_plugin_test(gpu_runs SOURCES ${CMAKE_CURRENT_LIST_DIR}/runs.c)
pail_add_plugin_test(gpu_limits
    SOURCES ${CMAKE_CURRENT_LIST_DIR}/limits.c ${CMAKE_CURRENT_LIST_DIR}/workload.c)
target_compile_definitions(gpu_limits PRIVATE _POSIX_C_SOURCE=200809L)
pail_add_plugin_test(gpu_import
    SOURCES ${CMAKE_CURRENT_LIST_DIR}/import.c LIBS test_host_device)

# Faults put in on purpose. The plugin with them is built beside the shipped one, which must not know of any.
pail_add_plugin_test(fault_injected SOURCES
    ${PROJECT_SOURCE_DIR}/tests/fault/injected.c ${CMAKE_CURRENT_LIST_DIR}/workload.c)
target_compile_definitions(fault_injected PRIVATE _POSIX_C_SOURCE=200809L
    PAIL_TEST_FAULTY_PLUGIN_FILE="$<TARGET_FILE:pail-vulkan-test>")
add_dependencies(fault_injected pail-vulkan-test)

# Curves small enough to try everything are in the tests' plugin alone.
pail_add_test(gpu_exhaustive GPU
    SOURCES ${CMAKE_CURRENT_LIST_DIR}/exhaustive.c ${PROJECT_SOURCE_DIR}/tests/support/plugin.c
    LIBS pail_curves_toys pail_kernels_toys ${CMAKE_DL_LIBS})
target_include_directories(gpu_exhaustive PRIVATE ${CMAKE_SOURCE_DIR}/plugin/include)
target_compile_definitions(gpu_exhaustive PRIVATE PAIL_TEST_PLUGIN_FILE="$<TARGET_FILE:pail-vulkan-test>")
add_dependencies(gpu_exhaustive pail-vulkan-test)
pail_add_plugin_test(gpu_warm SOURCES ${CMAKE_CURRENT_LIST_DIR}/warm.c ${PROJECT_SOURCE_DIR}/tests/support/host_store.c)
pail_add_plugin_test(gpu_watchdog SOURCES ${CMAKE_CURRENT_LIST_DIR}/watchdog.c)
target_compile_definitions(gpu_watchdog PRIVATE _POSIX_C_SOURCE=200809L)
