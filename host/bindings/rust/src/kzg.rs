// SPDX-License-Identifier: Apache-2.0
//! KZG of EIP-4844 and EIP-7594, with the names, types and arguments of the crate c-kzg: for setups of Ethereum's size.
//!
//! ```no_run
//! use pail::kzg::{Blob, KzgSettings};
//! let settings = KzgSettings::load_trusted_setup_file("trusted_setup.txt", 0)?;
//! let commitment = settings.blob_to_kzg_commitment(&Blob::default())?;
//! # Ok::<(), pail::Error>(())
//! ```
use crate::error::told;
use crate::groth16::path_of;
use crate::{sys, Context, Curve, Error, Result, State, NOT_READY};
use std::os::raw::c_void;
use std::path::Path;
use std::ptr;
use std::sync::Arc;
use std::time::Duration;

pub const BYTES_PER_BLOB: usize = FIELD_ELEMENTS_PER_BLOB * BYTES_PER_FIELD_ELEMENT;
pub const BYTES_PER_CELL: usize = FIELD_ELEMENTS_PER_CELL * BYTES_PER_FIELD_ELEMENT;
pub const BYTES_PER_COMMITMENT: usize = 48;
pub const BYTES_PER_FIELD_ELEMENT: usize = 32;
pub const BYTES_PER_PROOF: usize = 48;
pub const CELLS_PER_EXT_BLOB: usize = 128;
pub const FIELD_ELEMENTS_PER_BLOB: usize = 4096;
pub const FIELD_ELEMENTS_PER_CELL: usize = 64;

const COMMIT: u32 = 1;
const PROVE: u32 = 2;
const PROVE_BLOB: u32 = 3;
const VERIFY: u32 = 4;
const VERIFY_BLOBS: u32 = 5;
const CELLS: u32 = 6;
const RECOVER: u32 = 7;
const VERIFY_CELLS: u32 = 8;
const WANT_CELLS: u32 = 1;

macro_rules! byte_arrays {
    ($($(#[$note:meta])* $name:ident[$size:expr],)*) => { $(
        $(#[$note])*
        #[derive(Clone, PartialEq, Eq)]
        #[repr(transparent)]
        pub struct $name([u8; $size]);

        impl $name {
            pub const fn new(bytes: [u8; $size]) -> Self {
                $name(bytes)
            }

            /// Refuses another number of bytes.
            pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
                match bytes.try_into() {
                    Ok(bytes) => Ok($name(bytes)),
                    Err(_) => Err(Error::argument(format!("a {} has {} bytes, not {}", stringify!($name), $size, bytes.len()))),
                }
            }

            /// Reads hexadecimal digits, with or without 0x.
            pub fn from_hex(text: &str) -> Result<Self> {
                let digits = text.strip_prefix("0x").unwrap_or(text).as_bytes();
                let mut made = [0; $size];
                if digits.len() != 2 * $size {
                    return Err(Error::argument(format!("a {} has {} hexadecimal digits, not {}", stringify!($name), 2 * $size,
                                                       digits.len())));
                }
                for (i, pair) in digits.chunks_exact(2).enumerate() {
                    let digit = |byte: u8| (byte as char).to_digit(16);
                    match (digit(pair[0]), digit(pair[1])) {
                        (Some(high), Some(low)) => made[i] = (16 * high + low) as u8,
                        _ => return Err(Error::argument(format!("byte {} of a {} is not hexadecimal", i, stringify!($name)))),
                    }
                }
                Ok($name(made))
            }

            /// Hexadecimal digits, without 0x.
            pub fn as_hex_string(&self) -> String {
                self.0.iter().map(|byte| format!("{:02x}", byte)).collect()
            }

            pub fn into_inner(self) -> [u8; $size] {
                self.0
            }
        }

        impl AsRef<[u8]> for $name {
            fn as_ref(&self) -> &[u8] {
                &self.0
            }
        }

        impl std::ops::DerefMut for $name {
            fn deref_mut(&mut self) -> &mut Self::Target {
                &mut self.0
            }
        }

        impl std::ops::Deref for $name {
            type Target = [u8; $size];

            fn deref(&self) -> &Self::Target {
                &self.0
            }
        }

        impl From<[u8; $size]> for $name {
            fn from(bytes: [u8; $size]) -> Self {
                $name(bytes)
            }
        }

        impl Default for $name {
            fn default() -> Self {
                $name([0; $size])
            }
        }
    )* };
}

byte_arrays! {
    /// A scalar, big-endian, below the order of the groups.
    Bytes32[32],
    /// A point of G1 in compressed form, which may be invalid.
    Bytes48[48],
    /// A commitment: a point of G1 in compressed form.
    KzgCommitment[BYTES_PER_COMMITMENT],
    /// A proof: a point of G1 in compressed form.
    KzgProof[BYTES_PER_PROOF],
    /// 4096 scalars. It is as large as a part of a thread's stack: keep it in a `Box` or a `Vec`.
    Blob[BYTES_PER_BLOB],
    /// 64 scalars.
    Cell[BYTES_PER_CELL],
}

macro_rules! points {
    ($($name:ident),*) => { $(
        impl $name {
            pub fn to_bytes(&self) -> Bytes48 {
                Bytes48(self.0)
            }
        }

        impl From<$name> for Bytes48 {
            fn from(point: $name) -> Self {
                Bytes48(point.0)
            }
        }
    )* };
}
points!(KzgCommitment, KzgProof);

macro_rules! copied_bytes {
    ($($name:ident[$size:expr]),*) => { $(
        impl $name {
            pub fn to_bytes(&self) -> [u8; $size] {
                self.0
            }
        }
    )* };
}
copied_bytes!(Bytes32[32], Bytes48[48], Blob[BYTES_PER_BLOB], Cell[BYTES_PER_CELL]);

macro_rules! debug_as_hexadecimal {
    ($($name:ident),*) => { $(
        impl Copy for $name {}

        impl std::fmt::Debug for $name {
            fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(to, "{}({:02x?})", stringify!($name), self.0)
            }
        }
    )* };
}
debug_as_hexadecimal!(Bytes32, Bytes48, KzgCommitment, KzgProof);

