// SPDX-License-Identifier: Apache-2.0
//! The contents of <pail/backend.h>, <pail/pail.h>, <pail/groth16.h> and <pail/kzg.h>. Names are those of the headers.
#![allow(non_camel_case_types)]

use std::os::raw::{c_char, c_void};

/// Defines structs, and lists their layout for a test that compares it with a C compiler's.
macro_rules! structs {
    ($($name:ident { $($member:ident: $kind:ty,)* })*) => {
        $(
            #[repr(C)]
            pub struct $name { $(pub $member: $kind,)* }

            impl $name {
                /// All bytes zero, which stands for "the default" in every struct.
                pub fn zeroed() -> Self {
                    // SAFETY: every member is an integer, an array of bytes, a raw pointer or an optional function.
                    unsafe { std::mem::MaybeUninit::zeroed().assume_init() }
                }
            }
        )*

        /// (struct, member, offset, size); a struct's own size has no member.
        pub fn layout() -> Vec<(&'static str, &'static str, usize, usize)> {
            let mut rows = Vec::new();
            $(
                rows.push((stringify!($name), "", 0, std::mem::size_of::<$name>()));
                let whole = $name::zeroed();
                let base = &whole as *const $name as usize;
                $(
                    let member = &whole.$member;
                    rows.push((stringify!($name), stringify!($member), member as *const $kind as usize - base,
                               std::mem::size_of::<$kind>()));
                )*
            )*
            rows
        }
    };
}

pub type Slot = Option<unsafe extern "C" fn()>;

structs! {
    pail_registry_params {
        struct_size: u32, flags: u32, host: *const c_void, path: *const c_char, backend: *const c_char,
    }
    pail_context_params {
        struct_size: u32, device: u32, threads: u32, reserved: u32, memory_budget: u64, adstack_cache_bytes: u64,
        import: *const c_void, cache: *const c_void, cache_dir: *const c_char,
        fetch: *const c_void, side_queues: u32, side_reserved: u32,
    }
    pail_bases_desc {
        struct_size: u32, curve: u32, group: u32, encoding: u32, validation: u32, infinity_byte: u32, stride: usize,
        points: *const c_void, read_points: Slot, read_user: *mut c_void, n_points: usize, residency: u32, flags: u32,
        table_factor: u32, reserved: u32, address: u64,
    }
    pail_msm_job {
        struct_size: u32, scalar_encoding: u32, scalar_location: u32, scalar_bits: u32, bases: *const c_void,
        base_offset: usize, scalars: *const c_void, n: usize, result_location: u32, reserved: u32, result_address: u64,
        wait_semaphore: u64, wait_value: u64, scalar_vector: *const c_void, scalar_offset: u64,
    }
    pail_msm_result {
        struct_size: u32, infinity: u32, coordinate_bytes: u32, reserved: u32, x: [u8; 96], y: [u8; 96],
    }
    pail_matrix_desc {
        struct_size: u32, curve: u32, encoding: u32, reserved: u32, n_rows: u64, n_columns: u64, row_starts: *const u64,
        columns: *const u32, values: *const c_void,
    }
    pail_vector_op {
        struct_size: u32, kind: u32, flags: u32, log_n: u32, r: *mut c_void, a: *const c_void, b: *const c_void,
        c: *const c_void, matrix: *const c_void, r_offset: u64, a_offset: u64, b_offset: u64, c_offset: u64, n: u64,
        root: [u8; 32], shift: [u8; 32], scale: [u8; 32], address: u64, encoding: u32, curve: u32,
        to_address: u64, group: u32, to_encoding: u32, rows: u32, window_bits: u32, copies: u32, reserved: u32,
    }
    pail_groth16_proof {
        struct_size: u32, curve: u32, a: [u8; 96], b: [u8; 192], c: [u8; 96],
    }
    pail_groth16_verifying_key {
        struct_size: u32, curve: u32, n_public: u64, alpha1: [u8; 96], beta2: [u8; 192], gamma2: [u8; 192],
        delta2: [u8; 192], ic: *const u8,
    }
    pail_groth16_key_params {
        struct_size: u32, flags: u32, validation: u32, residency: u32, table_factor: u32, b2: u32,
        path: *const c_char, bytes: *const c_void, n_bytes: u64, name: *const c_char, cache_dir: *const c_char,
        b2_threads: u32, reserved: u32, points_budget: u64,
    }
    pail_groth16_key_info {
        struct_size: u32, curve: u32, n_vars: u64, n_public: u64, domain_size: u64, n_coefficients: u64, n_points: u64,
        n_infinities: u64, device_bytes: u64, host_bytes: u64, hash: u64, read_ms: f64, matrices_ms: f64, bases_ms: f64,
        b2: u32, b2_threads: u32,
    }
    pail_groth16_witness {
        struct_size: u32, reserved: u32, values: *const c_void, n_values: u64, wtns: *const c_void, n_wtns: u64,
        path: *const c_char, name: *const c_char,
    }
    pail_groth16_options {
        struct_size: u32, flags: u32, r: [u8; 32], s: [u8; 32], stage: Slot, user: *mut c_void, cancel: *const u32,
        tick: Slot,
    }
    pail_kzg_params {
        struct_size: u32, flags: u32, curve: u32, cell_elements: u32, path: *const c_char, bytes: *const c_void,
        n_bytes: u64, g1_powers: *const c_void, g1_lagrange: *const c_void, g2_powers: *const c_void, n_g1: u64,
        n_g2: u64, form: u32, threads: u32, name: *const c_char, memory_budget: u64,
    }
    pail_kzg_info {
        struct_size: u32, curve: u32, n: u64, n_g2: u64, cell_elements: u32, n_cells: u32, scalar_bytes: u32,
        point_bytes: u32, table_bits: u32, commit_bits: u32, threads: u32, reserved: u32, table_bytes: u64,
        host_bytes: u64, device_bytes: u64, read_ms: f64, check_ms: f64, table_ms: f64,
    }
    pail_kzg_request {
        struct_size: u32, operation: u32, want: u32, reserved: u32, n: u64, blobs: *const c_void,
        commitments: *const c_void, points: *const c_void, values: *const c_void, proofs: *const c_void,
        starts: *const u64, indices: *const u64, cells: *const c_void,
    }
    pail_kzg_result {
        struct_size: u32, valid: u32, bad: u64, commitments: *mut c_void, values: *mut c_void, proofs: *mut c_void,
        cells: *mut c_void, adds: u64, wall_ms: f64, scalars_ms: f64, fixed_ms: f64, transform_ms: f64,
    }
}

