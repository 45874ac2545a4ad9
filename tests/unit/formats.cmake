foreach(part IN ITEMS file quotient wtns zkey)
  pail_add_test(unit_formats_${part}
      SOURCES ${CMAKE_CURRENT_LIST_DIR}/formats_${part}.c ${CMAKE_CURRENT_LIST_DIR}/formats_build.c LIBS pail_prover pail_formats pail_ref)
  target_compile_definitions(unit_formats_${part}
      PRIVATE PAIL_TEST_DATA="${CMAKE_SOURCE_DIR}/tests/data")
endforeach()
