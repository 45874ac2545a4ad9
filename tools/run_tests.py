#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the tests of Pail and counts their cases. It installs first what they need (tools/setup --test). While it works it
shows the part, how many tests have ended, and the time that is left, where the same folder has had such a run.

  tools/test                 all parts
  tools/test PART...         some of them
  tools/test SUBJECT...      the tests of a folder of tests/ (msm, adstack, cache, ...): those without a device, and those
                             of a device on lavapipe
  tools/test --long          all parts and those of long runs, and in each what the ordinary run leaves out: the tests that
                             find nothing alone (LONG_ONLY of tools/left_out.py), all tests on SwiftShader, all cases of
                             kernels, every call of the system and every submission that can fail, and ten times the random
                             cases of the oracle. For the night: it takes hours

Parts, in order:
  style        format of C and GLSL, blanks, syntax of scripts
  gcc          a build of everything in which a warning is an error; every other part but style needs it
  cpu          tests that need no device, less those that only the sanitized build has
  lavapipe     tests that need one, on Mesa's software driver, with the validation layers; less the same
  swiftshader  the same on the software driver that has no 64-bit integers in shaders
  devices      both drivers and the CPU backend as three devices of one context
  hardware     tests that need a device on the best real one, where there is one, four at a time, and the commands of
               docs/commands.md; hardware:NAME runs those of a folder of tests/, or one test. Without such a device it is skipped, and
               fails where it is named
  sanitize     tests of the host's code, with and without a device, built by clang with the address, leak and
               undefined-behaviour sanitizers, where a warning is an error; tools/left_out.py says which
  clang        what the sanitized build has no need of is read by clang, and a warning is an error
  threads      tests of many threads at once, built with the thread sanitizer
  oracle       results of @noble/curves, which shares no code with Pail

Parts of long runs, a tenth as long where they are named without --long:
  fuzzing      libFuzzer on every target of tests/fuzz; what it finds stays in fuzz/corpus of the build folder
  random       pail check, and adstack kernels, on every driver
Their seed is new each time and the last line but one; --seed N takes that of an earlier run.

With --pack no test runs: the build with gcc goes into an archive, with the sources and packages that another machine may lack
(tools/moved_build.py). With --built nothing is installed or built: there tools/test --built hardware tests what was packed.

With --coverage the parts cpu and lavapipe, or those of the two that are named, run once in a build that counts
lines, and a table says how many lines of each room ran (tools/coverage.py; the build is in coverage/). It is no part
of the ordinary run: code that counts says nothing of the code that is shipped. What the part devices runs is not counted.

