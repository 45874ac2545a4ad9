/* SPDX-License-Identifier: Apache-2.0 */
/* libicicle_hash: what Rust's crates are linked with. Nothing of it is offered. */
#include "names.h"

MISSING_4(icicle_hasher_hash, icicle_hasher_delete, icicle_merkle_tree_delete,
          icicle_merkle_tree_build)
MISSING_4(icicle_merkle_tree_get_proof, icicle_merkle_tree_verify, icicle_merkle_proof_delete,
          icicle_merkle_proof_get_serialized_size)
MISSING_4(icicle_merkle_proof_serialize, icicle_merkle_proof_deserialize, proof_of_work,
          proof_of_work_verify)
MISSING_HANDLE_4(icicle_create_keccak_256, icicle_create_keccak_512, icicle_create_sha3_256,
                 icicle_create_sha3_512)
MISSING_HANDLE_4(icicle_create_blake2s, icicle_create_blake3, icicle_hasher_output_size,
                 icicle_merkle_tree_create)
MISSING_HANDLE_4(icicle_merkle_tree_get_root, icicle_merkle_proof_create,
                 icicle_merkle_proof_create_with_data, icicle_merkle_proof_is_pruned)
MISSING_HANDLE(icicle_merkle_proof_get_path)
MISSING_HANDLE(icicle_merkle_proof_get_leaf)
MISSING_HANDLE(icicle_merkle_proof_get_root)
