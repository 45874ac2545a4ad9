# SPDX-License-Identifier: Apache-2.0
pail_add_test(fault_vk SOURCES vk_faults.c LIBS vk_support GPU)

# volk's global pointers belong to whichever device was loaded last: only its own object may name one.
add_test(NAME fault_vk_symbols
         COMMAND sh -c [[symbols=$("$1" -A "$2") && test -n "$symbols" && ! echo "$symbols" | grep ' U vk[A-Z]']]
                 sh ${CMAKE_NM} $<TARGET_FILE:pail_vk>)
set_tests_properties(fault_vk_symbols PROPERTIES LABELS cpu)
