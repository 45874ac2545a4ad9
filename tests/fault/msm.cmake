# SPDX-License-Identifier: Apache-2.0
pail_add_test(fault_msm GPU SOURCES msm.c LIBS pail_plugin)
