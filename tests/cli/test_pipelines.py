# SPDX-License-Identifier: Apache-2.0
"""Runs pail warmup and pail cache with a backend that needs no driver: manifests, tables, rows, files, exit statuses.

    test_pipelines.py PAIL DATA VECTORS fake [unittest arguments]

PAIL_BACKEND_PATH names the backend of fake_backend.c; the other arguments are those of test_pail.py.
"""

import json
import os
import shutil
import subprocess
import unittest

from test_pail import PAIL, Case, run

NOWHERE = {"HOME": "", "XDG_CACHE_HOME": "", "PAIL_CACHE_DIR": ""}
SHAPE = ("--curve", "bn254", "--group", "g1")


class Pipelines(Case):
    def setUp(self):
        super().setUp()
        self.cache = self.folder / "cache"

    def warm(self, *args, status=0, env=None):
        """Rows of pipelines, and the summary."""
        done = run("warmup", *args, "--cache-dir", self.cache, "--json", env={**NOWHERE, **(env or {})})
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        rows = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual(rows[-1]["ev"], "summary")
        self.assertEqual(rows[-1]["exit"], status)
        self.sentences = done.stderr.splitlines()
        if status == 0:
            self.assertEqual(done.stderr, "")
        return [row for row in rows if row["ev"] == "pipeline"], rows[-1]

    def manifest(self, value):
        return self.file("manifest", (value if isinstance(value, str) else json.dumps(value)).encode())

    def files(self, folder=None):
        return sorted((folder or self.cache).glob("*.pailcache"))

    def listing(self, *args):
        return json.loads(self.ok("cache", "list", "--entries", "--json", *args, env=NOWHERE))

    def entries(self, *args):
        return sorted((entry["name"], entry["specs"]) for file in self.listing(*args)["files"]
                      for entry in file["entries"])


