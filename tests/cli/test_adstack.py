# SPDX-License-Identifier: Apache-2.0
"""Runs pail adstack as a compiler writer does: registry ids, trees from files, sizes on host and device.

    test_adstack.py PAIL DATA VECTORS BACKEND [unittest arguments]

The arguments are those of test_pail.py.
"""

import json
import os
import re
import resource
import signal
import struct
import subprocess
import time
import unittest
from pathlib import Path

from test_pail import BACKEND, DATA, PAIL, Case, run

# Computed with an FNV-1a of its own (see fnv below) and kept as text, so that both would have to be wrong.
IDS = {
    ("", 0): "d968e745", ("", 1): "cf74a1d3", ("kernel_a", 0): "ca332149", ("kernel_b", 3): "6f0f84bd",
    ("different_kernel", 5): "524bd42f", ("compute_grad", 3): "d5619350", ("k", 0): "09c10950",
    ("compute", -1): "9167c52c", ("naïve", 0): "09a6538f",
    # Two names with one id; an id before the wrap-around; a hash of 0, which becomes 1.
    ("k8076", 0): "77fc5151", ("k36556", 3): "77fc5151", ("w15976", 40011): "ffffffff", ("w26958", 30857): "00000001",
}


def fnv(name, task):
    state = 0xCBF29CE484222325
    for byte in name + b":" + struct.pack("<Q", task % 2**32):
        state = (state ^ byte) * 0x100000001B3 % 2**64
    return (state ^ state >> 32) % 2**32 or 1


DEVICE = BACKEND != "cpu"
WAYS = ["host", "device", "auto", "cached"] if DEVICE else ["host", "auto", "cached"]
CASES = sorted(Path(f"{DATA}/adstack").glob("*.json"))


class Ids(Case):
    def test_known(self):
        for (name, task), wanted in IDS.items():
            with self.subTest(name=name, task=task):
                self.assertEqual(self.ok("adstack", "id", name, task), wanted + "\n")
                self.assertEqual(f"{fnv(name.encode(), task):08x}", wanted)

    def test_any_name(self):
        for name in ("--json", "-h", "-1", "a b", "\n", "x" * 10000):
            self.assertEqual(self.ok("adstack", "id", name, 7), f"{fnv(name.encode(), 7):08x}\n")
        self.assertEqual(run("adstack", "id", b"\xff\xfe".decode(errors="surrogateescape"), 7).stdout,
                         f"{fnv(bytes([255, 254]), 7):08x}\n")

    def test_json(self):
        self.assertEqual(json.loads(self.ok("adstack", "id", "kernel_a", "-2147483648", "--json")),
                         {"name": "kernel_a", "task": -2**31, "id": f"{fnv(b'kernel_a', 2**31):08x}",
                          "number": fnv(b"kernel_a", 2**31)})

    def test_mistakes(self):
        self.fails(2, ["a name and the number of a task"], "adstack", "id")
        self.fails(2, ["a name and the number of a task"], "adstack", "id", "a")
        self.fails(2, ["a name and the number of a task"], "adstack", "id", "a", 1, 2)
        for task in ("", "-", "x", "1x", " 1", "+1", "0x1", 2**31, -2**31 - 1, 2**70):
            self.fails(2, [f'invalid value "{task}" of TASK'], "adstack", "id", "a", task)
        self.fails(2, ['unknown command "eva"', "id and eval"], "adstack", "eva")
        self.fails(2, ["pail adstack needs a command: id or eval; see pail adstack --help"], "adstack")


