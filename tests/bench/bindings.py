#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Costs of a call in each language over C: a multiplication of no scalars on the CPU backend, the least of 100 rounds of 200
calls. C is measured in the same program as C++, before and after the others; a language that is not here has no row.

usage: bindings.py BUILD_FOLDER [LIBDIR]

Scalars are not copied by any of them: tests/bindings looks at that.
"""

import importlib
import json
import re
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "bindings"))
support = importlib.import_module("support")


def measured(module, case):
    """The times that test_calls of a test printed; None where it was skipped."""
    found = []
    kept, support.check_calls = support.check_calls, lambda test, printed: found.append(json.loads(printed.strip().splitlines()[-1]))
    try:
        result = unittest.TestResult()
        unittest.defaultTestLoader.loadTestsFromName(f"{case}.test_calls", importlib.import_module(module)).run(result)
    finally:
        support.check_calls = kept
    for _, text in result.errors + result.failures:
        sys.exit(text)
    return found[0] if found else None


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    support.Installed.build, support.Installed.libdir = Path(sys.argv[1]).resolve(), (sys.argv[2:] or ["lib"])[0]
    cpp = [measured("test_packages", "Package")]
    others = [(name, measured(module, case)) for name, module, case in (
        ("Python", "test_python", "Python"), ("node", "test_node", "Node"), ("Rust", "test_rust", "Rust"), ("Go", "test_go", "Go"))]
    cpp.append(measured("test_packages", "Package"))
    c = min(run["c_ns"] for run in cpp)
    cpu = re.search(r"^model name\s*: (.*)$", Path("/proc/cpuinfo").read_text(), re.M)
    print(f"{cpu[1] if cpu else 'an unknown processor'}; ns for each call\n{'C':8} {c:8}")
    for name, times in [("C++", {"call_ns": min(run["call_ns"] for run in cpp)}), *others]:
        print(f"{name:8} {times['call_ns']:8} {times['call_ns'] - c:+8}" if times else f"{name:8} is not here")


if __name__ == "__main__":
    main()
