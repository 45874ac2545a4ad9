# SPDX-License-Identifier: Apache-2.0
# Links the plugin, for faults in it.
pail_add_test(fault_sweep GPU SOURCES sweep.c devices_faults.c ${PROJECT_SOURCE_DIR}/plugin/entry.c LIBS pail_plugin
    test_prover)
target_include_directories(fault_sweep PRIVATE ${PROJECT_SOURCE_DIR}/host ${PROJECT_SOURCE_DIR}/tests)
target_compile_definitions(fault_sweep PRIVATE PAIL_VERSION="${PROJECT_VERSION}")
