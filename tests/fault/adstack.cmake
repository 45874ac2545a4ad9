# SPDX-License-Identifier: Apache-2.0
pail_add_test(fault_adstack GPU SOURCES adstack.c LIBS adstack_gpu_support)
pail_again(fault_adstack_fences fault_adstack PAIL_LIMITS=timeline=0)
