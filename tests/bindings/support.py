# SPDX-License-Identifier: Apache-2.0
"""Support for the tests of bindings: an installation, and values that other code computed.

install(cmake, build, folder) installs a build there. golden(folder) writes what programs in other languages read line by line.
cases.txt has a multiplication a line, `name bases scalars expected`, each of the last three in hexadecimal, or "-" for no
bytes; the expected point is x then y, as bases have it, of @noble/curves. vectors.txt has what vector_cases.py says. kzg.txt has
a made blob a line, `number z blob commitment proof y blob_proof cells proofs`: byte k of blob `number` is 0 if 32 divides k, and
otherwise ((k^2 + 31 k) / 8 + 97 number) modulo 256; blob, cells and proofs are the SHA-256 of all their bytes, and all is in
hexadecimal. tests/hooks/test_ckzg.py compares them with c-kzg.
"""

import importlib.machinery
import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import vector_cases

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "tests/data"
SETUP = ROOT / "tools/pail/kzg/setups/mainnet.txt"
# The backend of contexts that name none. For tests with the label hardware it is that of a device.
BACKEND = os.environ.get("PAIL_TEST_BACKEND", "cpu")


def cases():
    """(name, bases, scalars, expected) of BN254 G1."""
    for case in json.loads((ROOT / "tests/vectors/msm_bn254_g1.json").read_text())["cases"]:
        expected = case["expected"]
        point = b"".join(int(expected[c], 16).to_bytes(32, "little") for c in "xy")
        yield case["name"], bytes.fromhex(case["bases"]), bytes.fromhex(case["scalars"]), point


def kzg_lines():
    vectors = json.loads((ROOT / "tests/vectors/kzg.json").read_text())
    names = ("blob", "commitment", "proof", "y", "blob_proof", "cells", "proofs")
    return [(row["number"], vectors["z"], *(row[name] for name in names)) for row in vectors["blobs"]]


def made_blob(number):
    """A blob as kzg.txt has it."""
    return bytes(0 if k % 32 == 0 else (k * k + 31 * k) // 8 + 97 * number & 255 for k in range(131072))


def golden(folder):
    lines = [" ".join([name, *(part.hex() or "-" for part in parts)]) for name, *parts in cases()]
    (folder / "cases.txt").write_text("\n".join(lines) + "\n")
    vector_cases.write(folder / "vectors.txt")
    (folder / "kzg.txt").write_text("\n".join(" ".join(map(str, line)) for line in kzg_lines()) + "\n")


def golden_arguments(folder):
    """Options of the programs in C++."""
    return [folder / "cases.txt", DATA, folder / "vectors.txt"]


def run(command, timeout=900, **settings):
    """Output of a command; a failed one is a failed test with its output."""
    done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", check=False, timeout=timeout, **settings)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))}: exit status {done.returncode}\n{done.stdout}")
    return done.stdout


def release_tool():
    """tools/release as a module: what a release has and how versions are compared is said there."""
    loader = importlib.machinery.SourceFileLoader("release", str(ROOT / "tools/release"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("release", loader))
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(ROOT / "tools"))
    loader.exec_module(module)
    return module


class Installed(unittest.TestCase):
    """An installation of the build, or the build itself, and golden values, for all tests of a class."""

    cmake, build, libdir = "cmake", Path(), "lib"

    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.temporary.cleanup)
        cls.folder = Path(cls.temporary.name)
        cls.prefix = cls.folder / "prefix"
        if BACKEND == "cpu":
            run([cls.cmake, "--install", cls.build, "--prefix", cls.prefix])
        else:  # A machine with a device may have no CMake.
            cls.prefix = cls.build
        golden(cls.folder)
        libraries = cls.prefix / cls.libdir
        cls.library = libraries / "libpail.so.1"
        cls.env = {**os.environ, "PAIL_BACKEND": BACKEND, "PAIL_LIBRARY": str(cls.library),
                   "LD_LIBRARY_PATH": ":".join(filter(None, [str(libraries), os.environ.get("LD_LIBRARY_PATH")])),
                   "KZG": str(cls.folder / "kzg.txt"), "SETUP": str(SETUP), "PKG_CONFIG_PATH": str(libraries / "pkgconfig")}


def programs(page, language):
    """The programs on a page. They prove circuit.zkey and witness.wtns of their working directory."""
    return re.findall(f"^```{language}\n(.*?)^```$", (ROOT / page).read_text(), re.M | re.S)


def readme_program(binding, language):
    """The program in a binding's README."""
    return programs(f"host/bindings/{binding}/README.md", language)[0]


# Output of the second program of each README: 1 + 2 X and 3 + 4 X multiplied.
VECTORS_README = "3 10 8 0\n"
# Of the third, published by ethereum/c-kzg-4844 (tests/blob_to_kzg_commitment): the commitment to a blob of twos.
KZG_README = "a572cbea true\n"


def circuit(folder):
    """A folder for such a program."""
    folder.mkdir(exist_ok=True)
    for name, file in (("circuit.zkey", DATA / "ledger.zkey"), ("witness.wtns", DATA / "ledger.wtns"),
                       ("verification_key.json", DATA / "ledger.vkey.json"), ("mainnet.txt", SETUP)):
        if not (folder / name).exists():
            (folder / name).symlink_to(file)
    return folder


def check_readme(test, printed):
    """11 G has x = 0x...ef."""
    test.assertRegex(printed, r"\b239\b")
    test.assertIn("pi_a", printed)
    test.assertRegex(printed.strip().splitlines()[-1], r"(?i)^(valid|true)$")


def check_calls(test, printed):
    """Scalars are not copied: a call that is refused before they are read takes as long with 2^20 of them as with one. The
    copy of 32 MiB that this would show takes milliseconds. Times of calls themselves are for benchmarks, not for tests."""
    times = json.loads(printed.strip().splitlines()[-1])
    print(printed.strip().splitlines()[-1])
    test.assertLess(times["refused_many_ns"], times["refused_1_ns"] + 1e6)


def main():
    """support.py PROGRAM...: runs programs on golden values: PROGRAM CASES DATA VECTORS."""
    with tempfile.TemporaryDirectory() as folder:
        golden(Path(folder))
        for program in sys.argv[1:]:
            print(run([program, *golden_arguments(Path(folder))], env={**os.environ, "PAIL_BACKEND": BACKEND}))


if __name__ == "__main__":
    main()
