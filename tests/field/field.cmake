# SPDX-License-Identifier: Apache-2.0
# Vectors over the scalar field: transforms, sparse products and what else there is to do with them.
add_library(test_field STATIC ${CMAKE_CURRENT_LIST_DIR}/support.c)
pail_target_defaults(test_field)
target_link_libraries(test_field PUBLIC test_cpu)
target_include_directories(test_field PUBLIC ${PROJECT_SOURCE_DIR}/tests)
foreach(part IN ITEMS calls operations transforms)
  pail_add_test(unit_field_${part} SOURCES ${part}.c LIBS test_field)
  foreach(way IN ITEMS portable adx avx2 ifma)
    add_test(NAME unit_field_${part}_${way} COMMAND unit_field_${part})
    set_tests_properties(unit_field_${part}_${way} PROPERTIES LABELS cpu ENVIRONMENT PAIL_CPU=${way} SKIP_RETURN_CODE 77)
  endforeach()
endforeach()
pail_add_test(unit_field_shapes SOURCES shapes.c LIBS pail_plugin pail_modules)
