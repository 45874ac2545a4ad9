pail_add_test(unit_limits SOURCES ${CMAKE_CURRENT_LIST_DIR}/limits.c LIBS pail_vk)
