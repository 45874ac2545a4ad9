# SPDX-License-Identifier: Apache-2.0
"""Files that tests/oracle makes of committed files alone: files of tests/data and tests/vectors. They take minutes of
@noble/curves, and what was the same once is the same again as long as nothing that it depends on changed: scripts, the
versions of packages, inputs, and the files themselves. tests/oracle/made.txt has a hash of all that for each script, as it was
when the script last printed what is committed. Where the hash differs, and in long runs, the script runs again."""

import hashlib
import re

from test_cases import ROOT

ORACLE, DATA, VECTORS = ROOT / "tests/oracle", ROOT / "tests/data", ROOT / "tests/vectors"
HASHES = ORACLE / "made.txt"
LEDGER = [DATA / "ledger.zkey", DATA / "ledger.wtns"]
# Script: what it reads, and what it makes.
MADE = {
    "zkey.mjs": (LEDGER, [DATA / "ledger.expected.json"]),
    "vectors.mjs": ([], [VECTORS / "msm_bn254_g1.json"]),
    "encodings.mjs": ([], [VECTORS / "encodings.json"]),
    "pairings.mjs": ([], [VECTORS / "pairings.json"]),
    "eip.mjs": ([], [DATA / name for name in ("eip-196", "eip-2537", "eip-4844")]),
    "groth16.mjs": ([*LEDGER, DATA / "ledger.expected.json"], [DATA / name for name in ("groth16", "ledger.proof.json", "ledger.public.json")]),
}


def scripts(name):
    """A script and those that it imports."""
    found, todo = set(), [ORACLE / name]
    while todo:
        path = todo.pop()
        if path not in found:
            found.add(path)
            todo += [ORACLE / other for other in re.findall(r"from '\./([\w.]+)'", path.read_text())]
    return sorted(found)


def digest(name):
    """Hash of all that the result of a script depends on, and of the result, names included."""
    read, made = MADE[name]
    whole = hashlib.sha256()
    for top in [*scripts(name), ORACLE / "package-lock.json", *read, *made]:
        for path in sorted(p for p in top.rglob("*") if p.is_file()) if top.is_dir() else [top]:
            content = path.read_bytes()
            whole.update(f"{path.relative_to(ROOT)} {len(content)}\n".encode() + content)
    return whole.hexdigest()


def line(name):
    return f"{digest(name)}  {name}"


def is_known(name):
    """True if a script has made what is there of what is there."""
    try:
        return line(name) in HASHES.read_text().splitlines()
    except FileNotFoundError:
        return False


if __name__ == "__main__":  # for HASHES, after a run in which all of them ran and passed
    print("\n".join(line(name) for name in MADE))
