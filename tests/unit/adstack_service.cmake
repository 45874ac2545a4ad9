# The service around the evaluators: ids, layouts, what is found again, threads, blobs, overflows.
foreach(part IN ITEMS blob cache hits ids launch layout memory overflow pointers recorded threads)
  pail_add_test(unit_adstack_service_${part}
      SOURCES ${CMAKE_CURRENT_LIST_DIR}/adstack_service_${part}.c ${CMAKE_CURRENT_LIST_DIR}/adstack_service_support.c
      LIBS test_adstack pail_adstack)
  target_include_directories(unit_adstack_service_${part} PRIVATE ${PROJECT_SOURCE_DIR}/host/ref)
endforeach()
