# SPDX-License-Identifier: Apache-2.0
"""Tests that the parts of tools/run_tests.py leave out, and which others have what they are about. tools/test --long leaves
out NOT_ON_THE_HOST and OF_SEVERAL_DEVICES alone. parts_of says in which parts a test runs; tests/repository/parts.py
fails where that is none."""

import re

# Tests that SwiftShader leaves out, for it takes minutes of making pipelines and says nothing about the driver. It is there
# for what differs from lavapipe: no 64-bit integers in shaders, another width of subgroups, another compiler. So each kernel
# is compared with the host there (gpu_kernels, gpu_vector_kernels, gpu_adstack_*; those of points in the first group of each
# curve), and the arithmetic of each group (gpu_probe). Kernels work together in gpu_msm, gpu_chain and gpu_prover_jobs, and
# the device layer (gpu_vk_*) and the process around it (abi_close) are tried. All of it runs on lavapipe, and what needs
# several devices in the part `devices`.
SAME_ON_EVERY_DRIVER = "|".join([
    "abi_conformance", "abi_conformance_devices",  # the vtable and its messages
    "abi_crowd",  # threads on contexts of their own; gpu_adstack_threads and gpu_vk_cmd have threads on one device
    "(abi|fault|gpu_adstack)_.*_fences",  # programs again without timelines; gpu_vk_fences and gpu_vk_import have the driver's part
    "abi_readers", "abi_secrets", "gpu_wipe",  # what becomes of points and secrets after a call
    "abi_fork", "abi_signals", "abi_reopen",  # the process around calls; abi_close unloads the driver
    "readme_demo",  # a script around the command
    "abi_example", "readme_program",  # how programs are built against an installation; gpu_msm multiplies
    "cli_.*",  # the command, which builds its pipelines for each answer; the oracle's part runs it
    "fault_injected",  # whether the tests' workload shows faults of ours; gpu_msm runs the workload itself
    "fault_vectors_injected",  # the same of vectors
    "fault_adstack", "fault_devices", "fault_devices_lost", "fault_devices_splits", "fault_msm", "fault_sweep", "fault_vectors", "fault_vk",  # calls that fail
    "gpu_composite_mixed",  # the part `devices` has it with both drivers
    "fuzz_replay_vector_calls",  # the slots of vectors with any arguments
    "gpu_adstack_review",  # faults that were once there, by their shapes; gpu_adstack_reduce and _random have the kernels
    "gpu_adstack_choices", "gpu_adstack_healing", "gpu_adstack_host",  # the service around an evaluation
    "gpu_adstack_portions", "gpu_adstack_watchdog",  # where work is cut, by a pace that is given
    "gpu_bases",  # sets that move, and are read back
    "gpu_buckets",  # what is copied from the buffers of a plan
    "gpu_bundles",  # several vectors and sets in one plan
    "gpu_compact",  # expanded bases in plans of all shapes; gpu_kernels has the two kernels
    "gpu_glv",  # copies of bases in plans of all shapes, as gpu_tables
    "gpu_hooks", "gpu_icicle",  # names of others around multiplications
    "gpu_icicle_proofs", "gpu_supraseal", "gpu_supraseal_pending",  # names of others around proofs
    "gpu_ckzg",  # names of others around commitments
    "gpu_kzg", "gpu_prover_jobs_kzg",  # multiplications by points of a setup, of many sizes; gpu_msm multiplies, the rest is the host's
    "gpu_import",  # a host's own device; gpu_vk_import has what the driver has to do with it
    "gpu_limits",  # what the plan does on devices with less
    "gpu_msm_profiles",  # gpu_msm on devices with less
    "gpu_memory",  # what is estimated and allocated
    "gpu_overlap", "gpu_lanes",  # threads and starts that share a queue, or have several
    "gpu_runs",  # runs of few points in plans of all shapes
    "gpu_soundness",  # shapes of plans, by results; gpu_msm has the shapes of a driver without 64-bit integers
    "gpu_first_uses",  # which accumulator a use takes; gpu_kernels has those of each
    "gpu_exhaustive",  # all inputs of test curves; gpu_probe has their kernels' arithmetic
    "gpu_tables",  # copies of bases in plans of all shapes
    "gpu_transforms",  # sizes and batches; gpu_vector_kernels has each pass, gpu_chain whole transforms
    # Proofs: pipelines of both groups, for minutes. gpu_prover_jobs makes some of one curve.
    "gpu_prover_assignment", "gpu_prover_jobs_assignments", "gpu_prover_points", "gpu_prover_b2", "gpu_prover_budget", "gpu_prover_estimates", "gpu_prover_golden",
    "gpu_prover_in_a_row", "gpu_prover_recycled", "gpu_prover_secrets", "gpu_prover_spread",
    "gpu_warm",  # what is compiled when
    "gpu_watchdog",  # where work is cut, by a pace that is given
    "vectors_eip_vulkan", "vectors_msm_vulkan",  # vectors_*_cpu read the same files
])
# Tests that need both drivers at once to say what they can: the part `devices`. The sanitizers run it with lavapipe alone.
OF_SEVERAL_DEVICES = "fault_devices|fault_devices_splits|gpu_composite_mixed"
# Tests the sanitizers leave out: they look at code of the host, and this is about kernels, or about nothing compiled, or the
# same code again.
NOT_ON_THE_HOST = "|".join([
    "gpu_kernels", "gpu_probe", "gpu_exhaustive", "gpu_soundness", "gpu_vector_kernels",  # what kernels compute
    "gpu_adstack_arith", "gpu_adstack_reduce",  # the same
    "gpu_glv", "gpu_tables",  # copies of bases in plans of all shapes; gpu_bases and fault_msm make and free them
    "gpu_transforms",  # sizes of transforms; gpu_chain and gpu_prover_golden have them, fault_vectors what fails
    "unit_spirv_modules",  # that all kernels are the words the build made; unit_spirv_* run the code that makes them
    "gpu_limits", "gpu_msm_profiles",  # the workload of gpu_msm on devices with less
    "gpu_runs", "gpu_watchdog",  # the same in shapes and paces that are given; gpu_bundles and gpu_vk_portions have the code
    "unit_twin",  # what twins and curves compute
    "fault_injected", "fault_vectors_injected",  # faults of kernels
    "vectors_eip_vulkan", "vectors_msm_vulkan",  # vectors_*_cpu read the same files, gpu_msm and gpu_bases multiply
    "unit_cpu_.*_(adx|avx2|ifma)", "unit_field_.*_(adx|avx2|ifma)",  # the processor's own way is in the tests without a suffix
    "cli_vulkan", "cli_.*_vulkan", "cli_buckets",  # the command's code is in the tests of it on the CPU
    "cli_steady",  # memory that grows with the number of proofs: a sanitizer keeps freed memory, and finds leaks by itself
    "cli_warm_start",  # the processes of the command; gpu_warm, gpu_vk_cache and unit_cache_process have the library's part
    "unit_cpu_msm_portable",  # the tests of calls and of adders are of that way, too
    "cli_load",  # many proofs by the command; unit_prover_jobs and gpu_prover_golden are the library, cli_prove one proof
    "gpu_adstack_portions",  # sizes of portions; gpu_adstack_watchdog and unit_adstack_stop end evaluations in the middle
    "gpu_prover_in_a_row",  # proof after proof: what is lost, one proof shows
    # Cases that the tests of these names with "unit" do on the CPU.
    "gpu_prover_b2", "gpu_prover_estimates", "gpu_prover_jobs", "gpu_prover_spread",
    "gpu_adstack_random",  # what kernels compute; unit_adstack_random has the trees, gpu_adstack_* run the device
    "cli_warm_start_cases",  # the same; lavapipe has both
    "cli_opened", "cli_choice",  # what is opened, and here tools/run_tests.py preloads Vulkan itself
    "abi_search_paths",  # of what is shipped: clang's run time has a folder of its own
    "cli_plot", "cli_pages", "cli_register_reads", "generated_curves", "generated_vectors", "readme_demo", "unit_site",  # scripts
])
# Tests that no ordinary run has: tools/test --long. No fault of tests/repository/mutations.py that was tried was
# noticed by one of them alone (docs/lab/host-mutations.md).
LONG_ONLY = "|".join([
    "cli_buckets", "cli_tune_vulkan", "gpu_runs", "gpu_adstack_portions",
    "gpu_prover_spread",
])
# Each test has one build in an ordinary run: the optimised one of gcc, or the sanitized one of clang. What is in neither list
# below nor in NOT_ON_THE_HOST is quick, or about both, and runs in both.
#
# Memory, bounds, leaks, and how calls fail: what the sanitizers see is more than what the optimised build would show. No case
# is skipped there because of them (part_sanitize of run_tests.py looks).
ONLY_SANITIZED = "|".join([
    # On lavapipe.
    "abi_conformance", "abi_conformance_devices",  # the vtable with wrong arguments; fault_msm has each allocation fail
    "abi_crowd", "abi_readers",  # threads, and memory of readers
    "fault_adstack", "fault_msm", "fault_sweep", "fault_vectors", "fault_vk",  # calls that fail
    "gpu_adstack_choices", "gpu_adstack_healing", "gpu_adstack_host", "gpu_adstack_overflow", "gpu_adstack_pointers",
    "gpu_adstack_record", "gpu_adstack_review", "gpu_adstack_threads", "gpu_adstack_watchdog",  # _reduce and _random compute
    "gpu_buckets", "gpu_hooks", "gpu_import", "gpu_memory", "gpu_overlap",  # the life of buffers; gpu_msm computes
    "gpu_prover_budget", "gpu_prover_recycled",  # what is held, and freed; gpu_prover_golden has proofs
    "(abi|fault|gpu_adstack)_.*_fences",  # programs again without timelines
    "gpu_vk_(cache|cmd|fences|import|indirect|memory|pointers|portions|staging|text|waits)",  # the device layer; _device counts pages
    # On the CPU.
    "abi_damaged", "unit_loader_elf",  # files that are no plugins
    "cli_bad_files", "cli_instruments", "cli_pipelines",  # files and texts that the command reads
    "fault_cache_calls", "fault_format_calls", "fault_power_loss",  # calls that fail
    "fuzz_replay_.*",  # that of vectors on lavapipe
    "serve_faults", "serve_requests",  # devices that are lost, bad requests; serve_serve is in both
    "unit_composite_split", "unit_prover_prove",  # sizes; unit_prover_golden has proofs, and `devices` shares work
    "unit_formats_shrink", "unit_prover_b2", "unit_prover_jobs_failures", "unit_prover_spread", "unit_spirv_compile",
])
# Tests that depend on optimisation, time, memory as it is, what is loaded and unloaded, installed files; what proofs and
# sums are, once for each subject; scripts, and commands whose code others run with sanitizers.
ONLY_OPTIMISED = "|".join([
    # On lavapipe.
    "abi_secrets", "gpu_prover_secrets", "gpu_wipe", "unit_formats_secrets", "unit_prover_secrets",  # memory is searched
    "abi_close", "abi_reopen", "abi_fork", "abi_signals",  # dlclose does nothing with sanitizers, and is what they are about
    "abi_example", "abi_example_adstack", "readme_program",  # built against an installation, as users do
    "fault_devices_splits",  # numbers of points on several devices; fault_devices has how they fail
    "gpu_chain",  # transforms, products and sums in a row; fault_vectors and fuzz_replay_vector_calls have the calls
    # The programs of the same names with "unit" run on the CPU backend with sanitizers: the same functions of the host. Of the
    # plugin with sanitizers are gpu_msm, gpu_bases, gpu_vectors, gpu_hooks, gpu_prover_budget and gpu_prover_recycled.
    "gpu_ckzg", "gpu_icicle", "gpu_icicle_proofs", "gpu_kzg", "gpu_supraseal", "gpu_supraseal_pending",
    "gpu_prover_assignment", "gpu_prover_jobs_assignments", "gpu_prover_jobs_kzg", "gpu_prover_points",
    "gpu_first_uses",  # times of accumulators, and processes that end with a context; gpu_msm has the multiplications
    "gpu_prover_golden",  # proofs, byte by byte; gpu_prover_recycled and gpu_prover_budget make some
    # On the CPU.
    "cli_adstack", "cli_default", "cli_messages", "cli_prove", "cli_waterfall",  # cli and cli_bad_files read options and files
    "cluster_mpi",  # processes of mpirun; unit_cluster has the code
    "ctime",
    "hooks_beside_icicle", "hooks_beside_sppark",  # benchmarks; unit_icicle_40 and unit_hooks have the functions
    "serve_limits",  # hundreds of clients and proofs; serve_requests, serve_faults and serve_serve have the service's code
    "serve_page",  # a browser shows the page; serve_serve asks the service for the page, and for all that the page asks for
    "fault_cache_kill",  # a process that is killed, and files; unit_cache_* and fault_cache_calls have the code
    "thread_starts", "readme_blocks", "unit_copies", "unit_environment", "unit_includes", "unit_inputs", "unit_parts", "unit_runner", "unit_sentences",
    "unit_systems", "unit_tools",  # scripts
    "unit_composite_rates", "unit_prover_estimates",  # what is measured
    "unit_cpu_jacobian_portable", "unit_cpu_throttle_portable", "unit_field_transforms_portable",  # _calls_portable has the code
    "unit_spirv_unload",  # what is unloaded
])


