#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every thread of Pail is started by pail_thread_start of <platform/thread.h>, by itself or as a helper: it takes no signal of the host, has a name of its kind and a stack that does not depend on the limits
of the process. Tests may start theirs as they like.

    thread_starts.py ROOT
"""

import re
import sys
from pathlib import Path

root = Path(sys.argv[1])
rooms = ["glsl", "host", "plugin", "spirv", "tools"]
files = sorted(p for room in rooms for p in (root / room).rglob("*")
               if p.suffix in (".c", ".h", ".cpp") and "node_modules" not in p.parts)
wrong, names = [], {}
for path in files:
    text = re.sub(r"/\*.*?\*/|//[^\n]*", lambda m: "\n" * m[0].count("\n"), path.read_text(), flags=re.S)
    place = path.relative_to(root)
    if not re.fullmatch(r"host/base/platform/(?:\w+/)?thread\.[ch]", place.as_posix()):
        for number, line in enumerate(text.split("\n"), 1):
            if re.search(r"\b(pthread_create|thrd_create|std::j?thread)\b|\bclone3?\s*\(", line):
                wrong.append(f"{place}:{number}: starts a thread without pail_thread_start")
        for match in re.finditer(r'\bpail_(?:thread_start|helpers_init)\(([^;"]*(?:"[^"]*")?)', text):
            name = re.search(r'"(.*?)"', match[1])
            if not name or not re.fullmatch(r"pail-[a-z]{1,10}", name[1]):
                wrong.append(f"{place}: a thread's name is no \"pail-\" and at most 10 letters")
            elif name[1] in names:
                wrong.append(f"{place}: {name[1]} is the name of a thread of {names[name[1]]}")
            else:
                names[name[1]] = place
if len(names) < 6:
    wrong.append(f"only {len(names)} kinds of threads were found: {sorted(names)}")
print("\n".join(wrong) or "\n".join(f"{name:15} {place}" for name, place in sorted(names.items())))
sys.exit(1 if wrong else 0)