/// The table, as far as it is used here. Later slots follow in memory.
#[repr(C)]
pub struct pail_backend {
    pub struct_size: u32,
    pub abi_major: u32,
    pub abi_minor: u32,
    pub reserved: u32,
    pub name: *const c_char,
    pub version: *const c_char,
    pub error: unsafe extern "C" fn(*const c_void) -> *const c_char,
    pub unused_devices: [Slot; 3],
    pub context_create: unsafe extern "C" fn(*const c_void, *mut *mut c_void, *const pail_context_params) -> u32,
    pub context_destroy: unsafe extern "C" fn(*mut *mut c_void),
    pub unused_memory: [Slot; 6],
    pub bases_create: unsafe extern "C" fn(*mut c_void, *mut *mut c_void, *mut usize, *const pail_bases_desc) -> u32,
    pub bases_destroy: unsafe extern "C" fn(*mut c_void, *mut *mut c_void),
    pub unused_plans: [Slot; 3],
    pub msm_start:
        unsafe extern "C" fn(*mut c_void, *mut *mut c_void, *const pail_msm_job, usize, *const c_void) -> u32,
    pub pending_poll: unsafe extern "C" fn(*mut c_void) -> u32,
    pub pending_wait: unsafe extern "C" fn(*mut c_void, u64) -> u32,
    pub msm_finish: unsafe extern "C" fn(*mut *mut c_void, *mut pail_msm_result, usize, *mut c_void) -> u32,
    pub pending_abandon: unsafe extern "C" fn(*mut *mut c_void),
    pub unused_buckets: Slot,
    pub vector_create: Option<unsafe extern "C" fn(*mut c_void, *mut *mut c_void, u32, u64) -> u32>,
    pub vector_destroy: Option<unsafe extern "C" fn(*mut c_void, *mut *mut c_void)>,
    pub vector_write: Option<unsafe extern "C" fn(*mut c_void, u64, *const c_void, u64, u32) -> u32>,
    pub vector_read: Option<unsafe extern "C" fn(*const c_void, *mut c_void, u64, u64, u32) -> u32>,
    pub matrix_create: Option<unsafe extern "C" fn(*mut c_void, *mut *mut c_void, *mut u64, *const pail_matrix_desc) -> u32>,
    pub matrix_destroy: Option<unsafe extern "C" fn(*mut c_void, *mut *mut c_void)>,
    pub vector_start: Option<unsafe extern "C" fn(*mut c_void, *mut *mut c_void, *const pail_vector_op, usize) -> u32>,
    pub vector_finish: Option<unsafe extern "C" fn(*mut *mut c_void, *mut c_void) -> u32>,
}

