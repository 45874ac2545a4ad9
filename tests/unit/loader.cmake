# The parts of the loader that the library does not export.
foreach(part IN ITEMS trust search)
  pail_add_test(unit_loader_${part}
      SOURCES ${CMAKE_CURRENT_LIST_DIR}/loader_${part}.c
              ${PROJECT_SOURCE_DIR}/host/loader/search.c
              ${PROJECT_SOURCE_DIR}/host/loader/text.c
              ${PROJECT_SOURCE_DIR}/host/loader/trust.c
      LIBS test_files pail_platform ${CMAKE_DL_LIBS})
  target_include_directories(unit_loader_${part}
      PRIVATE ${PROJECT_SOURCE_DIR}/host ${PROJECT_SOURCE_DIR}/plugin/include)
  target_compile_definitions(unit_loader_${part}
      PRIVATE _GNU_SOURCE PAIL_INSTALL_LIBDIR="${CMAKE_BINARY_DIR}/tests/prefix"
              PAIL_TEST_INSTALL_LIBDIR="${CMAKE_BINARY_DIR}/tests/prefix")
endforeach()
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/tests/prefix/pail)
pail_add_test(unit_loader_elf
    SOURCES ${CMAKE_CURRENT_LIST_DIR}/loader_elf.c
            ${PROJECT_SOURCE_DIR}/host/loader/elf.c
            ${PROJECT_SOURCE_DIR}/host/loader/elf_dynamic.c
            ${PROJECT_SOURCE_DIR}/host/loader/elf_sections.c
            ${PROJECT_SOURCE_DIR}/host/loader/elf_segments.c
    LIBS test_files ${CMAKE_DL_LIBS})
target_include_directories(unit_loader_elf PRIVATE ${PROJECT_SOURCE_DIR}/host)
