#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Faults that the tests of kernels notice: each is put into the text of a kernel, one at a time, and gpu_kernels or
gpu_probe has to fail.

    tests/msm/mutations.py BUILD [NAME...]

BUILD is a build with tests. A fault is tried on lavapipe, then on SwiftShader, and, where both pass, once more on each with
PAIL_TEST_LONG, which leaves nothing out. A line is the fault, who noticed, by which tests. The last fault changes nothing,
and nobody may notice. Exit status: 1 if an ordinary run misses one that it has to find. docs/lab/mutations.md has a run.
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DRIVERS = {"lavapipe": sorted(Path("/usr/share/vulkan/icd.d").glob("lvp_icd*.json")),
           "SwiftShader": [Path("/usr/lib/chromium/vk_swiftshader_icd.json")]}
# name, file of glsl/, what stands there once, what takes its place, the program and a pattern of its tests
FAULTS = [
    ("x32_carry_of_tall_fields", "field/fp_x32.glsl", "        top += carry;\n        top = fp_reduce_row(t, top);",
     "        top += FP_WORDS > 8 && i == 11 ? 0 : carry;\n        top = fp_reduce_row(t, top);",
     "gpu_kernels", "test_reduce_pass bls12_381_g1"),
    ("combine_x32_tall_fields", "msm/combine/combine.comp", "b = load_lane(left + step, quad_lane());",
     "#if FP_WORDS == 12 && !defined(PAIL_FORM_X29)\nb = load_lane(left, quad_lane());\n#else\nb = load_lane(left + step, "
     "quad_lane());\n#endif", "gpu_kernels", "test_accumulate_splits bls12_381_g1"),
    ("combine_x32_second_groups", "msm/combine/combine.comp", "b = load_lane(left + step, quad_lane());",
     "#if FE_WORDS == 24 && !defined(PAIL_FORM_X29)\nb = load_lane(left, quad_lane());\n#else\nb = load_lane(left + step, "
     "quad_lane());\n#endif", "gpu_kernels", "test_accumulate_splits bls12_381_g2"),
    ("pairs_x32", "field/fp2_pair.glsl", "const fp b1 = fe_select(odd, fp_neg_any(b_other), b);",
     "#if defined(PAIL_FORM_X29) || defined(PAIL_FORM_D51)\nconst fp b1 = fe_select(odd, fp_neg_any(b_other), b);\n#else\n"
     "const fp b1 = fe_select(odd, b_other, b);\n#endif", "gpu_kernels", "test_accumulate_pairs*"),
    ("fp2_x32_of_tall_fields", "field/fp2.glsl", "        right = b.c0;", "        right = FP_WORDS > 8 ? b.c1 : b.c0;", "gpu_probe",
     "field bls12_381_g2"),
    ("fp2_x32_of_short_fields", "field/fp2.glsl", "        right = b.c0;", "        right = FP_WORDS > 8 ? b.c0 : b.c1;", "gpu_probe",
     "field bn254_g2"),
    ("check_conjugate", "msm/bases/check.comp", "return fp2(a.c0, fe_neg(a.c1));", "return a;", "gpu_kernels", "test_check"),
    ("check_last_bits", "msm/bases/check.comp", "min(push.steps, CHECK_BITS - push.step)", "min(push.steps, CHECK_BITS - 1 - "
     "push.step)", "gpu_kernels", "test_check"),
    ("walk_prefix_in_workgroup", "msm/accumulate/walk.glsl", "return (slot * FE_VECTORS + i) * gl_WorkGroupSize.x",
     "return (slot + i) * gl_WorkGroupSize.x", "gpu_kernels", "test_walker"),
    ("walk_prefix_on_device", "msm/accumulate/walk.glsl", "+ (slot * FE_VECTORS + i) * push.threads +",
     "+ (slot + i) * push.threads +", "gpu_kernels", "test_walker"),
    ("walk_sixteen_slots", "msm/accumulate/walk.glsl", "(slots_open_left >> slot & 1) != 0",
     "(slots_open_left >> (slot & 15) & 1) != 0", "gpu_kernels", "test_walker"),
    ("walk_rounds", "msm/accumulate/walk.glsl", "for (uint round = 0;; round++)", "for (uint round = 0; round < 160; round++)",
     "gpu_kernels", "test_walk*"),
    ("walk_prefix_x29_in_workgroup", "msm/accumulate/walk.glsl", "return (slot * FE_VECTORS + i) * gl_WorkGroupSize.x",
     "#ifdef PAIL_FORM_X29\nreturn (slot + i) * gl_WorkGroupSize.x\n#else\nreturn (slot * FE_VECTORS + i) * gl_WorkGroupSize.x\n"
     "#endif\n", "gpu_kernels", "test_walker"),
    ("coop_alone", "msm/accumulate/coop.comp", "if (GROUP == 1)\n        return fe_inv(product);",
     "if (GROUP == 1)\n        return product;", "gpu_kernels", "test_coop"),
    ("coop_sibling", "msm/accumulate/coop.comp", "sibling = own;", "sibling = inverse;", "gpu_kernels", "test_coop"),
    ("other_workgroups", "msm/accumulate/xyzz.comp", "const uint thread = gl_GlobalInvocationID.x;",
     "const uint thread = gl_WorkGroupID.x * MSM_ACCUMULATE_WORKGROUP + gl_LocalInvocationID.x;", "gpu_kernels",
     "test_accumulate_splits"),
    ("piece_in_the_middle", "msm/accumulate/run.glsl", "if (open_left && open_right)", "if (false)", "gpu_kernels",
     "test_accumulate_splits"),
    ("share_end", "msm/accumulate/share.glsl", "at.position < end.position", "at.position <= end.position", "gpu_kernels",
     "test_accumulate_splits"),
    ("reduce_last_group", "msm/reduce/steps.glsl", "a.right = middle - 1 - step;", "a.right = middle - 1;", "gpu_kernels",
     "test_reduce_*"),
    ("sort_epochs", "msm/sort/sort.glsl", "return at.segment % push.epochs;", "return 0;", "gpu_kernels", "test_sort*"),
    ("nothing", "msm/accumulate/run.glsl", "if (open_left || open_right)", "if (!(!open_left && !open_right))", "gpu_kernels",
     "test_accumulate_splits"),
]
# Only by a long run: what differs by form in code that knows no form, and by form and group in code that knows neither. Second
# groups are left to lavapipe, in forms 9x29 and 5x51.
ONLY_LONG = {"walk_prefix_x29_in_workgroup", "combine_x32_second_groups"}