class Selection(Pipelines):
    def names(self, *args):
        return [(row["name"], row["specs"]) for row in self.warm(*args)[0] if row["name"] != "fake/sort"]

    def test_defaults(self):
        """Every curve and group, any size, the backend's choice of accumulator."""
        every = [(f"fake/add.c{curve}.g{group}.a0", [0]) for curve in (1, 2) for group in (1, 2)]
        for wanted in ([{}], {"shapes": [{}]}, [{"sizes": ["any"], "curve": "all", "accumulators": ["auto"]}]):
            self.assertEqual(self.names("--manifest", self.manifest(wanted)), every)
        self.assertEqual(self.names("--sizes", "any"), every)

    def test_manifest(self):
        shapes = [{"curve": "bn254", "group": "g1", "sizes": ["2^10", "2^20..2^22", 4096], "accumulators": ["auto"],
                   "adstack": False},
                  {"curve": ["bls12-381", "bls12_381"], "group": "g2", "sizes": 7, "accumulators": ["xyzz", "coop"]},
                  {"curve": "none", "adstack": True}]
        wanted = [("fake/add.c1.g1.a0", [n]) for n in (1 << 10, 1 << 20, 1 << 21, 1 << 22, 4096)]
        wanted += [("fake/add.c2.g2.a1", [7]), ("fake/add.c2.g2.a3", [7]), ("fake/adstack", [0])]
        self.assertEqual(self.names("--manifest", self.manifest(shapes)), wanted)
        self.assertEqual(self.names("--manifest", self.manifest({"shapes": shapes})), wanted)

    def test_options(self):
        self.assertEqual(self.names("--curve", "bn254", "--group", "g2", "--sizes", "3..4,9", "--accumulators",
                                    "walker,debug"),
                         [(f"fake/add.c1.g2.a{a}", [n]) for n in (8, 16, 9) for a in (2, 4)])
        self.assertEqual(self.names("--adstack", "--curve", "none"), [("fake/adstack", [0])])
        self.assertEqual(len(self.names("--adstack")), 5)

    def test_all(self):
        """No list of items: the backend chooses."""
        rows, summary = self.warm("--all")
        self.assertEqual([row["name"] for row in rows], ["fake/add.c1.g0.a0", "fake/sort"])
        self.assertEqual(summary["compiled"], 2)

    def test_manifest_errors(self):
        shape = {"curve": "bn254"}
        for words, value in (
                (["line 1", "column"], "{"),
                (["line 1", '"a"'], '{"a": 1, "a": 2}'),
                (["array of shapes"], "7"),
                (["array of shapes"], "{}"),
                (["array of shapes"], {"shapes": {}}),
                (["lists no shapes"], []),
                (['"shape"', 'shapes'], {"shapes": [shape], "shape": []}),
                (["shapes[1]", "7"], [shape, 7]),
                (["shapes[1]", '"size"', "sizes"], [shape, {"size": 7}]),
                (["shapes[0].curve", '"p256"', "bls12-381"], [{"curve": "p256"}]),
                (["shapes[0].curve", "1"], [{"curve": 1}]),
                (["shapes[0].curve", '"none"'], [{"curve": ["bn254", "none"]}]),
                (["shapes[0].group", "null"], [{"group": None}]),
                (["shapes[0].group", '"g3"'], [{"group": ["g1", "g3"]}]),
                (["shapes[2].sizes", '"2^x"'], [shape, shape, {"sizes": ["2^4", "2^x"]}]),
                (["shapes[0].sizes", "cannot be 0"], [{"sizes": [0]}]),
                (["shapes[0].sizes", "cannot be -1"], [{"sizes": -1}]),
                (["shapes[0].sizes", "1.5"], [{"sizes": 1.5}]),
                (["shapes[0].sizes", '"0"'], [{"sizes": "0"}]),
                (["shapes[0].sizes", "[]"], [{"sizes": []}]),
                (["shapes[0].sizes", "256"], [{"sizes": list(range(1, 400))}]),
                (["shapes[0].sizes", "..."], [{"sizes": "x" * 5000}]),
                (["shapes[0].accumulators", '"fast"'], [{"accumulators": ["auto", "fast"]}]),
                (["shapes[0].accumulators", "{}"], [{"accumulators": {}}]),
                (["shapes[0].adstack", '"yes"'], [{"adstack": "yes"}]),
                (["shapes[0]", "nothing"], [{"curve": "none"}])):
            with self.subTest(value=value):
                path = self.manifest(value)
                self.fails(3, [path, *words], "warmup", "--manifest", path, "--cache-dir", self.cache)
        self.assertFalse(self.cache.exists())
        self.fails(5, ["No such file"], "warmup", "--manifest", self.folder / "missing")
        self.fails(5, ["directory"], "warmup", "--manifest", self.folder)

    def test_usage(self):
        for words, args in (
                (["nothing is to be built"], ()),
                (["something to build"], ("--export", "x", "--verify")),
                (["exclude"], ("--all", "--manifest", "x")),
                (["exclude"], ("--all", "--adstack")),
                (["exclude"], ("--manifest", "x", "--curve", "bn254")),
                (["--device", "--all-devices"], ("--all", "--device", 0, "--all-devices")),
                (["--curve", "p256"], ("--curve", "p256")),
                (["--sizes", "0"], ("--sizes", "0")),
                (["--accumulators", "fast"], ("--accumulators", "fast")),
                (["nothing is left"], ("--curve", "none")),
                (["--threads", "x"], ("--all", "--threads", "x")),
                (["--cache-dir"], ("--all", "--cache-dir", "")),
                (["--curve is given twice"], ("--curve", "bn254", "--curve", "bn254")),
                (["--reps"], ("--all", "--reps", 1)),
                (["stray"], ("--all", "stray")),
                (["--device 7", "3 devices"], ("--all", "--device", 7))):
            with self.subTest(args):
                self.fails(2, words, "warmup", *args)

    def test_help(self):
        for command in ("warmup", "cache"):
            text = self.ok(command, "--help")
            self.assertTrue(text.startswith(f"usage: pail {command} "))
            self.assertLessEqual(max(map(len, text.splitlines())), 100)
        for name in ("PAIL_CACHE_DIR", "PAIL_CACHE_LAYERS", "PAIL_CACHE_MAX_MIB", "warmup", "cache"):
            self.assertIn(name, self.ok("--help"))


