/* SPDX-License-Identifier: Apache-2.0 */
/* Options of a command out of a file of JSON: an object whose keys are their long names. */
#ifndef PAIL_TOOL_SERVE_CONFIG_H
#define PAIL_TOOL_SERVE_CONFIG_H

#include "options/table.h"
#include "output/json.h"

/* Reads options that the command line does not have; those that it has win. Values are texts, whole
 * numbers, true and false for flags, and arrays for options that may be given several times. Those
 * that were read count as given from here on. --help and the file's own option are refused.
 *
 * In:  own: the name of the option that names the file.
 * Out: *root: holds the texts that the options point to; to be released after them. NULL on
 * failure. Returns PAIL_OK, PAIL_ERR_IO, or PAIL_ERR_DATA with a sentence that names the file and
 * the option. */
pail_status pail_config_read(json_t **root, struct pail_call *call, void *options, const char *path,
                             const char *own, struct pail_error *error);

#endif /* PAIL_TOOL_SERVE_CONFIG_H */
