# SPDX-License-Identifier: Apache-2.0
"""Another machine, or a phone, on which tools/reference-run runs a build: over ssh, or over adb.

A place has put, run, get and remove. Commands are one line for a shell there; folders there are the place's own."""

import io
import shlex
import subprocess
import sys
import tarfile

TIMEOUT_S = 60.0  # of everything but the run itself


class Failed(Exception):
    """One sentence."""


def call(words, **more):
    """Runs a program of this machine; what it says on standard error goes through."""
    try:
        return subprocess.run(words, **more)
    except FileNotFoundError:
        raise Failed(f"{words[0]} is missing on this machine") from None
    except subprocess.TimeoutExpired:
        raise Failed(f"{words[0]}: no answer within {more['timeout']:.0f} s") from None


def archive(files):
    """The bytes of a tar with each file under its name there: [(path, name)]."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", dereference=True) as tar:
        for path, name in files:
            info = tar.gettarinfo(path, name)
            info.uid = info.gid = 0
            info.uname = info.gname = ""
            with open(path, "rb") as file:
                tar.addfile(info, file)
    return out.getvalue()


class Ssh:
    """HOST is what ssh takes: a name, USER@NAME, or an alias of its configuration. It never asks for a password."""

    def __init__(self, host):
        if not host or host.startswith("-"):
            raise Failed(f'--on ssh:{host}: expected ssh:HOST')
        self.host = host
        made = self.shell("mktemp -d", capture=True)
        self.folder = made.stdout.decode(errors="replace").strip()
        if made.returncode or not self.folder.startswith("/"):
            raise Failed(f"--on ssh:{host}: cannot be reached, or makes no folder")

    def shell(self, command, *, capture=False, data=None, timeout=TIMEOUT_S):
        return call(["ssh", "-o", "BatchMode=yes", self.host, command], input=data,
                    stdin=None if data is not None else subprocess.DEVNULL,
                    stdout=subprocess.PIPE if capture else sys.stderr, timeout=timeout)

    def put(self, files):
        done = self.shell(f"tar -x -C {shlex.quote(self.folder)} -f -", data=archive(files), timeout=10 * TIMEOUT_S)
        if done.returncode:
            raise Failed(f"{self.host}: the build cannot be copied there")

    def run(self, command, timeout):
        return self.shell(f"cd {shlex.quote(self.folder)} && {command}", timeout=timeout).returncode

    def get(self, name):
        """The bytes of a file there; None: there is none."""
        done = self.shell(f"cat {shlex.quote(f'{self.folder}/{name}')} 2> /dev/null", capture=True)
        return None if done.returncode else done.stdout

    def remove(self):
        if self.shell(f"rm -rf {shlex.quote(self.folder)}").returncode:
            raise Failed(f"{self.host}: {self.folder} is still there")


class Adb:
    """A phone with Android that `adb` reaches: the only one, or that of a serial number. The build is one for Android."""

    def __init__(self, serial=""):
        if serial.startswith("-"):
            raise Failed(f"--on adb:{serial}: expected adb or adb:SERIAL")
        self.adb = ["adb", *(["-s", serial] if serial else [])]
        made = self.shell("mktemp -d -p /data/local/tmp", capture=True)
        self.folder = made.stdout.decode(errors="replace").strip()
        if made.returncode or not self.folder.startswith("/data/local/tmp/"):
            raise Failed("--on adb: no phone answers, or more than one: adb devices lists them, adb:SERIAL names one")

    def shell(self, command, *, capture=False, timeout=TIMEOUT_S):
        return call([*self.adb, "exec-out" if capture else "shell", command], stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE if capture else sys.stderr, timeout=timeout)

    def put(self, files):
        for folder in sorted({name.rpartition("/")[0] for _, name in files} - {""}):
            if self.shell(f"mkdir -p {shlex.quote(f'{self.folder}/{folder}')}").returncode:
                raise Failed("adb: a folder cannot be made there")
        for path, name in files:
            if call([*self.adb, "push", str(path), f"{self.folder}/{name}"], stdout=subprocess.DEVNULL, timeout=10 * TIMEOUT_S).returncode:
                raise Failed(f"adb: {name} cannot be copied there")
        self.shell(f"chmod 755 {shlex.quote(f'{self.folder}/bin')}/*")

    def run(self, command, timeout):
        return self.shell(f"cd {shlex.quote(self.folder)} && {command}", timeout=timeout).returncode

    def get(self, name):
        path = shlex.quote(f"{self.folder}/{name}")
        if self.shell(f"test -f {path}").returncode:
            return None
        done = self.shell(f"cat {path}", capture=True)
        return None if done.returncode else done.stdout

    def remove(self):
        if self.shell(f"rm -rf {shlex.quote(self.folder)}").returncode:
            raise Failed(f"adb: {self.folder} is still there")


def place(word):
    """The place that --on names: ssh:HOST, adb or adb:SERIAL."""
    kind, colon, rest = word.partition(":")
    if kind == "ssh" and colon:
        return Ssh(rest)
    if kind == "adb" and (rest or not colon):
        return Adb(rest)
    raise Failed(f"--on {word}: expected ssh:HOST, adb or adb:SERIAL")


def build_of(pail):
    """The files of a build that a report takes, with their names there: the program, and the libraries beside it."""
    folder = pail.resolve().parent.parent / "lib"
    libraries = sorted(path for path in folder.glob("*") if path.is_file() and (".so" in path.name or ".dylib" in path.name))
    if not any(path.name.startswith("libpail.") for path in libraries):
        raise Failed(f"{folder}: there is no libpail beside {pail}, which has to be bin/pail of a build or of an installation")
    return [(pail, "bin/pail"), *((path, f"lib/{path.name}") for path in libraries)]


REPORT = (("report.md", b"# Report of Pail"), ("report.json", b"{\n \"pail_report\": 1,"))


def report(word, pail, max_s, where, devices=16):
    """Runs `pail report` there: (files, status, faults). files: {name: bytes}, what came back, also of a run that was not
    waited for. status: of the program; None: it did not end. faults: a sentence for each step that failed once the build was
    there. The folder there is removed, or that is one of them."""
    files = build_of(pail)
    there = place(word)
    found, status, faults = {}, None, []

    def attempt(step, *arguments):
        try:
            return step(*arguments)
        except Failed as failed:
            faults.append(str(failed))
            return None

    words = ["bin/pail", "report", "--max-s", str(max_s), *where, "--out", "report"]
    command = "LD_LIBRARY_PATH=lib " + " ".join(map(shlex.quote, words))
    try:
        there.put(files)
        status = attempt(there.run, command, max_s * devices + 10 * TIMEOUT_S)
        found = {name: attempt(there.get, name) for name, _ in REPORT}
    finally:
        attempt(there.remove)
    return {name: text for name, text in found.items() if text is not None}, status, faults
