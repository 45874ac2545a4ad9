# SPDX-License-Identifier: Apache-2.0
"""A build that is tested on another machine: tools/test --pack ARCHIVE makes an archive of the sources, of a build and of packages
that the other machine may lack; tools/test --built hardware runs the tests there, without a network, root, compiler or CMake."""

import json
import lzma
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

from test_builds import labels_of
from test_cases import ROOT, execute

FACTS = "moved.json"  # in the folder of the build, beside its `gcc`
CARRIED = "carried"  # packages, unpacked
TOP = "pail"  # the folder of the archive

# Debian packages whose files travel: the Vulkan loader with its validation layers, libraries of X that NVIDIA's driver links, and the
# interpreter. A file is used only where the machine has none of its own.
PACKAGES = ["libcmocka0", "libmicrohttpd12", "libjansson4", "libmozjs-102-0", "libvulkan1", "libxext6", "vulkan-validationlayers", "python3"]
# The base of every distribution, newer there than in Debian 12, or of no use without its package's scripts.
EVERYWHERE = re.compile(r"libc6|libc-bin|libgcc-s1|gcc-12-base|libstdc\+\+6|libcrypt1|debconf|dpkg|tar|perl.*|libperl.*|mime-support|media-types|tzdata|mailcap|install-info")
LABELS = ("gpu", "hardware")
# Most of the archive are 30 MB of kernels in each of dozens of programs; the window of the compressor spans several of them.
COMPRESSION = [{"id": lzma.FILTER_LZMA2, "preset": 2, "dict_size": 128 << 20}]


def needed_packages(names):
    """The packages and what they depend on."""
    code, text = execute(["apt-cache", "depends", "--recurse", "--no-recommends", "--no-suggests", "--no-conflicts", "--no-breaks",
                          "--no-replaces", "--no-enhances", *names])
    if code != 0:
        raise OSError(f"apt-cache knows no packages {' '.join(names)}: {text}")
    found = [line for line in text.splitlines() if re.match(r"[a-z0-9]", line) and ":i386" not in line]
    return sorted(name for name in dict.fromkeys(found) if not EVERYWHERE.fullmatch(name))


def unpack_packages(names, to):
    with tempfile.TemporaryDirectory() as folder:
        code, text = execute(["apt-get", "download", *needed_packages(names)], cwd=folder)
        if code != 0:
            raise OSError(text)
        for package in sorted(Path(folder).glob("*.deb")):
            subprocess.run(["dpkg", "-x", package, to], check=True)
    for superfluous in ("usr/share/doc", "usr/share/man", "usr/share/locale", "usr/share/lintian", "etc", "var"):
        subprocess.run(["rm", "-rf", to / superfluous], check=True)


def stripped(path, folder):
    """A copy without symbols, or the file itself where there are none."""
    copy = Path(folder) / "stripped"
    code, _ = execute(["strip", "-o", copy, path])
    return copy if code == 0 else path


def pack(archive, folder, listed, sources, packages):
    """Writes the archive. folder: of the builds; listed: the tests as ctest lists them; sources: files. Returns its size in bytes."""
    gcc = (folder / "gcc").resolve()
    tests = [test for test in listed["tests"] if set(labels_of(test)) & set(LABELS)]
    programs = {Path(word) for test in tests for word in json.dumps(test).split('"') if word.startswith(f"{gcc}/") and Path(word).is_file()}
    programs |= {path for pattern in ("bin/pail", "lib/**/*.so*", "tests/bench_*", "tests/**/*.so", "tests/layers/*") for path in gcc.glob(pattern)
                 if path.is_file()}
    interpreter = next(test["command"][0] for test in tests if Path(test["command"][0]).name.startswith("python"))
    with tempfile.TemporaryDirectory() as scratch, lzma.open(archive, "w", filters=COMPRESSION) as compressed, \
            tarfile.open(fileobj=compressed, mode="w") as tar:
        for path in sources:
            tar.add(path, f"{TOP}/{path.relative_to(ROOT)}", recursive=False)
        for path in sorted(programs):
            tar.add(path if path.is_symlink() else stripped(path, scratch), f"{TOP}/build-test/gcc/{path.relative_to(gcc)}")
        carried = Path(scratch) / CARRIED
        unpack_packages(packages or PACKAGES, carried)
        tar.add(carried, f"{TOP}/build-test/{CARRIED}")
        facts = Path(scratch) / FACTS
        facts.write_text(json.dumps({"root": str(ROOT), "build": str(gcc), "python": interpreter, "listed": {**listed, "tests": tests}}))
        tar.add(facts, f"{TOP}/build-test/{FACTS}")
    return Path(archive).stat().st_size


