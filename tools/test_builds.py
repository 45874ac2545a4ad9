# SPDX-License-Identifier: Apache-2.0
"""The builds that tools/run_tests.py tests: with which options, what of each is made, and when."""

import json
import os
import re
import shlex
import shutil
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from left_out import left_out
from test_cases import ROOT, account, execute, spent_s


def options(text):
    """The compilers' options in place of those of the build type."""
    return [f"-DCMAKE_{language}_FLAGS_RELWITHDEBINFO={text} -DNDEBUG" for language in ("C", "CXX")]


# Objects that others on this machine compiled are taken again, in whatever folder they did.
LAUNCHER = [f"-DCMAKE_{language}_COMPILER_LAUNCHER=ccache" for language in ("C", "CXX") if shutil.which("ccache")]
os.environ.setdefault("CCACHE_BASEDIR", str(ROOT))
os.environ.setdefault("CCACHE_NOHASHDIR", "1")

# Options of code that is not shipped: hundreds of programs, which take the common linker half a second each. In the
# build of what is shipped, of the tests alone.
LLD = bool(shutil.which("ld.lld"))
FAST_LINKER = [f"-DCMAKE_{kind}_LINKER_FLAGS=-fuse-ld=lld" for kind in ("EXE", "SHARED", "MODULE") if LLD]
FAST_TESTS = ["-DPAIL_TESTS_LINK_OPTIONS=-fuse-ld=lld"] if LLD else []

# Options of code that runs once or twice: to optimise it takes longer than it saves, but for the few rooms in which tests spend
# their time (decision 211).
BUSY = ["-DPAIL_BUSY_OPTIONS=-O1"]

# The kernels are compiled to SPIR-V by the first; the others embed the same words (unit_spirv_modules compares).
BUILDS = {
    # Optimised as the packages are (RelWithDebInfo): what is tested is what is shipped, and gcc warns of more than with less.
    # Tests are not shipped, take half of the time to compile with -Og, which has the warnings of values that may not be set, and
    # a third of the time to link by lld. Those that compute are optimised, too. Lines are what a debugger needs; all of -g, a
    # third of the time of the arithmetic, is left to the types that abidiff compares.
    "gcc": ["-DCMAKE_C_COMPILER=gcc", "-DCMAKE_CXX_COMPILER=g++", "-DPAIL_TESTS_OPTIONS=-Og;-g1", "-DPAIL_BUSY_OPTIONS=-O2",
            "-DPAIL_LIBRARY_OPTIONS=-g2", *FAST_TESTS, *options("-O2 -g1")],
    # clang: it warns of what gcc does not, and its sanitizers see more (decision 192). Lines are what its reports need; all of -g
    # takes a third of the time to compile, -O1 twice as long as -O0, which leaves out nothing that a sanitizer could see.
    "sanitize": ["-DCMAKE_C_COMPILER=clang", "-DCMAKE_CXX_COMPILER=clang++", "-DPAIL_SANITIZE=address,undefined",
                 *options("-O0 -g1"), *BUSY, *FAST_LINKER],
    # Only configured: read_by_clang takes from it how files are compiled that the sanitized build does not need, or does not have.
    "clang": ["-DCMAKE_C_COMPILER=clang", "-DCMAKE_CXX_COMPILER=clang++", *options("-O0")],
    # Missing values are only guessed by gcc where sanitizers add branches; the first build has that warning.
    "threads": ["-DCMAKE_C_COMPILER=gcc", "-DCMAKE_CXX_COMPILER=g++", "-DPAIL_SANITIZE=thread",
                *options("-O0 -g1 -Wno-maybe-uninitialized"), *BUSY, *FAST_LINKER],
    # atomic: many tests have threads, and a count that is lost is a line that did not run. PAIL_TEST_SANITIZED: a tenth of
    # the points is as much code.
    "coverage": ["-DCMAKE_C_COMPILER=gcc", "-DCMAKE_CXX_COMPILER=g++",
                 *options("-O1 --coverage -fprofile-update=atomic -DPAIL_TEST_SANITIZED")],
}
LONG_RUNS = {"gcc": ["-DPAIL_TESTS_OPTIONS=-O1;-g1"]}  # more warnings of gcc about tests
# Targets that a build makes, where that is not everything; of `sanitize`, what its tests run.
TARGETS = {"threads": ["unit_adstack_service_threads", "unit_cache_threads", "unit_cpu_crowd", "unit_platform",
                       "fuzz_replay_calls"]}


