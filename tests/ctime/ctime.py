#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Branches and addresses of the CPU backend that depend on scalars.

usage: ctime.py PROGRAM KNOWN [--update]

Runs PROGRAM, whose scalars count as undefined, under valgrind's memcheck, and compares what that
complains of with the file KNOWN: one line for each kind and function. What is not in the file is
new, and a failure. What is there and not found is said: a compiler may do without, or it can be
taken out. --update writes the file anew. Exit status: 0 nothing new, 1 not, 77 without valgrind.
"""

import re
import shutil
import subprocess
import sys
import tempfile

KINDS = {
    "Conditional jump or move depends on uninitialised value(s)": "branch",
    "Use of uninitialised value of size": "address",
    "Syscall param": "system call",
}
HEAD = """# Where branches and addresses of the CPU backend depend on scalars: "branch", or "address", and the function. Found by
# ctime.py, which fails where something is missing here; docs/security.md says what follows from it.
"""


def complaints(text):
    """Pairs of kind and function, each once."""
    found = set()
    kind = None
    for line in text.splitlines():
        line = re.sub(r"^==\d+== ?", "", line)
        for words, name in KINDS.items():
            if line.startswith(words):
                kind = name
        at = re.match(r"\s+at 0x[0-9A-F]+: (\S+)", line)
        if at and kind:
            found.add(f"{kind} {at.group(1)}")
            kind = None
    return found


def run(program):
    with tempfile.NamedTemporaryFile("r") as log:
        command = [
            "valgrind", "--tool=memcheck", "--error-limit=no", "--leak-check=no", "--num-callers=4",
            f"--log-file={log.name}", program,
        ]
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
        text = log.read()
    if done.returncode != 0 or "ERROR SUMMARY" not in text:
        sys.exit(f"ctime: {program} ended with status {done.returncode}: {done.stderr.strip() or text[-2000:]}")
    return complaints(text)


def main():
    program, known_path = sys.argv[1:3]
    if not shutil.which("valgrind"):
        print("skipped: there is no valgrind (tools/setup --test installs it)")
        sys.exit(77)
    found = run(program)
    if not found:
        sys.exit("ctime: nothing depends on scalars, so that they were not looked at")
    if sys.argv[3:] == ["--update"]:
        with open(known_path, "w", encoding="ascii") as file:
            file.write(HEAD + "".join(f"{line}\n" for line in sorted(found)))
        return
    with open(known_path, encoding="ascii") as file:
        known = {line.strip() for line in file if line.strip() and not line.startswith("#")}
    for line in sorted(found):
        print(line)
    for line in sorted(found - known):
        print(f"new: {line} depends on scalars", file=sys.stderr)
    for line in sorted(known - found):
        print(f"in vain, with this compiler at least: {line}")
    sys.exit(bool(found - known))


if __name__ == "__main__":
    main()