A case is one cmocka test, one program that ctest runs, or one check of a part. A program that crashes, hangs or
prints fewer results than it announced is a failed case, and so is one that skips and does not say why: a line
"skipped: REASON", or unittest's reason. Builds are made in the order of parts and give way to the tests, beside which
they run. Before the last line are the ten slowest programs. The last line is "N passed, M failed, K skipped". Objects
are compiled through ccache where that is installed.
"""

import ast
import json
import os
import re
import shutil
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import circuit_tests
import coverage
import long_tests
import moved_build
import oracle_made
import script
from left_out import LONG_ONLY, OF_SEVERAL_DEVICES, ONLY_SANITIZED, left_out
from test_builds import BUILDER, TARGETS, build, build_ahead, labels_of, listed_tests, read_by_clang
from test_cases import ROOT, TIMEOUT_S, Run, count_case, execute, spent_s, watched
from test_progress import Progress

JOBS = str(os.cpu_count() or 1)
JOBS_THAT_WAIT = str(int(JOBS) + 2)  # tests without a device often wait: for a second to pass, a process, a time-out
NONE = ""  # the name of no test
LONGER = 10  # how many times as many random cases a long run has
ON_ONE_CARD = 4  # programs at a time: most of what each takes is a processor's time, for twins and for the driver's compiler
SLOWEST = 10  # how many programs are named at the end

LAVAPIPE = sorted(Path("/usr/share/vulkan/icd.d").glob("lvp_icd*.json"))
SWIFTSHADER = [p for p in [Path("/usr/lib/chromium/vk_swiftshader_icd.json")] if p.exists()]


# ---- style ------------------------------------------------------------------------------------

def sources():
    """Files that git knows and does not ignore, or in an unpacked archive everything but builds."""
    code, listed = execute(["git", "-C", ROOT, "ls-files", "-co", "--exclude-standard"])
    if code == 0:
        paths = [ROOT / line for line in listed.splitlines()]
    else:
        paths = [p for p in ROOT.rglob("*")
                 if not re.match(r"build|\.git$|node_modules", p.relative_to(ROOT).parts[0])]
    return sorted(path for path in paths if path.is_file())


def texts():
    """Our own text files."""
    return [path for path in sources()
            if not {"__pycache__", "corpus", "data", "node_modules"} & set(path.relative_to(ROOT).parts)]


def untidy(path):
    content = path.read_bytes()
    if content and not content.endswith(b"\n"):
        yield f"{path}: no newline at the end"
    for number, line in enumerate(content.split(b"\n"), 1):
        if line.endswith((b" ", b"\t", b"\r")) or (b"\t" in line and path.suffix != ".go"):  # gofmt wants them
            yield f"{path}:{number}: a tab, or blanks at the end"


def part_style(run):
    files = texts()
    run.command("format of C and GLSL", [ROOT / "tools/format", "--check"])
    found = [line for path in files for line in untidy(path)]
    run.case("blanks", "failed" if found else "passed", "\n".join(found))
    for path in files:
        with path.open("rb") as file:
            first = file.readline()
        if first.startswith(b"#!/bin/sh"):
            run.command(f"syntax of {path.relative_to(ROOT)}", ["sh", "-n", path])
        elif path.suffix == ".py":
            try:
                ast.parse(path.read_bytes(), path)
                run.case(f"syntax of {path.relative_to(ROOT)}", "passed")
            except (SyntaxError, ValueError) as error:
                run.case(f"syntax of {path.relative_to(ROOT)}", "failed", str(error))


# ---- ctest ------------------------------------------------------------------------------------

def run_by_ctest(run, part, folder, label, env, jobs, leave_out, only, limit):
    """Yields (name, status, seconds, message, output) of each test; status is run, fail or notrun."""
    report = run.folder / f"{part}-{label.replace('|', '-')}.xml"
    report.unlink(missing_ok=True)
    _, text = execute(
        ["ctest", "--test-dir", folder, "-L", f"^({label})$", "-R", f"^({only})$", "-E", f"^({leave_out})$", "-j", jobs, "--timeout", str(limit),
         "--output-junit", report, "--test-output-size-passed", 10**7, "--test-output-size-failed", 10**7],
        timeout=5400, env={"CMOCKA_MESSAGE_OUTPUT": "TAP", **env})
    if not report.exists():
        run.case(f"{part}: ctest", "failed", text)
        return
    # Output of a broken program may hold what XML cannot.
    for test in ET.fromstring(re.sub(r"[^\t\n\x20-\ud7ff\ue000-\ufffd]", "?", report.read_text(errors="replace"))):
        skipped, failure = test.find("skipped"), test.find("failure")
        message = next((e.get("message", "") for e in (skipped, failure) if e is not None), "")
        yield test.get("name"), test.get("status"), float(test.get("time") or 0), message, test.findtext("system-out") or ""


def ctest(run, part, folder, label, env, jobs=JOBS, leave_out=NONE, only=".*", limit=TIMEOUT_S):
    """leave_out, only: the names of tests, as ctest's -E and -R without ^ and $. limit: seconds that one of them may take."""
    if run.moved is not None:
        outcomes = moved_build.run_tests(run.moved, label, env, int(jobs), leave_out, only, limit)
    else:
        outcomes = run_by_ctest(run, part, folder, label, env, jobs, leave_out, only, limit)
    any_test = False
    for name, status, seconds, message, output in outcomes:
        any_test = True
        run.times.append((seconds, f"{part}: {name}"))
        count_case(run, f"{part}: {name}", status, message, output)
        if run.moved is not None:  # minutes pass, and ctest's own output is not there
            print(f"{part}: {name:34} {seconds:8.1f} s  {status}", flush=True)
    if not any_test:
        run.case(f"{part}: tests with the label {label}", "failed", "there are none")


