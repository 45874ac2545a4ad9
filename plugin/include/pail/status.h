/* Pail: what a call says of its outcome. Part of <pail/backend.h>, whose rules hold here. */
#ifndef PAIL_STATUS_H
#define PAIL_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

/* The hundreds digit is the kind: 1 the caller's mistake, 2 bad data, 3 not supported, 4 the world
 * (memory, device, input and output, or our own bug). */
typedef enum pail_status {
    PAIL_OK = 0,
    PAIL_NOT_READY = 1, /* not an error: still running, or a wait ran out of time */

    PAIL_ERR_ARGUMENT = 100, /* an argument breaks a rule stated in this header */
    PAIL_ERR_ABI = 101,      /* versions or struct sizes that cannot work together */

    PAIL_ERR_DATA = 200, /* bytes handed in are not what they claim to be: a point off the curve */

    PAIL_ERR_UNSUPPORTED = 300, /* legal, but not here: no driver, no such curve, no such feature */

    PAIL_ERR_HOST_MEMORY = 400,
    PAIL_ERR_DEVICE_MEMORY = 401,
    PAIL_ERR_DEVICE_LOST = 402, /* sticky: the context can only be destroyed */
    PAIL_ERR_IO = 403,
    PAIL_ERR_INTERNAL = 404,
    PAIL_ERR_STOPPED = 405, /* the caller's own limit, or its wish, ended it; nothing is lost */

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
