# SPDX-License-Identifier: Apache-2.0
# Functions of other libraries by their names, where they are built (-DPAIL_HOOKS=ON).
if(PAIL_HOOKS)
  pail_add_test(unit_hooks SOURCES hooks.c LIBS pail_curves pail_hooks test_jacobian)
  target_compile_definitions(unit_hooks PRIVATE _GNU_SOURCE) # setenv, strdup
  set_tests_properties(unit_hooks PROPERTIES ENVIRONMENT "PAIL_BACKEND=cpu")
  # Pointers on devices are the subject of other tests, and SwiftShader takes minutes for all of them.
  add_test(NAME gpu_hooks COMMAND unit_hooks sppark*)
  set_tests_properties(gpu_hooks PROPERTIES ENVIRONMENT "PAIL_BACKEND=vulkan" LABELS gpu)
  add_dependencies(unit_hooks pail-vulkan)
  # The benchmark beside a library of sppark, with Pail's in its place: it ends where sums differ.
  add_test(NAME hooks_beside_sppark COMMAND bench_peers $<TARGET_FILE:pail_hooks> 8 10)
  set_tests_properties(hooks_beside_sppark PROPERTIES ENVIRONMENT "PAIL_BACKEND=cpu" LABELS cpu)
  if(NOT PAIL_SANITIZE) # no sanitizer is in a program that is built against the library
    add_test(NAME hooks_c_kzg COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/test_c_kzg.py ${CMAKE_C_COMPILER}
        $<TARGET_FILE_DIR:pail_hooks>)
    set_tests_properties(hooks_c_kzg PROPERTIES ENVIRONMENT "PAIL_BACKEND=cpu" LABELS cpu)
  endif()
endif()

# The same for ICICLE (-DPAIL_ICICLE=ON): one program for each of its versions.
if(PAIL_ICICLE)
  foreach(version IN ITEMS 3.2 3.9 4.0)
    string(REPLACE "." "" number ${version})
    set(name unit_icicle_${number})
    pail_add_test(${name} SOURCES icicle.c icicle_curves.c icicle_points.c icicle_state.c icicle_tables.c
             ${CMAKE_SOURCE_DIR}/tests/abi/scan.c
        LIBS pail_curves pail_platform icicle_${version}_device icicle_${version}_field_bn254 icicle_${version}_curve_bn254
             icicle_${version}_field_bls12_381 icicle_${version}_curve_bls12_381 icicle_${version}_hash pail_icicle)
    target_compile_definitions(${name} PRIVATE PAIL_ICICLE_VERSION=${number} _GNU_SOURCE) # setenv
    set_target_properties(${name} PROPERTIES INSTALL_RPATH "${PAIL_ORIGIN}/../lib/icicle/${version};${PAIL_ORIGIN}/../lib")
    # Every name is there when the program starts.
    set_tests_properties(${name} PROPERTIES ENVIRONMENT "PAIL_BACKEND=cpu;LD_BIND_NOW=1")
    add_dependencies(${name} pail-vulkan)
  endforeach()
  if(NOT PAIL_SANITIZE) # as above
    add_test(NAME hooks_icicle COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/test_icicle.py ${CMAKE_C_COMPILER}
        $<TARGET_FILE_DIR:pail_icicle>)
    set_tests_properties(hooks_icicle PROPERTIES ENVIRONMENT "PAIL_BACKEND=cpu" LABELS cpu)
  endif()
  # The benchmark beside libraries of ICICLE, with those of Pail in their place.
  add_test(NAME hooks_beside_icicle COMMAND bench_icicle -t 1 -w 8 8 10)
  set_tests_properties(hooks_beside_icicle PROPERTIES ENVIRONMENT "PAIL_BACKEND=cpu" LABELS cpu)
  # Provers over them: gnark is linked with 3.2, icicle-snark with 4.0.
  foreach(version IN ITEMS 3.2 4.0)
    string(REPLACE "." "" number ${version})
    set(name unit_icicle_proofs_${number})
    pail_add_test(${name} SOURCES icicle_proofs.c icicle_provers.c icicle_tables.c $<TARGET_OBJECTS:test_prover_cpu>
        LIBS test_prover icicle_${version}_device icicle_${version}_field_bn254 icicle_${version}_curve_bn254
             icicle_${version}_field_bls12_381 icicle_${version}_curve_bls12_381 icicle_${version}_hash pail_icicle)
    pail_exports_visible(${name}) # the libraries have a libpail.so of their own
    target_compile_definitions(${name} PRIVATE PAIL_ICICLE_VERSION=${number} _GNU_SOURCE)
    set_target_properties(${name} PROPERTIES INSTALL_RPATH "${PAIL_ORIGIN}/../lib/icicle/${version};${PAIL_ORIGIN}/../lib")
    set_tests_properties(${name} PROPERTIES ENVIRONMENT "PAIL_BACKEND=cpu;LD_BIND_NOW=1")
    add_dependencies(${name} pail-vulkan)
  endforeach()
  add_test(NAME gpu_icicle COMMAND unit_icicle_40)
  add_test(NAME gpu_icicle_proofs COMMAND unit_icicle_proofs_40)
  set_tests_properties(gpu_icicle gpu_icicle_proofs PROPERTIES ENVIRONMENT "PAIL_BACKEND=vulkan" LABELS gpu)
endif()