class Building(Pipelines):
    def test_again_builds_nothing(self):
        rows, summary = self.warm(*SHAPE, "--sizes", "4..5")
        self.assertEqual([row["origin"] for row in rows], ["compiled"] * 3)
        self.assertEqual([(row["done"], row["total"]) for row in rows], [(1, 3), (2, 3), (3, 3)])
        for row in rows:
            self.assertRegex(row["id"], "^[0-9a-f]{8}$")
            self.assertEqual((row["outcome"], row["status"], row["device"]), ("made", "PAIL_OK", 0))
            self.assertGreater(row["bytes"], 0)
        self.assertEqual((summary["compiled"], summary["disk"], summary["unkept"]), (3, 0, 0))
        self.assertEqual(summary["bytes"], sum(row["bytes"] for row in rows))
        (file,) = self.files()
        self.assertEqual(file.stat().st_mode & 0o777, 0o600)
        self.assertEqual(self.cache.stat().st_mode & 0o777, 0o700)
        for args in ((), ("--expect-hits",), ("--threads", 3)):
            rows, summary = self.warm(*SHAPE, "--sizes", "4..5", *args)
            self.assertEqual([row["origin"] for row in rows], ["disk"] * 3)
            self.assertEqual((summary["compiled"], summary["disk"]), (0, 3))

    def test_table(self):
        def table(**kwargs):
            return self.ok("warmup", *SHAPE, "--sizes", 32, "--cache-dir", self.cache, **kwargs).splitlines()
        lines = table(env=NOWHERE)
        self.assertEqual(lines[0], "fake 1.2.3 on fake device A (fake driver)")
        self.assertEqual(lines[1].split(), ["kernel", "id", "variant", "ms", "bytes", "outcome"])
        self.assertRegex(lines[2], r"^  fake/add   000000ab  c1\.g1\.a0 32 +1\.5 +205  built$")
        self.assertRegex(lines[3], r"^  fake/sort  000000ac  +1\.5 +205  built$")
        self.assertIn("2 pipelines: 0 hits in memory, 0 hits on disk, 2 built, 0 skipped, 0 failed", lines[4])
        self.assertEqual(len(lines), 5)
        lines = table(env={**NOWHERE, "FAKE_NO_CODE": "add"})
        self.assertTrue(lines[2].endswith("  hit, disk"))
        self.assertIn("puts no compiled code", lines[4])
        self.assertIn("0 hits in memory, 2 hits on disk, 0 built", lines[5])

    def test_places(self):
        """The place that the environment names; an error where nothing names one."""
        for variable, where in (("PAIL_CACHE_DIR", ""), ("XDG_CACHE_HOME", "pail"), ("HOME", ".cache/pail")):
            folder = self.folder / variable
            self.ok("warmup", "--all", env={**NOWHERE, variable: str(folder)})
            self.assertEqual(len(self.files(folder / where)), 1)
        self.fails(5, ["no folder", "PAIL_CACHE_DIR", "HOME"], "warmup", "--all", env=NOWHERE)
        self.fails(5, ["no folder"], "cache", "list", env=NOWHERE)

    def test_devices(self):
        done = run("warmup", "--all", "--all-devices", "--cache-dir", self.cache)
        self.assertEqual(done.returncode, 0)
        self.assertEqual(done.stderr, "pail: fake device C is left out: it is only here to be left out\n")
        self.assertEqual(len(self.files()), 2)
        rows, _ = self.warm("--all", "--device", "device B", "--expect-hits")
        self.assertEqual([row["device"] for row in rows], [1, 1])
        self.assertEqual([file["device_id"] for file in self.listing("--dir", self.cache)["files"]], [16, 17])

    def test_new_driver(self):
        self.warm("--all")
        self.assertEqual(self.warm("--all", env={"FAKE_DRIVER": "2"})[1]["compiled"], 2)
        self.assertEqual(self.warm("--all")[1]["compiled"], 0)

    def test_expect_hits(self):
        self.warm(*SHAPE, "--sizes", "5")
        _, summary = self.warm(*SHAPE, "--sizes", "5,6,7", "--expect-hits", status=1)
        self.assertEqual(summary["compiled"], 2)
        self.assertEqual(self.sentences, ["pail: 2 of 4 pipelines had to be compiled on fake device A, among them "
                                          "fake/add.c1.g1.a0"])

    def test_verify(self):
        _, summary = self.warm(*SHAPE, "--sizes", "5..9", "--verify", "--threads", 2, "--device", 1, "--backend", "fake")
        self.assertEqual((summary["compiled"], summary["fresh_compiled"], summary["fresh_pipelines"]), (6, 0, 6))
        text = self.ok("warmup", "--manifest", self.manifest([{}]), "--verify", "--cache-dir", self.cache, env=NOWHERE)
        self.assertIn("verified: a fresh process compiled 0 of 5 pipelines", text)

    def test_verify_fails(self):
        _, summary = self.warm("--all", "--verify", status=1, env={"FAKE_VOLATILE": "sort"})
        self.assertEqual((summary["compiled"], summary["fresh_compiled"], summary["fresh_pipelines"]), (2, 1, 2))
        self.assertEqual(self.sentences, [
            "pail: 1 of 2 pipelines had to be compiled on fake device A, among them fake/sort",
            "pail: --verify: the fresh process ended with status 1; it compiled 1 of 2 pipelines"])

    def test_one_is_not_kept(self):
        _, summary = self.warm("--all", "--verify", status=5, env={"FAKE_FORGOTTEN": "sort"})
        self.assertIsNone(summary["fresh_compiled"])  # it is not even tried
        self.assertEqual(summary["unkept"], 1)
        self.assertIn("fake/sort", self.sentences[0])

    def test_with_a_base(self):
        """Work in portions, as on a GPU: what was built is found in the file, and listed by its own values."""
        with_base = {"FAKE_BASE": "fake"}
        self.assertEqual(self.warm(*SHAPE, "--sizes", "5..6", env=with_base)[1]["compiled"], 3)
        self.assertEqual(self.warm(*SHAPE, "--sizes", "5..6")[1]["compiled"], 3)  # others than with one
        self.assertEqual(self.warm(*SHAPE, "--sizes", "5..6", "--expect-hits", env=with_base)[1]["disk"], 3)
        values = [("fake/add.c1.g1.a0", str(n)) for n in (32, 64)]
        values += [(name, text + ",base") for name, text in values] + [("fake/sort", ""), ("fake/sort", "base")]
        self.assertEqual(self.entries("--dir", self.cache), sorted(values))
        packed, other = self.folder / "packed", self.folder / "other"
        run("warmup", "--export", packed, "--cache-dir", self.cache)
        self.assertEqual(self.entries(packed), sorted(values))
        run("warmup", "--import", packed, "--cache-dir", other)
        self.assertEqual(self.entries("--dir", other), sorted(values))
        # Nothing is missing of those without a base, which is not to hide that all with one are.
        shutil.rmtree(self.cache)
        self.warm(*SHAPE, "--sizes", 5)
        _, summary = self.warm(*SHAPE, "--sizes", "5..6", status=5, env={**with_base, "FAKE_FORGOTTEN": "fake"})
        self.assertEqual(summary["unkept"], 2)

    def test_nothing_is_kept(self):
        """A cache that cannot be written is no failure of a multiplication, but it is one of a warm-up."""
        self.cache.write_text("a file where the folder ought to be")
        _, summary = self.warm("--all", status=5)
        self.assertEqual((summary["compiled"], summary["unkept"]), (2, 2))
        self.assertIn("2 of 2 pipelines that were built are not in the cache", self.sentences[-1])

    def test_what_cannot_be_made(self):
        """Not supported is skipped where everything was asked for, and fails where it was named."""
        rows, summary = self.warm("--all", env={"FAKE_UNSUPPORTED": "add"})
        self.assertEqual([row["outcome"] for row in rows], ["skipped", "made"])
        self.assertEqual([row["status"] for row in rows], ["PAIL_ERR_UNSUPPORTED", "PAIL_OK"])
        self.assertEqual((summary["skipped"], summary["failed"], rows[0]["origin"]), (1, 0, None))
        _, summary = self.warm(*SHAPE, "--sizes", 5, env={"FAKE_UNSUPPORTED": "add"}, status=4)
        self.assertEqual((summary["skipped"], summary["failed"]), (0, 1))
        self.assertEqual(self.sentences, ["pail: 1 of 2 pipelines cannot be made: fake/add.c1.g1.a0 is asking too much"])
        rows, _ = self.warm("--all", env={"FAKE_UNSUPPORTED": "add", "FAKE_FAILING": "sort"}, status=5)
        self.assertEqual([row["outcome"] for row in rows], ["skipped", "failed"])
        self.assertEqual(self.sentences, ["pail: 1 of 2 pipelines cannot be made: fake/sort: PAIL_ERR_DEVICE_MEMORY"])
        done = run("warmup", "--all", "--cache-dir", self.cache, env={"FAKE_UNSUPPORTED": "add", "FAKE_FAILING": "sort"})
        self.assertIn("skipped: not supported", done.stdout)
        self.assertIn("failed: PAIL_ERR_DEVICE_MEMORY", done.stdout)

    def test_no_pipelines(self):
        """The CPU backend, asked for or all that is left, compiles nothing."""
        self.fails(4, ["backend 'cpu' cannot build pipelines in advance"], "warmup", "--all", "--backend", "cpu", "--cache-dir",
                   self.cache)
        self.fails(4, ["no backend can build pipelines in advance", "cpu does not have it"], "warmup", "--all", "--cache-dir", self.cache,
                   env={"PAIL_BACKEND_PATH": "", "VK_ICD_FILENAMES": "/nonexistent.json",
                        "VK_DRIVER_FILES": "/nonexistent.json"})
        done = run("warmup", "--all", "--backend", "cpu", "--all-devices", "--cache-dir", self.cache)
        self.assertEqual(done.returncode, 4)
        self.assertFalse(self.cache.exists())

    def test_bar(self):
        """On a terminal a bar shows how far it is, and goes away; it is not drawn for what is quick."""
        for slow in ("", "fake"):
            parent, child = self.terminal()
            done = subprocess.run([PAIL, "warmup", "--adstack", "--cache-dir", str(self.cache / f"x{slow}")],
                                  stdout=subprocess.PIPE, stderr=child, timeout=60,
                                  env={**os.environ, "FAKE_SLOW": slow or "nothing"})
            os.close(child)
            text = b""
            try:
                while more := os.read(parent, 4096):
                    text += more
            except OSError:  # the other end is closed
                pass
            os.close(parent)
            self.assertEqual(done.returncode, 0)
            if slow:
                self.assertRegex(text, rb"building pipelines on fake device A: [0-9.]+ s, 50 % \[#{12}\.{12}\]")
                self.assertTrue(text.endswith(b"\r\x1b[K"))
            else:
                self.assertEqual(text, b"")


