# SPDX-License-Identifier: Apache-2.0
# The pace of a device, dispatches in portions, and barriers between steps, without a device.
pail_add_test(unit_pace SOURCES pace.c LIBS pail_vk)
pail_add_test(unit_hazards SOURCES hazards.c LIBS pail_vk)
