/* What `pail info` prints. */
#ifndef PAIL_TOOL_INFO_INFO_H
#define PAIL_TOOL_INFO_INFO_H

#include <stdio.h>

#include <jansson.h>

#include <pail/pail.h>

#include "process/choice.h"
#include "process/error.h"

/* For people. */
void pail_info_print(FILE *out, const pail_registry *registry, const struct pail_choice *choice);

/* One JSON object and a newline. Returns PAIL_OK, or PAIL_ERR_HOST_MEMORY with a sentence. */
pail_status pail_info_print_json(FILE *out, const pail_registry *registry,
                                 const struct pail_choice *choice, struct pail_error *error);

/* What there is to know of a device; NULL if there is no memory for it. */
json_t *pail_info_device_object(const pail_device_info *info);

/* Calls `visit` for each device of a backend. On failure returns the backend's sentence, which is
 * valid until the next call into it; otherwise NULL. */
const char *pail_info_devices(const pail_registry *registry, const pail_backend *backend,
                              void (*visit)(void *user, const pail_device_info *info), void *user);

/* "1.3.230" out of a version as Vulkan encodes it. */
void pail_info_vulkan_version(char *text, size_t cap, uint32_t version);

#endif /* PAIL_TOOL_INFO_INFO_H */