def part_cpu(run, compiled="gcc"):
    folder = build(run, compiled)
    if folder:
        ctest(run, "cpu", folder, "cpu", {}, jobs=JOBS_THAT_WAIT, leave_out=optimised_without(run, "cpu", compiled))


def optimised_without(run, part, compiled):
    """Tests that a part leaves out. Where lines are counted, nobody runs what it leaves to the sanitized build."""
    if compiled != "coverage":
        return left_out(part, run.long)
    return "|".join(filter(None, [left_out(part, True), "" if run.long else f"^({LONG_ONLY})$"]))


def on_driver(run, part, icds, package, leave_out=NONE, compiled="gcc"):
    folder = build(run, compiled)
    if not folder:
        return
    if not icds:
        run.case(f"{part}: all", "failed", f"the driver is missing (Debian: {package})")
        return
    ctest(run, part, folder, "gpu", {**driver(icds), "PAIL_DEBUG": "sync,poison"}, leave_out=leave_out)


def driver(icds):
    paths = ":".join(str(p) for p in icds)
    return {"VK_ICD_FILENAMES": paths, "VK_DRIVER_FILES": paths}


def part_lavapipe(run, compiled="gcc"):
    on_driver(run, "lavapipe", LAVAPIPE, "mesa-vulkan-drivers", optimised_without(run, "lavapipe", compiled), compiled)


def part_swiftshader(run):
    on_driver(run, "swiftshader", SWIFTSHADER, "chromium", left_out("swiftshader", run.long))


def part_devices(run):
    folder = build(run, "gcc")
    if not folder:
        return
    if not LAVAPIPE or not SWIFTSHADER:
        run.case("devices: all", "failed", "a driver is missing (Debian: mesa-vulkan-drivers, chromium)")
        return
    ctest(run, "devices", folder, "gpu", {**driver([*LAVAPIPE, *SWIFTSHADER]), "PAIL_DEBUG": "sync,poison"},
          only=OF_SEVERAL_DEVICES, limit=4 * TIMEOUT_S if run.long else TIMEOUT_S)  # each number of points, twice


def part_hardware(run, name=None):
    """name: of a subject or a test, where not everything is to run."""
    folder = build(run, "gcc")
    if not folder:
        return
    _, text = execute([folder / "bin/pail", "info", "--json"])
    try:
        devices = [d for b in json.loads(text)["backends"] for d in b.get("devices", [])]
    except (ValueError, KeyError, TypeError):
        run.case("hardware: pail info --json", "failed", text)
        return
    if any(d.get("usable") and d.get("type") != "cpu" for d in devices):
        only = ".*" if name is None else "|".join(tests_of(run, folder, name) if name in subjects() else [name])
        ctest(run, "hardware", folder, "gpu|hardware", {"PAIL_DEBUG": "sync"}, jobs=str(min(int(JOBS), ON_ONE_CARD)),
              leave_out=left_out("hardware", run.long), only=only)
    else:
        # A caller that names the part has a device in mind.
        run.case("hardware: all", "failed" if run.asked_for_hardware else "skipped", "this machine has no Vulkan device but software")


def part_pack(run, archive, packages):
    folder = build(run, "gcc")
    if not folder:
        return
    try:
        size = moved_build.pack(archive, run.folder, listed_tests(folder), sources(), packages)
        run.case(f"{archive} of {size / 2**20:.1f} MiB: unpack it, and run pail/tools/test --built hardware", "passed")
        print(f"{archive}: {size / 2**20:.1f} MiB")
    except (OSError, subprocess.CalledProcessError) as error:
        run.case("pack", "failed", str(error))


