// SPDX-License-Identifier: Apache-2.0
//! Groth16: keys, proofs and their verification.
use crate::error::told;
use crate::{sys, Context, Curve, Error, Result, State};
use std::ffi::CString;
use std::os::raw::{c_char, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr;
use std::sync::Arc;

const SNARKJS: u32 = 1;
const FIXED_BLINDING: u32 = 1;

pub(crate) fn path_of(path: &Path) -> Result<CString> {
    CString::new(path.as_os_str().as_bytes()).map_err(|_| Error::argument(format!("the path {:?} has a zero byte", path)))
}

/// r and s of a proof that is to be the same each time: for tests. Such a proof tells of its witness.
#[derive(Clone, Copy)]
pub struct Blinding {
    pub r: [u8; 32],
    pub s: [u8; 32],
}

/// A proof with what it says in public.
pub struct Proof {
    proof: sys::pail_groth16_proof,
    publics: Vec<[u8; 32]>,
}

impl Proof {
    /// Public values: canonical, little-endian, in the order of the circuit.
    pub fn publics(&self) -> &[[u8; 32]] {
        &self.publics
    }

    pub fn publics_mut(&mut self) -> &mut [[u8; 32]] {
        &mut self.publics
    }

    /// A, B and C as bases have points.
    pub fn points(&self) -> (&[u8], &[u8], &[u8]) {
        let width = if self.proof.curve == Curve::Bn254 as u32 { 32 } else { 48 };
        (&self.proof.a[..2 * width], &self.proof.b[..4 * width], &self.proof.c[..2 * width])
    }

    /// The text of proof.json, as snarkjs writes it.
    pub fn json(&self) -> Result<String> {
        // SAFETY: the proof lives through the call.
        text(|to, room, length, error, capacity| unsafe {
            sys::pail_groth16_proof_text(to, room, length, &self.proof, SNARKJS, error, capacity)
        })
    }

    /// The text of public.json, as snarkjs writes it.
    pub fn public_json(&self) -> Result<String> {
        // SAFETY: there are as many values as said.
        text(|to, room, length, error, capacity| unsafe {
            sys::pail_groth16_public_text(to, room, length, self.publics.as_ptr() as *const c_void,
                                          self.publics.len() as u64, SNARKJS, error, capacity)
        })
    }
}

fn text(write: impl Fn(*mut c_char, usize, *mut usize, *mut c_char, usize) -> u32) -> Result<String> {
    let mut length = 0;
    told(|error, capacity| write(ptr::null_mut(), 0, &mut length, error, capacity))?;
    let mut made = vec![0u8; length + 1];
    told(|error, capacity| write(made.as_mut_ptr() as *mut c_char, made.len(), &mut length, error, capacity))?;
    made.truncate(length);
    Ok(String::from_utf8_lossy(&made).into_owned())
}

/// A proving key that is registered with a context. Immutable.
pub struct Key {
    state: Arc<State>,
    handle: *mut c_void,
    n_public: usize,
}

// SAFETY: <pail/groth16.h>: a key is immutable and safe to use from several threads.
unsafe impl Send for Key {}
unsafe impl Sync for Key {}

impl Key {
    /// Opens a .zkey file.
    pub fn open(context: &Context, path: impl AsRef<Path>) -> Result<Self> {
        let path = path_of(path.as_ref())?;
        let mut params = sys::pail_groth16_key_params::zeroed();
        params.path = path.as_ptr();
        Self::made(context, params)
    }

    /// The same from the bytes of such a file, which are read during the call.
    pub fn from_bytes(context: &Context, zkey: &[u8]) -> Result<Self> {
        let mut params = sys::pail_groth16_key_params::zeroed();
        params.bytes = zkey.as_ptr() as *const c_void;
        params.n_bytes = zkey.len() as u64;
        Self::made(context, params)
    }

    fn made(context: &Context, mut params: sys::pail_groth16_key_params) -> Result<Self> {
        params.struct_size = std::mem::size_of_val(&params) as u32;
        let state = context.state.clone();
        let mut handle = ptr::null_mut();
        // SAFETY: the table and the context live as long as `state`; what params points to is there during the call.
        told(|error, capacity| unsafe {
            sys::pail_groth16_key_open(&mut handle, state.backend, state.context, &params, error, capacity)
        })?;
        let mut info = sys::pail_groth16_key_info::zeroed();
        info.struct_size = std::mem::size_of_val(&info) as u32;
        // SAFETY: the key was just opened.
        unsafe { sys::pail_groth16_key_get_info(handle, &mut info) };
        Ok(Key { state, handle, n_public: info.n_public as usize })
    }

    /// Public values of its proofs.
    pub fn n_public(&self) -> usize {
        self.n_public
    }

    /// Proves; the witness is a .wtns file.
    pub fn prove(&self, path: impl AsRef<Path>, blinding: Option<&Blinding>) -> Result<Proof> {
        let path = path_of(path.as_ref())?;
        let mut witness = sys::pail_groth16_witness::zeroed();
        witness.path = path.as_ptr();
        self.proved(witness, blinding)
    }

    /// Proves; the witness is the bytes of a .wtns file, which are read during the call.
    pub fn prove_bytes(&self, wtns: &[u8], blinding: Option<&Blinding>) -> Result<Proof> {
        let mut witness = sys::pail_groth16_witness::zeroed();
        witness.wtns = wtns.as_ptr() as *const c_void;
        witness.n_wtns = wtns.len() as u64;
        self.proved(witness, blinding)
    }

    fn proved(&self, mut witness: sys::pail_groth16_witness, blinding: Option<&Blinding>) -> Result<Proof> {
        witness.struct_size = std::mem::size_of_val(&witness) as u32;
        let mut options = sys::pail_groth16_options::zeroed();
        options.struct_size = std::mem::size_of_val(&options) as u32;
        if let Some(blinding) = blinding {
            options.flags = FIXED_BLINDING;
            options.r = blinding.r;
            options.s = blinding.s;
        }
        let mut made = Proof { proof: sys::pail_groth16_proof::zeroed(), publics: vec![[0; 32]; self.n_public] };
        made.proof.struct_size = std::mem::size_of_val(&made.proof) as u32;
        // SAFETY: there is room for n_public values; what the witness points to is there during the call.
        told(|error, capacity| unsafe {
            sys::pail_groth16_prove(self.handle, &mut made.proof, made.publics.as_mut_ptr() as *mut c_void,
                                    ptr::null_mut(), &witness, &options, error, capacity)
        })?;
        Ok(made)
    }

    /// True if a proof is valid for this key. An error where something in it is no point or no public value.
    pub fn verify(&self, proof: &Proof) -> Result<bool> {
        let mut key = sys::pail_groth16_verifying_key::zeroed();
        key.struct_size = std::mem::size_of_val(&key) as u32;
        let mut valid = 0;
        // SAFETY: `ic` in the verifying key lives as long as self.
        unsafe {
            sys::pail_groth16_key_verifying(self.handle, &mut key);
            told(|error, capacity| {
                sys::pail_groth16_verify(&mut valid, &key, &proof.proof, proof.publics.as_ptr() as *const c_void,
                                         proof.publics.len() as u64, error, capacity)
            })?;
        }
        Ok(valid == 1)
    }
}

impl Drop for Key {
    fn drop(&mut self) {
        // SAFETY: made by key_open, closed once, while `state` keeps the context.
        unsafe { sys::pail_groth16_key_close(&mut self.handle) };
        let _ = &self.state;
    }
}
