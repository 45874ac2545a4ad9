# SPDX-License-Identifier: Apache-2.0
# Services of the operating system: environment, threads, wiped memory.
pail_add_test(unit_platform SOURCES platform.c LIBS pail_platform)
target_compile_definitions(unit_platform PRIVATE _DEFAULT_SOURCE)
target_link_options(unit_platform PRIVATE LINKER:--wrap=pthread_create)
pail_add_test(unit_processors SOURCES processors.c LIBS pail_platform)
pail_add_test(unit_words SOURCES words.c LIBS pail_platform)
pail_add_test(unit_trust SOURCES trust.c LIBS pail_platform)
target_compile_definitions(unit_trust PRIVATE _GNU_SOURCE)

# The environment of a process with raised rights, in every room that reads it.
add_executable(raised_probe ${CMAKE_CURRENT_LIST_DIR}/raised_probe.c ${PROJECT_SOURCE_DIR}/plugin/vk/limits.c
    $<TARGET_OBJECTS:pail_host>)
pail_target_defaults(raised_probe)
target_compile_definitions(raised_probe PRIVATE _GNU_SOURCE)
target_include_directories(raised_probe PRIVATE ${PROJECT_SOURCE_DIR}/host ${PROJECT_SOURCE_DIR}/plugin)
target_include_directories(raised_probe SYSTEM PRIVATE ${PAIL_VOLK_INCLUDE})
target_link_libraries(raised_probe PRIVATE pail_base pail_cache pail_cpu pail_prover pail_kzg pail_formats pail_platform ${CMAKE_DL_LIBS})
set_target_properties(raised_probe PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
pail_add_test(unit_raised SOURCES raised.c LIBS test_files)
target_compile_definitions(unit_raised PRIVATE PAIL_TEST_PROBE="$<TARGET_FILE:raised_probe>")
add_dependencies(unit_raised raised_probe)

pail_add_test(unit_platform_line SOURCES line.c LIBS pail_platform)
target_compile_options(unit_platform_line PRIVATE ${PAIL_BUSY_OPTIONS})
pail_add_test(unit_platform_replace SOURCES replace.c ${PROJECT_SOURCE_DIR}/tests/fault/syscalls.c LIBS test_files
    pail_platform ${CMAKE_DL_LIBS})
target_compile_definitions(unit_platform_replace PRIVATE _GNU_SOURCE)

# Other machines and systems, by cross compilers, an emulator and wine; skipped where there are none.
if(NOT PAIL_SANITIZE AND CMAKE_C_COMPILER_ID STREQUAL "GNU")
  find_package(Python3 3.9 REQUIRED COMPONENTS Interpreter)
  add_test(NAME platform_cross
      COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/test_cross.py ${CMAKE_COMMAND} ${CMAKE_BINARY_DIR})
  add_test(NAME platform_windows
      COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/test_windows.py ${CMAKE_COMMAND} ${CMAKE_BINARY_DIR})
  set_tests_properties(platform_cross platform_windows PROPERTIES LABELS cpu TIMEOUT 7200 COST 100)
endif()