def part_sanitize(run):
    folder = build(run, "sanitize")
    if not folder:
        return
    common = {"ASAN_OPTIONS": "detect_leaks=1:verify_asan_link_order=0", "UBSAN_OPTIONS": "print_stacktrace=1",
              "LSAN_OPTIONS": f"suppressions={ROOT}/tests/lsan.supp:print_suppressions=0"}
    # Drivers and layers leak. Kept loaded, they have names that tests/lsan.supp can give.
    manifests = [*LAVAPIPE, *Path("/usr/share/vulkan/explicit_layer.d").glob("VkLayer_khronos_validation.json")]
    libraries = ["libvulkan.so.1"]
    for manifest in manifests:
        content = json.loads(manifest.read_text())
        libraries.append((content.get("ICD") or content.get("layer"))["library_path"])
    # Tests of the command are many processes, and loading drivers was most of each: where no device is needed, there is
    # no driver.
    for label, icds, loaded, jobs in [("gpu", LAVAPIPE, libraries, JOBS), ("cpu", ["/dev/null"], libraries[:1], JOBS_THAT_WAIT)]:
        ctest(run, "sanitize", folder, label, {**common, **driver(icds), "LD_PRELOAD": ":".join(loaded)}, jobs=jobs,
              leave_out=left_out("sanitize", run.long))
    options = (folder / "build.ninja").read_text()
    run.case("sanitize: the build has sanitizers", "passed" if "-fsanitize=address,undefined" in options else "failed", str(folder))
    if not run.long:
        for note in [note for note in run.notes if re.match(rf"skipped: sanitize: ({ONLY_SANITIZED}): .*(sanitizer|instrumented)", note)]:
            run.case(f"no other part of an ordinary run has it: {note}", "failed", note)
        listed = listed_tests(folder)
        here, there = ({test["name"] for test in (found or {"tests": []})["tests"]} for found in (listed, listed_tests(run.folder / "gcc")))
        lost = sorted(name for name in there - here if re.fullmatch(ONLY_SANITIZED, name))
        run.case("sanitize: it has what other parts leave to it", "failed" if lost or not here else "passed", f"{', '.join(lost)}: not there")


def part_clang(run):
    if build(run, "sanitize"):
        read_by_clang(run)


def part_threads(run):
    folder = build(run, "threads")
    if not folder:
        return

    def start(name):
        corpus = [ROOT / "tests/fuzz/corpus" / name.removeprefix("fuzz_replay_")] if name.startswith("fuzz_replay_") else []
        return execute([folder / "tests" / name, *corpus], env={"CMOCKA_MESSAGE_OUTPUT": "TAP"})

    with ThreadPoolExecutor(int(JOBS)) as pool:
        for name, (code, text) in zip(TARGETS["threads"], pool.map(start, TARGETS["threads"])):
            count_case(run, f"threads: {name}", "run" if code == 0 else "fail", "", text)


# ---- oracle -----------------------------------------------------------------------------------

