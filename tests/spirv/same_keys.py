#!/usr/bin/env python3
"""The same sources give the same keys: same_keys.py SOURCES

Copies the sources to two folders of different names and depths, builds print_keys in each, with gcc without
optimisation and with clang with it, runs each from another working directory, and compares what they print.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOMS = ["CMakeLists.txt", "glsl", "host", "plugin", "spirv", "tests", "tools"]
BUILDS = [("a", "gcc", "g++", "Debug"), ("another/and deeper", "clang", "clang++", "Release")]


def run(*arguments, cwd=None):
    done = subprocess.run([str(a) for a in arguments], cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          check=False)
    text = done.stdout.decode(errors="replace")
    if done.returncode:
        sys.exit(f"{' '.join(str(a) for a in arguments)} ended with {done.returncode}:\n{text}")
    return text


def keys(sources, folder, compiler, compiler_cxx, build_type):
    copy, build = folder / "sources", folder / "build"
    copy.mkdir(parents=True)
    for room in ROOMS:
        if (sources / room).is_dir():
            shutil.copytree(sources / room, copy / room, ignore=shutil.ignore_patterns("node_modules", "__pycache__"))
        else:
            shutil.copy(sources / room, copy / room)
    run("cmake", "-S", copy, "-B", build, "-G", "Ninja", f"-DCMAKE_BUILD_TYPE={build_type}",
        f"-DCMAKE_C_COMPILER={compiler}", f"-DCMAKE_CXX_COMPILER={compiler_cxx}")
    run("cmake", "--build", build, "--target", "print_keys")
    return run(build / "tests/print_keys", copy / "glsl", cwd=folder)


def main():
    with tempfile.TemporaryDirectory(prefix="pail-keys-") as folder:
        printed = [keys(Path(sys.argv[1]), Path(folder) / name, *how) for name, *how in BUILDS]
    lines = printed[0].splitlines()
    if len(lines) < 8 or len(set(lines)) != len(lines) or any(len(line.split()) != 5 for line in lines):
        sys.exit(f"too few keys, or the same one twice:\n{printed[0]}")
    if printed[0] != printed[1]:
        sys.exit(f"two builds, two keys:\n{printed[0]}\n{printed[1]}")
    print(printed[0], end="")


if __name__ == "__main__":
    main()
