# SPDX-License-Identifier: Apache-2.0
"""Processors of the host's threads, and what the command says of the machine.

    test_processors.py PAIL DATA VECTORS BACKEND [unittest arguments]

The arguments are those of test_pail.py.
"""

import json
import os
import unittest

from test_pail import BACKEND, KEY, WITNESS, Case, run

ALLOWED = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []


@unittest.skipUnless(ALLOWED, "this system has no affinity of threads")
class Processors(Case):
    def threads(self, *args, env=None):
        """Processors that a run takes for its threads; what it says of the host goes with it."""
        return json.loads(self.ok("info", "--json", *args, env=env))["host"]

    def test_host(self):
        host = self.threads()
        self.assertEqual(host["processors"], len(ALLOWED))
        self.assertIn(host["huge_pages"], ("always", "madvise", "never", None))
        self.assertIn(f"host: {len(ALLOWED)} processors", self.ok("info"))
        self.assertEqual(self.threads(env={"PAIL_CPUS": str(ALLOWED[0])})["processors"], 1)

    def test_options(self):
        one = str(ALLOWED[-1])
        for more in (("--cpus", one), ("--cpus", one, "--cpu-threads", 3)):
            self.ok("msm", "--backend", BACKEND, "--n", 64, "--check", *more)
        # The number of threads is that of the set. What the environment says counts no more: neither where the lists have
        # nothing in common, nor where they do.
        all_of_them = ",".join(map(str, ALLOWED))
        for cpus, env, threads in ((one, {}, 1), (one, {"PAIL_CPUS": "4095"}, 1), (all_of_them, {"PAIL_CPUS": one}, min(len(ALLOWED), 2)),
                                   (one, {"PAIL_NUMA": "1023"}, 1)):
            made = json.loads(self.ok("msm", "--backend", "cpu", "--n", 1 << 14, "--json", "--cpus", cpus, env=env))
            self.assertEqual(min(made["stats"]["threads"], 2), threads, (cpus, env))
        if os.path.exists("/sys/devices/system/node/node0/cpulist"):
            self.ok("msm", "--backend", BACKEND, "--n", 64, "--numa", 0)
        for args, sentence in ((("--cpus", "4095"), "--cpus 4095: this process may run on none of these processors"),
                               (("--cpus", "0-"), "--cpus 0-: expected numbers such as 0-3,8"),
                               (("--numa", "1023"), "--numa 1023: there is no such NUMA node"),
                               (("--numa", ""), 'invalid value "" of --numa')):
            self.fails(2, [sentence], "msm", "--backend", BACKEND, "--n", 64, *args)
        self.fails(2, ["PAIL_CPUS x: expected numbers such as 0-3,8"], "msm", "--n", 64, env={"PAIL_CPUS": "x"})
        self.fails(2, ["PAIL_NUMA 1023: there is no such NUMA node"], "info", env={"PAIL_NUMA": "1023"})

    def test_counters(self):
        """Instructions a cycle and TLB misses, or the reason why not."""
        args = ("bench", "prove", KEY, WITNESS, "--backend", "cpu", "--count", 1, "--jobs", 1, "--runs", 5)
        row = json.loads(self.ok(*args, "--json"))
        counted = [row["instructions_per_cycle"], row["tlb_misses_per_1000_instructions"]]
        if None in counted:
            self.assertGreater(len(row["not_counted"]), 20)
        else:
            self.assertTrue(0.01 < counted[0] < 10 and 0 <= counted[1] < 1000, counted)
        done = run(*args)
        self.assertRegex(done.stdout, "instructions a cycle" if counted[0] else "not counted: ")
        self.assertIn("transparent huge pages: ", done.stdout)


if __name__ == "__main__":
    unittest.main(verbosity=2)
