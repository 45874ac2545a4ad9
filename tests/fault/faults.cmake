# SPDX-License-Identifier: Apache-2.0
pail_add_test(unit_faults SOURCES faults.c ${CMAKE_SOURCE_DIR}/plugin/faults.c LIBS pail_vk)
target_compile_definitions(unit_faults PRIVATE PAIL_TEST_FAULTS=1 _POSIX_C_SOURCE=200809L
    PAIL_TEST_PLUGIN_FILE="$<TARGET_FILE:pail-vulkan>"
    PAIL_TEST_FAULTY_PLUGIN_FILE="$<TARGET_FILE:pail-vulkan-test>")
add_dependencies(unit_faults pail-vulkan pail-vulkan-test)
