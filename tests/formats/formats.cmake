# SPDX-License-Identifier: Apache-2.0
add_library(test_formats STATIC ${CMAKE_CURRENT_LIST_DIR}/build.c ${CMAKE_CURRENT_LIST_DIR}/use.c)
pail_target_defaults(test_formats)
target_link_libraries(test_formats PUBLIC pail_prover pail_formats pail_curves test_main)
foreach(part IN ITEMS file kzg pairs ptau quotient r1cs shrink wtns zkey)
  pail_add_test(unit_formats_${part} SOURCES ${part}.c LIBS test_formats)
  target_compile_definitions(unit_formats_${part}
      PRIVATE PAIL_TEST_DATA="${CMAKE_SOURCE_DIR}/tests/data")
endforeach()
target_link_libraries(unit_formats_quotient PRIVATE pail_host)

# The public side of the forms of points is in the library.
pail_add_test(unit_formats_points SOURCES points.c LIBS pail_host ${JANSSON_LIBRARY})
target_compile_definitions(unit_formats_points PRIVATE PAIL_TEST_ENCODINGS="${CMAKE_SOURCE_DIR}/tests/vectors/encodings.json")
target_include_directories(unit_formats_points SYSTEM PRIVATE ${JANSSON_INCLUDE_DIR})

pail_add_test(unit_formats_secrets SOURCES secrets.c ${CMAKE_SOURCE_DIR}/tests/abi/scan.c LIBS pail_formats
    pail_platform)
target_include_directories(unit_formats_secrets PRIVATE ${CMAKE_SOURCE_DIR}/tests/abi)
target_compile_definitions(unit_formats_secrets PRIVATE _GNU_SOURCE)
