# SPDX-License-Identifier: Apache-2.0
# tools/pail: the parts that a run of the program cannot show.
set(PAIL_TOOL ${PROJECT_SOURCE_DIR}/tools/pail)
pail_add_test(unit_tool_statistics
    SOURCES ${CMAKE_CURRENT_LIST_DIR}/tool_statistics.c ${PAIL_TOOL}/measure/statistics.c LIBS m)
pail_add_test(unit_tool_lists
    SOURCES ${CMAKE_CURRENT_LIST_DIR}/tool_lists.c ${PAIL_TOOL}/options/number.c)
pail_add_test(unit_tool_tune
    SOURCES ${CMAKE_CURRENT_LIST_DIR}/tool_tune.c ${PAIL_TOOL}/tune/tune_search.c ${PAIL_TOOL}/error/error.c
            ${PAIL_TOOL}/measure/statistics.c
    LIBS pail_formats m)
foreach(part IN ITEMS statistics lists tune)
  target_include_directories(unit_tool_${part} PRIVATE ${PAIL_TOOL})
endforeach()
# The tables are the program's own: all of it but main.
pail_add_test(unit_tool_tables
    SOURCES ${CMAKE_CURRENT_LIST_DIR}/tool_tables.c LIBS pail_command_parts)
