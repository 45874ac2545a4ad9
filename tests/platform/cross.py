# SPDX-License-Identifier: Apache-2.0
"""Support for the tests of other machines and systems: builds by cross compilers, kept in the folder of the build."""

import os
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "tests/data"


def run(command, timeout=3000, **settings):
    """Output of a command; a failed one is a failed test with its output."""
    done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", check=False, timeout=timeout, **settings)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))}: exit status {done.returncode}\n{done.stdout[-8000:]}")
    return done.stdout


def configured(cmake, build, name, toolchain, optimised, *settings, plain="-O0"):
    """A folder of the build, which is kept: what did not change is not compiled again. optimised: the compiler's option;
    in an ordinary run for what is busy alone, and plain for everything else, which compiles in half of the time. Nobody
    debugs what is built here, and what debuggers read takes a third of the time."""
    everything = optimised if os.environ.get("PAIL_TEST_LONG") else plain
    folder = build / f"cross-{name}"
    env = {name: value for name, value in os.environ.items() if name not in ("CC", "CXX", "CFLAGS", "CXXFLAGS", "LDFLAGS")}
    run([cmake, "-S", ROOT, "-B", folder, "-G", "Ninja", "--toolchain", ROOT / f"tools/cmake/{toolchain}.cmake",
         "-DCMAKE_BUILD_TYPE=RelWithDebInfo", "-DPAIL_WERROR=ON", f"-DPAIL_BUSY_OPTIONS={optimised}", *settings,
         *(f"-DCMAKE_{language}_FLAGS_RELWITHDEBINFO={everything} -DNDEBUG" for language in ("C", "CXX")),
         *(f"-DCMAKE_{language}_COMPILER_LAUNCHER=ccache" for language in ("C", "CXX") if shutil.which("ccache"))], env=env)
    return folder
