#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lines of code of each room, of one revision or of two: what is not blank, no comment, and no file that a program writes.

usage: lines.py ROOT REVISION...

A room is a folder of the table in docs/architecture.md; a folder that has another name in an earlier revision counts where its files
are now. The table is Markdown.
"""

import re
import subprocess
import sys
from collections import Counter

from copies import language, without_comments
from sources import is_generated

# Folders of today for those of earlier revisions.
MOVED = (("cache/", "host/base/cache/"), ("platform/", "host/base/platform/"), ("host/platform/", "host/base/platform/"), ("host/curves/", "host/base/curves/"),
         ("host/points/", "host/base/points/"), ("plugin/cache/", "host/base/cache/"), ("plugin/adstack/gpu/", "plugin/adstack/"),
         ("host/ref/", "host/base/curves/"), ("host/fast/", "host/base/curves/"),
         ("plugin/field/", "plugin/vectors/"), ("plugin/api_", "plugin/api/"))
ROOMS = re.compile(
    r"glsl/(?:msm|field|ec|adstack)|plugin/(?:api|vk|cache|adstack|msm|vectors|include)|host/(?:(?:base|prover)/\w+(?=/)|\w+)|tools/pail/(?:serve|load|simulate)"
    r"|tools/pail|tools|spirv|tests")


def room_of(name):
    for old, new in MOVED:
        if name.startswith(old):
            name = new + name[len(old):]
            break
    match = ROOMS.match(name)
    if match and "/" in name[match.end():] or match and match[0] in ("tools", "tests", "spirv"):
        return match[0]
    return name.split("/")[0] + ", the rest" if "/" in name else "CMakeLists.txt"


def blobs(root, revision):
    """(name, text) of each file of a revision."""
    listed = subprocess.run(["git", "-C", root, "ls-tree", "-r", "-z", revision], stdout=subprocess.PIPE, check=True).stdout
    entries = [entry.split("\t") for entry in listed.decode().split("\0") if entry]
    asked = "".join(head.split()[2] + "\n" for head, _ in entries)
    got = subprocess.run(["git", "-C", root, "cat-file", "--batch"], input=asked.encode(), stdout=subprocess.PIPE, check=True).stdout
    at = 0
    for _, name in entries:
        end = got.index(b"\n", at)
        size = int(got[at:end].split()[2])
        yield name, got[end + 1:end + 1 + size].decode("utf-8", "replace")
        at = end + size + 2


def count(root, revision):
    lines = Counter()
    for name, text in blobs(root, revision):
        spoken = language(name, text)
        if spoken and not is_generated(text) and name != "tests/abi/layout.c":  # which did not always say so
            lines[room_of(name)] += sum(1 for line in without_comments(text, spoken).split("\n") if line.strip())
    return lines


def main():
    root, *revisions = sys.argv[1:]
    counts = [count(root, revision) for revision in revisions]
    print("| room | " + " | ".join(f"`{revision[:8]}`" for revision in revisions) + " |")
    print("|---|" + "---|" * len(revisions))
    for room in sorted({room for lines in counts for room in lines}):
        print(f"| `{room}` | " + " | ".join(str(lines[room]) for lines in counts) + " |")
    print("| all | " + " | ".join(str(sum(lines.values())) for lines in counts) + " |")


if __name__ == "__main__":
    main()
