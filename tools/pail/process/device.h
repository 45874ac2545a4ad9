/* Devices as the command line names them: by an index, or by a part of a name. */
#ifndef PAIL_TOOL_PROCESS_DEVICE_H
#define PAIL_TOOL_PROCESS_DEVICE_H

#include "error/error.h"
#include <pail/pail.h>

/* The device that is wanted. A part of a name is looked for among all backends that are usable and
 * have the abilities in needs, unless the registry was made for one of them, and tells the backend;
 * an index is one of the backend that is given. Of backends that have it the best one.
 *
 * In, out: *backend: the one that is used if no device is named.
 * Returns PAIL_OK, or PAIL_ERR_ARGUMENT (there is no such device, or several) or what the backend
 * says, with a sentence in *error. */
pail_status pail_device_choose(const pail_backend **backend, uint32_t *index,
                               const pail_registry *registry, const char *wanted, uint32_t needs,
                               struct pail_error *error);

/* Reads the facts of one of a backend's devices. Makes no context. */
pail_status pail_device_read(pail_device_info *info, const pail_backend *backend,
                             const pail_host *host, const char *wanted, struct pail_error *error);

/* The same of the device that a context is made on where none is named. PAIL_ERR_UNSUPPORTED: there
 * is no such device. */
pail_status pail_device_read_best(pail_device_info *info, const pail_backend *backend,
                                  const pail_host *host, struct pail_error *error);

/* Calls `visit` for each device of a backend. On failure returns the backend's sentence, which is
 * valid until the next call into it; otherwise NULL. */
const char *pail_device_each(const pail_registry *registry, const pail_backend *backend,
                             void (*visit)(void *user, const pail_device_info *info), void *user);

#endif /* PAIL_TOOL_PROCESS_DEVICE_H */
