/* Manifests: files that list the shapes of a deployment. docs/pipelines.md describes them. */
#ifndef PAIL_TOOL_WARMUP_MANIFEST_H
#define PAIL_TOOL_WARMUP_MANIFEST_H

#include "error/error.h"
#include "selection.h"

/* Appends what the file lists. Returns PAIL_OK; PAIL_ERR_DATA, with a sentence that names the file,
 * the shape, the key and the value; PAIL_ERR_IO or PAIL_ERR_HOST_MEMORY. */
pail_status pail_warm_manifest_read(struct pail_warm_selection *selection, const char *path,
                                    struct pail_error *error);

#endif /* PAIL_TOOL_WARMUP_MANIFEST_H */