def parts_of(name, on_device, long):
    """The parts of tools/run_tests.py that run a test: "optimised" is cpu or lavapipe."""
    def among(names):
        return re.fullmatch(names, name) is not None

    if not long and among(LONG_ONLY):
        return []
    several = on_device and among(OF_SEVERAL_DEVICES)
    found = ["devices"] if several else []
    if not several and (long or not among(ONLY_SANITIZED)):
        found.append("lavapipe" if on_device else "cpu")
    if on_device:
        found.append("hardware")
    if on_device and (long or not among(SAME_ON_EVERY_DRIVER)):
        found.append("swiftshader")
    if not among(NOT_ON_THE_HOST) and (long or not among(ONLY_OPTIMISED)):
        found.append("sanitize")
    return found


def left_out(part, long):
    """The names of the tests that a part leaves out, as ctest's -E."""
    lists = {"cpu": [], "lavapipe": [OF_SEVERAL_DEVICES], "swiftshader": [], "hardware": [], "sanitize": [NOT_ON_THE_HOST]}[part]
    if not long:
        lists = [*lists, LONG_ONLY, *{"cpu": [ONLY_SANITIZED], "lavapipe": [ONLY_SANITIZED], "swiftshader": [SAME_ON_EVERY_DRIVER],
                                      "hardware": [], "sanitize": [ONLY_OPTIMISED]}[part]]
    return "|".join(lists)
