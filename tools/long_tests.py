# SPDX-License-Identifier: Apache-2.0
"""The parts that tools/run_tests.py has besides its ordinary ones: inputs of a seed that is new each time. tools/test --long
runs them. The seed is printed, and tools/test --seed takes it again."""

import os
import subprocess

from test_cases import ROOT

FUZZ_S = 60  # of each target; a long run has LONGER times as much
CHECK_S = 60  # of each device
KERNELS = 2000  # of adstack
SLACK_S = 900  # for what a program has to build, and for the last of its cases


def fuzz_targets():
    return subprocess.run([ROOT / "tools/fuzz.sh", "--list"], check=True, capture_output=True, text=True).stdout.split()


def fuzzing(run, longer):
    """The corpus that libFuzzer finds stays in the folder of the run, and is where it begins the next time."""
    seconds = FUZZ_S * longer
    for target in fuzz_targets():
        run.command(f"fuzzing: {target}, {seconds} s, seed {run.seed}", [ROOT / "tools/fuzz.sh", seconds, target],
                    timeout=seconds + SLACK_S,
                    env={"PAIL_FUZZ_BUILD": str(run.folder / "fuzz"), "PAIL_FUZZ_SEED": str(run.seed)})


def random_inputs(run, folder, longer, drivers):
    """folder: of a build. drivers: (name, environment) of each that is here."""
    seconds, kernels = CHECK_S * longer, KERNELS * longer
    ways = [(name, ["--backend", "vulkan", *more], env) for name, env in drivers for more in ([], ["--automatic"])]
    for name, arguments, env in [*ways, ("the CPU", ["--backend", "cpu", "--automatic"], {})]:
        chosen = ", its own choices" if "--automatic" in arguments else ""
        run.command(f"random: pail check on {name}{chosen}, {seconds} s, seed {run.seed}",
                    [folder / "bin/pail", "check", "--seed", run.seed, "--time", seconds, *arguments],
                    timeout=seconds + SLACK_S, env=env)
    for name, env in drivers:
        run.command(f"random: {kernels} adstack kernels on {name}, from seed {run.seed}",
                    [ROOT / "tools/adstack-random", kernels, run.seed],
                    timeout=3600 * longer, env={**env, "PAIL_BUILD": str(folder)})


def fresh_seed():
    return int.from_bytes(os.urandom(3), "little") + 1