/// All cells of a blob, and their proofs.
pub type CellsProofs = (Box<[Cell; CELLS_PER_EXT_BLOB]>, Box<[KzgProof; CELLS_PER_EXT_BLOB]>);

/// The cells of many blobs, 128 of each, and their proofs.
#[derive(Clone, PartialEq, Eq)]
pub struct Cells {
    pub cells: Vec<Cell>,
    pub proofs: Vec<KzgProof>,
}

impl Cells {
    /// The cells of blob i.
    pub fn of(&self, i: usize) -> (&[Cell], &[KzgProof]) {
        let range = i * CELLS_PER_EXT_BLOB..(i + 1) * CELLS_PER_EXT_BLOB;
        (&self.cells[range.clone()], &self.proofs[range])
    }

    fn of_blobs(n: usize) -> Self {
        let n = n * CELLS_PER_EXT_BLOB;
        Cells { cells: vec![Cell::default(); n], proofs: vec![KzgProof::default(); n] }
    }

    fn only(self) -> CellsProofs {
        (boxed(self.cells), boxed(self.proofs))
    }
}

fn boxed<T, const N: usize>(all: Vec<T>) -> Box<[T; N]> {
    match all.into_boxed_slice().try_into() {
        Ok(array) => array,
        Err(_) => unreachable!("the number is that of one blob"),
    }
}

/// Closed with the last that needs it: settings, and work in the background.
struct Opened {
    state: Arc<State>,
    handle: *mut c_void,
}

// SAFETY: <pail/kzg.h>: a setup is immutable and safe to use from several threads.
unsafe impl Send for Opened {}
unsafe impl Sync for Opened {}

impl Drop for Opened {
    fn drop(&mut self) {
        // SAFETY: made by kzg_open, closed once, while `state` keeps the context; jobs keep this.
        unsafe { sys::pail_kzg_close(&mut self.handle) };
        let _ = &self.state;
    }
}

/// An opened setup. Immutable.
#[derive(Clone)]
pub struct KzgSettings {
    opened: Arc<Opened>,
}

impl KzgSettings {
    /// Opens a text file as c-kzg has it, with the best backend of this machine. precompute, from 0 to 15, lets tables take
    /// as much memory as c-kzg's of that width.
    pub fn load_trusted_setup_file(path: impl AsRef<Path>, precompute: u64) -> Result<Self> {
        Self::open(&Context::new(None)?, path, precompute)
    }

    /// The same from the text of such a file.
    pub fn parse_kzg_trusted_setup(text: &str, precompute: u64) -> Result<Self> {
        Self::from_text(&Context::new(None)?, text, precompute)
    }