extern "C" {
    pub fn pail_version() -> *const c_char;
    pub fn pail_status_name(status: u32) -> *const c_char;
    pub fn pail_registry_create(registry: *mut *mut c_void, params: *const pail_registry_params, error: *mut c_char,
                                capacity: usize) -> u32;
    pub fn pail_registry_destroy(registry: *mut *mut c_void);
    pub fn pail_registry_host(registry: *const c_void) -> *const c_void;
    pub fn pail_registry_find(registry: *const c_void, backend: *mut *const pail_backend, name: *const c_char,
                              error: *mut c_char, capacity: usize) -> u32;
    pub fn pail_root_of_unity(root: *mut u8, curve: u32, log_n: u32) -> u32;
    pub fn pail_msm(backend: *const pail_backend, context: *mut c_void, result: *mut pail_msm_result,
                    stats: *mut c_void, job: *const pail_msm_job, config: *const c_void) -> u32;
    pub fn pail_groth16_verify(valid: *mut u32, key: *const pail_groth16_verifying_key,
                               proof: *const pail_groth16_proof, publics: *const c_void, n_public: u64,
                               error: *mut c_char, capacity: usize) -> u32;
    pub fn pail_groth16_key_open(key: *mut *mut c_void, backend: *const pail_backend, context: *mut c_void,
                                 params: *const pail_groth16_key_params, error: *mut c_char, capacity: usize) -> u32;
    pub fn pail_groth16_key_close(key: *mut *mut c_void);
    pub fn pail_groth16_key_get_info(key: *const c_void, info: *mut pail_groth16_key_info) -> u32;
    pub fn pail_groth16_key_verifying(key: *const c_void, verifying: *mut pail_groth16_verifying_key) -> u32;
    pub fn pail_groth16_prove(key: *const c_void, proof: *mut pail_groth16_proof, publics: *mut c_void,
                              timings: *mut c_void, witness: *const pail_groth16_witness,
                              options: *const pail_groth16_options, error: *mut c_char, capacity: usize) -> u32;
    pub fn pail_groth16_proof_text(text: *mut c_char, capacity: usize, length: *mut usize,
                                   proof: *const pail_groth16_proof, layout: u32, error: *mut c_char,
                                   error_capacity: usize) -> u32;
    pub fn pail_groth16_public_text(text: *mut c_char, capacity: usize, length: *mut usize, publics: *const c_void,
                                    n_public: u64, layout: u32, error: *mut c_char, error_capacity: usize) -> u32;
    pub fn pail_kzg_open(kzg: *mut *mut c_void, backend: *const pail_backend, context: *mut c_void,
                         params: *const pail_kzg_params, error: *mut c_char, capacity: usize) -> u32;
    pub fn pail_kzg_close(kzg: *mut *mut c_void);
    pub fn pail_kzg_get_info(kzg: *const c_void, info: *mut pail_kzg_info) -> u32;
    pub fn pail_kzg_start(kzg: *mut c_void, job: *mut *mut c_void, request: *const pail_kzg_request, error: *mut c_char,
                          capacity: usize) -> u32;
    pub fn pail_kzg_wait(job: *const c_void, timeout_ns: u64) -> u32;
    pub fn pail_kzg_finish(job: *mut *mut c_void, result: *mut pail_kzg_result, error: *mut c_char, capacity: usize) -> u32;
    pub fn pail_kzg_abandon(job: *mut *mut c_void);
    pub fn pail_kzg_run(kzg: *mut c_void, result: *mut pail_kzg_result, request: *const pail_kzg_request,
                        error: *mut c_char, capacity: usize) -> u32;
}
