#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Code that asks for an operating system by the preprocessor, or includes its own headers, is in host/base/platform alone.

usage: systems.py ROOT

Processors are no systems: what one has is decided where its instructions are (docs/decisions/0132-systems.md).
"""

import re
import sys
import tempfile
import unittest
from pathlib import Path

from includes import sources

ROOT = Path()
ROOM = "host/base/platform"
NAMES = r"_WIN(?:32|64)|__MINGW\w*|__CYGWIN__|_MSC_VER|__linux(?:__)?|__gnu_linux__|__ANDROID__|__BIONIC__|__GLIBC__|__APPLE__|" \
        r"__MACH__|__unix(?:__)?|__(?:Free|Net|Open)BSD__|__DragonFly__|__sun|__EMSCRIPTEN__|__wasi__|TARGET_OS_\w+"
ASKED = re.compile(rf"^[ \t]*#[ \t]*(?:if|ifdef|ifndef|elif)\b(?:[^\n]|\\\n)*?\b({NAMES})\b", re.M)
HEADERS = re.compile(r"^[ \t]*#[ \t]*include[ \t]*<((?:windows|winsock2|bcrypt|io|direct|process|TargetConditionals|Availability|membership)\.h|"
                     r"(?:mach|mach-o|libkern|android|linux|Security)/[^>\"]*|sys/(?:acl|random|xattr|sysctl|prctl|syscall|auxv)\.h)>", re.M)
# A file outside of the room, and why it may.
EXCEPTIONS = {}


TESTS = "tests"  # they run on Linux, and look at what only it has


def faults(root, paths):
    for path in paths:
        if path.is_relative_to(ROOM):
            continue
        text = (root / path).read_text()
        for name in ASKED.findall(text) + ([] if path.is_relative_to(TESTS) else HEADERS.findall(text)):
            yield str(path), name


class Systems(unittest.TestCase):
    def test_rooms(self):
        shown = list(faults(ROOT, sources(ROOT)))
        new = [f"{path} asks for {name}, which is for {ROOM}" for path, name in shown if path not in EXCEPTIONS]
        gone = [f"EXCEPTIONS has {path}, which asks for nothing any more" for path in EXCEPTIONS
                if path not in {path for path, _ in shown}]
        self.assertFalse(new + gone, "\n" + "\n".join(new + gone))

    def test_what_it_sees(self):
        wrong = ("#ifdef __linux__\n", "# if defined(_WIN32) && X\n", "#if X || \\\n    defined __APPLE__\n", "#elif __ANDROID__\n",
                 "#include <windows.h>\n", "#include <sys/random.h>\n", "#include <linux/futex.h>\n")
        right = ("#if defined(__x86_64__)\n", "/* __linux__ */\n", "#include <sys/stat.h>\n", "#if X\nint __linux__;\n", '#include "io.h2"\n')
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            for place, texts in (("host/cpu", wrong + right), (ROOM, wrong)):
                (root / place).mkdir(parents=True)
                for number, text in enumerate(texts):
                    (root / place / f"{number}.c").write_text(text)
            shown = sorted(path for path, _ in faults(root, sources(root)))
            self.assertEqual(shown, [f"host/cpu/{number}.c" for number in range(len(wrong))])


if __name__ == "__main__":
    ROOT = Path(sys.argv.pop(1)).resolve()
    unittest.main(verbosity=2)
