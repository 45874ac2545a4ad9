#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whole processes of `pail prove` that choose their backend, beside those whose backend is named, in turns:

    prove_choice.py --pail PAIL [--runs N] [--before N] [--repeat N] KEY.zkey...

KEY.wtns has the witness. `--before` processes choose before the turns begin. All keys share a cache, which knows of no other times.
A turn is a process with `--backend cpu`, one with `--backend vulkan` and one that chooses. Prints medians of the wall
time in ms, what choosing takes of the faster named backend, and what was chosen. Each process verifies its proof.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time


def run(pail, key, folder, options):
    """Wall milliseconds, and the backend that was chosen."""
    proof, public = os.path.join(folder, "proof.json"), os.path.join(folder, "public.json")
    command = [pail, "prove", key, os.path.splitext(key)[0] + ".wtns", proof, public, "--json", *options]
    begin = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "PAIL_CACHE_DIR": folder}, check=False)
    wall = (time.monotonic() - begin) * 1e3
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} ended with {done.returncode}: {done.stderr.strip()}")
    return wall, json.loads(done.stdout).get("choice", {}).get("backend")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pail", required=True)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--before", type=int, default=6)
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("keys", nargs="+")
    arguments = parser.parse_args()
    repeat = ["--repeat", str(arguments.repeat)]
    print("| key | proofs | `cpu` | `vulkan` | chosen | of the faster | backends, before and in turns |")
    print("|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        # Pipelines are compiled once a machine; the record of times begins with the first process that chooses.
        run(arguments.pail, arguments.keys[0], folder, ["--backend", "vulkan", *repeat])
        for key in arguments.keys:
            chosen = [run(arguments.pail, key, folder, repeat)[1] for _ in range(arguments.before)]
            names = ("cpu", "vulkan", "auto")
            walls = {name: [] for name in names}
            for turn in range(arguments.runs):
                # A driver that was closed goes on working for a while, so each of the three comes first in turn.
                for name in (*names[turn % 3:], *names[:turn % 3]):
                    named = [] if name == "auto" else ["--backend", name]
                    wall, backend = run(arguments.pail, key, folder, [*named, *repeat])
                    walls[name].append(wall)
                    if name == "auto":
                        chosen.append(backend)
            median = {name: statistics.median(times) for name, times in walls.items()}
            ratio = median["auto"] / min(median["cpu"], median["vulkan"])
            words = "".join({"cpu": "c", "vulkan": "v"}.get(word, "?") for word in chosen)
            print(f"| {os.path.basename(key)} | {arguments.repeat} | {median['cpu']:.1f} | {median['vulkan']:.1f} | "
                  f"{median['auto']:.1f} | {ratio:.3f} | {words[:arguments.before]} {words[arguments.before:]} |", flush=True)


if __name__ == "__main__":
    main()