def is_there(library):
    """Another process loads the library, so that this one stays as it is."""
    return subprocess.run([sys.executable, "-c", "import ctypes, sys; ctypes.CDLL(sys.argv[1])", library], stderr=subprocess.DEVNULL).returncode == 0


def use_carried(folder):
    """Puts into this process's environment what the machine lacks of the packages that travelled."""
    carried, missing = folder / CARRIED, folder / "missing"
    missing.mkdir(exist_ok=True)
    for library in carried.glob("**/*-linux-gnu/*.so*"):
        link = missing / library.name
        if not link.is_symlink() and not is_there(library.name):
            link.symlink_to(os.path.relpath(library, missing))
    os.environ["LD_LIBRARY_PATH"] = ":".join(filter(None, [os.environ.get("LD_LIBRARY_PATH"), str(missing)]))
    os.environ["PATH"] += f":{carried}/usr/bin"
    layers = "usr/share/vulkan/explicit_layer.d"
    if not list(Path("/", layers).glob("*validation*")):
        os.environ["VK_ADD_LAYER_PATH"] = str(carried / layers)


def opened(folder):
    """The tests of a build that was moved here, or None where the build in the folder was made here. Sets up the environment."""
    facts = folder / FACTS
    if not facts.exists():
        return None
    facts = json.loads(facts.read_text())
    use_carried(folder)
    places = {facts["build"]: str(folder / "gcc"), facts["root"]: str(ROOT), facts["python"]: sys.executable}
    os.environ["PAIL_TEST_MOVED"] = ":".join(f"{old}={new}" for old, new in places.items())

    def here(word):
        for old, new in places.items():
            if word == old or f"{old}/" in word:
                return word.replace(old, new)
        return word

    def moved(value):
        if isinstance(value, dict):
            return {key: moved(of) for key, of in value.items()}
        return [moved(of) for of in value] if isinstance(value, list) else here(value) if isinstance(value, str) else value

    return moved(facts["listed"])


def run_tests(listed, label, env, jobs, leave_out, only, limit):
    """Runs tests as ctest does, and yields (name, status, seconds, message, output) of each as it ends."""
    def run_one(test):
        properties = {p["name"]: p["value"] for p in test["properties"]}
        own = dict(pair.split("=", 1) for pair in properties.get("ENVIRONMENT", []))
        folder = Path(properties["WORKING_DIRECTORY"])
        folder.mkdir(parents=True, exist_ok=True)
        begin = time.monotonic()
        code, output = execute(test["command"], timeout=properties.get("TIMEOUT", limit), cwd=folder,
                               env={"CMOCKA_MESSAGE_OUTPUT": "TAP", **env, **own})
        skipped = code is not None and code == properties.get("SKIP_RETURN_CODE")
        status = "notrun" if skipped else "run" if code == 0 else "fail"
        message = "SKIP_RETURN_CODE" if skipped else "" if code == 0 else f"exit status {code}"
        return test["name"], status, time.monotonic() - begin, message, output

    def cost(test):
        return next((p["value"] for p in test["properties"] if p["name"] == "COST"), 0)

    chosen = [test for test in listed["tests"] if re.fullmatch(label, "|".join(labels_of(test)))
              and re.fullmatch(only, test["name"]) and not re.fullmatch(leave_out, test["name"])]
    with ThreadPoolExecutor(jobs) as pool:
        for future in as_completed([pool.submit(run_one, test) for test in sorted(chosen, key=cost, reverse=True)]):
            yield future.result()
