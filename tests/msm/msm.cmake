# SPDX-License-Identifier: Apache-2.0
# Multiplications through the boundary.
find_package(Vulkan REQUIRED)
pail_add_plugin_test(gpu_msm SOURCES msm.c workload.c)
find_package(Python3 3.9 REQUIRED COMPONENTS Interpreter)
add_test(NAME gpu_msm_profiles
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/profiles.py $<TARGET_FILE:gpu_msm>)
set_tests_properties(gpu_msm_profiles PROPERTIES LABELS gpu)
pail_add_plugin_test(gpu_memory SOURCES memory.c)
pail_add_plugin_test(gpu_buckets SOURCES buckets.c)
pail_add_plugin_test(gpu_overlap SOURCES overlap.c LIBS Threads::Threads)
pail_add_plugin_test(gpu_lanes SOURCES lanes.c)
pail_add_plugin_test(gpu_bundles SOURCES bundles.c LIBS Threads::Threads)
pail_add_plugin_test(gpu_soundness SOURCES soundness.c)
pail_add_plugin_test(gpu_tables SOURCES tables.c point_set.c)
pail_add_plugin_test(gpu_glv SOURCES glv.c point_set.c)
pail_add_plugin_test(gpu_compact SOURCES compact.c point_set.c)
pail_add_plugin_test(gpu_runs SOURCES runs.c)
pail_add_plugin_test(gpu_limits SOURCES limits.c workload.c)
pail_add_plugin_test(gpu_import SOURCES import.c LIBS test_host_device)

# Faults put in on purpose. The plugin with them is built beside the shipped one, which must not know of any.
pail_add_plugin_test(fault_injected SOURCES ${PROJECT_SOURCE_DIR}/tests/fault/injected.c workload.c)
target_compile_definitions(fault_injected PRIVATE PAIL_TEST_FAULTY_PLUGIN_FILE="$<TARGET_FILE:pail-vulkan-test>")
add_dependencies(fault_injected pail-vulkan-test)

# Curves small enough to try everything are in the tests' plugin alone.
pail_add_test(gpu_exhaustive GPU SOURCES exhaustive.c ${PROJECT_SOURCE_DIR}/tests/support/plugin.c
    LIBS pail_curves_toys pail_kernels_toys ${CMAKE_DL_LIBS})
target_include_directories(gpu_exhaustive PRIVATE ${CMAKE_SOURCE_DIR}/plugin/include)
target_compile_definitions(gpu_exhaustive PRIVATE PAIL_TEST_PLUGIN_FILE="$<TARGET_FILE:pail-vulkan-test>")
add_dependencies(gpu_exhaustive pail-vulkan-test)
pail_add_plugin_test(gpu_warm SOURCES warm.c ${PROJECT_SOURCE_DIR}/tests/support/host_store.c)
pail_add_plugin_test(gpu_first_uses SOURCES first_uses.c ${PROJECT_SOURCE_DIR}/tests/support/host_store.c
    LIBS pail_platform)
pail_add_plugin_test(gpu_watchdog SOURCES watchdog.c)
