# SPDX-License-Identifier: Apache-2.0
# The vectors of the oracle on each backend. jansson was found for the pail command.
foreach(backend IN ITEMS cpu vulkan)
  set(kind "")
  if(backend STREQUAL "vulkan")
    set(kind GPU)
  endif()
  pail_add_test(vectors_msm_${backend} ${kind} SOURCES msm.c LIBS pail ${JANSSON_LIBRARY})
  target_compile_definitions(vectors_msm_${backend} PRIVATE
      PAIL_TEST_BACKEND="${backend}" PAIL_TEST_VECTORS="${CMAKE_CURRENT_LIST_DIR}/msm_bn254_g1.json")
  target_include_directories(vectors_msm_${backend} SYSTEM PRIVATE ${JANSSON_INCLUDE_DIR})
endforeach()
if(TARGET pail-vulkan)
  add_dependencies(vectors_msm_vulkan pail-vulkan)
endif()

# Cases of Ethereum's specifications; PAIL_TEST_DATA names a folder with others.
foreach(backend IN ITEMS cpu vulkan)
  set(kind "")
  if(backend STREQUAL "vulkan")
    set(kind GPU)
  endif()
  pail_add_test(vectors_eip_${backend} ${kind} SOURCES eip.c eip_cases.c LIBS test_backends pail_host
      ${JANSSON_LIBRARY})
  target_compile_definitions(vectors_eip_${backend} PRIVATE PAIL_TEST_DATA_DEFAULT="${CMAKE_SOURCE_DIR}/tests/data"
      $<$<STREQUAL:${backend},vulkan>:PAIL_EIP_PLUGIN>)
  target_include_directories(vectors_eip_${backend} SYSTEM PRIVATE ${JANSSON_INCLUDE_DIR})
endforeach()
# It builds the pipelines of three groups: minutes on a software driver that shares the machine with other tests.
set_tests_properties(vectors_eip_vulkan PROPERTIES TIMEOUT 900)

# Pairings, which no backend has.
pail_add_test(vectors_eip_pairing SOURCES eip_pairing.c eip_cases.c LIBS pail_host pail_curves ${JANSSON_LIBRARY})
target_compile_definitions(vectors_eip_pairing PRIVATE PAIL_TEST_DATA_DEFAULT="${CMAKE_SOURCE_DIR}/tests/data")
target_include_directories(vectors_eip_pairing SYSTEM PRIVATE ${JANSSON_INCLUDE_DIR})
