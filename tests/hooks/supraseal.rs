// SPDX-License-Identifier: Apache-2.0
//! supraseal FOLDER: makes the proofs of a case that unit_supraseal_c2 has written, by declarations in the shape of
//! bellperson's caller. `--cfg mutex` and `--cfg index` say what the library's functions have behind the key.
use std::ffi::{CStr, CString};
use std::os::raw::{c_char, c_void};
use std::path::Path;

#[repr(C)]
struct Error {
    code: i32,
    message: *mut c_char,
}

impl Drop for Error {
    fn drop(&mut self) {
        extern "C" {
            fn free(memory: *mut c_void);
        }
        unsafe { free(self.message as *mut c_void) };
    }
}

impl Error {
    fn told(self) -> Result<(), String> {
        if self.code == 0 {
            return Ok(());
        }
        Err(unsafe { CStr::from_ptr(self.message) }.to_string_lossy().into_owned())
    }
}

#[repr(C)]
struct Srs {
    ptr: *const c_void,
}

impl Srs {
    fn open(path: &Path) -> Result<Self, String> {
        let text = CString::new(path.to_str().unwrap()).unwrap();
        let mut made = Srs { ptr: std::ptr::null() };
        unsafe { create_SRS(&mut made, text.as_ptr(), true) }.told()?;
        Ok(made)
    }
}

impl Clone for Srs {
    fn clone(&self) -> Self {
        unsafe { clone_SRS(self) }
    }
}

impl Drop for Srs {
    fn drop(&mut self) {
        unsafe { drop_SRS(self) };
    }
}

unsafe impl Send for Srs {}

type Scalar = [u64; 4];

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
struct Proof {
    a: [u64; 12],
    b: [u64; 24],
    c: [u64; 12],
}

#[repr(C)]
struct Assignment {
    a_aux_density: *const usize,
    a_aux_bit_len: usize,
    a_aux_popcount: usize,
    b_inp_density: *const usize,
    b_inp_bit_len: usize,
    b_inp_popcount: usize,
    b_aux_density: *const usize,
    b_aux_bit_len: usize,
    b_aux_popcount: usize,
    a: *const Scalar,
    b: *const Scalar,
    c: *const Scalar,
    abc_size: usize,
    inp_assignment_data: *const Scalar,
    inp_assignment_size: usize,
    aux_assignment_data: *const Scalar,
    aux_assignment_size: usize,
}

extern "C" {
    fn create_SRS(ret: &mut Srs, path: *const c_char, cache: bool) -> Error;
    fn clone_SRS(by_ref: &Srs) -> Srs;
    fn evict_SRS(by_ref: &Srs);
    fn drop_SRS(by_ref: &Srs);
    fn generate_groth16_proofs_c(
        provers: *const c_void,
        num_circuits: usize,
        r_s: *const c_void,
        s_s: *const c_void,
        proofs: *mut c_void,
        srs: &Srs,
        #[cfg(mutex)] gpu_mtx: *mut c_void,
        #[cfg(index)] gpu_index: i32,
    ) -> Error;
    #[cfg(mutex)]
    fn create_gpu_mutex() -> *mut c_void;
    #[cfg(mutex)]
    fn destroy_gpu_mutex(mutex: *mut c_void);
    #[cfg(mutex)]
    fn generate_groth16_proofs_start_c(
        provers: *const c_void,
        num_circuits: usize,
        r_s: *const c_void,
        s_s: *const c_void,
        srs: &Srs,
        gpu_mtx: *mut c_void,
        #[cfg(index)] gpu_index: i32,
        pending_out: *mut *mut c_void,
    ) -> Error;
    #[cfg(mutex)]
    fn finalize_groth16_proof_c(handle: *mut c_void, proofs: *mut c_void) -> Error;
    #[cfg(mutex)]
    fn destroy_pending_proof(handle: *mut c_void);
}

