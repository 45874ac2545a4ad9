/* Output of `pail info`. */
#ifndef PAIL_TOOL_INFO_INFO_H
#define PAIL_TOOL_INFO_INFO_H

#include <stdio.h>

#include <jansson.h>

#include <pail/pail.h>

#include "error/error.h"
#include "process/choice.h"

/* Prints for people. */
void pail_info_print(FILE *out, const pail_registry *registry, const struct pail_choice *choice);

/* Prints one JSON object and a newline. Returns PAIL_OK, or PAIL_ERR_HOST_MEMORY with a sentence.
 */
pail_status pail_info_print_json(FILE *out, const pail_registry *registry,
                                 const struct pail_choice *choice, struct pail_error *error);

/* All facts of a device as a JSON object; NULL if there is no memory for it. */
json_t *pail_info_device_object(const pail_device_info *info);

/* "1.3.230" out of a version as Vulkan encodes it. */
void pail_info_vulkan_version(char *text, size_t cap, uint32_t version);

#endif /* PAIL_TOOL_INFO_INFO_H */
