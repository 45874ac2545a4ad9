/* SPDX-License-Identifier: Apache-2.0 */
/* Witnesses of circuits that circom 2 has compiled to WebAssembly.
 *
 * The circuit runs in an engine of its own, libpail-witness.so, which is looked for as backends are
 * (<pail/pail.h>). Without it, and on other systems than Linux, functions fail with
 * PAIL_ERR_UNSUPPORTED. A circuit has its own memory and the four functions that circom's
 * WebAssembly imports, and nothing else: neither files, nor a network, nor the process's memory.
 *
 * The engine handles SIGSEGV, SIGBUS and SIGILL of the process from the first witness on; signals
 * that it did not cause go to the handlers of before.
 *
 * Functions report failures like those of <pail/pail.h>. Since version 1.1 of the library. */
#ifndef PAIL_CIRCUIT_H
#define PAIL_CIRCUIT_H

#include <pail/pail.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Immutable. Thread-safety: safe. */
typedef struct pail_circuit pail_circuit;

typedef enum pail_circuit_flag {
    /* For a single witness: a circuit of up to 64 MiB of memory is compiled in less time, to slower
     * code. */
    PAIL_CIRCUIT_ONCE = 1 << 0,
    PAIL_CIRCUIT_FLAG_FORCE_32 = 0x7fffffff
} pail_circuit_flag;

typedef struct pail_circuit_params {
    uint32_t struct_size;
    uint32_t flags;    /* pail_circuit_flag, or-ed */
    const char *path;  /* a .wasm of circom */
    const void *bytes; /* [n_bytes]: instead of path, its contents; copied */
    size_t n_bytes;
    const char *name;      /* optional: its name in messages; default: path, or "the circuit" */
    uint64_t memory_limit; /* bytes of the circuit's memory; 0: 4 GiB, which is no limit */
} pail_circuit_params;

/* Reads a circuit, and checks the form and the memory of its WebAssembly. It is compiled for the
 * first witness.
 *
 * Out: *circuit: owned by the caller; freed by pail_circuit_close.
 * Returns PAIL_OK; PAIL_ERR_ARGUMENT; PAIL_ERR_DATA: it is no WebAssembly, or takes more memory
 * than memory_limit; PAIL_ERR_UNSUPPORTED; PAIL_ERR_IO; or PAIL_ERR_HOST_MEMORY. */
PAIL_API pail_status pail_circuit_open(pail_circuit **circuit, const pail_circuit_params *params,
                                       char *error, size_t capacity);

/* No witness may be under way. *circuit may be NULL. */
PAIL_API void pail_circuit_close(pail_circuit **circuit);

/* An input signal with all its values. Elements of arrays follow each other, the last index
 * fastest. This struct does not grow. */
typedef struct pail_circuit_signal {
    const char *name; /* as in the circuit; of a bus "point.x" */
    /* [n * 32]: little-endian, each an integer between -order and order in two's complement; secret
     */
    const void *values;
    size_t n;
} pail_circuit_signal;

typedef struct pail_circuit_options {
    uint32_t struct_size;
    uint32_t flags;         /* 0 */
    uint64_t time_limit_ms; /* for compiling and running; 0: no limit */
    /* optional: called in a thread of the library with each line that the circuit logs, which may
     * contain secrets. It must not end the process by exit(), which waits for the circuit. */
    void (*log)(void *user, const char *line);
    void *user;
    /* optional: the circuit ends with PAIL_ERR_STOPPED when it becomes non-zero, which is read
     * every few milliseconds. Any thread may set it. Must stay valid until the call returns. */
    const uint32_t *cancel;
} pail_circuit_options;

/* Calculates a witness, in a thread of its own. Values are wiped in memory of the library and of
 * the circuit before the function returns.
 *
 * Out: *wtns: [*bytes]: a .wtns file, as snarkjs writes it; freed by pail_circuit_free. NULL and 0
 *      on failure.
 * In:  signals: [n_signals], every input of the circuit once. options: optional.
 * Returns PAIL_OK; PAIL_ERR_ARGUMENT; PAIL_ERR_DATA: a signal or its number of values is not that
 * of the circuit, a value is not in this range, the inputs do not satisfy the circuit (the
 * message is circom's), or it is no circuit of circom 2; PAIL_ERR_STOPPED after time_limit_ms
 * or by cancel; or
 * PAIL_ERR_HOST_MEMORY. */
PAIL_API pail_status pail_circuit_witness(pail_circuit *circuit, void **wtns, size_t *bytes,
                                          const pail_circuit_signal *signals, size_t n_signals,
                                          const pail_circuit_options *options, char *error,
                                          size_t capacity);

/* Wipes and frees a witness. wtns may be NULL. */
PAIL_API void pail_circuit_free(void *wtns, size_t bytes);

#ifdef __cplusplus
}
#endif

#endif /* PAIL_CIRCUIT_H */
