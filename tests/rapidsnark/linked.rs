// SPDX-License-Identifier: Apache-2.0
//! linked KEY WITNESS VERIFICATION_KEY, as rust-rapidsnark declares and links the functions.
use std::ffi::{CStr, CString};
use std::os::raw::c_ulong;
use std::os::raw::{c_char, c_int, c_void};

#[link(name = "rapidsnark", kind = "static")]
extern "C" {
    fn groth16_prover_zkey_file(
        zkey: *const c_char,
        wtns: *const c_void,
        wtns_size: c_ulong,
        proof: *mut c_char,
        proof_size: *mut c_ulong,
        publics: *mut c_char,
        public_size: *mut c_ulong,
        error: *mut c_char,
        error_size: c_ulong,
    ) -> c_int;
    fn groth16_verify(
        proof: *const c_char,
        inputs: *const c_char,
        key: *const c_char,
        error: *mut c_char,
        error_size: c_ulong,
    ) -> c_int;
}

fn main() {
    let words: Vec<String> = std::env::args().collect();
    let zkey = CString::new(words[1].as_str()).unwrap();
    let wtns = std::fs::read(&words[2]).unwrap();
    let key = CString::new(std::fs::read(&words[3]).unwrap()).unwrap();
    let (mut proof, mut publics, mut error) = ([0 as c_char; 2048], [0 as c_char; 2048], [0 as c_char; 256]);
    let (mut proof_size, mut public_size) = (2048, 2048);
    unsafe {
        let made = groth16_prover_zkey_file(
            zkey.as_ptr(),
            wtns.as_ptr() as *const c_void,
            wtns.len() as c_ulong,
            proof.as_mut_ptr(),
            &mut proof_size,
            publics.as_mut_ptr(),
            &mut public_size,
            error.as_mut_ptr(),
            256,
        );
        assert_eq!(made, 0, "{:?}", CStr::from_ptr(error.as_ptr()));
        let verified = groth16_verify(proof.as_ptr(), publics.as_ptr(), key.as_ptr(), error.as_mut_ptr(), 256);
        println!("{} {}", CStr::from_ptr(publics.as_ptr()).to_str().unwrap(), verified);
    }
}
