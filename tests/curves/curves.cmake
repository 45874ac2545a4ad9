# SPDX-License-Identifier: Apache-2.0
# host/base/curves: CPU arithmetic against big-integer vectors, fast tables against plain ones.
foreach(part IN ITEMS field ec groups fold fnv inputs fast fast_failed)
  pail_add_test(unit_${part} SOURCES ${part}.c LIBS pail_curves)
endforeach()
# jansson was found for the pail command.
pail_add_test(unit_pairing SOURCES pairing.c LIBS pail_formats pail_curves ${JANSSON_LIBRARY})
target_compile_definitions(unit_pairing PRIVATE PAIL_TEST_PAIRINGS="${CMAKE_SOURCE_DIR}/tests/vectors/pairings.json")
target_include_directories(unit_pairing SYSTEM PRIVATE ${JANSSON_INCLUDE_DIR})
pail_add_test(unit_toys SOURCES toys.c LIBS pail_curves_toys)

find_package(Python3 3.11 COMPONENTS Interpreter)
if(Python3_FOUND)
  add_test(NAME generated_curves COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/gen_curves.py --check)
  add_test(NAME generated_vectors COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/gen_vectors.py --check)
  set_tests_properties(generated_curves generated_vectors PROPERTIES LABELS cpu)
else()
  message(WARNING "No Python 3.11: whether the generated constants are current is not tested.")
endif()
