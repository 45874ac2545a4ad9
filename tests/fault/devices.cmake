# SPDX-License-Identifier: Apache-2.0
# All link the plugin, for faults in it, and find the devices of all drivers that there are.
foreach(test IN ITEMS devices devices_lost devices_splits)
  pail_add_test(fault_${test} GPU SOURCES ${test}.c devices_faults.c devices_members.c
      ${PROJECT_SOURCE_DIR}/plugin/entry.c LIBS pail_plugin pail_host test_counted)
  target_include_directories(fault_${test} PRIVATE ${PROJECT_SOURCE_DIR}/host)
  target_compile_definitions(fault_${test} PRIVATE PAIL_VERSION="${PROJECT_VERSION}")
endforeach()
# A multiplication and a proof.
target_sources(fault_devices_lost PRIVATE $<TARGET_OBJECTS:test_prover_cpu>)
target_link_libraries(fault_devices_lost PRIVATE test_prover)
