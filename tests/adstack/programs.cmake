# SPDX-License-Identifier: Apache-2.0
# Adstack sizing without a device.
add_library(test_adstack_programs STATIC ${CMAKE_CURRENT_LIST_DIR}/support.c)
pail_target_defaults(test_adstack_programs)
target_link_libraries(test_adstack_programs PUBLIC test_adstack pail_adstack)
foreach(part IN ITEMS check errors limits memory program random vectors)
  pail_add_test(unit_adstack_${part} SOURCES ${part}.c LIBS test_adstack_programs)
endforeach()
pail_add_test(unit_adstack_build SOURCES build.c build_trees.cpp LIBS test_adstack_programs)