class Files(Case):
    """Files and their trees, which need no backend."""

    def setUp(self):
        super().setUp()
        self.value = {"sources": [{"name": "n", "shape": [4], "data": [1, 2, 3, 4]}],
                      "tasks": [{"stacks": [{"tree": 1}]}]}

    def with_tree(self, tree, **stack):
        return {**self.value, "tasks": [{"stacks": [{"tree": tree, **stack}]}]}

    def with_source(self, **source):
        return {**self.value, "sources": [{"name": "n", "shape": [4], **source}]}

    def trees(self, value, name="case.json"):
        text = value if isinstance(value, str) else json.dumps(value)
        return json.loads(self.ok("adstack", "eval", "--nodes", self.file(name, text.encode())))["trees"]

    def refuses(self, words, value, status=3):
        text = value if isinstance(value, str) else json.dumps(value)
        path = self.file("case.json", text.encode())
        self.fails(status, [path, *words], "adstack", "eval", "--nodes", path)

    def test_nested_trees(self):
        node = {"kind": "const"}
        for tree, nodes, indices in (
                (-5, [{"kind": "const", "imm": -5}], []),
                (2**63 - 1, [{"kind": "const", "imm": 2**63 - 1}], []),
                (["add", 1, 2, 3], [{**node, "imm": 1}, {**node, "imm": 2}, {"kind": "add", "a": 0, "b": 1},
                                    {**node, "imm": 3}, {"kind": "add", "a": 2, "b": 3}], []),
                (["select", 1, 2, 3], [{**node, "imm": 1}, {**node, "imm": 2}, {**node, "imm": 3},
                                       {"kind": "select_positive", "a": 0, "b": 1, "body": 2}], []),
                # Equal names have one number, others another; begin and end are outside of the range.
                (["max_over", "i", 0, 4, ["sum_over", "j", 0, "i", ["max_over", "i", "i", "j", ["read", "n", "i"]]]],
                 [{**node, "imm": 0}, {**node, "imm": 4}, {**node, "imm": 0}, {"kind": "variable", "variable": 0},
                  {"kind": "variable", "variable": 0}, {"kind": "variable", "variable": 1},
                  {"kind": "array_read", "source": 0, "dtype": "i32", "index_first": 0, "index_count": 1},
                  {"kind": "max_over_range", "a": 4, "b": 5, "body": 6, "variable": 0},
                  {"kind": "sum_over_range", "a": 2, "b": 3, "body": 7, "variable": 1},
                  {"kind": "max_over_range", "a": 0, "b": 1, "body": 8, "variable": 0}], [-1]),
                # Literals and variables stay in the node; with anything else all indices are nodes.
                (["max", ["read", "n", 3], ["read", 0, ["shape", "n", 0]], ["field", "n", 2]],
                 [{"kind": "array_read", "source": 0, "dtype": "i32", "index_first": 0, "index_count": 1},
                  {"kind": "shape", "source": 0, "axis": 0},
                  {"kind": "read_at", "source": 0, "dtype": "i32", "index_first": 1, "index_count": 1},
                  {"kind": "max", "a": 0, "b": 2},
                  {"kind": "field_read", "source": 0, "dtype": "i32", "index_first": 2, "index_count": 1},
                  {"kind": "max", "a": 3, "b": 4}], [3, 1, 2]),
                (["read", "n", -1], [{"kind": "const", "imm": -1},
                                     {"kind": "read_at", "source": 0, "dtype": "i32", "index_first": 0,
                                      "index_count": 1}], [0])):
            with self.subTest(tree=tree):
                self.assertEqual(self.trees(self.with_tree(tree)), [[{"nodes": nodes, "indices": indices}]])

    def test_flat_trees(self):
        with open(f"{DATA}/adstack/nodes.json", encoding="utf-8") as stream:
            flat = self.trees(stream.read())
        self.assertEqual([node["kind"] for node in flat[0][0]["nodes"]],
                         ["const", "shape", "shape", "array_read", "max_over_range", "max_over_range"])
        self.assertEqual(flat[0][0]["indices"], [-1, -2])
        self.assertEqual(flat[0][1]["nodes"][1:3], [
            {"kind": "read_at", "source": 0, "dtype": "u32", "index_first": 0, "index_count": 2},
            {"kind": "array_read", "source": 0, "dtype": "u32", "index_first": 2, "index_count": 2}])
        # Printed text can be read again, and is the same.
        for file in ("vectors", "dependent", "layouts", "nodes"):
            with open(f"{DATA}/adstack/{file}.json", encoding="utf-8") as stream:
                value = json.load(stream)
            trees = self.trees(value)
            for task, printed in zip(value["tasks"], trees):
                for stack, tree in zip(task["stacks"], printed):
                    stack["tree"] = tree
            self.assertEqual(self.trees(value), trees)

    def test_tree_mistakes(self):
        at = "tasks[0].stacks[0].tree"
        for words, tree in (
                ([at, "cannot be 1.5", "a number, the name of a variable"], 1.5),
                ([at, 'cannot be "i"', "no range around it"], "i"),
                ([f"{at}[2]", 'cannot be "i"'], ["max_over", "i", "i", 4, 1]),
                ([f"{at}[1]", 'cannot be "j"'], ["add", "j", 1]),
                ([f"{at} cannot be", "begins with add, sub"], ["plus", 1, 2]),
                ([f"{at} cannot be []", "begins with add"], []),
                ([f"{at} cannot be", "two operands"], ["sub", 1, 2, 3]),
                ([f"{at} cannot be", "two or more operands"], ["add", 1]),
                ([f"{at}[1][1]", 'cannot be "m"', "there are 1"], ["add", ["shape", "m", 0], 1]),
                ([f"{at}[1]", "cannot be 1", "no source"], ["shape", 1, 0]),
                ([f"{at}[2]", 'cannot be "0"', "number of an axis"], ["shape", "n", "0"]),
                ([at, "variable, begin, end, body"], ["max_over", "i", 0, 1]),
                ([at, "variable, begin, end, body"], ["sum_over", 7, 0, 1, 1]),
                ([at, "condition"], ["select", 1, 2]),
                ([at, "literals and variables"], ["field", "n", ["add", 1, 2]]),
                ([f"{at}[0]", 'no "kind"'], [{"a": 1}]),
                ([f"{at}[0].kind", 'cannot be "plus"', "array_read"], [{"kind": "plus"}]),
                ([f"{at}[0].kind", "cannot be 10", "array_read"], [{"kind": 10}]),
                ([f"{at}[1].a", "cannot be -2"], [{"kind": 0}, {"kind": 2, "a": -2}]),
                ([f"{at}[1]", "cannot be 1", "an object"], [{"kind": 0}, 1]),
                ([f"{at}[0]", 'no key "var"', "variable"], [{"kind": 7, "var": 0}]),
                ([f"{at}[0].indices", "index_first"], [{"kind": 9, "indices": [0], "index_first": 0}]),
                ([f"{at}[0].indices[1]", "cannot be null"], [{"kind": 9, "indices": [0, None]}]),
                ([at, 'no array "nodes"'], {"indices": []}),
                ([f"{at}.indices", "array of integers"], {"nodes": [], "indices": 1})):
            with self.subTest(tree=tree):
                self.refuses(words, self.with_tree(tree))
        self.refuses(['no "tree"', "capacity"], {"tasks": [{"stacks": [{}]}]})
        self.trees({"tasks": [{"stacks": [{"capacity": 1}]}]})

    def test_documentation(self):
        """The examples of docs/adstack-eval.md are what they say."""
        with open(f"{DATA}/../../docs/adstack-eval.md", encoding="utf-8") as stream:
            whole, tree = (json.loads(part.split("```")[0]) for part in stream.read().split("```json\n")[1:])
        self.file("contacts.bin", bytes(2 * 1024 * 64))
        self.assertEqual([len(trees) for trees in self.trees(whole)], [2])
        self.assertEqual(self.trees(self.with_tree(tree)),
                         self.trees(self.with_tree(["max_over", "i", 0, ["shape", "n", 0], ["read", "n", "i"]])))

    def test_deep_tree(self):
        tree = 1
        for _ in range(900):
            tree = ["add", tree, 1]
        self.assertEqual(len(self.trees(self.with_tree(tree))[0][0]["nodes"]), 1801)

    def test_file_mistakes(self):
        for words, value in (
                (["line 1, column"], "{"),
                (["line 1", "duplicate"], '{"kernel": "a", "kernel": "b"}'),
                (["line 1", "too big"], '{"tasks": [{"threads": 9223372036854775808}]}'),
                (["the file cannot be 7", "kernel, sources, tasks"], 7),
                (['no key "task"', "tasks"], {"task": []}),
                (['it has no "tasks", and a kernel has at least one task'], {}),
                (['it has no "tasks" but an empty array, and a kernel has at least one task'], {"tasks": []}),
                (["line 1, column 2049", "arrays and objects are more than 2048 deep in one another"], "[" * 2049),
                (["the file cannot be [[["], "[" * 2048 + "]" * 2048),
                (["tasks cannot be {}", "an array"], {"tasks": {}}),
                (["kernel cannot be 7", "a text"], {**self.value, "kernel": 7}), (["tasks[0].threads cannot be -1"], {"tasks": [{"threads": -1}]}),
                (["tasks[1].task cannot be 2147483648"], {"tasks": [{}, {"task": 2**31}]}),
                (["ranges", '"loose"', "as_given, clamped"], {**self.value, "ranges": "loose"}),
                (["arithmetic", '"modular"', "checked, wrapping"], {**self.value, "arithmetic": "modular"}),
                (["tasks[0].units", '"words"', "bytes, elements"], {"tasks": [{"units": "words"}]}),
                (["tasks[0].id", '"0"', "8 hexadecimal digits"], {"tasks": [{"id": "0"}]}),
                (["tasks[0].id", "cannot be 0"], {"tasks": [{"id": 0}]}),
                (["tasks[0].stacks[0].heap", '"double"', "float, int"], self.with_tree(1, heap="double")),
                (["stacks[0].copies cannot be 1.0", "integer"], self.with_tree(1, copies=1.0)),
                (["stacks[0].expect cannot be"], self.with_tree(1, expect="3")),
                (["stacks[0]", 'no key "header"', "header_bytes"], self.with_tree(1, header=8)),
                (["sources[0]", 'no "shape"'], {**self.value, "sources": [{}]}),
                (["sources[1]", 'sources[0] has the name "n"'], {**self.value, "sources": [{"name": "n", "shape": []}, {"name": "n", "shape": []}]}),
                (["sources[0].shape[0] cannot be -1"], self.with_source(shape=[-1])),
                (["sources[0].rank cannot be 2"], self.with_source(rank=2)),
                (["sources[0].dtype", '"f32"', "i8, i16"], self.with_source(dtype="f32")),
                (["sources[0].untracked cannot be 1"], self.with_source(untracked=1)),
                (["sources[0]", '"stride_bytes" without'], self.with_source(stride_bytes=[4])),
                (["sources[0].stride_bytes", "2 strides for 1 axes"], self.with_source(stride_bytes=[4, 4], data=[])),
                (["sources[0].stride_bytes[0] cannot be -4"], self.with_source(stride_bytes=[-4], data=[])),
                (["sources[0]", "does not fit"], self.with_source(shape=[2**62, 4], data=[]))):
            with self.subTest(words=words):
                self.refuses(words, value)
        path = self.file("case.json", json.dumps(self.with_source(shape=[2**60], data={"fill": 0})).encode())
        options = os.environ.get("ASAN_OPTIONS", "") + ":allocator_may_return_null=1"
        done = run("adstack", "eval", path, env={"ASAN_OPTIONS": options})
        self.assertEqual(done.returncode, 5)
        self.assertEqual(done.stderr.splitlines()[-1], f"pail: {path}: sources[0].data: no memory for it")
        self.fails(5, ["/nowhere/x.json", "No such file"], "adstack", "eval", "/nowhere/x.json")

    def test_data_mistakes(self):
        at = "sources[0].data"
        for words, data in (
                ([at, "3 numbers for the 4"], [1, 2, 3]),
                ([f"{at}[1][2]", "more numbers than the 4"], [[1, 2], [3, 4, 5]]),
                ([f"{at}[1]", "cannot be 2147483648", "-2147483648 to 2147483647"], [1, 2**31]),
                ([f"{at}[0]", "cannot be 1.0"], [1.0]),
                ([at, 'no key "fil"'], {"fil": 1}),
                ([at, 'one of "fill"'], {}),
                ([at, 'one of "fill"'], {"fill": 1, "first": 1}),
                ([at, '"step" goes with "first"'], {"fill": 1, "step": 1}),
                ([f"{at}.fill", "cannot be null"], {"fill": None}),
                ([f"{at}.random", "[2,1]"], {"random": [2, 1]}),
                ([f"{at}.random", "[0,2147483648]"], {"random": [0, 2**31]}),
                ([f"{at}.set cannot be 1"], {"fill": 0, "set": 1}),
                ([f"{at}.set[0]", "index of each axis"], {"fill": 0, "set": [[1, 1]]}),
                ([f"{at}.set[1][0][0]", "cannot be 4", "4 elements"], {"fill": 0, "set": [[[0], 1], [[4], 1]]}),
                ([f"{at}.set[0][1]", "cannot be 2147483648"], {"fill": 0, "set": [[[0], 2**31]]}),
                ([at, "raw has 16 bytes, and 16 from 1 on"], {"file": "raw", "offset": 1}),
                ([f"{at}.offset cannot be -1"], {"file": "raw", "offset": -1})):
            with self.subTest(data=data):
                self.file("raw", bytes(16))
                self.refuses(words, self.with_source(data=data))
        self.refuses([at, "nothing", "No such file"], self.with_source(data={"file": "nothing"}), status=5)
        self.refuses([f"{at}[0]", "cannot be -1", "0 to 255"], self.with_source(dtype="u8", data=[-1]))
        self.refuses([f"{at}[0]", "cannot be 128", "-128 to 127"], self.with_source(dtype="i8", data=[128]))
        self.refuses([f"{at}[0]", '"18446744073709551616"'],
                     self.with_source(dtype="u64", data=["18446744073709551616"]))

    def test_options(self):
        path = self.file("case.json", json.dumps(self.value).encode())
        for words, args in (
                (["no file"], ()), (["more than one file"], (path, path)),
                (['invalid value "0" of --runs'], (path, "--runs", 0)),
                (["exclude each other"], (path, "--host-only", "--device-only")),
                (["exclude each other"], (path, "--interpret", "--specialise")),
                (["--host-only leaves out"], (path, "--host-only", "--interpret")),
                (["unknown option --slow of pail adstack eval"], (path, "--slow"))):
            self.fails(2, words, "adstack", "eval", *args)


