# SPDX-License-Identifier: Apache-2.0
"""Typical mistakes, and what the pail command says to them.

    test_mistakes.py PAIL DATA [unittest arguments]

The file `mistakes` beside this one has a command line, then its exit status and its sentence, which begins behind
"pail: ". "..." in a sentence is anything. Files that command lines name are made here.
"""

import os
import re
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PAIL, DATA = (os.path.abspath(sys.argv.pop(1)) for _ in range(2))
LISTED = Path(__file__).with_name("mistakes").read_text(encoding="utf-8")
FOLDER = tempfile.TemporaryDirectory()
HERE = Path(FOLDER.name)


def section(key, number):
    """Offset and length of a section's contents."""
    at = 12
    for _ in range(struct.unpack_from("<I", key, 8)[0]):
        kind, size = struct.unpack_from("<IQ", key, at)
        if kind == number:
            return at + 12, size
        at += 12 + size
    raise AssertionError(f"the key has no section {number}")


def make_files():
    for name, source in (("key.zkey", "zkey"), ("witness.wtns", "wtns"), ("proof.json", "proof.json"),
                         ("public.json", "public.json"), ("vkey.json", "vkey.json")):
        (HERE / name).write_bytes(Path(f"{DATA}/ledger.{source}").read_bytes())
    key = bytearray((HERE / "key.zkey").read_bytes())
    (HERE / "cut.zkey").write_bytes(key[:len(key) // 2])
    key[section(key, 5)[0] + 64 * 7] ^= 1  # a point of A
    (HERE / "bad.zkey").write_bytes(key)
    witness = bytearray((HERE / "witness.wtns").read_bytes())
    witness[-32] ^= 1
    (HERE / "other.wtns").write_bytes(witness)
    for name, text in (("letter.txt", "hello\n"), ("empty", ""), ("input.json", '{"a": 1}\n'),
                       ("picture.png", "\x89PNG\r\n\x1a\n....")):
        (HERE / name).write_text(text, encoding="latin-1")
    (HERE / "folder").mkdir()


def call(words):
    env = {**os.environ, "VK_DRIVER_FILES": "/nonexistent.json", "VK_ICD_FILENAMES": "/nonexistent.json",
           "PAIL_CACHE_DIR": str(HERE / "cache")}
    env.pop("PAIL_BACKEND", None)
    return subprocess.run([PAIL, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env, cwd=HERE,
                          timeout=120)


make_files()


class Mistakes(unittest.TestCase):
    def test_each(self):
        cases = re.findall(r"^\$ pail ?(.*)\n(\d) (.*)$", LISTED, re.M)
        self.assertGreaterEqual(len(cases), 60)
        self.assertEqual(LISTED.count("$ pail"), len(cases))
        before = sorted(path.name for path in HERE.iterdir())
        for line, status, sentence in cases:
            with self.subTest(line):
                done = call(line.split())
                self.assertEqual(done.stdout, "")
                wanted = ".*".join(re.escape(part) for part in sentence.split("..."))
                self.assertRegex(done.stderr, rf"\Apail: {wanted}\n\Z")
                self.assertEqual(done.returncode, int(status))
                # Members of structs, and numbers of enumerators, are nothing to a user.
                self.assertNotRegex(done.stderr, r"->|\bconfig\b|\bdesc\b|\bparams\b|#")
                self.assertLess(len(done.stderr), 400)
        self.assertEqual(sorted(path.name for path in HERE.iterdir() if path.name != "cache"), before)


if __name__ == "__main__":
    unittest.main(verbosity=2)
