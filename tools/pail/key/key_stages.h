/* Times of each stage of a proof with a key. */
#ifndef PAIL_TOOL_KEY_KEY_STAGES_H
#define PAIL_TOOL_KEY_KEY_STAGES_H

#include <pail/groth16.h>

#include "process/session.h"

struct pail_key_stages {
    char backend[64], device[256];
    uint64_t device_bytes; /* of the points as they are registered */
    double open_ms;
    uint32_t b2, b2_threads; /* as in pail_groth16_key_info */
    pail_groth16_timings timings;
};

/* Opens the key on a device and proves with a witness of random values, which no stage can tell
 * from one that satisfies the circuit: once, so that everything is there, and again with each stage
 * waited for. Real witnesses have small values and take less.
 *
 * Returns PAIL_OK or a status with a sentence in *error. */
pail_status pail_key_stages_read(struct pail_key_stages *stages, const char *path,
                                 const struct pail_session_params *params,
                                 struct pail_error *error);

#endif /* PAIL_TOOL_KEY_KEY_STAGES_H */
