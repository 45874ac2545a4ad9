/* SPDX-License-Identifier: Apache-2.0 */
/* Facts of devices as `pail info` prints them. */
#ifndef PAIL_TOOL_INFO_INFO_H
#define PAIL_TOOL_INFO_INFO_H

#include <jansson.h>

#include <pail/context.h>
#include <pail/pail.h>

/* All facts of a device as a JSON object; NULL if there is no memory for it. */
json_t *pail_info_device_object(const pail_device_info *info);

#endif /* PAIL_TOOL_INFO_INFO_H */
