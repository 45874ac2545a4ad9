/* SPDX-License-Identifier: Apache-2.0 */
/* The engine of circuits: what libpail-witness.so exports, and the library calls. Both are of one
 * release. Read by C and C++. */
#ifndef PAIL_WITNESS_ENGINE_H
#define PAIL_WITNESS_ENGINE_H

#include <stdbool.h>

#include <pail/circuit.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PAIL_ENGINE_NAME   "witness" /* of libpail-NAME.so */
#define PAIL_ENGINE_SYMBOL "pail_engine_open"
#define PAIL_ENGINE_ABI    1u

struct pail_engine_job {
    void *module;        /* compiled; of any thread, for several at a time; NULL: not yet */
    const uint8_t *wasm; /* [n_wasm] */
    size_t n_wasm;
    bool quick; /* compile fast rather than well */
    const pail_circuit_signal *signals;
    size_t n_signals, n_values;
    const uint8_t *values; /* [n_values * 32]: those of all signals; aligned to 8 */
    void (*log)(void *user, const char *line);
    void *user;
    /* Tells the run that interrupt() takes, and NULL before it ends. */
    void (*begun)(struct pail_engine_job *job, void *run);
    /* Hands over the module where it was NULL, before it runs. */
    void (*compiled)(struct pail_engine_job *job, void *module);
    bool interrupted; /* out */
    uint32_t *wtns;   /* out: [bytes], by malloc; NULL on failure */
    size_t bytes;
    char error[1024]; /* out: what is wrong, as the rest of a sentence on the circuit */
};

typedef struct pail_engine {
    uint32_t struct_size, abi;
    const char *name; /* "SpiderMonkey 102" */
    /* Compiles where there is no module, and runs once; in a thread that ends with it, of 8 MiB of
     * stack.
     * Returns PAIL_OK, PAIL_ERR_DATA, PAIL_ERR_STOPPED after an interrupt, PAIL_ERR_HOST_MEMORY. */
    pail_status (*calculate)(struct pail_engine_job *job);
    /* Of any thread. */
    void (*interrupt)(void *run);
    void (*release)(void *module);
} pail_engine;

typedef pail_status (*pail_engine_open_fn)(uint32_t abi, const pail_engine **engine);

#ifdef __cplusplus
}
#endif

#endif /* PAIL_WITNESS_ENGINE_H */