    /// The same from compressed points: powers and Lagrange points of G1, and powers of G2.
    pub fn load_trusted_setup(g1_monomial_bytes: &[u8], g1_lagrange_bytes: &[u8], g2_monomial_bytes: &[u8], precompute: u64) -> Result<Self> {
        if g1_lagrange_bytes.len() != g1_monomial_bytes.len() {
            return Err(Error::argument(format!("g1_monomial_bytes has {} bytes, but g1_lagrange_bytes {}", g1_monomial_bytes.len(),
                                               g1_lagrange_bytes.len())));
        }
        let mut text = format!("{}\n{}\n", g1_lagrange_bytes.len() / 48, g2_monomial_bytes.len() / 96);
        for (name, bytes, each) in [("g1_lagrange_bytes", g1_lagrange_bytes, 48), ("g2_monomial_bytes", g2_monomial_bytes, 96),
                                    ("g1_monomial_bytes", g1_monomial_bytes, 48)] {
            if bytes.len() % each != 0 {
                return Err(Error::argument(format!("{} has {} bytes, which is no multiple of {}", name, bytes.len(), each)));
            }
            for point in bytes.chunks_exact(each) {
                point.iter().for_each(|byte| text.push_str(&format!("{:02x}", byte)));
                text.push('\n');
            }
        }
        Self::parse_kzg_trusted_setup(&text, precompute)
    }

    /// Opens a file with a context.
    pub fn open(context: &Context, path: impl AsRef<Path>, precompute: u64) -> Result<Self> {
        let path = path_of(path.as_ref())?;
        let mut params = sys::pail_kzg_params::zeroed();
        params.path = path.as_ptr();
        Self::made(context, params, precompute)
    }

    /// The same from the text of such a file.
    pub fn from_text(context: &Context, text: &str, precompute: u64) -> Result<Self> {
        let mut params = sys::pail_kzg_params::zeroed();
        params.bytes = text.as_ptr() as *const c_void;
        params.n_bytes = text.len() as u64;
        Self::made(context, params, precompute)
    }

    fn made(context: &Context, mut params: sys::pail_kzg_params, precompute: u64) -> Result<Self> {
        if precompute > 15 {
            return Err(Error::argument(format!("precompute is {}, and is to be from 0 to 15", precompute)));
        }
        let tables = if precompute == 0 { 0 } else { 786432 << (precompute - 1) };
        params.struct_size = std::mem::size_of_val(&params) as u32;
        params.curve = Curve::Bls12_381 as u32; // of the types here, whatever the file is of
        params.memory_budget = (32 << 20) + tables; // points and the least tables, and c-kzg's
        let state = context.state.clone();
        let mut opened = Opened { state, handle: ptr::null_mut() };
        // SAFETY: the table and the context live as long as `state`; what params points to is there during the call.
        told(|error, capacity| unsafe {
            sys::pail_kzg_open(&mut opened.handle, opened.state.backend, opened.state.context, &params, error, capacity)
        })?;
        let mut info = sys::pail_kzg_info::zeroed();
        info.struct_size = std::mem::size_of_val(&info) as u32;
        // SAFETY: the setup was just opened.
        unsafe { sys::pail_kzg_get_info(opened.handle, &mut info) };
        if info.n as usize != FIELD_ELEMENTS_PER_BLOB || info.cell_elements as usize != FIELD_ELEMENTS_PER_CELL {
            return Err(Error::unsupported(format!("the setup is for blobs of {} scalars and cells of {}, not for Ethereum's",
                                                  info.n, info.cell_elements)));
        }
        Ok(KzgSettings { opened: Arc::new(opened) })
    }

    /// Carries a request out. Returns the verdict of a verification.
    ///
    /// # Safety
    /// The request's arrays are as long as it says, and there is room for all that the operation makes.
    unsafe fn run(&self, request: &sys::pail_kzg_request, mut result: sys::pail_kzg_result) -> Result<bool> {
        told(|error, capacity| sys::pail_kzg_run(self.opened.handle, &mut result, request, error, capacity))?;
        Ok(result.valid == 1)
    }

    pub fn blob_to_kzg_commitment(&self, blob: &Blob) -> Result<KzgCommitment> {
        let mut commitment = KzgCommitment::default();
        let mut result = empty_result();
        result.commitments = at_one(&mut commitment);
        // SAFETY: one blob, and room for one commitment.
        unsafe { self.run(&request(COMMIT, 1).blobs(std::slice::from_ref(blob)).0, result) }?;
        Ok(commitment)
    }

    /// A proof that the blob's polynomial has a value at z, and that value.
    pub fn compute_kzg_proof(&self, blob: &Blob, z: &Bytes32) -> Result<(KzgProof, Bytes32)> {
        let (mut proof, mut y) = (KzgProof::default(), Bytes32::default());
        let mut result = empty_result();
        result.proofs = at_one(&mut proof);
        result.values = at_one(&mut y);
        let mut of = request(PROVE, 1).blobs(std::slice::from_ref(blob));
        of.0.points = z.as_ptr() as *const c_void;
        // SAFETY: one of each, and room for one of each.
        unsafe { self.run(&of.0, result) }?;
        Ok((proof, y))
    }

