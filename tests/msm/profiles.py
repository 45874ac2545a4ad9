#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Multiplications of gpu_msm on devices that PAIL_LIMITS describes: in an ordinary run those of all sizes, on the one that has
least; with PAIL_TEST_LONG all of them on each. docs/debugging.md has a row for each.

usage: profiles.py GPU_MSM
"""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LEAST = "moltenvk"
SIZES = "test_sizes"  # each plan, and whether it takes what it was estimated to: workloads with limits are in gpu_limits


def main():
    found = re.findall(r'^    \{"([a-z0-9-]+)",((?:\s*"[^"]+")+)\},?$', (ROOT / "plugin/vk/limits.c").read_text(), re.M)
    names = {name: "".join(re.findall(r'"([^"]+)"', words)) for name, words in found}
    rows = dict(re.findall(r"^\| `([a-z0-9-]+)` \| [^|]+ \| `([^`]+)` \|", (ROOT / "docs/debugging.md").read_text(), re.M))
    other = sorted(name for name in names if names[name] != rows.get(name))
    if LEAST not in names or other:
        sys.exit(f"limits.c has {names}, and docs/debugging.md has other words for {other}")
    failed = []
    is_long = bool(os.environ.get("PAIL_TEST_LONG"))
    for name in names if is_long else [LEAST]:
        print(f"PAIL_LIMITS={name}", flush=True)
        if subprocess.run([sys.argv[1], *([] if is_long else [SIZES])], env={**os.environ, "PAIL_LIMITS": name}, check=False).returncode != 0:
            failed.append(name)
    if failed:
        sys.exit(f"failed: {', '.join(failed)}")


if __name__ == "__main__":
    main()
