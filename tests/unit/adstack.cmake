# Adstack sizing without a device.
foreach(part IN ITEMS check errors limits memory program random vectors)
  pail_add_test(unit_adstack_${part}
      SOURCES ${CMAKE_CURRENT_LIST_DIR}/adstack_${part}.c ${CMAKE_CURRENT_LIST_DIR}/adstack_support.c
      LIBS test_adstack pail_adstack)
endforeach()
