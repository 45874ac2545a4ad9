/* Memory of a start where the context computes on the host. */
#ifndef PAIL_PROVER_ON_HOST_H
#define PAIL_PROVER_ON_HOST_H

#include <prover/key/key.h>

bool pail_computes_on_host(const pail_groth16_key *key);

/* Bytes that the CPU backend takes for the transforms and multiplications of a proof, beside its
 * vectors, at most. estimates: [PAIL_ZKEY_MSMS]: from msm_estimate for each of
 * them by itself; threads: given to msm_estimate. */
uint64_t pail_on_host_start_bytes(const pail_groth16_key *key, const pail_stats estimates[],
                                  uint32_t threads);

#endif /* PAIL_PROVER_ON_HOST_H */