def failing(build, driver, program, pattern, text, long):
    """The tests that fail with this text, or None if the program can say nothing."""
    icds = ":".join(map(str, DRIVERS[driver]))
    env = {**os.environ, "VK_ICD_FILENAMES": icds, "VK_DRIVER_FILES": icds, "PAIL_DEBUG": "sync,poison",
           "CMOCKA_MESSAGE_OUTPUT": "TAP", "PAIL_TEST_MUTATION": text, "PAIL_TEST_LONG": "1" if long else ""}
    done = subprocess.run([build / "tests" / program, pattern], env=env, capture_output=True, text=True, timeout=1800, check=False)
    found = re.findall(r"^not ok \d+ - (.*)$", done.stdout, re.M)
    if done.returncode and not found:
        return [f"status {done.returncode}: {(done.stderr or done.stdout).strip().splitlines()[-1:]}"]
    return found


def try_fault(build, folder, name, path, find, replacement, program, pattern):
    """The test that noticed, or an empty string."""
    original = (ROOT / "glsl" / path).read_text()
    if original.count(find) != 1:
        sys.exit(f"{name}: \"{find}\" is not once in glsl/{path}")
    file = folder / "text.glsl"
    file.write_text(original.replace(find, replacement))
    for long in (False, True):
        for driver in DRIVERS:
            if found := failing(build, driver, program, pattern, f"{path}:{file}", long):
                return f"{'a long run on ' if long else ''}{driver}: {', '.join(found)}"
    return ""


def main():
    build, names = Path(sys.argv[1]).resolve(), sys.argv[2:]
    missed = 0
    with tempfile.TemporaryDirectory() as folder:
        for fault in FAULTS:
            if names and fault[0] not in names:
                continue
            noticed = try_fault(build, Path(folder), *fault)
            wrong = bool(noticed) if fault[0] == "nothing" else not noticed or ("a long run" in noticed) != (fault[0] in ONLY_LONG)
            missed += wrong
            print(f"{fault[0]:30} {noticed or 'nobody'}{'   <-- not as it should be' if wrong else ''}", flush=True)
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
