# SPDX-License-Identifier: Apache-2.0
"""Results that tools/run_tests.py counts: the cases of programs, and why they were skipped."""

import os
import re
import subprocess
import tempfile
import threading
import time
from pathlib import Path

import script

ROOT = Path(__file__).resolve().parent.parent
TIMEOUT_S = 1200  # SwiftShader interprets, and takes minutes for the kernels of second groups


class Run:
    """Counts and prints the cases of all parts."""

    def __init__(self, folder, long=False, seed=1):
        self.folder = folder
        self.counts = {"passed": 0, "failed": 0, "skipped": 0}
        self.notes = []
        self.builds = {}  # futures of make() of tools/test_builds.py
        self.told = set()  # builds whose cases are counted
        self.times = []  # of programs: (seconds, name)
        self.long = long
        self.seed = seed  # of the parts with random inputs
        self.built = False  # builds are taken as they are
        self.moved = None  # tests of a build from another machine, as ctest lists them (tools/moved_build.py)
        self.asked_for_hardware = False

    def case(self, name, result, text=""):
        """result: passed, failed or skipped; text: why, or the output of what failed."""
        if result == "skipped" and not text.strip():
            result, text = "failed", "it is skipped and does not say why"
        self.counts[result] += 1
        if result == "failed":
            self.notes.append(f"failed: {name}")
            print(f"--- failed: {name}\n{tail(text)}", flush=True)
        elif result == "skipped":
            self.notes.append(f"skipped: {name}: {text}")

    def command(self, name, arguments, **kwargs):
        """A case that is one program; true if it exits with 0. Its output is in self.output."""
        begin = time.monotonic()
        code, self.output = execute(arguments, **kwargs)
        self.times.append((time.monotonic() - begin, name))
        self.case(name, "passed" if code == 0 else "failed", self.output)
        return code == 0


def tail(text, lines=60):
    kept = text.rstrip().splitlines()
    return "\n".join((["..."] if len(kept) > lines else []) + kept[-lines:])


# Processor time of the programs that have ended, which is what can be compared on a machine with other work: of builds, which
# are made beside other things, and of all else.
spent_s = {"builds": 0.0, "tests": 0.0}
account = threading.local()  # .name, where it is not "tests"
spending = threading.Lock()
watched = {}  # output of the program that began last, of builds and of tests, while it runs: tools/test_progress.py reads it


def execute(arguments, timeout=TIMEOUT_S, env=None, **kwargs):
    """Returns the exit status, or None after a timeout, and what was printed."""
    late = threading.Event()

    def end(pid):
        late.set()
        script.end({pid})

    try:
        with tempfile.TemporaryFile() as output, script.running(arguments, stdout=output, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                                                                env={**os.environ, **(env or {})}, **kwargs) as program:
            watched[getattr(account, "name", "tests")] = output
            timer = threading.Timer(timeout, end, [program.pid])
            timer.daemon = True
            timer.start()
            try:
                os.waitid(os.P_PID, program.pid, os.WEXITED | os.WNOWAIT)  # until wait4 nobody else gets its number
            finally:
                timer.cancel()
                timer.join()
            _, status, used = os.wait4(program.pid, 0)
            program.returncode = os.waitstatus_to_exitcode(status)
            with spending:
                spent_s[getattr(account, "name", "tests")] += used.ru_utime + used.ru_stime
            output.seek(0)
            text = output.read().decode(errors="replace")
        return (None, f"{text}\nno end after {timeout} s") if late.is_set() else (program.returncode, text)
    except OSError as error:
        return None, str(error)


def count_case(run, name, status, message, output):
    """The cases of one program: what it reports if it is a cmocka or unittest program, else the program itself."""
    if report := re.search(r"^Ran (\d+) tests? in \S+\n\n(?:OK|FAILED)(?: \((.*)\))?$", output, re.M):
        counted, failed = count_unittest(run, name, int(report[1]), report[2] or "", output)
    else:
        counted, failed = count_tap(run, name, output)
    if status == "notrun":
        reason = re.search(r"^skipped: (.*)$", output, re.M)
        if "SKIP" in message:
            run.case(name, "skipped", reason[1] if reason else "")
        else:
            run.case(name, "failed", message)
    elif status == "fail" and not failed:
        run.case(f"{name}: exit", "failed", f"{output}\n{message}")
    elif not counted:
        run.case(name, "passed")


def skip_reasons(output):
    """The skipped tests of a unittest program with their reasons. One with a docstring has two lines."""
    found, case = [], ""
    for line in output.splitlines():
        if started := re.match(r"(test_\w+) \(", line):
            case = started[1]
        if skipped := re.search(r"\.\.\. (?:.*)skipped (['\"])(.*)\1$", line):
            found.append((case, skipped[2]))
    return found


def count_unittest(run, name, total, details, output):
    counts = {key: int(n) for key, n in re.findall(r"(\w[a-z ]*)=(\d+)", details)}
    # One test fails several times if its parts do.
    failed = {m[1] for m in re.finditer(r"^(?:FAIL|ERROR): (\w+)", output, re.M)}
    for index, case in enumerate(sorted(failed)):
        run.case(f"{name}: {case}", "failed", "see above" if index else output)
    skipped = counts.get("skipped", 0)
    reasons = skip_reasons(output)
    for index in range(skipped):
        case, reason = reasons[index] if index < len(reasons) else ("a test", "")
        run.case(f"{name}: {case}", "skipped", reason)
    for _ in range(total - len(failed) - skipped):
        run.case(name, "passed")
    return total, len(failed)


def count_tap(run, name, output):
    plan = sum(int(n) for n in re.findall(r"^1\.\.(\d+)$", output, re.M))
    counted, failed, before = 0, 0, ""
    for line in output.splitlines():
        result = re.match(r"(not )?ok \d+(?: -)? ?(# SKIP )?(.*)$", line)
        if not result:
            # A test that skips says why before cmocka does.
            before = line.removeprefix("skipped: ") if line.startswith("skipped: ") else before
            continue
        wrong, skip, title = result.groups()
        if skip:
            run.case(f"{name}: {title}", "skipped", before)
        elif wrong:
            run.case(f"{name}: {title}", "failed", "see above" if failed else output)
            failed += 1
        else:
            run.case(f"{name}: {title}", "passed")
        counted, before = counted + 1, ""
    if counted < plan:
        run.case(f"{name}: exit", "failed", f"{output}\n{plan} results announced, {counted} came")
        failed += 1
    return counted, failed
