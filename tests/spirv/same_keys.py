#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The same sources give the same keys: same_keys.py SOURCES PRINT_KEYS COMPILER

PRINT_KEYS was built of SOURCES by COMPILER, a CMAKE_C_COMPILER_ID. Copies the sources to a folder of another depth, builds
print_keys there without optimisation and by the other one of gcc and clang, runs each from another working directory, and
compares what they print.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOMS = ["CMakeLists.txt", "glsl", "host", "plugin", "spirv", "tests", "tools"]
OTHER_COMPILER = {"GNU": ("clang", "clang++"), "Clang": ("gcc", "g++")}


def run(*arguments, cwd=None):
    done = subprocess.run([str(a) for a in arguments], cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          check=False)
    text = done.stdout.decode(errors="replace")
    if done.returncode:
        sys.exit(f"{' '.join(str(a) for a in arguments)} ended with {done.returncode}:\n{text}")
    return text


def keys_elsewhere(sources, folder, compiler, compiler_cxx):
    copy, build = folder / "sources", folder / "build"
    copy.mkdir(parents=True)
    for room in ROOMS:
        if (sources / room).is_dir():
            shutil.copytree(sources / room, copy / room, ignore=shutil.ignore_patterns("node_modules", "__pycache__"))
        else:
            shutil.copy(sources / room, copy / room)
    run("cmake", "-S", copy, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug",
        f"-DCMAKE_C_COMPILER={compiler}", f"-DCMAKE_CXX_COMPILER={compiler_cxx}")
    run("cmake", "--build", build, "--target", "print_keys")
    return run(build / "tests/print_keys", copy / "glsl", cwd=folder)


def main():
    with tempfile.TemporaryDirectory(prefix="pail-keys-") as folder:
        sources, program, compiler = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
        printed = [run(program, sources / "glsl", cwd=folder),
                   keys_elsewhere(sources, Path(folder) / "another/and deeper", *OTHER_COMPILER[compiler])]
    lines = printed[0].splitlines()
    if len(lines) < 8 or len(set(lines)) != len(lines) or any(len(line.split()) != 5 for line in lines):
        sys.exit(f"too few keys, or the same one twice:\n{printed[0]}")
    if printed[0] != printed[1]:
        sys.exit(f"two builds, two keys:\n{printed[0]}\n{printed[1]}")
    print(printed[0], end="")


if __name__ == "__main__":
    main()
