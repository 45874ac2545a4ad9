# SPDX-License-Identifier: Apache-2.0
# Verification of Groth16 proofs, and the files that hold them.
foreach(part IN ITEMS groth16_json proof_text verify)
  pail_add_test(unit_prover_${part} SOURCES ${CMAKE_CURRENT_LIST_DIR}/${part}.c ${CMAKE_CURRENT_LIST_DIR}/groth16_files.c
      LIBS pail_host pail_groth16_json ${JANSSON_LIBRARY})
  target_compile_definitions(unit_prover_${part} PRIVATE PAIL_TEST_DATA="${CMAKE_SOURCE_DIR}/tests/data")
endforeach()
