#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The architecture, by the #includes: who may use what (docs/architecture.md), no circles, and no file that is too long.

usage: includes.py ROOT

Includes: C and C++ of every room, the tests too. Length: every text that somebody writes. An include is of the same folder ("x.h"), of the room's root ("vk/cmd.h" in
plugin/) or of another room (<curves/fnv.h>). What is otherwise today is in EXCEPTIONS, CIRCLES and LONG with its reason;
an entry that is needed no more fails as well, so that the lists only shrink. Texts in GLSL are not read: their
includes are relative to the file, as glslang has it.
"""

import functools
import re
import sys
import tempfile
import unittest
from pathlib import Path

from sources import is_generated, names

ROOT = Path()
TOPS = ("glsl", "host", "plugin", "spirv", "tests", "tools")
KINDS = (".c", ".h", ".cpp", ".hpp", ".cc", ".inc")
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"\n]+)[>"]', re.M)
LINES = 600
WRITTEN = KINDS + (".comp", ".glsl", ".py", ".cmake", ".sh", ".js", ".mjs", ".cjs", ".ts", ".go", ".rs", ".css", ".html", ".md", ".in")

# Folders in which an include is looked for, as CMake gives it to the compilers.
ROOTS = ("host/include", "plugin/include", "host/base", "host", "plugin", "glsl", "spirv", "tools/pail", "tests", "")
BOUNDARY = ("plugin/include", "host/include")  # headers that every room may use
BASE = ("platform", "curves", "points", "core", "front", "cache", "adstack")  # rooms of host/base: each may use those before it
MSM = ("plan", "service", "bases", "steps", "run")  # rooms of plugin/msm: each may use those before it
CHOOSES = "plugin/msm/plan/policy.h"  # only what the resolution is made of reads it
TESTED_WITH_ALL = ("tests", "host/example")  # tests see everything

# A file, what it includes, and why it may.
GRAPH = "a scenario is a proof's graph, made by the prover's functions of a key's header"
COSTS = "the choice of a backend weighs the whole command by host/prover/cost.h, which knows the arithmetic of the CPU backend"
EXCEPTIONS = {
    ("tools/pail/prove/prove.h", "prover/cost.h"): COSTS,
    ("tools/pail/prove/prove_choice.c", "prover/cost.h"): COSTS,
    ("tools/pail/simulate/scenario.h", "prover/schedule/schedule.h"): "the simulator runs the prover's scheduler over a clock of its own",
    ("tools/pail/simulate/scenario.h", "prover/proof/graph.h"): GRAPH,
    ("tools/pail/simulate/scenario.c", "prover/proof/quotient.h"): GRAPH,
    ("tools/pail/simulate/scenario.c", "prover/key/finite.h"): GRAPH,
}
# Two folders that include each other, and why they still do.
CIRCLES = {}
# Two sources that include each other's headers, without their ends, and why they still do.
MUTUAL = {
    ("host/cpu/context", "host/cpu/cpu"): "a context has the table that it is made by",
    ("plugin/vectors/selftest", "plugin/vectors/work"): "the first work of a kernel works for the test",
}
# Files above LINES lines, and why.
LONG = {}


@functools.cache
def text_of(path):
    """Several tests read each file of a tree, which does not change meanwhile."""
    return path.read_text()


@functools.cache
def read_includes(path):
    """(kind, name) of each include; the mark of comments is enough, for none is inside of one here."""
    return INCLUDE.findall(text_of(path))


@functools.cache
def sources(root):
    """The C and C++ files of the rooms."""
    return [path for path in map(Path, names(root)) if path.parts[0] in TOPS and path.suffix in KINDS]


def room(path):
    """plugin/vk/cmd.h is in plugin/vk, glsl/shared/a/b.h in glsl/shared, plugin/context.c in plugin."""
    parts = Path(path).parts
    if parts[:2] in (("plugin", "msm"), ("host", "base")) and len(parts) > 3:
        return "/".join(parts[:3])
    for boundary in BOUNDARY:
        if Path(path).is_relative_to(boundary):
            return boundary
    return "/".join(parts[:2]) if len(parts) > 2 else parts[0]


def root_of(path):
    """The folder from which a file names headers of its own side in quotes."""
    return next((root for root in ("tools/pail", "host/base") if path.is_relative_to(root)), path.parts[0])


def find(root, path, name):
    """The file that an include names, or None if it is none of ours (or is made by the build)."""
    return first_of(root, name, str(path.parent), root_of(path))


@functools.cache
def first_of(root, name, *folders):
    """The file of a name in the first of folders, or of ROOTS, that has it."""
    for folder in (*folders, *ROOTS):
        candidate = Path(folder) / name
        if ".." not in candidate.parts and (root / candidate).is_file():
            return candidate
    return None


def forbidden(user, used):
    """Why the room of the path user may not include the path used, or None."""
    here, there = room(user), room(used)
    serve = "tools/pail/serve"
    if Path(user).is_relative_to(f"{serve}/service") and Path(used).is_relative_to(f"{serve}/http"):
        return "the service knows no HTTP"
    if here == there == "tools/pail" and Path(used).is_relative_to(serve) and not Path(user).is_relative_to(serve):
        return "no other command uses the service"
    if here == there or any(Path(user).is_relative_to(t) for t in TESTED_WITH_ALL):
        return None
    top, other = Path(user).parts[0], Path(used).parts[0]
    if other == "tests":
        return "nothing includes tests"
    if here in ("host/base/curves", "host/base/platform"):
        return None if there == "glsl/shared" else f"{here} includes nothing of others but glsl/shared"
    if there in BOUNDARY or str(used) in BASE:
        return None
    if here == "host/base/points":
        return "host/base/points includes the boundary's header alone"
    if here.startswith("host/base/"):
        if there == "glsl/shared" and here in ("host/base/core", "host/base/front", "host/base/cache", "host/base/adstack"):
            return None
        below = there.startswith("host/base/") and BASE.index(there.split("/")[2]) < BASE.index(here.split("/")[2])
        return None if below else f"{here} is below {there}"
    if here == "plugin/vk" and there.startswith(("plugin/msm", "plugin/adstack", "host/base/adstack", "plugin/api")):
        return "plugin/vk is below the services"
    if here == "plugin/vk" and str(used) == "plugin/context.h":
        return "plugin/vk knows no context"
    if here.startswith("plugin/msm") and there == "plugin/api":
        return "plugin/msm is below the boundary's slots"
    if here.startswith("plugin/msm/") and there.startswith("plugin/msm/") and \
            MSM.index(here.split("/")[2]) < MSM.index(there.split("/")[2]):
        return f"{here} is below {there}"
    if str(used) == CHOOSES:
        return "choices are made in the resolution alone"
    if top == "host" and other == "plugin":
        return "host includes no private header of plugin"
    if top == "plugin" and other == "host" and not there.startswith("host/base/"):
        return "plugin includes of host only the ground floor, host/base"
    if top == "tools" and other == "plugin":
        return "tools includes nothing of plugin"
    if here == "tools/pail" and other == "host" and not there.startswith("host/base/") and there != "host/formats":
        return "tools/pail includes of host what is public, the ground floor and formats"
    return None


def style(root, path, kind, name):
    """The fault in how an include is written, or None."""
    if ".." in Path(name).parts:
        return "it goes up a folder"
    if kind == '"' and not (root / path.parent / name).is_file():
        top = root_of(path)
        found = find(root, path, name)
        if found and not (root / top / name).is_file():
            return f"it is neither of the same folder nor from the root of {top}"
    return None


def vulkan(path, name):
    """Headers of Vulkan, and of HTTP, where there must be none."""
    if name == "microhttpd.h" and not path.is_relative_to("tools/pail/serve/http"):
        return "HTTP is in tools/pail/serve/http alone"
    if path.is_relative_to("host/base") and re.match(r"(vulkan/|volk\.h)", name):
        return f"{room(path)} knows no Vulkan"
    return None


def faults(root, paths):
    """path, name and reason of each include that is wrong."""
    for path in paths:
        for kind, name in read_includes(root / path):
            reason = style(root, path, kind, name) or vulkan(path, name)
            used = find(root, path, name)
            if not reason and used:
                reason = forbidden(path, used)
            if reason:
                yield str(path), name, reason


def unit(path):
    """Units to search for circles: a folder by itself, without those in it, or one source of plugin/ or host/ itself with
    its header, for those are partly below all rooms (error, structs) and partly above (context, entry)."""
    own = len(Path(path).parts) == 2 and Path(path).parts[0] in ("plugin", "host")
    return str(Path(path).with_suffix("") if own else Path(path).parent)


def uses(root, paths):
    """For each pair of units of which the first includes the second, one include that shows it. Tests see everything, and
    headers of the boundary are below everything."""
    shown = {}
    below = lambda path: path.parts[0] == "tests" or any(path.is_relative_to(boundary) for boundary in BOUNDARY)
    for path in paths:
        if below(path):
            continue
        for _, name in read_includes(root / path):
            used = find(root, path, name)
            if used and not below(used) and unit(used) != unit(path):
                shown.setdefault((unit(path), unit(used)), f"{path} includes {name}")
    return shown


def circles(edges):
    """The pairs of units (smaller name first) that reach each other."""
    reached = {}
    for start in {a for edge in edges for a in edge}:
        found, todo = set(), [start]
        while todo:
            here = todo.pop()
            for a, b in edges:
                if a == here and b not in found:
                    found.add(b)
                    todo.append(b)
        reached[start] = found
    return {(a, b) for a in reached for b in reached[a] if a < b and a in reached[b]}


def mutual(root, paths):
    """The pairs of sources, without their ends, that include each other's headers."""
    edges = set()
    for path in paths:
        if path.suffix == ".c" and path.parts[0] != "tests":
            used = (find(root, path, name) for _, name in read_includes(root / path))
            edges |= {(str(path.with_suffix("")), str(header.with_suffix(""))) for header in used if header}
    return {(a, b) for a, b in edges if a < b and (b, a) in edges}


