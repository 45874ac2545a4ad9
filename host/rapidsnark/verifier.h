/* SPDX-License-Identifier: Apache-2.0 */
/* The verifier of rapidsnark as its programs call it: the names, codes and the signature are those
 * of iden3/rapidsnark, src/verifier.h, so that librapidsnark.so can take the place of that one. */
#ifndef PAIL_RAPIDSNARK_VERIFIER_H
#define PAIL_RAPIDSNARK_VERIFIER_H

#if defined(__GNUC__)
#define PAIL_RAPIDSNARK_API __attribute__((visibility("default")))
#else
#define PAIL_RAPIDSNARK_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define VERIFIER_VALID_PROOF   0
#define VERIFIER_INVALID_PROOF 1
#define VERIFIER_ERROR         2

/* Verifies a Groth16 proof, over BN254 or BLS12-381. Thread-safety: safe.
 *
 * Out: error_msg: [error_msg_maxsize]: for VERIFIER_ERROR one sentence, cut to fit, that begins
 *      with what rapidsnark says: "invalid proof data", "invalid inputs data", "invalid
 *      verification key data" or "len(inputs)+1 != len(vk.IC)". May be NULL.
 * In:  proof, inputs, verification_key: JSON that ends in a zero byte, as snarkjs and rapidsnark
 *      write it. Unlike rapidsnark's, no inputs at all ("[]") are legal, and an input that is not
 *      below the order of the group is VERIFIER_ERROR; so is a point that is not on its curve or
 *      in its group.
 * Returns one of the codes above. */
PAIL_RAPIDSNARK_API int groth16_verify(const char *proof, const char *inputs,
                                       const char *verification_key, char *error_msg,
                                       unsigned long error_msg_maxsize);

#ifdef __cplusplus
}
#endif

#endif /* PAIL_RAPIDSNARK_VERIFIER_H */
