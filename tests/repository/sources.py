# SPDX-License-Identifier: Apache-2.0
"""Input of the checks of this folder: files of the repository, by git where there is one."""

import re
import shutil
import subprocess
from pathlib import Path

GENERATED = re.compile(r"(?:generated|written) by (?:tools|tests)/", re.I)


def names(root):
    """Every file of the repository that is there, as a path from its root."""
    found = []
    if shutil.which("git"):
        done = subprocess.run(["git", "-C", root, "ls-files", "-co", "--exclude-standard"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
        found = done.stdout.decode().splitlines()
    if not found:
        built = [cache.parent.relative_to(root).as_posix() + "/" for cache in root.rglob("CMakeCache.txt")]
        found = [name for name in (path.relative_to(root).as_posix() for path in root.rglob("*")) if not name.startswith(tuple(built))]
    for name in sorted(set(found)):
        if "node_modules" not in Path(name).parts and (root / name).is_file():
            yield name


def is_generated(text):
    """True if a file says in its first lines that a program of ours writes it."""
    return GENERATED.search(text[:400]) is not None