class Files(Pipelines):
    def test_there_and_back(self):
        self.warm(*SHAPE, "--sizes", "5..7")
        self.warm("--all", "--device", 1)
        packed = self.folder / "packed"
        text = self.ok("warmup", "--export", packed, "--cache-dir", self.cache)
        self.assertEqual(text, "exported 6 entries\n")
        self.folder.chmod(0o777)  # where a driver's code is never read from; a file that somebody names may be there
        before, self.cache = self.cache, self.folder / "other"
        _, summary = self.warm("--import", packed, *SHAPE, "--sizes", "5..7", "--expect-hits")
        self.assertEqual((summary["imported"], summary["disk"], summary["compiled"]), (6, 4, 0))
        self.warm("--all", "--device", 1, "--expect-hits")
        self.assertEqual(self.entries("--dir", self.cache), self.entries("--dir", before))
        self.assertEqual(self.entries(packed), self.entries("--dir", before))
        self.assertEqual(self.ok("warmup", "--import", packed, "--cache-dir", self.folder / "third"),
                         f"imported 6 entries into {self.folder}/third\n")
        _, summary = self.warm(*SHAPE, "--sizes", "8", "--export", self.folder / "more")
        self.assertEqual(summary["exported"], 7)

    def test_refused_imports(self):
        self.warm("--all")
        packed = self.folder / "packed"
        self.ok("warmup", "--export", packed, "--cache-dir", self.cache)
        whole = packed.read_bytes()
        other = self.folder / "other"
        for data in (b"", whole[:-1], whole[:20], whole[:-3] + b"x" + whole[-2:], b"x" + whole[1:]):
            with self.subTest(len(data)):
                packed.write_bytes(data)
                self.fails(3, [packed], "warmup", "--import", packed, "--cache-dir", other)
                self.fails(3, [packed], "warmup", "--all", "--import", packed, "--cache-dir", other)
                self.assertFalse(other.exists())
        self.fails(5, ["No such file"], "warmup", "--import", self.folder / "missing", "--cache-dir", other)
        packed.write_bytes(whole)
        other.write_text("no folder")
        self.fails(5, [other], "warmup", "--import", packed, "--cache-dir", other)

    def test_refused_exports(self):
        self.fails(5, ["--export"], "warmup", "--export", self.folder / "x", "--cache-dir", self.cache)
        self.warm("--all")
        self.fails(5, ["--export"], "warmup", "--export", self.folder / "no/such/x", "--cache-dir", self.cache)

    def test_list(self):
        self.assertEqual(self.ok("cache", "list", "--dir", self.cache), f"{self.cache}: nothing is cached here\n")
        self.assertEqual(self.listing("--dir", self.cache)["files"], [])
        done = run("cache", "list", self.folder / "nothing")
        self.assertEqual((done.returncode, done.stdout.count("nothing: No such file")), (3, 1), done.stderr)
        self.warm(*SHAPE, "--sizes", 2048, env={"FAKE_DRIVER": "258"})
        for line in (self.ok("cache", "list", "--dir", self.cache),
                     self.ok("cache", "list", env={"PAIL_CACHE_DIR": str(self.cache)})):
            self.assertIn("vendor 0xfa4e, device 0x0010, driver 0x00000102, cache id fa4e0000", line)
            self.assertIn("entries: 2, damaged: 0, bytes: 554\n", line)
        lines = self.ok("cache", "list", "--entries", "--dir", self.cache).splitlines()
        self.assertEqual(len(lines), 4)
        self.assertRegex("\n".join(lines), r"\n  pipeline  [0-9a-f]{8}  fake/add.c1.g1.a0 +[0-9a-f]{10,16}  2048 +205  20..-..-..T..:..:..Z\n")
        listing = self.listing("--dir", self.cache)
        (file,) = listing["files"]
        self.assertEqual((file["n_entries"], file["n_damaged"], file["refused"]), (2, 0, None))
        self.assertEqual(file["bytes"], self.files()[0].stat().st_size)
        self.assertEqual(sorted(entry["name"] for entry in file["entries"]), ["fake/add.c1.g1.a0", "fake/sort"])

    def test_verify_finds_damage(self):
        self.assertIn("nothing is cached", self.ok("cache", "verify", "--dir", self.cache))
        self.warm("--all")
        self.ok("cache", "verify", "--dir", self.cache)
        (path,) = self.files()
        whole = path.read_bytes()
        for at in range(0, len(whole), 7):
            path.write_bytes(whole[:at] + bytes([whole[at] ^ 16]) + whole[at + 1:])
            done = run("cache", "verify", "--dir", self.cache)
            self.assertEqual(done.returncode, 3, at)
            self.assertIn(path.name, done.stdout)
            self.assertEqual(done.stderr.count("\n"), 1)
        done = run("cache", "verify", "--json", "--dir", self.cache)
        self.assertEqual(done.returncode, 3)
        (file,) = json.loads(done.stdout)["files"]
        self.assertEqual((file["n_damaged"], len(file["damage"])), (1, 1))
        self.assertEqual(run("cache", "list", "--dir", self.cache).returncode, 0)
        self.assertEqual(self.warm("--all")[1]["compiled"], 1)  # and is whole again
        self.ok("cache", "verify", "--dir", self.cache)
        path.unlink()
        path.symlink_to("/dev/null")
        done = run("cache", "verify", "--dir", self.cache)
        self.assertEqual(done.returncode, 3)
        self.assertIn("symbolic link", done.stdout)

    def test_prune(self):
        for words, args in ((["nothing is to be pruned"], ()), (["--max-mib", "0"], ("--max-mib", 0)),
                            (["--unused-days", "x"], ("--unused-days", "x")), (["stray"], ("--all", "stray")),
                            (["--entries"], ("--all", "--entries"))):
            self.fails(2, words, "cache", "prune", *args)
        self.warm(*SHAPE, "--sizes", "5..6")
        for args in (("--max-mib", 1), ("--unused-days", 1), ("--damaged",)):
            self.assertIn("entries gone: 0", self.ok("cache", "prune", *args, "--dir", self.cache))
        (path,) = self.files()
        data = bytearray(path.read_bytes())
        data[-1] ^= 1
        path.write_bytes(data)
        gone = json.loads(self.ok("cache", "prune", "--damaged", "--json", "--dir", self.cache))
        self.assertEqual((gone["entries_gone"], gone["files"][0]["entries_gone"]), (1, 1))
        self.assertGreater(gone["bytes_gone"], 0)
        self.ok("cache", "verify", "--dir", self.cache)
        self.assertEqual(self.listing("--dir", self.cache)["n_entries"], 2)
        self.assertIn("entries gone: 2", self.ok("cache", "prune", "--all", "--dir", self.cache))
        self.assertEqual(self.files(), [])
        self.ok("cache", "prune", "--all", "--dir", self.cache)

    def test_usage(self):
        for words, args in ((["pail cache needs a command: list, verify or prune"], ()), (["clean"], ("clean",)),
                            (["--dir"], ("list", "--dir", "")), (["--all"], ("list", "--all")),
                            (["exclude"], ("verify", "--dir", "x", "y"))):
            with self.subTest(args):
                self.fails(2, words, "cache", *args)


if __name__ == "__main__":
    unittest.main(verbosity=2)