/// The words of a file, `N` at a time.
fn read<const N: usize>(folder: &Path, name: &str) -> Vec<[u64; N]> {
    let bytes = std::fs::read(folder.join(name)).unwrap();
    let words: Vec<u64> = bytes.chunks_exact(8).map(|word| u64::from_le_bytes(word.try_into().unwrap())).collect();
    words.chunks_exact(N).map(|item| item.try_into().unwrap()).collect()
}

fn density(folder: &Path, name: &str) -> Vec<usize> {
    read::<1>(folder, name).iter().map(|word| word[0] as usize).collect()
}

fn main() {
    let words: Vec<String> = std::env::args().collect();
    let folder = Path::new(&words[1]);
    let (a, b, c) = (read::<4>(folder, "a"), read::<4>(folder, "b"), read::<4>(folder, "c"));
    let (inputs, aux) = (read::<4>(folder, "inputs"), read::<4>(folder, "aux"));
    let (a_aux, b_aux, b_inputs) = (density(folder, "a_aux"), density(folder, "b_aux"), density(folder, "b_inputs"));
    let (r, s) = (read::<4>(folder, "r"), read::<4>(folder, "s"));
    let expected: Vec<Proof> = read::<48>(folder, "proofs")
        .iter()
        .map(|item| Proof {
            a: item[..12].try_into().unwrap(),
            b: item[12..36].try_into().unwrap(),
            c: item[36..].try_into().unwrap(),
        })
        .collect();
    let provers: Vec<Assignment> = expected
        .iter()
        .map(|_| Assignment {
            a_aux_density: a_aux.as_ptr(),
            a_aux_bit_len: aux.len(),
            a_aux_popcount: 0,
            b_inp_density: b_inputs.as_ptr(),
            b_inp_bit_len: inputs.len(),
            b_inp_popcount: 0,
            b_aux_density: b_aux.as_ptr(),
            b_aux_bit_len: aux.len(),
            b_aux_popcount: 0,
            a: a.as_ptr(),
            b: b.as_ptr(),
            c: c.as_ptr(),
            abc_size: a.len(),
            inp_assignment_data: inputs.as_ptr(),
            inp_assignment_size: inputs.len(),
            aux_assignment_data: aux.as_ptr(),
            aux_assignment_size: aux.len(),
        })
        .collect();
    assert!(Srs::open(&folder.join("none.params")).err().unwrap().contains("none.params"));
    let srs = Srs::open(&folder.join("key.params")).unwrap();
    let none = Proof { a: [0; 12], b: [0; 24], c: [0; 12] };
    let mut proofs = vec![none; expected.len()];
    #[cfg(mutex)]
    let mutex = unsafe { create_gpu_mutex() };
    unsafe {
        generate_groth16_proofs_c(
            provers.as_ptr() as *const _,
            provers.len(),
            r.as_ptr() as *const _,
            s.as_ptr() as *const _,
            proofs.as_mut_ptr() as *mut _,
            &srs,
            #[cfg(mutex)]
            mutex,
            #[cfg(index)]
            -1,
        )
    }
    .told()
    .unwrap();
    assert_eq!(proofs, expected);
    #[cfg(mutex)]
    {
        let start = || {
            let mut pending: *mut c_void = std::ptr::null_mut();
            unsafe {
                generate_groth16_proofs_start_c(
                    provers.as_ptr() as *const _,
                    provers.len(),
                    r.as_ptr() as *const _,
                    s.as_ptr() as *const _,
                    &srs,
                    mutex,
                    #[cfg(index)]
                    -1,
                    &mut pending,
                )
            }
            .told()
            .unwrap();
            pending
        };
        proofs.fill(none);
        let (pending, unwanted) = (start(), start());
        drop((provers, a, b, c, inputs, aux, a_aux, b_aux, b_inputs, r, s));
        unsafe { destroy_pending_proof(unwanted) };
        unsafe { finalize_groth16_proof_c(pending, proofs.as_mut_ptr() as *mut _) }.told().unwrap();
        unsafe { destroy_gpu_mutex(mutex) };
        assert_eq!(proofs, expected);
    }
    let copy = srs.clone();
    unsafe { evict_SRS(&srs) };
    drop(srs);
    drop(copy);
    println!("{} proofs", expected.len());
}