def part_oracle(run):
    folder = build(run, "gcc")
    if not folder:
        return
    oracle = run.folder / "oracle"
    shutil.copytree(ROOT / "tests/oracle", oracle, dirs_exist_ok=True,
                    ignore=shutil.ignore_patterns("node_modules"))
    code, text = execute(["npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts"], cwd=oracle)
    if code != 0:
        reason = [line.removeprefix("npm ERR! ") for line in text.splitlines() if "npm WARN" not in line]
        run.case("oracle: all", "skipped", "npm cannot install @noble/curves: " + "; ".join(reason[:4]))
        return
    data = ROOT / "tests/data"
    todo = [script for script in oracle_made.MADE if run.long or not oracle_made.is_known(script)]
    for script in sorted(oracle_made.MADE.keys() - set(todo)):
        run.case(f"oracle: what {script} made, and of what, has its hash in {oracle_made.HASHES.relative_to(ROOT)}", "passed")
    # Each run is a process that builds its pipelines: on lavapipe one of each curve and group, on SwiftShader, which takes half a
    # minute for those of a second group, of BN254's first (decision 215). All of both in long runs.
    more = LONGER if run.long else 1
    backends = [("vulkan", "lavapipe", 100 if run.long else 4, driver(LAVAPIPE)),
                ("vulkan", "swiftshader", 20 if run.long else 1, driver(SWIFTSHADER)), ("cpu", "the CPU", 60 * more, {})]
    made = run.folder / "eip"
    shutil.rmtree(made, ignore_errors=True)
    # The longest first: programs one after the other for circuits, and zkey.mjs, where it runs.
    with ThreadPoolExecutor(int(JOBS)) as pool:
        circuits = pool.submit(circuit_tests.circuits, run, folder, driver(LAVAPIPE))
        printed = {script: pool.submit(execute, ["node", oracle / script, *oracle_made.MADE[script][0]])
                   for script in todo if script not in ("eip.mjs", "groth16.mjs")}
        random = [pool.submit(execute,
                              ["node", oracle / "differential.mjs", folder / "bin/pail", "--runs", runs, "--seed", "pail",
                               *(["--knobs"] if backend == "vulkan" else []), "--", "--backend", backend], env=env)
                  for backend, _, runs, env in backends]
        # A long-lived process each; on lavapipe in the group whose kernels are made fastest.
        fuzz = [(name, pool.submit(execute, ["node", oracle / "fuzz.mjs", folder / "tests/oracle_answers", "--seed", "pail", *arguments],
                                   env=env))
                for name, arguments, env in [
                    ("whole operations on the CPU", ["--cases", 400 * more], {}),
                    ("whole operations on lavapipe", ["--backend", "vulkan", "--curve", "bn254", "--group", "g1", "--cases", 60 * more],
                     driver(LAVAPIPE)),
                    ("a made-up fault is shrunk to the least case", ["--prove"], {})]]
        written = {script: pool.submit(execute, ["node", oracle / script, made, *([data] if script == "groth16.mjs" else [])])
                   for script in todo if script not in printed}
        verified = pool.submit(execute, ["node", oracle / "snarkjs.mjs", folder / "bin/pail", data, "--seed", "pail",
                                         "--runs", 120 * (20 if run.long else 1)])
        mutual = pool.submit(execute, ["node", oracle / "prove.mjs", folder / "bin/pail", folder / "tests/insecure_setup", data])
    for script, future in printed.items():
        code, text = future.result()
        file = oracle_made.MADE[script][1][0]
        same = code == 0 and text == file.read_text()
        run.case(f"oracle: {file.relative_to(ROOT)} is what {script} prints", "passed" if same else "failed", text)
    for script, future in written.items():
        code, text = future.result()
        run.case(f"oracle: {script} writes its files", "passed" if code == 0 else "failed", text)
        for path in oracle_made.MADE[script][1]:
            run.command(f"oracle: {path.relative_to(ROOT)} is what {script} writes", ["diff", "-r", made / path.name, path])
    if stale := [script for script in oracle_made.MADE if not oracle_made.is_known(script)]:
        run.notes.append(f"note: {oracle_made.HASHES.relative_to(ROOT)} does not have {', '.join(stale)} as they are: "
                         "where all of this part passed, tools/oracle_made.py prints it anew")
    code, text = verified.result()
    run.case("oracle: snarkjs takes the proofs that pail verify takes", "passed" if code == 0 else "failed", text)
    code, text = mutual.result()
    run.case("oracle: snarkjs takes the proofs of pail prove, and the other way round", "passed" if code == 0 else "failed", text)
    for name, code, text in circuits.result():
        run.case(name, "passed" if code == 0 else "failed", text)
    for (_, on, _, _), future in zip(backends, random):
        code, text = future.result()
        run.case(f"oracle: random inputs on {on}", "passed" if code == 0 else "failed", text)
    for name, future in fuzz:
        code, text = future.result()
        run.case(f"oracle: {name}", "passed" if code == 0 else "failed", text)


# Not among PARTS: see --coverage.
COUNTED = {"cpu": part_cpu, "lavapipe": part_lavapipe}


def part_coverage(run, parts):
    folder = build(run, "coverage")
    if not folder:
        return
    for counts in folder.rglob("*.gcda"):  # of runs before
        counts.unlink()
    for part in parts:
        COUNTED[part](run, "coverage")
    try:
        for line in coverage.table(coverage.measure(folder)):
            print(line)
    except (OSError, RuntimeError) as error:
        run.case("coverage: gcov", "failed", str(error))


