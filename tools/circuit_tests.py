# SPDX-License-Identifier: Apache-2.0
"""Work of the part oracle of tools/run_tests.py with real circuits: circom compiles those of tools/make-data, snarkjs makes
the witnesses, and snarkjs and Pail prove with the same keys."""

import shutil

from test_cases import ROOT, execute

SMALL = ["merkle:1", "eddsa:1"]
MEDIUM = ["sha256:1"]  # of long runs, too: 30 000 constraints, most of its values 0 or 1
LARGE = ["merkle:2^16", "eddsa:2^16", "sha256:2^17", "sha256:16"]  # of long runs; circom2 has no memory for more
MADE_UP = 2**20 - 11  # constraints of the largest, with 10 public values: a domain of 2^20
LARGE_S = 3600


def ledger(here, to, long):
    """The files of tests/data are what their circuits give. The keys take ceremonies of minutes."""
    data = ROOT / "tests/data"
    to.mkdir(parents=True, exist_ok=True)
    if long:
        code, text = execute([here / "make.sh", to], timeout=LARGE_S)
        files = [f"{name}.{kind}" for name in ("ledger", "membership") for kind in ("zkey", "wasm", "vkey.json")] + ["ledger.wtns"]
    else:
        compiled = execute(["npx", "--no-install", "circom2", "ledger.circom", "--wasm", "--O2", "-o", "."], cwd=here)
        code, text = compiled if compiled[0] != 0 else execute(
            ["npx", "--no-install", "snarkjs", "wtns", "calculate", "ledger_js/ledger.wasm", "input.json", to / "ledger.wtns"], cwd=here)
        (to / "ledger.wasm").write_bytes((here / "ledger_js/ledger.wasm").read_bytes() if code == 0 else b"")
        files = ["ledger.wtns", "ledger.wasm"]
    if code == 0:
        differ = [name for name in files if (to / name).read_bytes() != (data / name).read_bytes()]
        code, text = (1 if differ else 0), f"others: {', '.join(differ)}"
    return f"oracle: tests/data has {', '.join(files)}", code, text


def circuits(run, folder, lavapipe):
    """folder: of a build; lavapipe: an environment. Returns (name, exit status, output) of each case; what needs npm is left
    out where npm is without its packages, and the first case says so."""
    here, made = run.folder / "make-data", {"small": run.folder / "circuits", "large": run.folder / "circuits-large"}
    shutil.copytree(ROOT / "tools/make-data", here, dirs_exist_ok=True, ignore=shutil.ignore_patterns("node_modules"))
    code, text = execute(["npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts"], cwd=here)
    if code != 0:
        return [("oracle: npm installs circom and circomlib", code, text)]
    pail, setup, oracle = folder / "bin/pail", folder / "tests/insecure_setup", run.folder / "oracle"
    cases = [ledger(here, run.folder / "ledger", run.long),
             ("oracle: snarkjs calculates the same witnesses of 21 circuits",
              *execute(["node", oracle / "witness.mjs", pail, here], timeout=LARGE_S)),
             ("oracle: snarkjs's contracts take and refuse the same proofs",
              *execute(["node", oracle / "solidity.mjs", pail, setup, ROOT / "tests/data"], timeout=LARGE_S))]
    for size, specs in (("small", SMALL + MEDIUM if run.long else SMALL), ("large", LARGE)):
        if size == "large" and not run.long:
            continue
        shutil.rmtree(made[size], ignore_errors=True)
        cases.append((f"oracle: {', '.join(specs)}: circuits, witnesses and keys",
                      *execute(["node", here / "circuits/make.mjs", "--setup", setup, made[size], *specs], timeout=LARGE_S)))
        if size == "large":
            files = [made[size] / f"made-up.{kind}" for kind in ("r1cs", "wtns", "zkey")]
            for words in (["circuit", "bn254", MADE_UP, 10, *files[:2]], ["key", files[0], files[2]]):
                cases.append((f"oracle: insecure_setup {words[0]} of {MADE_UP} constraints", *execute([setup, *words])))
        backends, on = (["cpu"], "the CPU") if size == "large" else (["cpu", "vulkan"], "the CPU and on lavapipe")
        cases.append((f"oracle: snarkjs takes the proofs of {size} circuits on {on}, and the other way round",
                      *execute(["node", oracle / "prove.mjs", pail, "--circuits", made[size],
                                *(word for backend in backends for word in ("--backend", backend))],
                               timeout=LARGE_S, env=lavapipe)))
    shutil.rmtree(made["large"], ignore_errors=True)  # gigabytes
    return cases