    /// The proof of a blob by its commitment, which is not compared with the blob.
    pub fn compute_blob_kzg_proof(&self, blob: &Blob, commitment: &Bytes48) -> Result<KzgProof> {
        let mut proof = KzgProof::default();
        let mut result = empty_result();
        result.proofs = at_one(&mut proof);
        let of = request(PROVE_BLOB, 1).blobs(std::slice::from_ref(blob)).commitments(std::slice::from_ref(commitment));
        // SAFETY: one of each, and room for one proof.
        unsafe { self.run(&of.0, result) }?;
        Ok(proof)
    }

    /// True if the polynomial of a commitment has the value y at z.
    pub fn verify_kzg_proof(&self, commitment: &Bytes48, z: &Bytes32, y: &Bytes32, proof: &Bytes48) -> Result<bool> {
        let mut of = request(VERIFY, 1).commitments(std::slice::from_ref(commitment)).proofs(std::slice::from_ref(proof));
        of.0.points = z.as_ptr() as *const c_void;
        of.0.values = y.as_ptr() as *const c_void;
        // SAFETY: one of each; nothing is made.
        unsafe { self.run(&of.0, empty_result()) }
    }

    /// True if a blob has a commitment.
    pub fn verify_blob_kzg_proof(&self, blob: &Blob, commitment: &Bytes48, proof: &Bytes48) -> Result<bool> {
        self.verify_blob_kzg_proof_batch(std::slice::from_ref(blob), std::slice::from_ref(commitment), std::slice::from_ref(proof))
    }

    /// True if each of many blobs has its commitment.
    pub fn verify_blob_kzg_proof_batch(&self, blobs: &[Blob], commitments: &[Bytes48], proofs: &[Bytes48]) -> Result<bool> {
        same_lengths("blobs", blobs.len(), &[("commitments", commitments.len()), ("proofs", proofs.len())])?;
        let of = request(VERIFY_BLOBS, blobs.len()).blobs(blobs).commitments(commitments).proofs(proofs);
        // SAFETY: as many of each; nothing is made.
        unsafe { self.run(&of.0, empty_result()) }
    }

    pub fn compute_cells(&self, blob: &Blob) -> Result<Box<[Cell; CELLS_PER_EXT_BLOB]>> {
        let mut cells = vec![Cell::default(); CELLS_PER_EXT_BLOB];
        let mut result = empty_result();
        result.cells = cells.as_mut_ptr() as *mut c_void;
        let mut of = request(CELLS, 1).blobs(std::slice::from_ref(blob));
        of.0.want = WANT_CELLS;
        // SAFETY: one blob, and room for its cells.
        unsafe { self.run(&of.0, result) }?;
        Ok(boxed(cells))
    }

    pub fn compute_cells_and_kzg_proofs(&self, blob: &Blob) -> Result<CellsProofs> {
        Ok(self.compute_cells_and_kzg_proofs_batch(std::slice::from_ref(blob))?.only())
    }

    /// Of many blobs at once, in less time than one after another. c-kzg has none of the kind.
    pub fn compute_cells_and_kzg_proofs_batch(&self, blobs: &[Blob]) -> Result<Cells> {
        let mut made = Cells::of_blobs(blobs.len());
        // SAFETY: as many blobs, and room for their cells and proofs.
        unsafe { self.run(&request(CELLS, blobs.len()).blobs(blobs).0, room_for(&mut made)) }?;
        Ok(made)
    }

    /// The same in the background: the blobs may go as soon as this returns. Work of a setup runs in the order of its starts.
    pub fn start_cells_and_kzg_proofs(&self, blobs: &[Blob]) -> Result<PendingCells> {
        let mut made = PendingCells { opened: self.opened.clone(), handle: ptr::null_mut(), n: blobs.len() };
        let of = request(CELLS, blobs.len()).blobs(blobs);
        // SAFETY: the library copies the blobs before this returns.
        told(|error, capacity| unsafe { sys::pail_kzg_start(self.opened.handle, &mut made.handle, &of.0, error, capacity) })?;
        Ok(made)
    }

