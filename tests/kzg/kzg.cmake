# SPDX-License-Identifier: Apache-2.0
# <pail/kzg.h>: the same program on the CPU backend and on a device; c-kzg's vectors, of vectors.json or of a folder of
# them; and with PAIL_TEST_KZG_RANDOM random blobs beside c-kzg.
pail_add_test(unit_kzg SOURCES kzg.c ptau.c refusals.c bench.c made.c LIBS pail_curves pail)
set_tests_properties(unit_kzg PROPERTIES ENVIRONMENT "PAIL_BACKEND=cpu")
pail_again(gpu_kzg unit_kzg PAIL_BACKEND=vulkan)
add_dependencies(unit_kzg pail-vulkan)
# Memory that cannot be had, of the library alone.
pail_add_test(unit_kzg_memory SOURCES memory.c bench.c made.c LIBS pail_host)
target_link_options(unit_kzg_memory PRIVATE -Wl,--wrap=malloc -Wl,--wrap=calloc -Wl,--wrap=free)
set_tests_properties(unit_kzg_memory PROPERTIES ENVIRONMENT "PAIL_BACKEND=cpu")
if(NOT PAIL_SANITIZE) # no sanitizer is in Python
  add_test(NAME kzg_vectors COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/test_vectors.py $<TARGET_FILE:pail>)
  add_test(NAME kzg_random COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/test_random.py $<TARGET_FILE:pail>)
  set_tests_properties(kzg_vectors kzg_random PROPERTIES ENVIRONMENT "PAIL_BACKEND=cpu" LABELS cpu)
endif()
pail_add_test(unit_sha256 SOURCES sha256.c LIBS pail_kzg)
if(PAIL_COMPILES_SHA_NI)
  target_compile_definitions(unit_sha256 PRIVATE PAIL_KZG_HAS_SHA_NI=1)
endif()

# The example, with made blobs and with files.
add_executable(example_kzg ${PROJECT_SOURCE_DIR}/host/example/kzg/cells.c)
pail_target_defaults(example_kzg)
target_link_libraries(example_kzg PRIVATE pail)
set_target_properties(example_kzg PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests INSTALL_RPATH "$ORIGIN/../lib")
add_test(NAME kzg_example COMMAND ${CMAKE_CURRENT_LIST_DIR}/example.sh $<TARGET_FILE:example_kzg> ${PROJECT_SOURCE_DIR})
set_tests_properties(kzg_example PROPERTIES ENVIRONMENT "PAIL_BACKEND=cpu" LABELS cpu)
