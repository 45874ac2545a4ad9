/* SPDX-License-Identifier: Apache-2.0 */
/* Pail: result statuses of functions. Part of <pail/backend.h>, whose rules hold here. */
#ifndef PAIL_STATUS_H
#define PAIL_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

/* The hundreds digit is the kind: 1 wrong use, 2 invalid data, 3 not supported, 4 environment
 * (memory, device, I/O, or a bug in Pail). */
typedef enum pail_status {
    PAIL_OK = 0,
    PAIL_NOT_READY = 1, /* not an error: still running, or a wait timed out */

    PAIL_ERR_ARGUMENT = 100, /* an argument violates a rule of its header */
    PAIL_ERR_ABI = 101,      /* incompatible versions or struct sizes */

    PAIL_ERR_DATA = 200, /* invalid input data, such as a point that is not on the curve */

    PAIL_ERR_UNSUPPORTED = 300, /* valid, but not supported by driver, device or backend */

    PAIL_ERR_HOST_MEMORY = 400,
    PAIL_ERR_DEVICE_MEMORY = 401,
    PAIL_ERR_DEVICE_LOST = 402, /* sticky: the context can only be destroyed */
    PAIL_ERR_IO = 403,
    PAIL_ERR_INTERNAL = 404,
    PAIL_ERR_STOPPED = 405, /* ended by a limit of the caller, or cancelled */

    PAIL_STATUS_FORCE_32 = 0x7fffffff
} pail_status;

typedef enum pail_status_kind {
    PAIL_KIND_OK = 0,
    PAIL_KIND_CALLER = 1,
    PAIL_KIND_DATA = 2,
    PAIL_KIND_UNSUPPORTED = 3,
    PAIL_KIND_WORLD = 4,
    PAIL_KIND_FORCE_32 = 0x7fffffff
} pail_status_kind;

#define PAIL_STATUS_KIND(status) ((pail_status_kind)((int)(status) / 100))

#ifdef __cplusplus
}
#endif

#endif /* PAIL_STATUS_H */
