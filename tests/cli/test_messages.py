# SPDX-License-Identifier: Apache-2.0
"""Names that would end a line or command a terminal: what the pail command makes of them.

    test_messages.py PAIL DATA VECTORS FAKE [unittest arguments]

PAIL, DATA: as in test_pail.py. FAKE is the plugin of cli_fake_backend. Every option that takes a
value is found in the program's own help, so that none is forgotten.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PAIL, DATA, _, FAKE = (sys.argv.pop(1) for _ in range(4))

# A line that could be the program's own, a terminal that is cleared, bytes that are no UTF-8, a C1
# control, a name that is read backwards.
EVIL = "no/a\npail: done\r\x1b[2J\x07\x7f".encode() + b"\xff\xc2\x9b31m" + "\u202egnp.exe\u2066\u2028z".encode()
QUOTED = r"no/a\x0apail: done\x0d\x1b[2J\x07\x7f\xff\u{9b}31m\u{202e}gnp.exe\u{2066}\u{2028}z"
COMMANDS = [["info"], ["msm"], ["adstack", "eval"], ["adstack", "id"], ["cache", "list"], ["cache", "verify"],
            ["cache", "prune"], ["warmup"], ["check"], ["bench"], ["bench", "prove"], ["ab"], ["sweep"], ["membudget"], ["mem"], ["tune"],
            ["key", "info"], ["key", "export"], ["export", "calldata"], ["witness"], ["ntt"], ["serve"], ["simulate"], ["simulate", "cluster"], ["waterfall"]]
HIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")
STATUSES = {0, 1, 2, 3, 4, 5}


def words(*more):
    return [word if isinstance(word, bytes) else str(word).encode() for word in more]


class Messages(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def run_pail(self, *args, env=None):
        variables = {**{key.encode(): value.encode() for key, value in os.environ.items()},
                     b"PAIL_BACKEND_PATH": FAKE.encode(), b"PAIL_CACHE_DIR": str(self.folder / "cache").encode(),
                     b"VK_DRIVER_FILES": b"/dev/null", b"VK_ICD_FILENAMES": b"/dev/null", **(env or {})}
        done = subprocess.run(words(PAIL, *args), stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=self.folder,
                              env=variables, timeout=30)
        self.assertIn(done.returncode, STATUSES, done.stderr)
        return done

    def fit(self, output):
        """The output can be shown: it is UTF-8 without anything that hides or commands."""
        text = output.decode("utf-8")
        self.assertIsNone(HIDDEN.search(text), text)
        return text

    def refused(self, *args, cites=True, **kwargs):
        done = self.run_pail(*args, **kwargs)
        sentence = self.fit(done.stderr)
        self.assertNotEqual(done.returncode, 0, sentence)
        self.assertEqual(sentence.count("\n"), 1, sentence)
        self.assertTrue(sentence.startswith("pail: "), sentence)
        self.assertTrue(sentence.endswith("\n"), sentence)
        if cites:
            self.assertIn(r"\x0apail: done", sentence)
            self.assertIn(r"\x1b[2J", sentence)
        return sentence

    def test_every_option(self):
        """Each option with such a value, after what makes the rest of the line quick."""
        small = {"bench": ["--sizes", 8, "--reps", 1, "--warmup-ms", 0], "ab": ["--sizes", 8, "--reps", 1],
                 "sweep": ["--sizes", 8, "--reps", 1, "--over", "window=4..4"],
                 "membudget": ["--sizes", 8, "--reps", 1], "mem": ["--sizes", 8], "msm": ["--n", 8],
                 "check": ["--cases", 1, "--max-n", 8], "prune": ["--all"], "tune": ["--sizes", 8],
                 "ntt": ["--sizes", 8, "--warmup-ms", 0], "warmup": ["--all"], "eval": ["missing.json"], "id": []}
        n = 0
        for command in COMMANDS:
            shown = self.run_pail(*command, "--help")
            options = sorted(set(re.findall(r"(?<![-\w])(--[a-z][a-z-]*) +(?:[A-Z]|[a-z0-9]+\|)", shown.stdout.decode())))
            for option in options:
                with self.subTest(f"{' '.join(command)} {option}"):
                    rest = [word for word in small.get(command[-1], [])]
                    if option in rest:
                        at = rest.index(option)
                        rest = rest[:at] + rest[at + 2:]
                    done = self.run_pail(*command, *rest, option, EVIL)
                    text = self.fit(done.stderr)
                    if option in ("--dir", "--cache-dir"):  # a folder may have any name
                        self.assertIn(done.returncode, (0, 4, 5), text)
                    else:
                        self.assertNotEqual(done.returncode, 0, text)
                    self.assertEqual(text.count("\n"), 1 if done.returncode else 0, text)
                    self.fit(done.stdout)
                    n += 1
        self.assertGreater(n, 150)

    def test_every_place(self):
        more = {"id": ["x"], "prove": ["x"], "export": ["x.json"], "calldata": ["x"], "witness": ["x", "x.wtns"]}  # further words
        for command in COMMANDS:
            with self.subTest(" ".join(command)):
                if command[-1] in ("list", "verify"):  # they show what is wrong with each file in its place
                    self.assertIn(QUOTED, self.fit(self.run_pail(*command, EVIL).stdout))
                else:
                    self.refused(*command, EVIL, *more.get(command[-1], []), cites=command[-1] != "id")
                self.refused(*command, b"--" + EVIL, cites=command[-1] != "id")
        self.refused(EVIL)
        self.refused("adstack", EVIL)
        self.refused("cache", EVIL)
        self.assertIn(QUOTED, self.refused("msm", "--bases", EVIL, "--scalars", "x"))

    def test_files(self):
        """Files that are there and have such names."""
        name = EVIL.replace(b"/", b"_")
        path = os.path.join(str(self.folder).encode(), name)
        for data in (b"x", b"x" * 65, b'{"kernel": 1}', b"PAILCACH"):
            Path(os.fsdecode(path)).write_bytes(data)
            self.refused("msm", "--bases", path, "--scalars", path)
            self.refused("msm", "--zkey", path, "--wtns", path, "--section", "A")
            self.refused("msm", "--zkey", f"{DATA}/ledger.zkey", "--wtns", path, "--section", "A")
            self.refused("msm", "--pairs", path, "--encoding", "eip2537")
            self.refused("adstack", "eval", path)
            self.refused("key", "info", path)
            self.refused("commit", "--backend", "cpu", path, path)
            self.refused("commit", "--backend", "cpu", f"{DATA}/eip-4844/trusted_setup.txt", path)
            ledger = [f"{DATA}/ledger.{part}.json" for part in ("vkey", "public", "proof")]
            for place in range(3):
                self.refused("verify", *ledger[:place], path, *ledger[place + 1:])
            self.refused("warmup", "--manifest", path)
            self.refused("warmup", "--import", path)
            for verb in ("list", "verify"):
                done = self.run_pail("cache", verb, path)
                self.assertIn(r"\x0apail: done", self.fit(done.stdout))
                self.fit(done.stderr)
            self.fit(self.run_pail("cache", "list", "--json", path).stdout)

    def test_folder_of_the_cache(self):
        folder = os.path.join(str(self.folder).encode(), EVIL)
        os.makedirs(folder)
        done = self.run_pail("cache", "list", "--dir", folder)
        self.assertIn(r"\x0apail: done", self.fit(done.stdout))
        done = self.run_pail("cache", "list", env={b"PAIL_CACHE_DIR": folder})
        self.assertIn(r"\x0apail: done", self.fit(done.stdout))

    def test_environment(self):
        for name in (b"PAIL_CACHE_LAYERS", b"PAIL_CACHE_MAX_MIB", b"PAIL_CPU", b"PAIL_DEBUG", b"PAIL_LIMITS", b"PAIL_BACKEND"):
            for command in (["info"], ["msm", "--n", "8", "--verbose"], ["warmup", "--all"]):
                done = self.run_pail(*command, env={name: EVIL, b"PAIL_BACKEND_PATH": FAKE.encode()})
                self.fit(done.stderr)
                self.fit(done.stdout)
        for value in (EVIL, b"/" + EVIL, b"rel:" + EVIL):  # the colon ends a path
            done = self.run_pail("info", env={b"PAIL_BACKEND_PATH": value})
            self.fit(done.stderr)
            self.assertIn(r"no/a\x0apail", self.fit(done.stdout))
            self.assertIn(r"done\x0d\x1b[2J", self.fit(done.stdout))
            self.fit(self.run_pail("info", "--json", env={b"PAIL_BACKEND_PATH": value}).stdout)
            self.fit(self.run_pail("info", "--verbose", env={b"PAIL_BACKEND_PATH": value}).stderr)
            self.refused("msm", "--n", 8, "--backend", "none", env={b"PAIL_BACKEND_PATH": value}, cites=False)

    def test_plugins(self):
        """A plugin with such a path, whose devices have such names."""
        folder = os.path.join(str(self.folder).encode(), EVIL)
        os.makedirs(folder)
        os.chmod(folder, 0o755)
        broken = os.path.join(folder, b"libpail-\x1b.so")
        Path(os.fsdecode(broken)).write_bytes(b"no object\n")
        done = self.run_pail("info", env={b"PAIL_BACKEND_PATH": broken})
        self.assertIn(r"libpail-\x1b.so", self.fit(done.stdout))
        env = {b"PAIL_BACKEND_PATH": FAKE.encode(), b"FAKE_NAME": EVIL}
        done = self.run_pail("info", env=env)
        self.assertEqual(self.fit(done.stdout).count(QUOTED), 7, done.stdout)
        self.fit(self.run_pail("info", "--json", env=env).stdout)
        self.refused("warmup", "--all", "--device", "nothing", env=env)
        self.refused("warmup", "--all", "--device", EVIL[:6], env=env, cites=False)
        for more in ([], ["--json"], ["--all-devices"], ["--expect-hits"]):
            done = self.run_pail("warmup", "--all", *more, env=env)
            self.fit(done.stdout)
            self.fit(done.stderr)

    def test_json(self):
        """Strings of JSON, which can hold any character by an escape, as keys and as values."""
        evil = "a\npail: done\x1b[2J\u202e\u0085"
        text = json.dumps
        for number, case in enumerate([{evil: 1}, {"kernel": evil}, {"kernel": {"name": evil}}, {"kernel": {evil: evil}},
                                       {"tasks": [{evil: 0}]}, [evil], evil]):
            path = self.folder / f"{number}.json"
            path.write_text(text(case), encoding="ascii")
            self.refused("adstack", "eval", path, cites=False)
            self.refused("warmup", "--manifest", path, cites=False)
            self.refused("verify", path, path, path, cites=False)
            key = self.folder / "key.json"
            key.write_text(text({"protocol": evil, "curve": evil}))
            self.refused("verify", key, path, path)
        (self.folder / "bare.json").write_bytes(b'{"a": "' + EVIL + b'"}')
        self.refused("adstack", "eval", self.folder / "bare.json", cites=False)

    def test_long(self):
        """A name of any length leaves room for what is said of it."""
        for args in (["msm", "--bases", "n" * 4000, "--scalars", "x"], ["msm", "--bases", "n" * 9000, "--scalars", "x"],
                     ["warmup", "--import", "n" * 4000]):
            sentence = self.refused(*args, cites=False)
            self.assertRegex(sentence, "n\\.\\.\\.|nnnn")
            self.assertRegex(sentence, "No such file|too long")


if __name__ == "__main__":
    unittest.main(verbosity=2)
