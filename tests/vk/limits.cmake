# SPDX-License-Identifier: Apache-2.0
pail_add_test(unit_limits SOURCES limits.c LIBS pail_vk)
