#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs that are linked as ICICLE's bindings link, and the names that bindings of each version refer to.

usage: test_icicle.py C_COMPILER LIBRARIES

PAIL_TEST_ICICLE=VERSION:FOLDER,... builds a Go program with ICICLE's own Go packages, from checkouts of ingonyama-zk/icicle (3.9) or
icicle-gnark (3.2). Modules that only their tests import are not needed.
"""

import ctypes
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
C, LIBRARIES = sys.argv.pop(1), Path(sys.argv.pop(1)).resolve()
CURVES = ("bn254", "bls12_381")
ABSENT = ("bls12_377", "bw6_761")  # curves that Pail does not have, and gnark links
VERSIONS = ("3.2", "3.9", "4.0")
API_NOT_IMPLEMENTED = 10

DEVICE = """icicle_load_backend icicle_load_backend_from_env_or_default icicle_set_device icicle_set_default_device
    icicle_get_active_device icicle_is_host_memory icicle_is_active_device_memory icicle_get_device_count icicle_is_device_available
    icicle_malloc icicle_malloc_async icicle_free icicle_free_async icicle_get_available_memory icicle_memset icicle_memset_async
    icicle_copy icicle_copy_async icicle_copy_to_host icicle_copy_to_host_async icicle_copy_to_device icicle_copy_to_device_async
    icicle_create_stream icicle_destroy_stream icicle_stream_synchronize icicle_device_synchronize icicle_get_device_properties
    icicle_get_registered_devices create_config_extension destroy_config_extension clone_config_extension config_extension_set_int
    config_extension_set_bool config_extension_get_int config_extension_get_bool"""

# With a curve before them; _g2 of groups as well.
FIELD = "add sub mul inv pow ntt ntt_init_domain ntt_release_domain get_root_of_unity vector_add vector_sub vector_mul " \
    "vector_accumulate vector_div vector_inv vector_sum vector_product scalar_add_vec scalar_sub_vec scalar_mul_vec " \
    "scalar_convert_montgomery bit_reverse slice matrix_transpose"
GROUP = "msm msm_precompute_bases affine_convert_montgomery projective_convert_montgomery ecadd ecsub mul_scalar to_affine " \
    "from_affine generator is_on_curve generate_affine_points generate_projective_points"
BY_VERSION = {"3.2": ("generate_scalars", "eq"), "3.9": ("generate_scalars", "eq"), "4.0": ("generate_random", "projective_eq")}
ELEMENTS_4_0 = "add sub mul sqr inv pow eq from_u32 from_bytes_le generate_random"

# Names of Rust's crates that nothing is behind: what returns a status, and what returns a handle.
MISSING = """execute_program generate_program generate_returning_value_program add_symbols sub_symbols multiply_symbols inverse_symbol
    matmul fri_merkle_tree_prove fri_merkle_tree_verify sumcheck_verify sumcheck_get_challenge_vector sumcheck_get_challenge_size
    sumcheck_delete sumcheck_proof_delete sumcheck_proof_print sumcheck_proof_get_poly_sizes sumcheck_proof_get_serialized_size
    sumcheck_proof_serialize sumcheck_proof_deserialize icicle_delete_fri_proof fri_proof_get_pow_nonce fri_proof_get_final_poly
    fri_proof_get_final_poly_size fri_proof_get_nof_queries fri_proof_get_nof_rounds fri_proof_get_round_proofs_for_query
    fri_proof_get_serialized_size fri_proof_serialize fri_proof_deserialize pairing"""
HANDLES = """create_poseidon_hasher create_poseidon2_hasher create_predefined_program create_predefined_returning_value_program
    create_input_symbol create_scalar_symbol copy_symbol sumcheck_create sumcheck_get_proof sumcheck_proof_create
    sumcheck_proof_get_round_poly_at icicle_initialize_fri_proof icicle_create_with_arguments_fri_proof
    polynomial_create_from_coefficients polynomial_create_from_rou_evaluations polynomial_clone polynomial_delete polynomial_print
    polynomial_add polynomial_add_inplace polynomial_subtract polynomial_multiply polynomial_multiply_by_scalar polynomial_quotient
    polynomial_remainder polynomial_division polynomial_divide_by_vanishing polynomial_add_monomial_inplace
    polynomial_sub_monomial_inplace polynomial_slice polynomial_even polynomial_odd polynomial_evaluate_on_domain
    polynomial_evaluate_on_rou_domain polynomial_degree polynomial_copy_coeffs_range polynomial_get_coeffs_raw_ptr"""
# Names of icicle-gnark's Go packages, of curves that Pail does not have.
ABSENT_FIELD = "add sub mul inv ntt ntt_init_domain ntt_release_domain generate_scalars vector_add vector_sub vector_mul " \
    "scalar_convert_montgomery"
ABSENT_GROUP = "msm msm_precompute_bases affine_convert_montgomery projective_convert_montgomery ecadd ecsub to_affine from_affine " \
    "generate_affine_points generate_projective_points"
HASH = """icicle_hasher_hash icicle_hasher_delete icicle_merkle_tree_delete icicle_merkle_tree_build icicle_merkle_tree_get_proof
    icicle_merkle_tree_verify icicle_merkle_proof_delete icicle_merkle_proof_get_serialized_size icicle_merkle_proof_serialize
    icicle_merkle_proof_deserialize proof_of_work proof_of_work_verify"""
HASH_HANDLES = """icicle_create_keccak_256 icicle_create_keccak_512 icicle_create_sha3_256 icicle_create_sha3_512 icicle_create_blake2s
    icicle_create_blake3 icicle_hasher_output_size icicle_merkle_tree_create icicle_merkle_tree_get_root icicle_merkle_proof_create
    icicle_merkle_proof_create_with_data icicle_merkle_proof_is_pruned icicle_merkle_proof_get_path icicle_merkle_proof_get_leaf
    icicle_merkle_proof_get_root"""


def offered(version):
    """Names of a version with something behind them."""
    generate, equal = BY_VERSION[version]
    names = DEVICE.split()
    for curve in CURVES:
        names += [f"{curve}_{name}" for name in (*FIELD.split(), generate, "ecntt")]
        names += [f"{curve}_{group}{name}" for group in ("", "g2_") for name in (*GROUP.split(), equal)]
        if version == "4.0":
            names += [f"{curve}_{field}{name}" for field in ("", "base_field_", "g2_base_field_") for name in ELEMENTS_4_0.split()]
    return names


def missing(handles):
    names = (HANDLES if handles else MISSING).split()
    return [f"{curve}_{name}" for curve in CURVES for name in names] + (HASH_HANDLES if handles else HASH).split()


def absent(handles):
    """Names of 3.2, of curves that Pail does not have: what returns a status or nothing, and what returns a pointer or is false."""
    field, group = ("get_root_of_unity", "eq") if handles else (ABSENT_FIELD, ABSENT_GROUP)
    return [f"{curve}_{prefix}{name}" for curve in ABSENT for names, prefixes in ((field, ("",)), (group, ("", "g2_")))
            for prefix in prefixes for name in names.split()]


class Linked(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())

    def program(self, version, names, libraries):
        """Starts a program that refers to names, with all of them looked up before main."""
        source, binary, place = Path(self.folder) / "program.c", Path(self.folder) / "program", LIBRARIES / "icicle" / version
        lines = [f"extern int {name}();" for name in names]
        source.write_text("\n".join([*lines, "int (*const all[])() = {" + ", ".join(names) + "};", "int main(void)", "{",
                                     "    return all[0] == 0 || icicle_load_backend_from_env_or_default();", "}", ""]))
        # As cgo: with nothing of Pail named.
        subprocess.run([C, source, "-o", binary, f"-L{place}", *(f"-l{library}" for library in libraries),
                        f"-Wl,-rpath-link,{LIBRARIES}"], check=True)
        done = subprocess.run([binary], env={**os.environ, "LD_BIND_NOW": "1", "LD_LIBRARY_PATH": str(place)})
        self.assertEqual(done.returncode, 0, f"{version} with {libraries}")

    def test_go(self):
        for version in VERSIONS:
            for curve in CURVES:
                names = [name for name in offered(version) if not name.startswith(tuple(set(CURVES) - {curve}))]
                self.program(version, names, ("icicle_device", f"icicle_field_{curve}", f"icicle_curve_{curve}"))

    def test_gnark(self):
        names = offered("3.2") + absent(True) + absent(False)
        self.program("3.2", names, ("icicle_device", *(f"icicle_{kind}_{curve}" for curve in (*CURVES, *ABSENT)
                                                       for kind in ("field", "curve"))))

    def test_rust(self):
        curves = [f"icicle_{kind}_{curve}" for curve in CURVES for kind in ("field", "curve")]
        self.program("4.0", [*offered("4.0"), *missing(True), *missing(False), "delete_program"],
                     ("icicle_device", *curves, "icicle_hash"))

    def test_missing(self):
        for version in VERSIONS:
            place = LIBRARIES / "icicle" / version
            loaded = [ctypes.CDLL(str(file)) for file in sorted(place.glob("libicicle_*.so"))]
            self.assertEqual(len(loaded), 10 if version == "3.2" else 6)
            for handles in (False, True):
                for name in missing(handles) + (absent(handles) if version == "3.2" else []):
                    functions = [getattr(library, name) for library in loaded if hasattr(library, name)]
                    self.assertEqual(len(functions), 1, f"{name} of {version}")
                    functions[0].restype = ctypes.c_void_p if handles else ctypes.c_int
                    self.assertEqual(functions[0](), None if handles else API_NOT_IMPLEMENTED, name)

    def test_checkouts(self):
        given = os.environ.get("PAIL_TEST_ICICLE")
        if not given or not shutil.which("go"):
            self.skipTest("PAIL_TEST_ICICLE names no checkouts of ICICLE, or there is no Go")
        for version, checkout in (part.split(":", 1) for part in given.split(",")):
            place, folder = LIBRARIES / "icicle" / version, Path(self.folder) / version
            module = (Path(checkout) / "go.mod").read_text().split()[1]
            shutil.copytree(Path(checkout) / "wrappers/golang", folder / "wrappers/golang")
            (folder / "go.mod").write_text(f"module {module}\n\ngo 1.19\n")
            (folder / "host").mkdir()
            (folder / "host/main.go").write_text((HERE / "icicle_go/main.go").read_text().replace("MODULE", module))
            environment = {**os.environ, "CGO_LDFLAGS": f"-L{place} -Wl,-rpath-link,{LIBRARIES}", "LD_LIBRARY_PATH": str(place),
                           "PAIL_ICICLE_ALIAS": "CUDA", "LD_BIND_NOW": "1", "GOFLAGS": "-mod=mod"}
            subprocess.run(["go", "build", "-o", "program", "./host"], cwd=folder, env=environment, check=True)
            done = subprocess.run([folder / "program"], env=environment, stdout=subprocess.PIPE, text=True)
            self.assertEqual((done.stdout, done.returncode), ("right\n", 0), version)


if __name__ == "__main__":
    unittest.main(verbosity=2)
