#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lines of our own sources that ran, by room, from a build with --coverage whose programs have run.

    tools/coverage.py BUILD_FOLDER [--lines PREFIX]

--lines prints, for the files below a folder (host/loader, or one file), each line that never ran.
tools/test --coverage makes such a build, runs the tests and prints the table. Needs gcov and nothing else.
"""

import json
import os
import subprocess
import sys
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import script
from script import ROOT

NOT_OURS_TO_COUNT = ("tests",)  # what is to be run is the code, not its tests
AT_A_TIME = 40  # notes of the compiler that one gcov reads


def room_of(path):
    """host/loader/elf.c is of host/loader, host/base/platform/text.h of host/base/platform; no other room is deeper than two."""
    folders = Path(path).parts[:-1]
    if "include" in folders:
        folders = folders[:folders.index("include")]
    return "/".join(folders[:3 if folders[:2] == ("host", "base") else 2]) or "."


def run_gcov(notes):
    """(file, line, count) of some object files; one without counts never ran."""
    done = subprocess.run(["gcov", "--json-format", "--stdout", *map(str, notes)], capture_output=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.decode(errors="replace"))
    for text in done.stdout.splitlines():
        if not text.strip():
            continue
        report = json.loads(text)
        for file in report["files"]:
            path = Path(os.path.normpath(Path(report["current_working_directory"], file["file"])))
            if not path.is_relative_to(ROOT):
                continue
            name = str(path.relative_to(ROOT))
            if name.split("/")[0] not in NOT_OURS_TO_COUNT:
                yield from ((name, line["line_number"], line["count"]) for line in file["lines"])


def measure(folder):
    """{file: {line: times it ran}}: a file that is in several programs is one."""
    notes = sorted(Path(folder).resolve().rglob("*.gcno"))
    if not notes:
        raise RuntimeError(f"{folder} has no *.gcno: it was not built with --coverage")
    counts = defaultdict(lambda: defaultdict(int))
    parts = [notes[i:i + AT_A_TIME] for i in range(0, len(notes), AT_A_TIME)]
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        for part in pool.map(lambda some: list(run_gcov(some)), parts):
            for name, line, count in part:
                counts[name][line] += count
    return counts


def table(counts):
    """Lines of text: a room, its lines, those that ran, and the file that has most of the others."""
    rooms = defaultdict(list)
    for name, lines in counts.items():
        rooms[room_of(name)].append((sum(1 for n in lines.values() if n == 0), name, len(lines)))
    total, left = sum(n for files in rooms.values() for _, _, n in files), 0
    yield f"{'room':24} {'lines':>6} {'ran':>6}   most that did not"
    for room in sorted(rooms):
        n, missed = sum(n for _, _, n in rooms[room]), sum(missed for missed, _, _ in rooms[room])
        left += missed
        worst = max(rooms[room])
        yield (f"{room:24} {n:6} {100 * (n - missed) / n:5.1f}%"
               + (f"   {worst[0]} in {worst[1]}" if worst[0] else "")).rstrip()
    yield f"{'all':24} {total:6} {100 * (total - left) / total if total else 0:5.1f}%"


def missing(counts, prefix):
    """The lines below a folder, or of a file, that never ran, with their text."""
    for name in sorted(counts):
        if name == prefix or name.startswith(prefix.rstrip("/") + "/"):
            text = (ROOT / name).read_text().splitlines()
            for line in sorted(line for line, n in counts[name].items() if n == 0):
                yield f"{name}:{line}: {text[line - 1].strip() if line <= len(text) else ''}"


def main():
    parser = script.parser(__doc__)
    parser.add_argument("folder", type=script.existing, metavar="BUILD_FOLDER")
    parser.add_argument("--lines", metavar="PREFIX", help="print the lines below it that never ran")
    arguments = parser.parse_args()
    try:
        counts = measure(arguments.folder)
    except (OSError, RuntimeError) as error:
        print(f"tools/coverage.py: {error}", file=sys.stderr)
        return 1
    for line in table(counts) if arguments.lines is None else missing(counts, arguments.lines):
        print(line)
    return 0


if __name__ == "__main__":
    sys.exit(main())
