#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Proofs on the CPU beside another prover with rapidsnark's arguments, in turns:

    beside_rapidsnark.py --prover PROVER --pail PAIL [--runs N] [--arithmetics WORD,...] KEY.zkey...

KEY.wtns has the witness. A turn is one run of the other prover and one of `pail prove --backend cpu` with each PAIL_CPU.
Prints medians of the wall and the processor time, what the processor time is of the other's (the median of the turns'
ratios), and the largest resident memory. A row is printed only if every proof of it was verified. On a shared machine
only processor time and its ratios say something.
"""
import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time


def run(command, environment):
    """Wall seconds, seconds of the processors, peak of resident memory in MB."""
    begin = time.monotonic()
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    complaint = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.monotonic() - begin
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"{command[0]} ended with {process.returncode}: {complaint.decode(errors='replace').strip()}")
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1000


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--prover", required=True)
    parser.add_argument("--pail", required=True)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--arithmetics", default="ifma,avx2,adx,portable")
    parser.add_argument("keys", nargs="+")
    arguments = parser.parse_args()
    words = arguments.arithmetics.split(",")
    print("| key | prover | wall, s | processor time, s | of the other's | times as fast | peak, MB |")
    print("|---|---|---|---|---|---|---|")
    for key in arguments.keys:
        witness = os.path.splitext(key)[0] + ".wtns"
        measured = {name: [] for name in ["other", *words]}
        with tempfile.TemporaryDirectory() as folder:
            proof, public = os.path.join(folder, "proof.json"), os.path.join(folder, "public.json")
            for _ in range(arguments.runs):
                for name, runs in measured.items():
                    command = [arguments.prover] if name == "other" else [
                        arguments.pail, "prove", "--backend", "cpu"]
                    environment = dict(os.environ) if name == "other" else {**os.environ, "PAIL_CPU": name}
                    runs.append(run([*command, key, witness, proof, public], environment))
                    run([arguments.pail, "verify", key, public, proof], dict(os.environ))
                    os.remove(proof)
        for name, runs in measured.items():
            ratio = statistics.median(mine[1] / theirs[1] for mine, theirs in zip(runs, measured["other"]))
            print(f"| {os.path.basename(key)} | {name} | {statistics.median(r[0] for r in runs):.3f} | "
                  f"{statistics.median(r[1] for r in runs):.3f} | {ratio:.2f} | {1 / ratio:.2f} | "
                  f"{max(r[2] for r in runs):.0f} |", flush=True)


if __name__ == "__main__":
    main()