def long_files(root):
    """The lines of each text above LINES that somebody writes: code of every language, and documents. Data have their own
    length: JSON, vectors, pictures, what a test reads. The line with the license is not counted."""
    found = {}
    for name in names(root):
        path, raw = Path(name), (root / name).read_bytes()
        if path.suffix not in WRITTEN and path.name != "CMakeLists.txt" and not (not path.suffix and raw.startswith(b"#!")):
            continue
        text = raw.decode("utf-8", "replace")
        lines = text.count("\n") - ("SPDX-License-Identifier:" in text[:100])
        if lines > LINES and not is_generated(text) and not any(path.is_relative_to(b) for b in BOUNDARY):
            found[name] = lines
    return found


ONE_DIALECT = ("plugin", "host", "tools/pail")
ONE_ERROR = ("plugin", "host/base", "host/composite", "host/cpu")  # where core/error.h is the error: elsewhere `error` is the command's
COMPARED = re.compile(r"(?:\b(?:if|while) \(|&& |\|\| |^\s*[?:] )[^;=!]*[=!]= NULL|(?<!\)) [=!]= NULL(?: \?| &&| \|\||\)$)")
OTHER_NAME = re.compile(r"struct pail_error \*(?!err\b)\w+")


def dialect(path, line):
    """The fault in how a line asks for a pointer or names an error, or None."""
    compared, named = "NULL" in line and COMPARED.search(line), "pail_error" in line and OTHER_NAME.search(line)
    if not compared and not named or any(path.is_relative_to(room) for room in BOUNDARY):
        return None
    if compared and any(path.is_relative_to(room) for room in ONE_DIALECT):
        return "a condition on a pointer is p or !p"
    if named and any(path.is_relative_to(room) for room in ONE_ERROR):
        return "a parameter that takes a struct pail_error is err"
    return None