class Evaluation(Case):
    """On the backend that was named: with a device, and on the CPU backend."""

    def evaluate(self, value, *args, status=0):
        path = value if isinstance(value, str) else self.file("case.json", json.dumps(value).encode())
        done = run("adstack", "eval", path, "--backend", BACKEND, "--json", "--runs", 2, "--max-ms", 100000, *args)
        self.assertEqual(done.returncode, status, done.stderr)
        self.sentence = done.stderr
        return json.loads(done.stdout)

    def raws(self, answer):
        return [[stack["raw"] for stack in task["stacks"]] for task in answer["tasks"]]

    def stack(self, tree, sources=(), **more):
        return {"sources": list(sources), "tasks": [{"stacks": [{"tree": tree, **more}]}]}

    def test_vectors(self):
        answer = self.evaluate(f"{DATA}/adstack/vectors.json")
        self.assertEqual(self.raws(answer), [[3, 0, 0, 4, 0, 100, 5, 7, 12], [7, 3, -4, 1, 3, 9, 9]])
        self.assertIsNone(answer["difference"])
        self.assertEqual(list(answer["ways"]), WAYS)
        first = answer["tasks"][0]
        origin = first["stacks"][0]["origin"]
        self.assertEqual(origin, {way: origin["auto"] if way == "auto" else way for way in WAYS})
        self.assertIn(origin["auto"], WAYS[:-2])
        self.assertEqual(set(first["stacks"][2]["origin"].values()) - {"cached"}, {"constant"})
        self.assertEqual(answer["tasks"][1]["stacks"][0]["origin"]["host"], "static")
        self.assertEqual(first["metadata"], [8, 130, 0, 3, 6, 1, 0, 1, 1, 4, 5, 1, 6, 100, 106, 5, 111, 7, 118, 12, 0])
        for way in answer["ways"].values():
            self.assertEqual(way["status"], 0)
            self.assertGreaterEqual(way["max_ms"], way["min_ms"])
            self.assertTrue(way["plan"])
        ways = answer["ways"]
        if DEVICE:
            self.assertGreater(ways["device"]["dispatches"], 0)
            self.assertEqual((ways["device"]["submissions"], ways["device"]["waits"]), (1, 1))
            self.assertLess(ways["device"]["host_reductions"], ways["device"]["reductions"])
        self.assertEqual((ways["host"]["dispatches"], ways["host"]["submissions"]), (0, 0))
        for name in WAYS[:-1]:  # the same work, wherever it is done
            way = ways[name]
            self.assertEqual((way["evaluations"], way["launch_hits"], way["task_hits"], way["tree_hits"],
                              way["spec_hits"]), (1, 0, 0, 0, 0), name)
            self.assertEqual((way["layouts"], way["trees"], way["reductions"]),
                             (ways["host"]["layouts"], ways["host"]["trees"], ways["host"]["reductions"]), name)
        self.assertEqual(ways["host"]["layouts"], len(answer["tasks"]))
        self.assertGreater(ways["host"]["reductions"], 0)
        self.assertEqual(ways["host"]["host_reductions"], ways["host"]["reductions"])
        self.assertEqual([ways["cached"][key] for key in ("layouts", "trees", "reductions")], [0, 0, 0])
        self.assertGreater(ways["host"]["host_cells"], 0)
        self.assertEqual((ways["cached"]["launch_hits"], ways["cached"]["submissions"]), (1, 0))

    @unittest.skipUnless(DEVICE, "the CPU backend has no device")
    def test_forms(self):
        """Trees that both forms of kernels compute, with sums, selections and computed indices."""
        for form in ("--interpret", "--specialise"):
            ways = self.evaluate(f"{DATA}/adstack/vectors.json", "--device-only", form)["ways"]
            device = ways["device"]
            self.assertEqual(device["specialised"], device["dispatches"] if form == "--specialise" else 0)

    def test_dependent_range(self):
        with open(f"{DATA}/adstack/dependent.json", encoding="utf-8") as stream:
            value = json.load(stream)
        self.assertEqual(self.raws(self.evaluate(value)), [[9]])
        value["sources"][0]["data"] = [1, 4]
        answer = self.evaluate(value, status=1)
        self.assertEqual(self.raws(answer), [[50]])
        self.assertIn("tasks[0].stacks[0] is 50, and 9 was expected", answer["difference"])
        self.assertIn(answer["difference"], self.sentence)

    def test_layouts(self):
        elements, in_bytes, claimed = self.evaluate(f"{DATA}/adstack/layouts.json")["tasks"]
        numbers = struct.unpack("<11Q", struct.pack("<22I", *claimed["metadata"]))  # 24000 bytes are less than 52000, but not in 3 times the time
        self.assertEqual((claimed["layout"], *numbers), ("rows", 10, 3, 0, 0, 5, 3, 1, 0, 3000, 0, 0))
        self.assertEqual([claimed[f"{of}_float"] for of in ("heap", "rows", "claimed")], [40000, 40000, 12000])
        self.assertEqual(elements["metadata"], [14, 3, 0, 5, 0, 3, 10, 2, 0])
        self.assertEqual((elements["heap_float"], elements["heap_int"]), (56000, 12000))
        self.assertEqual((in_bytes["stride_float"], in_bytes["stride_int"]), (72, 48))
        self.assertEqual([stack["offset"] for stack in in_bytes["stacks"]], [0, 0, 48, 32])
        self.assertEqual((in_bytes["heap_float"], in_bytes["heap_int"]), (720, 48000))
        self.assertEqual(elements["id"], f"{fnv(b'layouts', 0):08x}")

    def test_flat_trees(self):
        self.assertEqual(self.raws(self.evaluate(f"{DATA}/adstack/nodes.json", *["--interpret"][:DEVICE])), [[100, 100]])

    def test_data(self):
        """Every type, with its least and largest number, through every way to give contents."""
        sources, tasks, wanted = [], [], []
        for name, code, least, most in (("i8", "b", -2**7, 2**7 - 1), ("i16", "h", -2**15, 2**15 - 1),
                                        ("i32", "i", -2**31, 2**31 - 1), ("i64", "q", -2**63, 2**63 - 1),
                                        ("u8", "B", 0, 2**8 - 1), ("u16", "H", 0, 2**16 - 1),
                                        ("u32", "I", 0, 2**32 - 1), ("u64", "Q", 0, 2**63 - 1)):
            self.file(name, b"?" + struct.pack(f"<4{code}", least, 1, most, 7))
            for data in ({"data": [[least, 1], [most, 7]]},
                         {"data": {"fill": least, "set": [[[0, 1], 1], [[1, 0], most], [[1, 1], 7]]}},
                         {"data": {"file": name, "offset": 1}},
                         {"data": [least, 1, most, 7],
                          "stride_bytes": [struct.calcsize(code), 2 * struct.calcsize(code)]}):
                sources.append({"dtype": name, "shape": [2, 2], **data})
                for i, raw in enumerate((least, 1, most, 7)):
                    tree = ["read", len(sources) - 1, i // 2, i % 2]
                    # A task each: heaps of several stacks of 2^63 entries would be beyond 64 bits.
                    tasks.append({"units": "bytes", "stacks": [{"heap": "int", "element_bytes": 1, "tree": tree}]})
                    wanted.append([raw])
        answer = self.evaluate({"sources": sources, "tasks": tasks})
        self.assertEqual(self.raws(answer), wanted)
        for task, raws in zip(answer["tasks"], wanted):
            self.assertEqual(task["metadata"] is None, raws[0] >= 2**32)

    def test_generated(self):
        def source(**data):
            return {"dtype": "i64", "shape": [1000], "data": data}

        sources = [source(first=3, step=-1), source(first=5), source(fill=7),
                   source(random=[-3, 100], set=[[[999], -3], [[5], 100]]),
                   source(random=[-3, 100], seed=1, set=[[[999], -3], [[5], 100]]),
                   source(random=[-3, 100], seed=2, set=[[[999], -3], [[5], 100]])]
        trees = [tree for i in range(len(sources)) for tree in (
            ["sum_over", "i", 0, ["shape", i, 0], ["read", i, "i"]],
            ["max_over", "i", 0, 1000, ["read", i, "i"]],
            ["max_over", "i", 0, 1000, ["sub", 0, ["read", i, "i"]]])]
        answer = self.evaluate({"sources": sources, "tasks": [{"stacks": [{"heap": "int", "tree": tree}
                                                                         for tree in trees]}]})
        raws, = self.raws(answer)
        self.assertEqual(raws[:9], [3000 - 999 * 500, 3, 996, 5000 + 999 * 500, 1004, 0, 7000, 7, 0])
        self.assertEqual(raws[9:12], raws[12:15])
        self.assertNotEqual(raws[9], raws[15])
        self.assertEqual([raws[10:12], raws[16:18]], [[100, 3]] * 2)

    def test_large_u64(self):
        source = {"name": "n", "dtype": "u64", "shape": [1], "data": ["18446744073709551615"]}
        self.assertEqual(self.raws(self.evaluate(self.stack(["read", "n", 0], [source]))), [[-1]])

    def test_trees_that_cannot_be_computed(self):
        """The same sentence on the host, on the device and from the cache."""
        source = {"name": "n", "dtype": "i64", "shape": [3], "data": [4, 2**63 - 1, 0]}
        for tree, words in ((["max_over", "i", 0, 4, ["read", "n", "i"]],
                             "stack 0 cannot be sized: node 2: an index is outside of source 0: 3 on axis 0, which has 3 elements"),
                            (["read", "n", -1], "node 1: an index is outside of source 0: -1 on axis 0, which has 3 elements"),
                            (["max_over", "i", 0, 3, ["read", "n", ["sub", ["read", "n", "i"], 3]]],
                             "an index is outside of source 0: 9223372036854775804 on axis 0, which has 3 elements"),
                            (["max_over", "i", 0, ["min", 9, ["max_over", "j", 0, 3, ["read", "n", "j"]]], ["read", "n", "i"]],
                             "an index is outside of source 0: 3 on axis 0, which has 3 elements"),
                            (["max_over", "i", 0, 3, ["add", ["read", "n", "i"], 1]], "64 bits"),
                            (["max_over", "i", 0, 3, ["floor_div", 1, ["read", "n", "i"]]], "by 0")):
            with self.subTest(tree=tree):
                answer = self.evaluate(self.stack(tree, [source]), status=3)
                self.assertIsNone(answer["difference"])
                self.assertIsNone(answer["tasks"])
                self.assertIn(words, self.sentence)
                self.assertEqual(self.sentence.count("stack 0"), 1)
                self.assertEqual(len({way["sentence"] for way in answer["ways"].values()}), 1)

    def test_errors_that_decide(self):
        """Long before the limit of time, which so many cells are beyond on a processor."""
        small = {"name": "m", "shape": [4], "data": [1, 2, 3, 4]}
        large = {"name": "n", "dtype": "i64", "shape": [1], "data": [4 * 10**9]}
        first = ["read", "m", ["sub", 10, "i"]]
        for tree, words in ((["sum_over", "i", 0, 4 * 10**9, first], "outside of source 1: 10 on axis 0"),
                            (["sum_over", "i", 0, ["read", "n", 0], first], "outside of source 1: 10 on axis 0"),
                            (["max_over", "i", 4, 4 + 2**28, ["read", "m", "i"]], "outside of source 1: 4 on axis 0"),
                            (["sum_over", "i", 0, 4 * 10**9, ["add", ["read", "m", 1], ["mod", 7, "i"]]], "by 0")):
            with self.subTest(tree=tree):
                answer = self.evaluate(self.stack(tree, [large, small]), "--max-ms", 120000, status=3)
                self.assertIn(words, self.sentence)
                self.assertEqual(len({way["sentence"] for way in answer["ways"].values()}), 1)

    def test_errors_of_the_last_cell(self):
        """The least error counts, wherever it is: an early end would report another one."""
        sources = [{"name": "m", "shape": [4], "data": [1, 2, 3, 4]},
                   {"name": "a", "shape": [70001], "data": {"fill": 1}}]
        last, first = ["read", "a", "i"], ["read", "m", ["sub", 10, "i"]]
        for body, words in ((last, "an index is outside of source 1: "),
                            (["add", last, first], "an index is outside of source 1: "),
                            (["add", first, last], "an index is outside of source 0: ")):
            with self.subTest(body=body):
                answer = self.evaluate(self.stack(["sum_over", "i", 0, 70002, body], sources), status=3)
                self.assertIn(words, self.sentence)
                self.assertEqual(len({way["sentence"] for way in answer["ways"].values()}), 1)

    def test_illegal_trees(self):
        path = self.file("case.json", json.dumps(self.stack([{"kind": 2, "a": 0, "b": 0}])).encode())
        self.fails(3, [path, "node 0"], "adstack", "eval", path, "--backend", BACKEND)
        path = self.file("case.json", json.dumps(self.stack(1, element_bytes=0)).encode())
        self.fails(3, [path, "element_bytes is 0"], "adstack", "eval", path, "--backend", BACKEND)

    def test_one_side(self):
        for side in WAYS[:-2]:
            answer = self.evaluate(f"{DATA}/adstack/dependent.json", f"--{side}-only")
            self.assertEqual(list(answer["ways"]), [side])
            self.assertEqual(self.raws(answer), [[9]])

    def test_text(self):
        text = self.ok("adstack", "eval", f"{DATA}/adstack/dependent.json", "--backend", BACKEND,
                       *["--specialise"][:DEVICE])
        for words in ('kernel "dependent"', "task 0", "threads 64", "metadata    18 0 0 9 0", f"plan ({WAYS[-3]})", "median"):
            self.assertIn(words, text)


class Limits(Case):
    """A wrong bound: 2^40 cells, none of which makes the next one needless."""

    def setUp(self):
        super().setUp()
        value = {"sources": [{"name": "n", "dtype": "i64", "shape": [1], "data": [2**40]},
                             {"name": "m", "shape": [4], "data": [1, 2, 3, 4]}],
                 "tasks": [{"stacks": [{"tree": ["sum_over", "i", 0, ["read", "n", 0],
                                                 ["read", "m", ["mod", "i", 4]]]}]}]}
        self.args = ["adstack", "eval", self.file("long.json", json.dumps(value).encode()), "--backend", BACKEND]

    def test_cells(self):
        words = ["host: task 0, stack 0, node ", f"{2**40} cells", "more than the 1000000 of max_cells"]
        self.fails(5, words, *self.args, "--max-cells", 1000000)
        if DEVICE:
            self.fails(5, ["device: ", *words[1:]], *self.args, "--max-cells", 1000000, "--device-only")

    def test_time(self):
        self.fails(5, ["host: task 0, stack 0, node ", " ms of max_ms"], *self.args, "--max-ms", 50)

    @unittest.skipUnless(DEVICE, "the CPU backend has no device")
    def test_time_on_the_device(self):
        """2^26 cells are half a minute for an interpreter on two cores."""
        with open(self.args[2], encoding="utf-8") as stream:
            value = json.load(stream)
        value["sources"][0]["data"] = [2**26]
        path = self.file("device.json", json.dumps(value).encode())
        for limit in (300, 2000, 8000):  # making the kernels may take longer, where others compute, too
            begin = time.monotonic()
            done = run("adstack", "eval", path, "--backend", BACKEND, "--device-only", "--interpret", "--max-ms", limit)
            if done.returncode == 0:
                self.skipTest(f"the device is done in {limit} ms")
            self.assertEqual(done.returncode, 5, done.stderr)
            sentence = re.search(r"device: task 0, stack 0, node \d+: not computed after (\d+) cells in the \d+ ms of max_ms",
                                 done.stderr)
            self.assertIsNotNone(sentence, done.stderr)
            self.assertLess(time.monotonic() - begin, 20 + limit / 1000)  # with the start of the driver
            if int(sentence[1]):
                return
        self.fail("no cells are counted")

    def test_time_of_all(self):
        """One limit for all evaluations: each of these takes a moment, and all of them would take minutes."""
        begin = time.monotonic()
        self.fails(5, ["vectors.json: run ", "--max-ms"], "adstack", "eval", f"{DATA}/adstack/vectors.json", "--backend",
                   BACKEND, "--runs", 1000000, "--max-ms", 3000)
        self.assertLess(time.monotonic() - begin, 60)  # with the start of the driver

    def test_small_stack(self):
        """Threads of a driver have more than the process's limit: they compile. With less, NVIDIA's driver ends the main thread."""
        for kib in (32, 64, 128):
            done = run("adstack", "eval", f"{DATA}/adstack/vectors.json", "--backend", BACKEND, "--runs", 1,
                       preexec_fn=lambda kib=kib: resource.setrlimit(resource.RLIMIT_STACK, (kib << 10, kib << 10)))
            self.assertEqual(done.returncode, 0, (kib, done.stderr))

    def wait_until_it_computes(self, process):
        """Until the process has had a second of a processor: all but the evaluation takes a tenth of it."""
        for _ in range(6000):
            fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
            if int(fields[11]) > os.sysconf("SC_CLK_TCK"):
                return
            time.sleep(0.01)
        self.fail("it does not compute")

    def test_interrupt(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            with subprocess.Popen([PAIL, *map(str, self.args), "--host-only", "--max-ms", "0"],
                                  stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
                self.wait_until_it_computes(process)
                process.send_signal(number)
                out, sentence = process.communicate(timeout=60)  # the evaluation itself would take hours
            self.assertEqual(process.returncode, -number)
            self.assertEqual(out, "")
            self.assertRegex(sentence, r"^pail: .*: host: task 0, stack 0, node \d+: cancelled after \d+ cells\n$")

    def test_mistakes(self):
        for option, text in (("max-cells", "-1"), ("max-cells", "x"), ("max-ms", 2**32), ("max-ms", "1.5")):
            self.fails(2, [f'invalid value "{text}" of --{option}'], *self.args, f"--{option}", text)


class Absence(Case):
    """Machines without Vulkan size stacks on the CPU backend."""

    def evaluate_all(self, *args, env):
        """All cases of tests/data with nothing else in the environment. Returns the backends and what was written to stderr."""
        backends, errors = set(), ""
        for case in CASES:
            done = subprocess.run([PAIL, "adstack", "eval", case, "--json", "--runs", "1", *args], env=env, capture_output=True,
                                  text=True, timeout=600)
            self.assertEqual(done.returncode, 0, done.stderr)
            answer = json.loads(done.stdout)
            self.assertIsNone(answer["difference"], case)
            backends.add(answer["backend"])
            errors += done.stderr
        return backends, errors

    def test_no_driver(self):
        none = {"VK_DRIVER_FILES": "/dev/null", "VK_ICD_FILENAMES": "/dev/null"}
        for args in ((), ("--host-only",), ("--backend", "cpu"), ("--backend", "cpu", "--host-only")):
            with self.subTest(args):
                self.assertEqual(self.evaluate_all(*args, env=none), ({"cpu"}, ""))

    def test_no_loader(self):
        """Files that are no libraries are in its place."""
        for name in ("libvulkan.so.1", "libvulkan.so"):
            self.file(name, b"")
        none = {"LD_LIBRARY_PATH": str(self.folder)}
        info = json.loads(self.ok("info", "--json", env=none))
        self.assertEqual([backend["name"] for backend in info["backends"] if backend.get("score")], ["cpu"])
        self.assertEqual(info["default"]["stacks"], "cpu")
        self.assertEqual(self.evaluate_all(env=none), ({"cpu"}, ""))

    def test_nothing_is_opened(self):
        """The dynamic linker tells of all that a process opens."""
        backends, told = self.evaluate_all("--backend", "cpu", "--host-only", env={"LD_DEBUG": "files"})
        self.assertEqual(backends, {"cpu"})
        self.assertIn("libc.so", told)
        for name in ("vulkan", "dynamically loaded by"):
            self.assertNotIn(name, told)

    def test_a_device_is_needed(self):
        for option in ("--device-only", "--interpret", "--specialise"):
            self.fails(4, ["backend 'cpu' cannot give memory at device addresses"], "adstack", "eval", CASES[0],
                       "--backend", "cpu", option)


if __name__ == "__main__":
    unittest.main(verbosity=2)