def listed_tests(folder):
    """Tests that ctest knows of a build, or None."""
    code, text = execute(["ctest", "--test-dir", folder, "--show-only=json-v1"])
    return json.loads(text[text.index("{"):]) if code == 0 else None


def labels_of(test):
    return next((p["value"] for p in test["properties"] if p["name"] == "LABELS"), [])


def run_by_tests(folder, without):
    """The files that a build can make and its tests name, in their commands and environments, less those of some tests; the
    plugins, layers and pages that tests find by folder; and what an installation takes, because tests install. Read from
    the files that ctest and the installation read: ctest itself leaves out the commands of programs that are not there
    yet."""
    code, text = execute(["ninja", "-C", folder, "-t", "targets", "all"])
    if code != 0:
        return []
    made = {line.rsplit(": ", 1)[0] for line in text.splitlines()}
    named = {file for file in made if file.startswith("tests/") and file.endswith(".so")} | (made & {"pages.stamp"})
    for file in folder.rglob("CTestTestfile.cmake"):
        for name, rest in re.findall(r"^(?:add_test|set_tests_properties)\((?:\[=*\[)?([\w.-]+)(?:\]=*\])?(.*)", file.read_text(), re.M):
            if re.fullmatch(without, name):
                continue
            for word in re.findall(r'"((?:[^"\\]|\\.)*)"', rest):
                for part in (part.rpartition("=")[2] for part in word.split(";")):
                    if os.path.isabs(part):
                        named.add(os.path.relpath(part, folder))
    for file in folder.rglob("cmake_install.cmake"):
        named |= {os.path.relpath(path, folder) for path in re.findall(r'"(/[^"]*)"', file.read_text())}
    return sorted(made & named)


def configuration(folder, name):
    return ["cmake", "-S", ROOT, "-B", folder, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=RelWithDebInfo",
            "-DPAIL_WERROR=ON", "-DPAIL_TESTS=ON", "-DPAIL_RAPIDSNARK=ON", "-DPAIL_HOOKS=ON", "-DPAIL_ICICLE=ON",
            "-DPAIL_SUPRASEAL=ON", "-DPAIL_CKZG=ON", f"-DCMAKE_INSTALL_PREFIX={folder}/prefix", *BUILDS[name], *LAUNCHER]


def unread(folder, compiled, whole):
    """The command of each object of a build that another one has not made: (file, arguments), in the folder of a third one that
    is whole, for the headers that programs write. Where the same file was compiled for another target of the other build with
    the same macros, it was read."""
    def entries(of):
        code, text = execute(["ninja", "-C", of, "-t", "compdb"])
        if code != 0:
            raise ValueError(text)
        return [entry for entry in json.loads(text) if entry["output"].endswith(".o")]

    def key(entry, of):
        words = {word.replace(str(of), "") for word in shlex.split(entry["command"]) if re.match("-[DU]", word)}
        return entry["file"].replace(str(of), ""), frozenset(words - OF_BUILDS)

    _, plan = execute(["ninja", "-C", compiled, "-n", "all"])
    old = set(re.findall(r"Building \w+ object (\S+)", plan))  # what is not made, or of files that have changed since
    read = {key(entry, compiled) for entry in entries(compiled)
            if (compiled / entry["output"]).exists() and entry["output"] not in old}
    found = {}
    for entry in entries(folder):
        if key(entry, folder) not in read:
            found.setdefault(key(entry, folder), (entry["file"], shlex.split(entry["command"].replace(str(folder), str(whole)))))
    return list(found.values())