PARTS = {
    "style": part_style,
    "gcc": lambda run: build(run, "gcc"),
    "cpu": part_cpu,
    "lavapipe": part_lavapipe,
    "swiftshader": part_swiftshader,
    "devices": part_devices,
    "hardware": part_hardware,
    "sanitize": part_sanitize,
    "clang": part_clang,
    "threads": part_threads,
    "oracle": part_oracle,
}


def drivers_here(run, part):
    """(name, environment) of each driver there is."""
    found = [(name, {**driver(icds), "PAIL_DEBUG": "sync,poison"})
             for name, icds in (("lavapipe", LAVAPIPE), ("SwiftShader", SWIFTSHADER)) if icds]
    if not found:
        run.case(f"{part}: on a device", "failed", "no driver is here (Debian: mesa-vulkan-drivers)")
    return found


def part_random(run):
    folder = build(run, "gcc")
    if folder:
        long_tests.random_inputs(run, folder, LONGER if run.long else 1, drivers_here(run, "random"))


# Builds that each part waits for first: builds are made in the order of parts, beside the tests of those before.
BUILT_WITH = {"gcc": "gcc", "clang": "sanitize", "cpu": "gcc", "lavapipe": "gcc", "swiftshader": "gcc", "devices": "gcc", "hardware": "gcc",
              "sanitize": "sanitize", "threads": "threads", "oracle": "gcc"}

# Parts that only long runs have.
LONG_PARTS = {
    "fuzzing": lambda run: long_tests.fuzzing(run, LONGER if run.long else 1),
    "random": part_random,
}


# ---- subjects ---------------------------------------------------------------------------------

def subjects():
    """The folders of tests/ that have tests of ctest's."""
    return sorted({path.parent.name for path in (ROOT / "tests").glob("*/*")
                   if path.suffix == ".cmake" or path.name == "CMakeLists.txt"} - {"bench", "layer", "oracle", "support"})


def tests_of(run, folder, subject):
    """The names of the tests that a folder of tests/ adds: ctest knows the file that each comes from."""
    listed = run.moved if run.moved is not None else listed_tests(folder)
    if not listed:
        return []
    files, nodes = listed["backtraceGraph"]["files"], listed["backtraceGraph"]["nodes"]

    def folders(node):
        while node is not None:
            yield Path(files[nodes[node]["file"]]).parent
            node = nodes[node].get("parent")

    shared = {ROOT / "tests", ROOT / "tests/support", ROOT / "tools/cmake"}
    return [test["name"] for test in listed["tests"]
            if next((path for path in folders(test["backtrace"]) if path not in shared), None) == ROOT / "tests" / subject]


def run_subject(run, subject):
    folder = build(run, "gcc")
    if not folder:
        return
    names = tests_of(run, folder, subject)
    on_device = {test["name"] for test in (listed_tests(folder) or {"tests": []})["tests"] if "gpu" in labels_of(test)}
    chosen = {"cpu": [n for n in names if n not in on_device], "gpu": [n for n in names if n in on_device]}
    if not names:
        run.case(f"{subject}: tests", "failed", f"ctest knows no test of tests/{subject}")
    for label, env in (("cpu", {}), ("gpu", {**driver(LAVAPIPE), "PAIL_DEBUG": "sync,poison"})):
        if chosen[label] and label == "gpu" and not LAVAPIPE:
            run.case(f"{subject}: on a device", "failed", "the driver is missing (Debian: mesa-vulkan-drivers)")
        elif chosen[label]:
            ctest(run, subject, folder, label, env, leave_out=NONE if run.long else LONG_ONLY, only="|".join(chosen[label]))


def chosen_part(run, parts, word):
    """The function of a word of the command line, or None."""
    part, _, name = word.partition(":")
    if part == "hardware" and name and (name in subjects() or run.moved is None or any(test["name"] == name for test in run.moved["tests"])):
        return lambda run: part_hardware(run, name)
    return parts.get(word)


