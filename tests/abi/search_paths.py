#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Places where the dynamic linker looks for the libraries of what was built and of what is installed.

usage: search_paths.py CMAKE BUILD_FOLDER

Reads every ELF file of bin, lib and tests of a build, and of an installation of it. An element of a search path (DT_RPATH,
DT_RUNPATH) must begin with $ORIGIN: an empty or a relative one is the working directory of whoever starts the program, and
any other belongs to the machine that built it. A library that is needed must be named without a slash.
"""

import os
import re
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

CMAKE, BUILD = "", Path()

PT_LOAD, PT_DYNAMIC = 1, 2
DT_NULL, DT_NEEDED, DT_STRTAB, DT_RPATH, DT_AUXILIARY, DT_FILTER, DT_RUNPATH = 0, 1, 5, 15, 0x7FFFFFFD, 0x7FFFFFFF, 29


def dynamic_strings(content):
    """(tag, text) of the entries of an ELF file's dynamic section that name paths or libraries."""
    if content[:4] != b"\x7fELF":
        return None
    is_64, order = content[4] == 2, "<" if content[5] == 1 else ">"
    offset, = struct.unpack_from(order + ("Q" if is_64 else "I"), content, 32 if is_64 else 28)
    size, n = struct.unpack_from(order + "HH", content, 54 if is_64 else 42)
    segments = []
    for i in range(n):
        if is_64:
            kind, _, at, address, _, length = struct.unpack_from(order + "IIQQQQ", content, offset + i * size)
        else:
            kind, at, address, _, length = struct.unpack_from(order + "IIIII", content, offset + i * size)
        segments.append((kind, at, address, length))
    entries = []
    for kind, at, _, length in segments:
        if kind == PT_DYNAMIC:
            entries = list(struct.iter_unpack(order + ("qQ" if is_64 else "iI"), content[at:at + length]))
    entries = entries[:next((i for i, (tag, _) in enumerate(entries) if tag == DT_NULL), len(entries))]
    table = 0
    for tag, value in entries:
        for kind, at, address, length in segments:
            if tag == DT_STRTAB and kind == PT_LOAD and address <= value < address + length:
                table = at + value - address
    wanted = {DT_NEEDED, DT_RPATH, DT_RUNPATH, DT_AUXILIARY, DT_FILTER}
    return [(tag, content[table + value:content.index(b"\0", table + value)].decode())
            for tag, value in entries if tag in wanted]


def faults(path):
    """Sentences about a file; None when it is no ELF file."""
    strings = dynamic_strings(path.read_bytes())
    if strings is None:
        return None
    found = []
    for tag, text in strings:
        if tag in (DT_RPATH, DT_RUNPATH):
            found += [f"{path}: the element '{element}' of its search path '{text}' does not begin with $ORIGIN"
                      for element in text.split(":") if not re.match(r"\$(ORIGIN|\{ORIGIN\})(/|$)", element)]
        elif "/" in text:
            found.append(f"{path}: it needs '{text}', a path")
    return found


def elf_files(folder):
    for parent, _, names in os.walk(folder):
        for name in names:
            path = Path(parent, name)
            if path.is_file() and not path.is_symlink() and (found := faults(path)) is not None:
                yield path, found


class SearchPaths(unittest.TestCase):
    def check(self, folder, needed):
        files = dict(elf_files(folder))
        names = {path.name for path in files}
        for pattern in needed:
            self.assertTrue(any(re.fullmatch(pattern, name) for name in names), f"{folder} has no {pattern}: {names}")
        wrong = [fault for found in files.values() for fault in found]
        self.assertFalse(wrong, "\n" + "\n".join(wrong))

    def test_programs_of_the_build(self):
        self.check(BUILD / "bin", ["pail"])

    def test_libraries_of_the_build(self):
        self.check(BUILD / "lib", [r"libpail\.so\.[\d.]+", r"libpail-vulkan\.so"])

    def test_tests_of_the_build(self):
        self.check(BUILD / "tests", ["abi_negotiate", r"libpail-vulkan-test\.so"])

    def test_installation(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([CMAKE, "--install", BUILD, "--prefix", folder], check=True, stdout=subprocess.DEVNULL)
            self.check(folder, ["pail", r"libpail\.so\.[\d.]+", r"libpail-vulkan\.so"])
            self.in_a_strangers_folder(next(Path(folder).rglob("bin/pail")))

    def in_a_strangers_folder(self, program):
        """The program starts where files have the names of its libraries, and are none."""
        needed = [text for tag, text in dynamic_strings(program.read_bytes()) if tag == DT_NEEDED]
        self.assertTrue(any(name.startswith("libpail.so") for name in needed), needed)
        with tempfile.TemporaryDirectory() as folder:
            for name in [*needed, "libm.so.6"]:
                Path(folder, name).write_text("what a stranger left")
            done = subprocess.run([program, "--version"], cwd=folder, capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_the_built_program_in_a_strangers_folder(self):
        self.in_a_strangers_folder(BUILD / "bin/pail")


class Reading(unittest.TestCase):
    """The reader above sees what it is to refuse."""

    def made(self, runpath, tag=DT_RUNPATH):
        """A file of one segment: header, two program headers, dynamic section, strings."""
        strings = b"\0" + runpath.encode() + b"\0libx.so\0"
        at = 64 + 2 * 56
        table = at + 4 * 16
        end = table + len(strings)
        header = struct.pack("<16sHHIQQQIHHHHHH", b"\x7fELF\2\1\1", 3, 62, 1, 0, 64, 0, 0, 64, 56, 2, 0, 0, 0)
        segments = (struct.pack("<IIQQQQQQ", PT_LOAD, 4, 0, 0x1000, 0x1000, end, end, 0x1000)
                    + struct.pack("<IIQQQQQQ", PT_DYNAMIC, 4, at, 0x1000 + at, 0, 64, 64, 8))
        dynamic = b"".join(struct.pack("<qQ", *entry) for entry in
                           [(DT_STRTAB, 0x1000 + table), (tag, 1), (DT_NEEDED, 2 + len(runpath)), (DT_NULL, 0)])
        path = Path(self.folder.name, "made.so")
        path.write_bytes(header + segments + dynamic + strings)
        return path

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def test_elements(self):
        for path in ("$ORIGIN", "$ORIGIN/../lib", "${ORIGIN}/../lib:$ORIGIN/x"):
            self.assertEqual(faults(self.made(path)), [], path)
            self.assertEqual(faults(self.made(path, DT_RPATH)), [], path)
        for path in ("", ":", "$ORIGIN:", ":$ORIGIN", "$ORIGIN::$ORIGIN", "lib", ".", "./lib", "/opt/lib", "$ORIGINAL/x",
                     "$ORIGIN/../lib:lib"):
            self.assertTrue(faults(self.made(path)), path)
            self.assertTrue(faults(self.made(path, DT_RPATH)), path)

    def test_needed(self):
        self.assertTrue(faults(self.made("lib/x", DT_NEEDED)))
        self.assertEqual(faults(self.made("x", DT_NEEDED)), [])

    def test_no_elf(self):
        path = Path(self.folder.name, "text")
        path.write_text("#!/bin/sh\n")
        self.assertIsNone(faults(path))


if __name__ == "__main__":
    CMAKE, BUILD = sys.argv[1], Path(sys.argv[2])
    unittest.main(argv=[sys.argv[0], "-v"])
