#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Blocks of code of README, the first pages of docs/, docs/from/ and the bindings: all are right in their syntax, and a reader
who pastes a page from its beginning to its end meets no block that another one should have come before.

usage: blocks.py ROOT [unittest arguments]
       blocks.py ROOT --try FOLDER PACKAGES [PAGE...]

The second pastes whole pages as root in clean systems of Debian 12: FOLDER gets one by debootstrap, where there is none, and each
page a copy; PACKAGES is a folder that tools/release has made. With PAIL_TEST_LONG the tests do that, with packages of this tree.

A block of a program is kept in the file that the words before it name last, in backquotes. "<!-- syntax: REASON -->" before a block:
it is not run. "<!-- in a clone -->": it runs in the sources; README's blocks do, and others run where the packages are.
"""

import ast
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import unittest
from pathlib import Path
from typing import NamedTuple

ROOT = Path(sys.argv.pop(1)).resolve()
PAGES = ["README.md", "docs/c.md", "docs/install.md", "docs/msm.md", *(str(path.relative_to(ROOT)) for pattern in ("docs/from/*.md", "host/bindings/*/README.md")
                                          for path in sorted(ROOT.glob(pattern)))]
LANGUAGES = {"sh", "c", "cpp", "js", "python", "rust", "go", "toml", "cmake", "json"}
INCLUDES = [f"-I{ROOT / place}" for place in ("host/include", "plugin/include", "host/bindings/cpp", "host/rapidsnark")]
MOUNTS = (("proc", "proc"), ("tmpfs", "dev/shm"))  # of a clean system
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$|(?<=\n\n)((?: {4}[^\n]*\n)+)", re.M | re.S)


class Block(NamedTuple):
    page: str
    line: int
    language: str
    file: str  # "": none
    mark: str
    text: str

    def __str__(self):
        return f"{self.page}:{self.line}"


def blocks(page, text=None):
    text = (ROOT / page).read_text() if text is None else text
    for found in BLOCK.finditer(text):
        before = text[:found.start()].rstrip("\n")
        mark = re.search(r"<!-- ([^>]*) -->$", before)
        words = before[:mark.start()].rstrip() if mark else before
        indented = found[3] is not None
        language = "sh" if indented else found[1]
        content = re.sub("^ {4}", "", found[3], flags=re.M) if indented else found[2]
        files = re.findall(r"`([\w./-]+\.\w+)`", words.split("\n\n")[-1]) if language != "sh" else []
        yield Block(page, text.count("\n", 0, found.start()) + 1, language, files[-1] if files else "", mark[1] if mark else "", content)


def run(words, text=None, **settings):
    return subprocess.run([str(word) for word in words], input=text, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **settings)


def fault(block):
    """What is wrong with the syntax; None: nothing; a reason to skip where a tool is missing."""
    if block.language == "python":
        ast.parse(block.text)
        return None
    if block.language == "toml":
        tomllib.loads(block.text)
        return None
    if block.language == "json":  # whole, or members
        json.loads(block.text if block.text.startswith(("{", "[")) else f"{{{block.text}}}")
        return None
    if block.language == "cmake":
        return None  # CMake reads whole projects alone
    text, whole = block.text, "main" in block.text
    if block.language == "rust" and not whole:
        text = f"fn main() {{\n{text}}}\n"
    if block.language == "rust":  # names of crates are nobody's syntax
        text = re.sub(r"^use .*$", "", text, flags=re.M)
    command = {"sh": ["sh", "-n"], "c": ["cc", "-std=c11", "-fsyntax-only", *INCLUDES, "-xc", "-"],
               "cpp": ["c++", "-std=c++17", "-fsyntax-only", *INCLUDES, "-xc++", "-"], "js": ["node", "--check", "-"],
               "rust": ["rustfmt", "--edition", "2021"], "go": ["gofmt", "-e"]}[block.language]
    if not shutil.which(command[0]):
        raise unittest.SkipTest(f"{command[0]} is not here")
    done = run(command, text)
    return None if done.returncode == 0 else done.stdout


def asking(text):
    """What is wrong with the lines of a page that install."""
    found, updated = [], False
    for line in text.splitlines():
        updated = updated or bool(re.search(r"\bapt(-get)? update\b", line))
        if re.search(r"\bapt(-get)?\b.* install\b", line):
            found += [f"{line}: it asks"] if not re.search(r" -\w*y", line) else []
            found += [f"{line}: before apt update"] if not updated else []
    return found


def paste(page):
    """A page as a script: its programs are written to files, its commands run, each shown before."""
    lines = ["set -eux"]
    for block in blocks(page):
        if block.mark.startswith("syntax: "):
            continue
        if block.mark == "in a clone":
            lines.append("cd /pail")
        if block.language == "sh":
            lines.append(block.text)
        else:
            lines += [f"mkdir -p \"$(dirname '{block.file}')\"", f"cat >'{block.file}' <<'END_OF_BLOCK'", block.text + "END_OF_BLOCK"]
    return "\n".join(lines) + "\n"


class Blocks(unittest.TestCase):
    def test_syntax(self):
        seen = 0
        for page in PAGES:
            for block in blocks(page):
                with self.subTest(str(block)):
                    self.assertIn(block.language, LANGUAGES, "a block says its language")
                    self.assertIsNone(fault(block))
                    seen += 1
        self.assertGreater(seen, 40)

    def test_files(self):
        """A program has a file, and a command behind it uses the file, as commands use only files that were there before."""
        for page in PAGES:
            made, wanted = set(), {}
            for block in blocks(page):
                if block.mark.startswith("syntax: "):
                    self.assertGreater(len(block.mark), 20, f"{block}: a reason")
                    continue
                with self.subTest(str(block)):
                    for name in {"circuit.zkey", "witness.wtns", "verification_key.json"} & set(re.findall(r"[\w.]+", block.text)) - made:
                        self.assertRegex(block.text, rf"cp \S+ {re.escape(name)}\b")
                        made.add(name)
                    if block.language != "sh":
                        self.assertTrue(block.file, "the words before it name no file")
                        wanted[Path(block.file).name] = block
                    else:
                        for name in [name for name in wanted if re.search(rf"\b{re.escape(name.rpartition('.')[0])}\b|cargo|cmake|go build", block.text)]:
                            del wanted[name]
            self.assertEqual({name: str(block) for name, block in wanted.items()}, {}, f"{page}: no command uses it")

    def test_questions(self):
        """A command that asks would take the next line that is pasted for the answer. Lists of packages of a fresh system are empty."""
        for page in PAGES:
            text = "".join(block.text for block in blocks(page) if block.language == "sh" and not block.mark.startswith("syntax: "))
            self.assertEqual(asking(text), [], page)
        self.assertEqual(asking("apt update\napt install -y gcc\n"), [])
        self.assertEqual(asking("cc a.c\napt install gcc\napt update && apt-get -y install b\n"), ["apt install gcc: it asks", "apt install gcc: before apt update"])

    def test_what_it_sees(self):
        text = "A file `a.py`:\n\n```python\nx = (\n```\n\nWords.\n\n    if true\n\n<!-- syntax: it has a reason that is long -->\n```js\nlet a = ;\n```\n"
        found = list(blocks("page", text))
        self.assertEqual([(block.line, block.language, block.file, block.mark[:7]) for block in found],
                         [(3, "python", "a.py", ""), (9, "sh", "", ""), (12, "js", "", "syntax:")])
        self.assertRaises(SyntaxError, fault, found[0])
        self.assertIsNotNone(fault(found[1]))
        if shutil.which("node"):
            self.assertIn("SyntaxError", fault(found[2]))

    @unittest.skipUnless(os.environ.get("PAIL_TEST_LONG"), "packages and clean systems take an hour: tools/test --long")
    @unittest.skipUnless(os.geteuid() == 0 and shutil.which("debootstrap"), "debootstrap (of Debian) is not here, or this user is not root")
    def test_pasted(self):
        with tempfile.TemporaryDirectory() as folder:
            packages = Path(folder, "packages")
            made = run([ROOT / "tools/release", "--draft", "--once", packages])
            self.assertEqual(made.returncode, 0, made.stdout[-4000:])
            self.assertEqual(try_pages(Path(folder, "systems"), packages, PAGES), [])


def clean_system(folder):
    base = folder / "base"
    if not (base / "etc/debian_version").exists():
        folder.mkdir(parents=True, exist_ok=True)
        done = run(["debootstrap", "--variant=minbase", "bookworm", base])
        if done.returncode:
            sys.exit(f"blocks.py: debootstrap failed\n{done.stdout[-2000:]}")
    return base


def try_pages(folder, packages, pages):
    """Pages whose blocks failed, pasted in order, each in a copy of a clean system."""
    base, failed = clean_system(folder), []
    for page in pages:
        root = folder / "page"
        run(["rm", "--one-file-system", "-rf", root])
        run(["cp", "-a", base, root])
        run(["rm", "-rf", root / "var/lib/apt/lists"])  # as in an image of a container
        (root / "etc/dpkg/dpkg.cfg.d/unsafe").write_text("force-unsafe-io\n")  # it is thrown away
        shutil.copy("/etc/resolv.conf", root / "etc/resolv.conf")
        shutil.copy("/etc/ssl/certs/ca-certificates.crt", root / "certificates.crt")  # of a network that this machine alone knows
        shutil.copytree(packages, root / "release", ignore=shutil.ignore_patterns("work", "debug"))
        tarball = next(packages.glob("pail-*.tar.xz"))
        run(["tar", "-xf", tarball, "-C", root])
        (root / tarball.name.removesuffix(".tar.xz")).rename(root / "pail")
        (root / "script").write_text(paste(page))
        where = "/pail" if page == "README.md" else "/release"
        (root / "dev/shm").mkdir(exist_ok=True)
        for kind, place in MOUNTS:
            run(["mount", "-t", kind, kind, root / place])
        try:
            done = run(["chroot", root, "env", "-i", "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root", "LC_ALL=C.UTF-8",
                        "DEBIAN_FRONTEND=noninteractive", "NODE_EXTRA_CA_CERTS=/certificates.crt", "sh", "-c", f"cd {where} && exec sh /script"], stdin=subprocess.DEVNULL)
        finally:
            for _, place in MOUNTS:
                run(["umount", "-l", root / place])
        print(f"{page}: {'pasted' if done.returncode == 0 else f'FAILED with status {done.returncode}'}", flush=True)
        if done.returncode:
            print(done.stdout[-3000:], flush=True)
            failed.append(page)
        (folder / f"{page.replace('/', '-')}.log").write_text(done.stdout)
    run(["rm", "--one-file-system", "-rf", folder / "page"])
    return failed


if __name__ == "__main__":
    if sys.argv[1:2] == ["--try"]:
        sys.exit(1 if try_pages(Path(sys.argv[2]).resolve(), Path(sys.argv[3]).resolve(), sys.argv[4:] or PAGES) else 0)
    unittest.main(verbosity=2)
