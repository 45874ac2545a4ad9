/* SPDX-License-Identifier: Apache-2.0 */
/* The prover of rapidsnark as its programs call it: names, codes and signatures are those of
 * iden3/rapidsnark, src/prover.h, so that librapidsnark.so can take the place of that one.
 *
 * Keys are over BN254, as there. A proof is made on the backend that pail_registry_find_for of
 * <pail/pail.h> chooses, and verified before it is given. Functions that fail write one sentence to
 * error_msg[error_msg_maxsize], cut to fit; it may be NULL. Buffers are only read during a call. */
#ifndef PAIL_RAPIDSNARK_PROVER_H
#define PAIL_RAPIDSNARK_PROVER_H

#if defined(__GNUC__)
#define PAIL_RAPIDSNARK_API __attribute__((visibility("default")))
#else
#define PAIL_RAPIDSNARK_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define PROVER_OK                     0x0
#define PROVER_ERROR                  0x1
#define PROVER_ERROR_SHORT_BUFFER     0x2
#define PROVER_INVALID_WITNESS_LENGTH 0x3

/* Room that is enough for the public values of a key as text, its zero byte included. */
PAIL_RAPIDSNARK_API int groth16_public_size_for_zkey_buf(const void *zkey_buffer,
                                                         unsigned long long zkey_size,
                                                         unsigned long long *public_size,
                                                         char *error_msg,
                                                         unsigned long long error_msg_maxsize);
PAIL_RAPIDSNARK_API int groth16_public_size_for_zkey_file(const char *zkey_fname,
                                                          unsigned long long *public_size,
                                                          char *error_msg,
                                                          unsigned long long error_msg_maxsize);

/* Room that is enough for a proof as text, its zero byte included. */
PAIL_RAPIDSNARK_API void groth16_proof_size(unsigned long long *proof_size);

/* Opens a key, to prove any number of times, also in several threads at a time. The buffer or file
 * is not used after it returns. */
PAIL_RAPIDSNARK_API int groth16_prover_create(void **prover_object, const void *zkey_buffer,
                                              unsigned long long zkey_size, char *error_msg,
                                              unsigned long long error_msg_maxsize);
PAIL_RAPIDSNARK_API int groth16_prover_create_zkey_file(void **prover_object,
                                                        const char *zkey_file_path, char *error_msg,
                                                        unsigned long long error_msg_maxsize);

/* In and out: *proof_size, *public_size: room, in bytes; lengths of the texts, without the zero
 * byte that follows each. With PROVER_ERROR_SHORT_BUFFER: the necessary room, the zero byte
 * included.
 *
 * PROVER_INVALID_WITNESS_LENGTH: the witness is that of another circuit. Unlike rapidsnark's, a
 * witness that does not satisfy the circuit is PROVER_ERROR, and no public values are legal. */
PAIL_RAPIDSNARK_API int groth16_prover_prove(void *prover_object, const void *wtns_buffer,
                                             unsigned long long wtns_size, char *proof_buffer,
                                             unsigned long long *proof_size, char *public_buffer,
                                             unsigned long long *public_size, char *error_msg,
                                             unsigned long long error_msg_maxsize);

/* May be NULL. */
PAIL_RAPIDSNARK_API void groth16_prover_destroy(void *prover_object);

/* Opens a key, proves and closes it. */
PAIL_RAPIDSNARK_API int groth16_prover(const void *zkey_buffer, unsigned long long zkey_size,
                                       const void *wtns_buffer, unsigned long long wtns_size,
                                       char *proof_buffer, unsigned long long *proof_size,
                                       char *public_buffer, unsigned long long *public_size,
                                       char *error_msg, unsigned long long error_msg_maxsize);
PAIL_RAPIDSNARK_API int groth16_prover_zkey_file(
    const char *zkey_file_path, const void *wtns_buffer, unsigned long long wtns_size,
    char *proof_buffer, unsigned long long *proof_size, char *public_buffer,
    unsigned long long *public_size, char *error_msg, unsigned long long error_msg_maxsize);

#ifdef __cplusplus
}
#endif

#endif /* PAIL_RAPIDSNARK_PROVER_H */
