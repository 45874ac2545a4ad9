# <pail/kzg.h>: the same program on the CPU backend and on a device, and c-kzg's vectors, from a folder of them.
pail_add_test(unit_kzg SOURCES kzg.c ptau.c refusals.c bench.c made.c LIBS pail_curves pail)
set_tests_properties(unit_kzg PROPERTIES ENVIRONMENT "PAIL_BACKEND=cpu")
pail_again(gpu_kzg unit_kzg PAIL_BACKEND=vulkan)
add_dependencies(unit_kzg pail-vulkan)
if(NOT PAIL_SANITIZE) # no sanitizer is in Python
  add_test(NAME kzg_vectors COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/test_vectors.py $<TARGET_FILE:pail>)
  set_tests_properties(kzg_vectors PROPERTIES ENVIRONMENT "PAIL_BACKEND=cpu" LABELS cpu)
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
