# SPDX-License-Identifier: Apache-2.0
"""Costs of the way over a cluster: one rank against the plain command, in processor time, interleaved.

    overhead.py PAIL [LOG2 [PAIRS [REPEAT]]]

Each run multiplies REPEAT times with the CPU backend on one thread. Processor time is that of a run with REPEAT less that
of a run that multiplies once, which leaves out how both start. Prints medians, the median ratio of
pairs, and the ratio of the least: on a loaded machine others' use of caches moves single pairs by several percent.
"""

import os
import resource
import statistics
import subprocess
import sys


def seconds(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    program, log2, pairs, repeat = sys.argv[1], *map(int, (sys.argv[2:] + ["14", "9", "30"][len(sys.argv) - 2:]))
    os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    words = [program, "msm", "--backend", "cpu", "--cpu-threads", "1", "--n", f"2^{log2}", "--base-kind", "distinct", "--repeat"]
    plain, ranks = [], []
    for _ in range(pairs):
        for times, more in ((plain, []), (ranks, ["--cluster", "mpi"])):
            times.append(seconds([*words, str(repeat), *more]) - seconds([*words, "1", *more]))
    a, b = statistics.median(plain) / (repeat - 1), statistics.median(ranks) / (repeat - 1)
    ratio = statistics.median(y / x for x, y in zip(plain, ranks))
    print(f"plain {1e3 * a:.3f} ms, one rank {1e3 * b:.3f} ms of processor time each; ratio of pairs {ratio:.4f}, "
          f"of the least {min(ranks) / min(plain):.4f}")


if __name__ == "__main__":
    main()
