# The pace of a device, dispatches in portions, and barriers between steps, without a device.
pail_add_test(unit_pace SOURCES ${CMAKE_CURRENT_LIST_DIR}/pace.c LIBS pail_vk)
pail_add_test(unit_hazards SOURCES ${CMAKE_CURRENT_LIST_DIR}/hazards.c LIBS pail_vk)