    /// All cells of a blob and their proofs, from half of the cells or more. Indices ascend.
    pub fn recover_cells_and_kzg_proofs(&self, cell_indices: &[u64], cells: &[Cell]) -> Result<CellsProofs> {
        same_lengths("cells", cells.len(), &[("cell_indices", cell_indices.len())])?;
        let (starts, mut made) = ([0, cells.len() as u64], Cells::of_blobs(1));
        let mut of = request(RECOVER, 1).cells(cell_indices, cells);
        of.0.starts = starts.as_ptr();
        // SAFETY: the starts end with the number of indices and cells; there is room for all of one blob.
        unsafe { self.run(&of.0, room_for(&mut made)) }?;
        Ok(made.only())
    }

    /// True if each cell is that of its index of the blob of its commitment.
    pub fn verify_cell_kzg_proof_batch(&self, commitments: &[Bytes48], cell_indices: &[u64], cells: &[Cell],
                                       proofs: &[Bytes48]) -> Result<bool> {
        let others = [("commitments", commitments.len()), ("cell_indices", cell_indices.len()), ("proofs", proofs.len())];
        same_lengths("cells", cells.len(), &others)?;
        let of = request(VERIFY_CELLS, cells.len()).commitments(commitments).cells(cell_indices, cells).proofs(proofs);
        // SAFETY: as many of each; nothing is made.
        unsafe { self.run(&of.0, empty_result()) }
    }
}

/// Cells of blobs that were started. Dropping it abandons the work.
pub struct PendingCells {
    opened: Arc<Opened>,
    handle: *mut c_void,
    n: usize,
}

// SAFETY: <pail/kzg.h>: a job may be used by one thread at a time, whichever.
unsafe impl Send for PendingCells {}

impl PendingCells {
    /// True if finish() would not wait.
    pub fn ready(&self) -> bool {
        self.wait(Duration::ZERO)
    }

    /// Waits for at most that long; returns whether finish() would not wait.
    pub fn wait(&self, timeout: Duration) -> bool {
        let ns = u64::try_from(timeout.as_nanos()).unwrap_or(u64::MAX);
        // SAFETY: not finished yet.
        unsafe { sys::pail_kzg_wait(self.handle, ns) != NOT_READY }
    }

    /// Waits for the result.
    pub fn finish(mut self) -> Result<Cells> {
        let mut made = Cells::of_blobs(self.n);
        let mut result = room_for(&mut made);
        // SAFETY: there is room for all of n blobs; the handle is NULL afterwards, also when it fails.
        told(|error, capacity| unsafe { sys::pail_kzg_finish(&mut self.handle, &mut result, error, capacity) })?;
        Ok(made)
    }
}

impl Drop for PendingCells {
    fn drop(&mut self) {
        // SAFETY: the library takes a handle that is NULL; `opened` keeps the setup.
        unsafe { sys::pail_kzg_abandon(&mut self.handle) };
        let _ = &self.opened;
    }
}

/// A request of n.
struct Request(sys::pail_kzg_request);

fn request(operation: u32, n: usize) -> Request {
    let mut made = sys::pail_kzg_request::zeroed();
    made.struct_size = std::mem::size_of_val(&made) as u32;
    made.operation = operation;
    made.n = n as u64;
    Request(made)
}

impl Request {
    fn blobs(mut self, blobs: &[Blob]) -> Self {
        self.0.blobs = blobs.as_ptr() as *const c_void;
        self
    }

    fn commitments(mut self, commitments: &[Bytes48]) -> Self {
        self.0.commitments = commitments.as_ptr() as *const c_void;
        self
    }

    fn proofs(mut self, proofs: &[Bytes48]) -> Self {
        self.0.proofs = proofs.as_ptr() as *const c_void;
        self
    }

    fn cells(mut self, indices: &[u64], cells: &[Cell]) -> Self {
        self.0.indices = indices.as_ptr();
        self.0.cells = cells.as_ptr() as *const c_void;
        self
    }
}

fn empty_result() -> sys::pail_kzg_result {
    let mut result = sys::pail_kzg_result::zeroed();
    result.struct_size = std::mem::size_of_val(&result) as u32;
    result
}

fn room_for(cells: &mut Cells) -> sys::pail_kzg_result {
    let mut result = empty_result();
    result.cells = cells.cells.as_mut_ptr() as *mut c_void;
    result.proofs = cells.proofs.as_mut_ptr() as *mut c_void;
    result
}

fn at_one<T>(one: &mut T) -> *mut c_void {
    one as *mut T as *mut c_void
}

fn same_lengths(first: &str, n: usize, others: &[(&str, usize)]) -> Result<()> {
    match others.iter().find(|other| other.1 != n) {
        None => Ok(()),
        Some((name, length)) => Err(Error::argument(format!("there are {} {}, but {} {}", length, name, n, first))),
    }
}
