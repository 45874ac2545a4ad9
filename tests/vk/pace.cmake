# The pace of a device and dispatches in portions, without a device.
pail_add_test(unit_pace SOURCES ${CMAKE_CURRENT_LIST_DIR}/pace.c LIBS pail_vk)
