/* Device memory of the multiplications of a proof with a key. */
#ifndef PAIL_TOOL_KEY_KEY_MEMORY_H
#define PAIL_TOOL_KEY_KEY_MEMORY_H

#include <formats/zkey.h>

#include "process/session.h"

struct pail_key_memory {
    char backend[64], device[256];
    uint64_t bases[PAIL_ZKEY_MSMS]; /* bytes of points that stay there */
    uint64_t work[PAIL_ZKEY_MSMS];  /* bytes of one multiplication besides */
};

/* Asks a backend that gives an account of its memory, for the limits of its best device. Points at
 * infinity count, which may be left out when points are registered. Nothing runs.
 *
 * In: params: `backend` and `device` alone are read.
 * Returns PAIL_OK or a status with a sentence in *error. */
pail_status pail_key_memory_read(struct pail_key_memory *memory, const struct pail_zkey *key,
                                 const struct pail_session_params *params,
                                 struct pail_error *error);

#endif /* PAIL_TOOL_KEY_KEY_MEMORY_H */
