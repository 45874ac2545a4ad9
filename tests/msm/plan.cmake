# The plan of an MSM, without a device.
pail_add_test(unit_plan SOURCES ${CMAKE_CURRENT_LIST_DIR}/plan.c ${CMAKE_CURRENT_LIST_DIR}/plan_check.c
    LIBS pail_plugin)
pail_add_test(unit_plan_streamed SOURCES ${CMAKE_CURRENT_LIST_DIR}/plan_streamed.c
    ${CMAKE_CURRENT_LIST_DIR}/plan_check.c LIBS pail_plugin)
pail_add_test(unit_resolution SOURCES ${CMAKE_CURRENT_LIST_DIR}/resolution.c LIBS pail_plugin pail_modules)
pail_add_test(unit_accumulator SOURCES ${CMAKE_CURRENT_LIST_DIR}/accumulator.c LIBS pail_plugin pail_modules)
pail_add_test(unit_sorter SOURCES ${CMAKE_CURRENT_LIST_DIR}/sort_kernels.c LIBS pail_plugin pail_modules)
pail_add_test(unit_ids SOURCES ${CMAKE_CURRENT_LIST_DIR}/ids.c LIBS pail_plugin)
pail_add_test(unit_doubles SOURCES ${CMAKE_CURRENT_LIST_DIR}/fp64.c LIBS pail_plugin pail_modules)