class Architecture(unittest.TestCase):
    def test_dialect(self):
        found = [f"{path}:{i}: {fault}" for path in sources(ROOT) for i, line in enumerate(text_of(ROOT / path).split("\n"), 1)
                 for fault in [dialect(path, line)] if fault]
        self.assertFalse(found, "\n" + "\n".join(found))

    def test_what_a_dialect_is(self):
        here = Path("plugin/a.c")
        for wrong in ("if (p == NULL)", "    while (a && p->next != NULL)", "x = p == NULL ? 1 : 2;", "void f(struct pail_error *error);"):
            self.assertIsNotNone(dialect(here, wrong), wrong)
            self.assertIsNone(dialect(Path("tests/a.c"), wrong), wrong)
        for right in ("if (!p)", "n += p != NULL;", "while ((p = next(q)) != NULL) {", "return p != NULL;", "f(struct pail_error *err)"):
            self.assertIsNone(dialect(here, right), right)

    def test_includes(self):
        found = {(path, name): reason for path, name, reason in faults(ROOT, sources(ROOT))}
        new = [f"{path} includes {name}: {reason}" for (path, name), reason in found.items() if (path, name) not in EXCEPTIONS]
        gone = [f"EXCEPTIONS has {key}, which is no fault any more" for key in EXCEPTIONS if key not in found]
        self.assertFalse(new + gone, "\n" + "\n".join(new + gone))

    def test_circles(self):
        shown = uses(ROOT, sources(ROOT))
        found = circles(set(shown))
        new = [f"{a} and {b} reach each other\n" + "\n".join(f"    {text}" for edge, text in shown.items() if set(edge) == {a, b})
               for a, b in sorted(found) if (a, b) not in CIRCLES]
        gone = [f"CIRCLES has {pair}, which is none any more" for pair in CIRCLES if pair not in found]
        self.assertFalse(new + gone, "\n" + "\n".join(new + gone))

    def test_mutual(self):
        found = mutual(ROOT, sources(ROOT))
        new = [f"{a} and {b} include each other" for a, b in sorted(found) if (a, b) not in MUTUAL]
        gone = [f"MUTUAL has {pair}, which is none any more" for pair in MUTUAL if pair not in found]
        self.assertFalse(new + gone, "\n" + "\n".join(new + gone))

    def test_length(self):
        found = long_files(ROOT)
        new = [f"{name} has {n} lines, {LINES} are allowed" for name, n in found.items() if name not in LONG]
        gone = [f"LONG has {name}, which is short now" for name in LONG if name not in found]
        self.assertFalse(new + gone, "\n" + "\n".join(new + gone))

    def test_what_is_long(self):
        text = "line\n" * (LINES + 1)
        long = ["a.c", "b.py", "tools/c", "d.cmake", "e.rs", "f/CMakeLists.txt", "g.comp", "h.go", "i.mjs", "docs/j.md"]
        short = {"host/include/pail/a.h": text, "plugin/include/pail/b.h": text, "c.c": "/* Generated by tools/x */\n" + text,
                 "d.py": "line\n" * LINES, "e.json": text, "f.svg": text,
                 "k.c": "/* SPDX-License-Identifier: Apache-2.0 */\n" + "line\n" * LINES}
        with tempfile.TemporaryDirectory() as folder:
            for name, content in [*((name, "#!/bin/sh\n" + text) for name in long), *short.items()]:
                (Path(folder) / name).parent.mkdir(parents=True, exist_ok=True)
                (Path(folder) / name).write_text(content)
            self.assertEqual(sorted(long_files(Path(folder))), sorted(long))

    def test_what_it_sees(self):
        """The checker in a made-up tree that has one fault of each kind, and what is right beside it."""
        tree = {
            "host/base/curves/a.c": ('#include "a.h"\n#include <shared/l.h>\n#include <platform/env.h>\n',
                                ["<platform/env.h>"]),
            "host/base/curves/a.h": ("", []), "glsl/shared/l.h": ("", []), "host/base/platform/env.h": ("", []),
            "plugin/vk/cmd.h": ("", []), "plugin/msm/plan/policy.h": ("", []), "plugin/msm/plan/plan.h": ("", []),
            "plugin/msm/run/warm.h": ('#include "msm/plan/plan.h"\n#include "msm/plan/policy.h"\n', ["msm/plan/policy.h"]),
            "plugin/msm/plan/xyzz.c": ('#include "policy.h"\n', []),
            "plugin/msm/bases/b.c": ('#include "msm/plan/plan.h"\n#include "msm/run/warm.h"\n', ["msm/run/warm.h"]),
            "plugin/msm/run.h": ("", []), "plugin/api/slots.h": ("", []), "plugin/context.h": ("", []),
            "host/base/cache/cache.h": ("", []), "host/base/adstack/tree.h": ("", []), "host/formats/zkey.h": ("", []),
            "plugin/include/pail/backend.h": ("", []),
            "plugin/vk/cmd.c": ('#include "cmd.h"\n#include <cache/cache.h>\n#include "msm/run.h"\n#include "context.h"\n',
                                ["msm/run.h", "context.h"]),
            "host/base/cache/c.c": ("#include <vulkan/vulkan.h>\n#include <pail/backend.h>\n", ["<vulkan/vulkan.h>"]),
            "host/base/adstack/t.c": ('#include "vk/cmd.h"\n#include <curves/a.h>\n', ["vk/cmd.h"]),
            "plugin/adstack/g.c": ('#include "vk/cmd.h"\n#include "tree.h"\n#include <adstack/tree.h>\n', ["tree.h"]),
            "plugin/msm/m.c": ('#include "api/slots.h"\n#include <formats/zkey.h>\n#include "../vk/cmd.h"\n',
                               ["api/slots.h", "<formats/zkey.h>", "../vk/cmd.h"]),
            "host/cpu/p.c": ("#include <msm/run.h>\n#include <formats/zkey.h>\n", ["<msm/run.h>"]),
            "host/prover/prove.h": ("", []),
            "tools/pail/t.c": ("#include <cache/cache.h>\n#include <vk/cmd.h>\n#include <formats/zkey.h>\n"
                               "#include <platform/env.h>\n#include <prover/prove.h>\n", ["<prover/prove.h>", "<vk/cmd.h>"]),
            "tests/msm/t.c": ('#include "tests.h"\n#include <vk/cmd.h>\n#include "support/s.h"\n', []),
            "tests/support/s.h": ("", []),
            "tools/pail/serve/http/h.h": ("#include <microhttpd.h>\n", []),
            "tools/pail/serve/service/s.h": ('#include <microhttpd.h>\n#include "serve/http/h.h"\n',
                                             ["<microhttpd.h>", "serve/http/h.h"]),
            "tools/pail/other/o.c": ('#include "serve/service/s.h"\n', ["serve/service/s.h"]),
        }
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            for name, (text, _) in tree.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text)
            found = sorted((path, name) for path, name, _ in faults(root, sources(root)))
            # "tree.h" of gpu/g.c is no file of its folder or of plugin/; the compiler says so, and here it is none of ours.
            wanted = sorted((path, name.strip("<>")) for path, (_, names) in tree.items() for name in names if name != "tree.h")
            self.assertEqual(found, wanted)
        self.assertEqual(circles({("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")}), {("a", "b"), ("a", "c"), ("b", "c")})

    def test_what_is_a_circle(self):
        """Folders of one room, a room and its folder, and sources of plugin/ itself, in a made-up tree."""
        tree = {
            "host/prover/key/k.h": "#include <prover/b2/b.h>\n", "host/prover/b2/b.h": "#include <prover/key/k.h>\n",
            "tools/pail/serve/s.c": '#include "service/t.h"\n', "tools/pail/serve/s.h": "",
            "tools/pail/serve/service/t.h": "", "tools/pail/serve/service/t.c": '#include "serve/s.h"\n',
            "host/base/core/error.h": "", "plugin/vk/cmd.h": "#include <core/error.h>\n", "plugin/context.c": '#include "vk/cmd.h"\n',
            "plugin/vk/a.h": "", "plugin/vk/a.c": '#include "a.h"\n#include "b.h"\n',
            "plugin/vk/b.h": "", "plugin/vk/b.c": '#include "b.h"\n#include "vk/a.h"\n',
            "tests/a/a.h": "#include <b/b.h>\n", "tests/b/b.h": "#include <a/a.h>\n",
        }
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            for name, text in tree.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text)
            found = circles(set(uses(root, sources(root))))
            pairs = mutual(root, sources(root))
        self.assertEqual(found, {("host/prover/b2", "host/prover/key"), ("tools/pail/serve", "tools/pail/serve/service")})
        self.assertEqual(pairs, {("plugin/vk/a", "plugin/vk/b"), ("tools/pail/serve/s", "tools/pail/serve/service/t")})


if __name__ == "__main__":
    ROOT = Path(sys.argv.pop(1)).resolve()
    unittest.main(verbosity=2)
