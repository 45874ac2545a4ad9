#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The shared objects export what their headers promise, and nothing else.

usage: exports.py NM PLUGIN LIBRARY HEADER_OF_LIBRARY...
"""

import re
import subprocess
import sys
from pathlib import Path


def promised(headers):
    """Functions that headers declare with PAIL_API. A declaration may be broken into lines."""
    return set(re.findall(r"PAIL_API\s[^;(]*?(pail_\w+)\(", "".join(Path(header).read_text() for header in headers)))


def exported(nm, library):
    lines = subprocess.run([nm, "-D", "--defined-only", library], stdout=subprocess.PIPE, text=True, check=True).stdout
    # A of nm's: the names of versions.
    return {words[2].partition("@")[0] for words in map(str.split, lines.splitlines()) if words[1] != "A"}


def main(nm, plugin, library, *headers):
    functions = promised(headers)
    if not functions:
        sys.exit(f"no function found in {' '.join(headers)}")
    wrong = [f"{file} {what} {name}"
             for file, names in ((plugin, {"pail_backend_open"}), (library, functions))
             for found in [exported(nm, file)]
             for what, those in (("exports, and should not,", found - names), ("does not export", names - found))
             for name in sorted(those)]
    sys.exit("\n".join(wrong) or 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