def main():
    parser = script.parser(__doc__, "tools/test")
    parser.add_argument("--build", type=Path, default=ROOT / "build-test", help="folder for what is built")
    parser.add_argument("--built", action="store_true", help="install and build nothing: the builds in the folder are tested as they are")
    parser.add_argument("--pack", type=Path, metavar="ARCHIVE", help="run no tests, but pack the build with gcc for another machine, as .tar.xz")
    parser.add_argument("--with", dest="packages", action="append", metavar="PACKAGE", help="of --pack: a Debian package that travels with the build, "
                        f"in place of {' '.join(moved_build.PACKAGES)}; may be repeated")
    parser.add_argument("--coverage", action="store_true", help="run cpu and lavapipe once and count lines")
    parser.add_argument("--long", action="store_true", help="leave nothing out, fuzz, and try random inputs; for the night")
    parser.add_argument("--seed", type=int, default=long_tests.fresh_seed(), help="of fuzzing and random, as an earlier run printed it")
    parser.add_argument("parts", nargs="*", metavar="PART|SUBJECT")
    arguments = parser.parse_args()
    folder = arguments.build.resolve()
    run = Run(folder, arguments.long, arguments.seed)
    run.built = arguments.built
    run.moved = moved_build.opened(folder) if arguments.built else None
    run.asked_for_hardware = any(word.partition(":")[0] == "hardware" for word in arguments.parts)
    parts = COUNTED if arguments.coverage else {
        **{subject: lambda run, subject=subject: run_subject(run, subject) for subject in subjects()}, **PARTS, **LONG_PARTS}
    chosen = {word: chosen_part(run, parts, word) for word in arguments.parts}
    if unknown := [word for word, function in chosen.items() if function is None]:
        parser.error(f"there is no part or subject {unknown[0]}; there are {', '.join(parts)}, and hardware: with a subject or a test")

    if not arguments.built and (status := subprocess.run([ROOT / "tools/setup", "--test"], check=False).returncode):
        return status
    script.end_with_programs()
    folder.mkdir(parents=True, exist_ok=True)
    # Caches of this machine's users are not for tests, nor the other way round.
    os.environ.update(PAIL_CACHE_DIR=str(folder / "cache"), PAIL_CACHE_LAYERS="", PAIL_TUNE="0")
    # npm waits five minutes for an answer that does not come, three times. Whoever has a slower network sets it.
    os.environ.setdefault("npm_config_fetch_timeout", "40000")
    if arguments.long:
        os.environ["PAIL_TEST_LONG"] = "1"  # tests that leave something out read it (tests/support/long.h)
    begin = time.monotonic()
    if arguments.pack:
        todo = {"pack": lambda run: part_pack(run, arguments.pack, arguments.packages)}
    elif arguments.coverage:
        todo = {"coverage": lambda run: part_coverage(run, arguments.parts or COUNTED)}
    else:
        todo = chosen or (PARTS if not run.long else {**PARTS, **LONG_PARTS})
    for part in todo:
        if needed := BUILT_WITH.get(part.partition(":")[0]):
            build_ahead(run, needed)
    progress = Progress(folder, todo, run.long, watched)
    try:
        with script.Shown(progress.line):
            for part, function in todo.items():
                before, start, used = dict(run.counts), time.monotonic(), spent_s["tests"]
                progress.enter(part)
                function(run)
                progress.leave()
                new = {key: run.counts[key] - before[key] for key in before}
                print(f"{part:12} {new['passed']:5} passed {new['failed']:4} failed {new['skipped']:4} skipped"
                      f" {time.monotonic() - start:7.1f} s {spent_s['tests'] - used:8.1f} s of processors", flush=True)
    finally:
        BUILDER.shutdown(wait=False, cancel_futures=True)
    seconds, used = time.monotonic() - begin, sum(spent_s.values())
    print(f"{'all':12} {seconds:46.1f} s {used:8.1f} s of processors, {100 * used / seconds / int(JOBS):.0f} % of {JOBS}")
    for seconds, name in sorted(run.times, reverse=True)[:SLOWEST]:
        print(f"slowest: {seconds:7.1f} s  {name}")
    for note in run.notes:
        print(note)
    if LONG_PARTS.keys() & todo.keys():
        print(f"seed: {run.seed}")
    print(", ".join(f"{run.counts[key]} {key}" for key in ("passed", "failed", "skipped")))
    return 1 if run.counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
