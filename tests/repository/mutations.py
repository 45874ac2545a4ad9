#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests that notice faults of the code that runs on the host: each is put into the text, one at a time, what it needs is
built again, and the tests of its room have to fail.

    tests/repository/mutations.py BUILD [--all] [--memory] [NAME...]

BUILD is a build with tests of the tree that this script stands in, and the tree is changed and changed back: take a clone
that nobody works in. First come tests of the ordinary run, the quick ones before the others; the first that fails ends it.
Only where all of them pass come those that tools/left_out.py leaves to tools/test --long. With --all every test runs; with
--memory the faults are those that sanitizers show, and BUILD is one with them, where its part leaves out more. A
line is the fault, the file, who noticed. Exit status: 1 if a fault is noticed by none, or only by what is left out.
docs/lab/host-mutations.md has a run; tests/msm/mutations.py does the same with faults of kernels.
"""

import os
import re
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
from left_out import LONG_ONLY, left_out  # noqa: E402
from test_builds import run_by_tests  # noqa: E402

LAVAPIPE = ":".join(map(str, sorted(Path("/usr/share/vulkan/icd.d").glob("lvp_icd*.json"))))
TIMEOUT_S = 1200

# name, file, what stands there once, what takes its place, tests
FAULTS = [
    # The plan.
    ("segment_from_zero", "plugin/msm/plan/regions.c", "(shape->base_offset + first) % shape->segment", "first % shape->segment",
     "unit_plan gpu_limits"),
    ("smallest_count_is_first", "plugin/msm/plan/resolution.c", "caps->max_workgroup_count[i] < groups",
     "caps->max_workgroup_count[i] > groups", "unit_resolution gpu_limits gpu_msm_profiles"),
    ("places_not_aligned", "plugin/msm/plan/resolution.c", ".align = pail_vk_arena_bytes(caps, PAIL_VK_MEMORY_DEVICE, &least, 1)",
     ".align = least * 4", "unit_resolution gpu_memory gpu_limits gpu_msm_profiles"),
    ("window_of_table_is_free", "plugin/msm/plan/copies.c", "*window_bits = table->bits;", "(void)window_bits;",
     "unit_plan gpu_tables"),
    ("kept_scratch_forgotten", "plugin/msm/plan/residency.c", "left - reserve >= bytes", "left >= bytes",
     "unit_resolution gpu_memory gpu_glv gpu_bases"),
    # Steps.
    ("wide_top_has_half", "plugin/msm/steps/reduce.c", "plan->log2_buckets + plan->wide_top, buckets,", "plan->log2_buckets, buckets,",
     "gpu_glv gpu_tables"),
    ("wide_top_written_elsewhere", "plugin/msm/steps/reduce.c", "first + narrow * plan->window_parts}",
     "first + narrow * plan->window_parts + plan->wide_top}", "gpu_glv gpu_tables"),
    ("last_level_of_reduction", "plugin/msm/steps/reduce.c", "plan->window_parts > 1 ? 1 : 2;", "1;", "gpu_overlap gpu_msm"),
    ("scalars_not_reduced", "plugin/msm/steps/digits.c", ".reduce = b->reduce && !plan->split",
     ".reduce = 0 * (b->reduce && !plan->split)", "gpu_chain gpu_bundles gpu_msm gpu_glv gpu_bases gpu_soundness"),
    ("map_from_its_alignment", "plugin/msm/steps/digits.c", "*map_first = (uint32_t)(at % align);",
     "*map_first = 0 * (uint32_t)(at % align);", "gpu_bundles gpu_prover_golden gpu_bases"),
    ("elements_from_their_alignment", "plugin/msm/steps/digits.c", ".first_a = (uint32_t)(before / 32)", ".first_a = 0",
     "gpu_chain"),
    ("scalars_from_their_alignment", "plugin/msm/steps/digits.c", ".scalar_first = (uint32_t)(first - start)",
     ".scalar_first = 0", "gpu_overlap gpu_bundles gpu_msm"),
    ("copies_without_pitch", "plugin/msm/steps/sort.c", "? pail_msm_block_pitch(block, &block->bundle->sets[0]) - block->chunk.n",
     "? 0", "gpu_glv gpu_tables"),
    ("runs_over_counts", "plugin/msm/steps/order.c", ".runs = plan->cuts + MSM_ORDER_COUNTS,", ".runs = plan->cuts,",
     "gpu_overlap gpu_msm gpu_runs"),
    ("counts_not_cleared", "plugin/msm/steps/order.c",
     "pail_vk_steps_fill(block->list, pail_msm_index_words(push.counts, MSM_ORDER_COUNTS), 0);", "",
     "gpu_overlap gpu_msm gpu_runs"),
    ("many_windows_not_counted", "plugin/msm/steps/order.c", "if (runs || block->windows >= MSM_CUTS_WORKGROUP)", "if (runs)",
     "gpu_soundness gpu_msm"),
    ("parts_folded_once", "plugin/msm/steps/reduce.c", ".chunks = plan->parts,", ".chunks = 1,", "gpu_bundles gpu_msm"),
    # Running.
    ("broken_promise_unseen", "plugin/msm/run/results.c", "report[PAIL_MSM_REPORT_BROKEN] != UINT32_MAX",
     "report[PAIL_MSM_REPORT_BROKEN] == 0", "gpu_chain"),
    ("map_without_offset", "plugin/msm/run/scalars.c", "map[k] - vector->offset", "map[k]",
     "gpu_bundles gpu_bases gpu_prover_golden"),
    ("scalars_not_copied", "plugin/msm/run/scalars.c", "            vector->scalars = at;\n", "", "abi_conformance gpu_msm"),
    ("chunk_of_bases_begins_anew", "plugin/msm/run/scalars.c", "set->first + chunk->first + done, chunk->n - done",
     "set->first + done, chunk->n - done", "gpu_memory gpu_limits gpu_bases"),
    ("self_test_is_easy", "plugin/msm/run/selftest.c", "if (status == PAIL_OK && !same(ops, &result, scalars))",
     "if (status == PAIL_OK && !same(ops, &result, scalars) && !err)", "gpu_hooks fault_injected"),
    ("copy_not_wiped", "plugin/msm/run/wipe.c", "        pail_team_wipe(p->scalars_copy, p->copy_bytes, p->msm->threads);\n", "",
     "gpu_wipe abi_secrets"),
    ("buckets_of_one_chunk", "plugin/msm/run/buckets.c", "i < b->plan.parts; i++", "i < 1; i++", "gpu_buckets cli_buckets"),
    ("tuning_of_other_group", "plugin/msm/service/tuning.c", "return &msm->tunings[curve - 1][group - 1];",
     "return &msm->tunings[curve - 1][0];", "gpu_warm cli_tune_vulkan"),
    ("halves_not_warmed", "plugin/msm/run/warm.c", ".halves = i & 1,", ".halves = i & 0,", "gpu_warm cli_warm_start cli_warm_start_cases"),
    ("accumulator_not_warmed", "plugin/msm/run/warm.c", ".accumulator = wanted->accumulator,", ".accumulator = 0 * wanted->accumulator,",
     "cli_warm_start_cases"),
    ("idle_memory_not_counted", "plugin/msm/service/service.c", "pail_device_room_left(&room) + idle_bytes(msm)",
     "pail_device_room_left(&room)", "gpu_memory gpu_msm gpu_prover_budget"),
    # Bases.
    ("table_from_the_first_copy", "plugin/msm/bases/table.c", "s->from = (j - 1) * pitch + first;", "s->from = first;",
     "gpu_tables"),
    ("bad_point_of_a_piece", "plugin/msm/bases/points.c",
     "        .encoding = p->encoding,\n        .validation = p->validate,\n        .first = (uint32_t)piece->first,",
     "        .encoding = p->encoding,\n        .validation = p->validate,\n        .first = 0,", "gpu_bases"),
    ("one_step_of_checks", "plugin/msm/bases/points.c", "push.step < MSM_CHECK_BITS_MAX; push.step += push.steps",
     "push.step < 1; push.step += push.steps", "abi_conformance gpu_bases"),
    # Device layer and its cache.
    ("portions_from_zero", "plugin/vk/pace.c", "portion->base[i] = p->at[i];", "portion->base[i] = 0;", "gpu_vk_portions"),
    ("key_without_specs", "host/base/cache/entry.c", "        memcpy(key.specs, pipeline->specs, n_specs * sizeof(key.specs[0]));\n", "",
     "unit_cache_round gpu_vk_cache gpu_warm cli_warm_start_cases"),
    ("busy_never_ends", "plugin/vk/pace.c", "ticket >= busy->last", "ticket > busy->last",
     "gpu_vk_cmd gpu_adstack_watchdog gpu_watchdog gpu_adstack_portions"),
    # Vectors.
    ("values_in_wrong_order", "plugin/vectors/ntt.c", "values_first ? plan.n - 1 - k : k", "k + 0 * values_first",
     "gpu_vectors gpu_chain gpu_prover_golden gpu_vector_kernels gpu_transforms"),
    ("three_passes_out", "plugin/vectors/ntt.c", "pass.out_high = plan->bits[0];", "pass.out_high = plan->bits[0] + 1;",
     "gpu_vector_kernels gpu_transforms"),
    ("one_pass_not_scaled", "plugin/vectors/ntt.c", "else if (plan.n == 1)", "else if (plan.n == 0)", "gpu_vectors gpu_chain"),
    ("bad_element_of_a_piece", "plugin/vectors/vector.c", "piece, (offset + done) / 32, count", "piece, done / 32, count",
     "gpu_vectors abi_conformance"),
    ("binding_from_its_alignment", "plugin/vectors/run.c", "*first = (uint32_t)(before / ELEMENT_BYTES);", "*first = 0;",
     "gpu_vectors gpu_chain"),
    ("table_lent_twice", "plugin/vectors/tables.c", "        table->users++;\n        return table;", "        return table;",
     "gpu_vectors gpu_chain gpu_transforms"),
    # Adaptive stacks.
    ("batches_prepared_once", "plugin/adstack/stages.c", "stage->batches + AD_BATCH_WORDS * b", "stage->batches",
     "gpu_adstack_watchdog gpu_adstack_review gpu_adstack_portions"),
    ("collected_from_the_first", "plugin/adstack/stages.c", "stage->list + AD_LIST_WORDS * first", "stage->list",
     "gpu_adstack_review gpu_adstack_random gpu_adstack_portions"),
    ("source_from_its_word", "plugin/adstack/fetch.c", "(const uint8_t *)back.mapped + skip, n",
     "(const uint8_t *)back.mapped, n", "gpu_adstack_pointers gpu_adstack_host"),
    ("portions_not_told", "plugin/adstack/stages.c", ".portions = portions,", ".portions = 0 * portions,",
     "gpu_adstack_watchdog gpu_adstack_record gpu_adstack_portions"),
    ("pace_of_what_was_cut", "plugin/adstack/pace.c", "(report[AD_REPORT_OVER] ||", "(",
     "gpu_adstack_watchdog gpu_adstack_portions"),
    ("alignment_of_stacks", "host/base/adstack/layout.c", "*bytes = (*bytes + mask) & ~mask;", "*bytes &= ~mask;",
     "unit_adstack_service_layout"),
    ("twice_is_once", "host/base/adstack/layout.c", "have > UINT64_MAX / 2 ? UINT64_MAX : 2 * have", "have",
     "unit_adstack_service_launch unit_adstack_service_overflow unit_adstack_service_memory"),
    # The prover.
    ("parts_of_b2", "host/prover/proof/assemble.c", "pail_zkey_msm_group(i) == PAIL_G2 ? g2 : g1, results, n_parts, i",
     "pail_zkey_msm_group(i) == PAIL_G2 ? g2 : g1, results, 1, i", "unit_prover_spread gpu_prover_spread"),
    ("blinding_of_c", "host/prover/proof/assemble.c", "&term, a, by, 2)", "&term, a, by, 1)",
     "unit_prover_golden"),
    ("piece_begins_anew", "host/prover/proof/place.c", "(struct pail_place_piece){at, count}",
     "(struct pail_place_piece){0, count}", "unit_prover_place unit_prover_spread"),
    ("rate_of_a_wider_curve", "host/base/cache/rates.c", "coordinates = 2.2", "coordinates = 2.1", "unit_prover_place"),
    ("node_beside_what_it_reads", "tools/pail/simulate/model.c", "(written & node->reads) != 0", "(written & node->reads) == UINT32_MAX", "unit_prover_simulate"),
    ("ring_of_reclaimed", "host/prover/ledger/reclaim.c",
     "(reclaimer->first + stats->queued_entries) % reclaimer->params.max_entries",
     "(reclaimer->first) % reclaimer->params.max_entries", "unit_prover_reclaim"),
    # None: nobody may notice.
    ("nothing", "plugin/msm/plan/integers.h", "return a < b ? a : b;", "return b > a ? a : b;", "unit_plan gpu_buckets"),
]

# Faults that only the sanitizers show. After --memory, in a build with them.
MEMORY_FAULTS = [
    ("leak_of_uses", "host/cpu/msm.c", "    pail_cpu_free(memory, msm->uses);\n", "", "unit_cpu_calls_portable unit_cpu_msm_portable"),
    ("leak_of_values", "host/cpu/matrix.c", "    pail_cpu_free(memory, m->values);\n", "", "unit_prover_golden unit_prover_spread"),
    ("leak_of_b2", "host/prover/b2/b2.c", "    put_pool(b2);\n    free(b2);\n", "    put_pool(b2);\n", "unit_prover_b2 gpu_prover_b2"),
    ("one_sum_too_many", "host/cpu/chains_template.h", "k < LANES && first + k < n; k++)", "k < LANES && first + k <= n; k++)",
     "unit_cpu_adders unit_cpu_calls_portable unit_cpu_msm_portable"),
]


def known_tests(build):
    """Name to label of each test of the build."""
    text = subprocess.run(["ctest", "--test-dir", build, "-N", "-L", "^gpu$"], capture_output=True, text=True, check=True).stdout
    gpu = set(re.findall(r"Test +#\d+: (\S+)", text))
    text = subprocess.run(["ctest", "--test-dir", build, "-N"], capture_output=True, text=True, check=True).stdout
    return {name: "gpu" if name in gpu else "cpu" for name in re.findall(r"Test +#\d+: (\S+)", text)}


def built(build, name):
    """Makes what a test runs; the last lines of what was printed where that fails."""
    # A program that loads no plugin is all that it needs; installations are of others.
    program = re.sub(r"_(portable|adx|avx2|ifma)$", "", name)
    alone = name.startswith("unit_") and (build / "tests" / program).exists()
    targets = [f"tests/{program}"] if alone else run_by_tests(build, f"(?!{name}$).*")
    done = subprocess.run(["ninja", "-C", build, *targets], capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else done.stdout[-600:]


def fails(build, name):
    """True if a test fails: by its status, or a crash, or no end."""
    icds = os.environ.get("VK_DRIVER_FILES", LAVAPIPE)
    env = {**os.environ, "VK_ICD_FILENAMES": icds, "VK_DRIVER_FILES": icds, "PAIL_DEBUG": "sync,poison",
           "CMOCKA_MESSAGE_OUTPUT": "TAP", "ASAN_OPTIONS": "detect_leaks=1:verify_asan_link_order=0",
           "LSAN_OPTIONS": f"suppressions={ROOT}/tests/lsan.supp:print_suppressions=0"}
    done = subprocess.run(["ctest", "--test-dir", build, "-R", f"^{name}$", "--timeout", str(TIMEOUT_S), "--output-on-failure"], env=env,
                          capture_output=True, text=True, check=False)
    cases = re.findall(r"^not ok \d+ - (?!tests$)(.*)$", done.stdout, re.M)
    return (", ".join(cases[:2]) or "exit") if done.returncode else ""


def try_fault(build, known, every, late, fault):
    """(who of the ordinary run noticed, who of what is left out, what was wrong with the build)"""
    _, path, find, replacement, tests = fault
    file = ROOT / path
    original = file.read_text()
    chosen = [name for name in dict.fromkeys(tests.split()) if name in known]
    last = [name for name in chosen if re.fullmatch(late, name)]
    noticed = {True: [], False: []}
    try:
        file.write_text(original.replace(find, replacement))
        for name in [n for n in chosen if n not in last] + last:
            if wrong := built(build, name):
                return [], [], wrong
            if (why := fails(build, name)):
                noticed[name in last].append(f"{name} ({why})")
                if not every:
                    break
    finally:
        file.write_text(original)
    return noticed[False], noticed[True], ""


def misplaced():
    """Faults whose text is not where it was, once."""
    return [f"{name}: \"{find}\" is {(ROOT / path).read_text().count(find)} times in {path}"
            for name, path, find, *_ in FAULTS + MEMORY_FAULTS if (ROOT / path).read_text().count(find) != 1]


def main():
    arguments = [a for a in sys.argv[1:] if not a.startswith("--")]
    memory = "--memory" in sys.argv
    late_tests = left_out("sanitize", False) if memory else LONG_ONLY
    build, names = Path(arguments[0]).resolve(), arguments[1:]
    if wrong := misplaced():
        sys.exit("\n".join(wrong))
    known, missed = known_tests(build), 0
    for fault in MEMORY_FAULTS if memory else FAULTS:
        if names and fault[0] not in names:
            continue
        begin = time.monotonic()
        ordinary, late, wrong = try_fault(build, known, "--all" in sys.argv, late_tests, fault)
        good = not (ordinary or late) if fault[0] == "nothing" else bool(ordinary)
        missed += not good or bool(wrong)
        who = f"the build fails: {wrong}" if wrong else ", ".join(ordinary) or ("only left out: " + ", ".join(late) if late else "nobody")
        print(f"{fault[0]:30} {fault[1]:34} {time.monotonic() - begin:5.0f} s  {who}{'' if good else '   <--'}", flush=True)
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
