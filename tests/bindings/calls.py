# SPDX-License-Identifier: Apache-2.0
"""Time that a call of pail for Python takes, as consumer/calls.cpp prints it for C++."""

import json
import time

import pail

context = pail.Context("cpu")
bases = context.bases(bytes([1] + 31 * [0] + [2] + 31 * [0]))
many = memoryview(bytearray(32 << 20))


def each(times, call):
    rounds = []
    for _ in range(100):
        begin = time.perf_counter_ns()
        for _ in range(times):
            call()
        rounds.append((time.perf_counter_ns() - begin) / times)
    return round(min(rounds))


def refused(scalars):
    try:
        bases.msm(scalars, offset=2)
    except pail.InvalidArgument:
        return
    raise AssertionError


print(json.dumps({"call_ns": each(200, lambda: bases.msm(b"")), "refused_1_ns": each(50, lambda: refused(many[:32])),
                  "refused_many_ns": each(50, lambda: refused(many))}))
