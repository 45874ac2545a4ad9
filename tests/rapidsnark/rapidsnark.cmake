# SPDX-License-Identifier: Apache-2.0
# The place of rapidsnark, where that is built (-DPAIL_RAPIDSNARK=ON).
if(PAIL_RAPIDSNARK)
  foreach(part IN ITEMS prover verifier)
    pail_add_test(unit_rapidsnark_${part} SOURCES ${part}.c LIBS pail_formats rapidsnark)
    target_compile_definitions(unit_rapidsnark_${part} PRIVATE PAIL_TEST_DATA="${CMAKE_SOURCE_DIR}/tests/data")
    set_target_properties(unit_rapidsnark_${part} PROPERTIES
        BUILD_RPATH ${CMAKE_BINARY_DIR}/lib INSTALL_RPATH "$ORIGIN/../lib")
  endforeach()
  add_test(NAME rapidsnark_commands COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/test_commands.py
      $<TARGET_FILE:rapidsnark_verifier> $<TARGET_FILE:rapidsnark> ${CMAKE_SOURCE_DIR}/tests/data ${CMAKE_NM}
      $<TARGET_FILE:rapidsnark_prover>)
  set_tests_properties(rapidsnark_commands PROPERTIES LABELS cpu)
  if(NOT PAIL_SANITIZE) # no sanitizer is in a program that is built against the archive
    add_test(NAME rapidsnark_static COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/test_static.py
        $<TARGET_FILE:rapidsnark_static> ${CMAKE_SOURCE_DIR}/tests/data ${CMAKE_C_COMPILER})
    set_tests_properties(rapidsnark_static PROPERTIES LABELS cpu)
  endif()
endif()
