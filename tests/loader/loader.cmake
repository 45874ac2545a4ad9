# SPDX-License-Identifier: Apache-2.0
# The parts of the loader that the library does not export.
foreach(part IN ITEMS trust search)
  pail_add_test(unit_loader_${part}
      SOURCES ${CMAKE_CURRENT_LIST_DIR}/${part}.c
              ${PROJECT_SOURCE_DIR}/host/loader/search.c
              ${PROJECT_SOURCE_DIR}/host/loader/messages.c
      LIBS test_files pail_platform ${CMAKE_DL_LIBS})
  target_include_directories(unit_loader_${part}
      PRIVATE ${PROJECT_SOURCE_DIR}/host ${PROJECT_SOURCE_DIR}/plugin/include)
  target_compile_definitions(unit_loader_${part}
      PRIVATE _GNU_SOURCE PAIL_INSTALL_LIBDIR="${CMAKE_BINARY_DIR}/tests/prefix"
              PAIL_TEST_INSTALL_LIBDIR="${CMAKE_BINARY_DIR}/tests/prefix")
endforeach()
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/tests/prefix/pail)
pail_add_test(unit_loader_elf
    SOURCES ${CMAKE_CURRENT_LIST_DIR}/elf.c
            ${PROJECT_SOURCE_DIR}/host/loader/elf.c
    LIBS test_files pail_platform ${CMAKE_DL_LIBS})
target_include_directories(unit_loader_elf PRIVATE ${PROJECT_SOURCE_DIR}/host)
target_compile_options(unit_loader_elf PRIVATE ${PAIL_BUSY_OPTIONS})
target_link_options(unit_loader_elf PRIVATE LINKER:--wrap=pread)
# Plugins of macOS, which is read by their bytes alone.
pail_add_test(unit_loader_macho
    SOURCES ${CMAKE_CURRENT_LIST_DIR}/macho.c
            ${PROJECT_SOURCE_DIR}/host/loader/image.c
            ${PROJECT_SOURCE_DIR}/host/loader/macho.c
            ${PROJECT_SOURCE_DIR}/host/loader/messages.c
    LIBS pail_platform)
target_include_directories(unit_loader_macho PRIVATE ${PROJECT_SOURCE_DIR}/host ${PROJECT_SOURCE_DIR}/plugin/include)
target_compile_definitions(unit_loader_macho PRIVATE _GNU_SOURCE)

# All of the library's objects, and between them and libc what the test has to say.
pail_add_test(unit_loader_failing
    SOURCES ${CMAKE_CURRENT_LIST_DIR}/failing.c $<TARGET_OBJECTS:pail_host>
    LIBS test_files pail_cache pail_cpu pail_prover pail_kzg pail_formats pail_platform ${CMAKE_DL_LIBS})
target_include_directories(unit_loader_failing
    PRIVATE ${PROJECT_SOURCE_DIR}/host ${PROJECT_SOURCE_DIR}/host/include ${PROJECT_SOURCE_DIR}/plugin/include)
target_compile_definitions(unit_loader_failing PRIVATE PAIL_TEST_FAKES="${CMAKE_BINARY_DIR}/tests/fakes")
add_dependencies(unit_loader_failing fake_current)
foreach(function IN ITEMS asprintf calloc dladdr free malloc open opendir pail_cpu_open realloc realpath stat strdup strndup)
  target_link_options(unit_loader_failing PRIVATE LINKER:--wrap=${function})
endforeach()
