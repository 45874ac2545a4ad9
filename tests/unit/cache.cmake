# The cache of pipelines: entries, files, what becomes of damage, and many threads at once.
foreach(part IN ITEMS bytes entry limits lock memory outside refuse round threads)
  pail_add_test(unit_cache_${part}
      SOURCES ${CMAKE_CURRENT_LIST_DIR}/cache_${part}.c ${CMAKE_CURRENT_LIST_DIR}/cache_support.c
      LIBS pail_cache test_files)
  target_include_directories(unit_cache_${part} PRIVATE ${PROJECT_SOURCE_DIR}/host/ref)
  target_compile_definitions(unit_cache_${part} PRIVATE PAIL_TEST_DOCS="${PROJECT_SOURCE_DIR}/docs")
endforeach()