OF_BUILDS = {"-DPAIL_TEST_SANITIZED"}  # macros that tell one build from another, and are not of a file


def read_by_clang(run):
    """Reads with clang what the sanitized build has not compiled; a warning is an error. A case for each file."""
    folder = run.folder / "clang"
    whole = run.builds["gcc"].result()[0]
    if not run.command("configure with clang", [*configuration(folder, "clang"), f"-DPAIL_KERNELS_FROM={whole}"]):
        return

    def read(entry):
        file, arguments = entry
        kept = [word for i, word in enumerate(arguments) if word != "-MD" and not {"-o", "-MT", "-MF"} & {word, *arguments[i - 1:i]}]
        return file, execute([*kept[Path(kept[0]).name == "ccache":], "-fsyntax-only"], cwd=whole)

    try:
        files = unread(folder, run.folder / "sanitize", whole)
    except ValueError as error:
        run.case("clang: what the sanitized build has not compiled", "failed", str(error))
        return
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        for file, (code, text) in pool.map(read, files):
            run.case(f"clang: {os.path.relpath(file, ROOT)}", "passed" if code == 0 else "failed", text)


BUILD_TIMEOUT_S = 5400  # it has what the tests beside it leave


def make(run, name):
    """Makes a build: its folder, or None when it failed; its cases, as Run.case takes them; how long it took, and how much of
    the processors. It gives way to tests, which run beside it."""
    account.name = "builds"
    begin, before, cases = time.monotonic(), spent_s["builds"], []

    def step(title, arguments):
        start = time.monotonic()
        code, text = execute(["nice", "-n", "19", *arguments], timeout=BUILD_TIMEOUT_S)
        run.times.append((time.monotonic() - start, title))
        cases.append((title, "passed" if code == 0 else "failed", text))
        return code == 0

    def made(folder):
        return folder, cases, time.monotonic() - begin, spent_s["builds"] - before

    folder = run.folder / name
    configure = configuration(folder, name) + (LONG_RUNS.get(name, []) if run.long else [])
    if name != "gcc":
        kernels = run.builds["gcc"].result()[0]
        if not kernels:
            cases.append((f"build with {name}", "failed", "there are no kernels without the build with gcc"))
            return made(None)
        configure.append(f"-DPAIL_KERNELS_FROM={kernels}")
    good = step(f"configure with {name}", configure)
    if good and "require your cache to be deleted" in cases[-1][2]:
        # The folder was another compiler's. CMake has begun anew then, without any other option.
        good = step(f"configure with {name} once more", configure)
    targets = TARGETS.get(name, []) if name != "sanitize" or not good else run_by_tests(folder, left_out("sanitize", run.long))
    good = good and step(f"build with {name}", ["cmake", "--build", folder, *(["--target", *targets] if targets else [])])
    return made(folder if good else None)


BUILDER = ThreadPoolExecutor(1)  # one build at a time, in the order in which they are asked for


def build_ahead(run, name):
    """Makes a build beside what runs now."""
    if run.built:
        return
    for wanted in ("gcc", name):
        if wanted not in run.builds:
            run.builds[wanted] = BUILDER.submit(make, run, wanted)


def build(run, name):
    """The folder of a build; None when it failed."""
    if run.built:
        folder = run.folder / name
        if not folder.is_dir():
            run.case(f"build with {name}", "failed", f"--built: {folder} does not exist")
        return folder if folder.is_dir() else None
    build_ahead(run, name)
    for wanted in dict.fromkeys(("gcc", name)):
        folder, cases, seconds, processors = run.builds[wanted].result()
        if wanted not in run.told:
            run.told.add(wanted)
            for case in cases:
                run.case(*case)
            print(f"build with {wanted:34} {seconds:12.1f} s {processors:8.1f} s of processors", flush=True)
    return folder
