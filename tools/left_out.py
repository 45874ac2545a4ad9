"""Which tests the parts of tools/run_tests.py leave out, and which others have what they are about. tools/test --long runs
those of SwiftShader as well; the sanitizers leave theirs out in long runs, too."""

# What tests on SwiftShader leave out, for it takes minutes of making pipelines and says nothing about the driver. It is there
# for what differs from lavapipe: no 64-bit integers in shaders, another width of subgroups, another compiler. So each kernel
# is compared with the host there (gpu_kernels, gpu_probe, gpu_vector_kernels, gpu_adstack_*), they work together in gpu_msm
# and gpu_chain, and the device layer (gpu_vk_*) and the process around it (abi_close) are tried. All of it runs on lavapipe,
# and what needs several devices in the part `devices`.
SAME_ON_EVERY_DRIVER = "|".join([
    "abi_conformance", "abi_conformance_devices",  # the vtable and its messages
    "abi_crowd",  # threads on contexts of their own; gpu_adstack_threads and gpu_vk_cmd have threads on one device
    "abi_readers", "abi_secrets", "gpu_wipe",  # what becomes of points and secrets after a call
    "abi_fork", "abi_signals", "abi_reopen",  # the process around calls; abi_close unloads the driver
    "readme_demo",  # a script around the command
    "abi_example", "readme_program",  # how programs are built against an installation; gpu_msm multiplies
    "cli_.*",  # the command, which builds its pipelines for each answer; the oracle's part runs it
    "fault_injected",  # whether the tests' workload shows faults of ours; gpu_msm runs the workload itself
    "fault_vectors_injected",  # the same of vectors
    "fault_adstack", "fault_devices", "fault_devices_splits", "fault_msm", "fault_sweep", "fault_vectors", "fault_vk",  # calls that fail
    "gpu_composite_mixed",  # the part `devices` has it with both drivers
    "fuzz_replay_vector_calls",  # the slots of vectors with any arguments
    "gpu_adstack_review",  # faults that were once there, by their shapes; gpu_adstack_reduce and _random have the kernels
    "gpu_adstack_choices", "gpu_adstack_healing", "gpu_adstack_host",  # the service around an evaluation
    "gpu_adstack_portions", "gpu_adstack_watchdog",  # where work is cut, by a pace that is given
    "gpu_bases",  # sets that move, and are read back
    "gpu_buckets",  # what is copied from the buffers of a plan
    "gpu_bundles",  # several vectors and sets in one plan
    "gpu_glv",  # copies of bases in plans of all shapes, as gpu_tables
    "gpu_hooks",  # names of others around multiplications
    "gpu_import",  # a host's own device; gpu_vk_import has what the driver has to do with it
    "gpu_limits",  # what the plan does on devices with less
    "gpu_msm_profiles",  # gpu_msm on devices with less
    "gpu_memory",  # what is estimated and allocated
    "gpu_overlap",  # threads and starts that share a queue
    "gpu_runs",  # runs of few points in plans of all shapes
    "gpu_soundness",  # shapes of plans, by results; gpu_msm has the shapes of a driver without 64-bit integers
    "gpu_exhaustive",  # all inputs of test curves; gpu_probe has their kernels' arithmetic
    "gpu_tables",  # copies of bases in plans of all shapes
    "gpu_transforms",  # sizes and batches; gpu_vector_kernels has each pass, gpu_chain whole transforms
    # Proofs: pipelines of both groups, for minutes. gpu_prover_jobs makes some of one curve.
    "gpu_prover_b2", "gpu_prover_budget", "gpu_prover_estimates", "gpu_prover_golden", "gpu_prover_in_a_row",
    "gpu_prover_jobs_share", "gpu_prover_recycled", "gpu_prover_secrets", "gpu_prover_shared", "gpu_prover_spread",
    "gpu_warm",  # what is compiled when
    "gpu_watchdog",  # where work is cut, by a pace that is given
    "vectors_eip_vulkan", "vectors_msm_vulkan",  # vectors_*_cpu read the same files
])
# What needs both drivers at once to say what it can: the part `devices`. The sanitizers run it with lavapipe alone.
OF_SEVERAL_DEVICES = "^(fault_devices|fault_devices_splits|gpu_composite_mixed)$"
# What the sanitizers leave out: they look at code of the host, and this is about kernels, or about nothing compiled, or the
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
    # What the tests of these names with "unit" do on the CPU.
    "gpu_prover_b2", "gpu_prover_estimates", "gpu_prover_jobs", "gpu_prover_jobs_share", "gpu_prover_shared", "gpu_prover_spread",
    "gpu_adstack_random",  # what kernels compute; unit_adstack_random has the trees, gpu_adstack_* run the device
    "cli_warm_start_cases",  # the same; lavapipe has both
    "cli_opened", "cli_choice",  # what is opened, and here tools/run_tests.py preloads Vulkan itself
    "cli_plot", "cli_pages", "cli_register_reads", "generated_curves", "generated_vectors", "readme_demo", "unit_site",  # scripts
])
# What no ordinary run has on a software driver: tools/test --long. No fault of tests/repository/mutations.py that was tried was
# noticed by one of them alone (docs/lab/host-mutations.md).
LONG_ONLY = "|".join([
    "cli_buckets", "cli_tune_vulkan", "gpu_runs", "gpu_adstack_portions",
    "gpu_prover_jobs_share", "gpu_prover_spread", "gpu_prover_shared",
])
