# The vectors of the oracle on each backend. jansson was found for the pail command.
foreach(backend IN ITEMS cpu vulkan)
  set(kind "")
  if(backend STREQUAL "vulkan")
    set(kind GPU)
  endif()
  pail_add_test(vectors_msm_${backend} ${kind} SOURCES ${CMAKE_CURRENT_LIST_DIR}/msm.c LIBS pail ${JANSSON_LIBRARY})
  target_compile_definitions(vectors_msm_${backend} PRIVATE
      PAIL_TEST_BACKEND="${backend}" PAIL_TEST_VECTORS="${CMAKE_CURRENT_LIST_DIR}/msm_bn254_g1.json")
  target_include_directories(vectors_msm_${backend} SYSTEM PRIVATE ${JANSSON_INCLUDE_DIR})
endforeach()
if(TARGET pail-vulkan)
  add_dependencies(vectors_msm_vulkan pail-vulkan)
endif()
