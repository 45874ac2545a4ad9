// SPDX-License-Identifier: Apache-2.0
//! Vectors over the scalar field of a curve: number-theoretic transforms, sparse products, element-wise arithmetic.
//!
//! Elements are 32 bytes, little-endian, each below the order of the curve's groups. An operation is a value, made by
//! [`ntt`] and the functions beside it; [`Context::run`] takes a list of them, each of which sees the results of those
//! before it. Unless stated otherwise they are element-wise, on all elements of r from its offset on. r may be an operand
//! at the same offset, except in [`spmv`]; otherwise no operand may overlap r.
use crate::{sys, Bases, Context, Curve, Encoding, Error, Pending, Point, Result, Started, State};
use std::ffi::CStr;
use std::ops::{Bound, RangeBounds};
use std::os::raw::c_void;
use std::ptr;
use std::sync::Arc;

/// Little-endian; canonical unless an encoding is given.
pub type Element = [u8; 32];

const LOCATION_VECTOR: u32 = 2;
const BIT_REVERSED: u32 = 1;

/// The root of order 2^log_n that snarkjs and .zkey files use.
pub fn root_of_unity(curve: Curve, log_n: u32) -> Result<Element> {
    let mut root = [0; 32];
    // SAFETY: there is room for a root.
    match unsafe { sys::pail_root_of_unity(root.as_mut_ptr(), curve as u32, log_n) } {
        0 => Ok(root),
        _ => Err(Error::argument(format!("curve {} has no root of unity of order 2^{}", curve as u32, log_n))),
    }
}

/// A slot of the table, which a backend without vectors lacks.
fn slot<Function>(state: &State, slot: Option<Function>) -> Result<Function> {
    // SAFETY: static storage of the plugin.
    let name = || unsafe { CStr::from_ptr(state.table().name) }.to_string_lossy();
    slot.ok_or_else(|| Error::unsupported(format!("the backend {} has no vectors", name())))
}

fn same(state: &Arc<State>, other: &Arc<State>, name: &str) -> Result<()> {
    if Arc::ptr_eq(state, other) {
        return Ok(());
    }
    Err(Error::argument(format!("{} belongs to another context", name))) // whose backend may have other structs
}

/// Elements in the memory of a device.
pub struct Vector {
    state: Arc<State>,
    handle: *mut c_void,
    n: usize,
    curve: Curve,
}

// SAFETY: <pail/vectors.h>: safe to use from several threads; reads and writes are calls of the library.
unsafe impl Send for Vector {}
unsafe impl Sync for Vector {}

impl Vector {
    pub fn len(&self) -> usize {
        self.n
    }

    pub fn is_empty(&self) -> bool {
        self.n == 0
    }

    pub fn curve(&self) -> Curve {
        self.curve
    }

    /// Writes canonical elements from the first on.
    pub fn write(&self, elements: &[Element]) -> Result<()> {
        self.write_at(elements, 0, Encoding::Canonical)
    }

    /// Writes elements from element `offset` on. An error of the kind `Data` if one is not below the order: the sentence
    /// has its index, and nothing is written.
    pub fn write_at(&self, elements: &[Element], offset: usize, encoding: Encoding) -> Result<()> {
        let write = slot(&self.state, self.state.table().vector_write)?;
        // SAFETY: the elements are there during the call.
        let status = unsafe {
            write(self.handle, offset as u64, elements.as_ptr() as *const c_void, elements.len() as u64, encoding as u32)
        };
        self.state.check(status)
    }

    /// All elements, canonical. Waits for earlier work that writes the vector.
    pub fn read(&self) -> Result<Vec<Element>> {
        let mut elements = vec![[0; 32]; self.n];
        self.read_at(&mut elements, 0, Encoding::Canonical)?;
        Ok(elements)
    }

    /// Fills `elements` with those from element `offset` on.
    pub fn read_at(&self, elements: &mut [Element], offset: usize, encoding: Encoding) -> Result<()> {
        let read = slot(&self.state, self.state.table().vector_read)?;
        let (to, n) = (elements.as_mut_ptr() as *mut c_void, elements.len() as u64);
        // SAFETY: there is room for n elements.
        let status = unsafe { read(self.handle, to, offset as u64, n, encoding as u32) };
        self.state.check(status)
    }

    /// One transform of all elements, in place, with the root of [`root_of_unity`].
    pub fn ntt(&self) -> Result<()> {
        start(&self.state, &[ntt(self, self)])?.finish()
    }

    /// The inverse of [`Vector::ntt`].
    pub fn intt(&self) -> Result<()> {
        start(&self.state, &[intt(self, self)])?.finish()
    }

    /// The number of elements from `offset` on, or n, if they are there.
    fn count(&self, offset: usize, n: Option<usize>) -> Result<usize> {
        let rest = self.n.checked_sub(offset);
        match (rest, n) {
            (Some(rest), None) => Ok(rest),
            (Some(rest), Some(n)) if n <= rest => Ok(n),
            _ => Err(Error::argument(format!("elements {} to {} + {} are not in the vector, which has {}", offset, offset,
                                             n.unwrap_or(0), self.n))),
        }
    }
}

impl Drop for Vector {
    fn drop(&mut self) {
        if let Some(destroy) = self.state.table().vector_destroy {
            // SAFETY: made by vector_create, destroyed once, while `state` keeps the context. Legal while in use.
            unsafe { destroy(self.state.context, &mut self.handle) };
        }
    }
}

/// A sparse matrix that is registered with a context. Immutable.
pub struct Matrix {
    state: Arc<State>,
    handle: *mut c_void,
    rows: usize,
}

// SAFETY: <pail/vectors.h>: immutable, and safe to use from several threads.
unsafe impl Send for Matrix {}
unsafe impl Sync for Matrix {}

impl Matrix {
    pub fn rows(&self) -> usize {
        self.rows
    }
}

impl Drop for Matrix {
    fn drop(&mut self) {
        if let Some(destroy) = self.state.table().matrix_destroy {
            // SAFETY: as of a vector.
            unsafe { destroy(self.state.context, &mut self.handle) };
        }
    }
}

/// An operation on vectors.
#[derive(Clone, Copy)]
pub struct Operation<'v> {
    kind: u32,
    r: &'v Vector,
    operands: [Option<&'v Vector>; 3],
    matrix: Option<&'v Matrix>,
    offsets: [usize; 4],
    n: Option<usize>,
    log_n: Option<u32>,
    root: Option<Element>,
    shift: Option<Element>,
    scale: Option<Element>,
    bit_reversed: bool,
}

impl<'v> Operation<'v> {
    fn new(kind: u32, r: &'v Vector, operands: [Option<&'v Vector>; 3]) -> Self {
        let (offsets, matrix, n, log_n, root, shift, scale) = ([0; 4], None, None, None, None, None, None);
        Operation { kind, r, operands, matrix, offsets, n, log_n, root, shift, scale, bit_reversed: false }
    }

    /// The first elements of r, a, b and c. Those of operands that the kind lacks are ignored.
    pub fn offsets(mut self, r: usize, a: usize, b: usize, c: usize) -> Self {
        self.offsets = [r, a, b, c];
        self
    }

    /// Elements of r; the default is all from its offset on, or the rows of the matrix.
    pub fn count(mut self, n: usize) -> Self {
        self.n = Some(n);
        self
    }

    /// Of transforms: n / 2^log_n of them, one behind the other; the default is one.
    pub fn log_n(mut self, log_n: u32) -> Self {
        self.log_n = Some(log_n);
        self
    }

    /// Of transforms: of order 2^log_n; the default is [`root_of_unity`].
    pub fn root(mut self, root: Element) -> Self {
        self.root = Some(root);
        self
    }

    /// Of transforms and powers: 1 by default; not 0.
    pub fn shift(mut self, shift: Element) -> Self {
        self.shift = Some(shift);
        self
    }

    /// Of powers: 1 by default; not 0.
    pub fn scale(mut self, scale: Element) -> Self {
        self.scale = Some(scale);
        self
    }

    /// Of transforms: the value at shift root^k has the index with the bits of k in reverse.
    pub fn bit_reversed(mut self, reversed: bool) -> Self {
        self.bit_reversed = reversed;
        self
    }

    fn made(&self, state: &Arc<State>) -> Result<sys::pail_vector_op> {
        let mut op = sys::pail_vector_op::zeroed();
        op.struct_size = std::mem::size_of_val(&op) as u32;
        op.kind = self.kind;
        op.flags = if self.bit_reversed { BIT_REVERSED } else { 0 };
        let [r_offset, a_offset, b_offset, c_offset] = self.offsets;
        same(state, &self.r.state, "r")?;
        op.r = self.r.handle;
        let to = [&mut op.a, &mut op.b, &mut op.c];
        for ((operand, to), name) in self.operands.iter().zip(to).zip(["a", "b", "c"]) {
            if let Some(vector) = operand {
                same(state, &vector.state, name)?;
                *to = vector.handle;
            }
        }
        if let Some(matrix) = self.matrix {
            same(state, &matrix.state, "the matrix")?;
            op.matrix = matrix.handle;
        }
        op.r_offset = r_offset as u64;
        op.a_offset = a_offset as u64;
        op.b_offset = b_offset as u64;
        op.c_offset = c_offset as u64;
        op.n = self.r.count(r_offset, self.n.or_else(|| self.matrix.map(Matrix::rows)))? as u64;
        if self.kind == NTT || self.kind == INTT {
            op.log_n = match self.log_n {
                Some(log_n) => log_n,
                None if op.n.is_power_of_two() => op.n.trailing_zeros(),
                None => {
                    return Err(Error::argument(format!(
                        "{} elements are no power of two; log_n gives the length of each of several transforms", op.n)))
                }
            };
            op.root = match self.root {
                Some(root) => root,
                None => root_of_unity(self.r.curve, op.log_n)?,
            };
        }
        for (value, to, name) in [(self.shift, &mut op.shift, "shift"), (self.scale, &mut op.scale, "scale")] {
            match value {
                // 0 would stand for 1
                Some(value) if value == [0; 32] => return Err(Error::argument(format!("{} is 0", name))),
                Some(value) => *to = value,
                None => (),
            }
        }
        Ok(op)
    }
}

const NTT: u32 = 1;
const INTT: u32 = 2;

/// The number-theoretic transform of each of n / 2^log_n polynomials, whose coefficients are consecutive in a:
/// r\[k\] = the sum over j of a\[j\] (shift root^k)^j.
pub fn ntt<'v>(r: &'v Vector, a: &'v Vector) -> Operation<'v> {
    Operation::new(NTT, r, [Some(a), None, None])
}

/// The inverse of [`ntt`]: from values at shift root^k to coefficients.
pub fn intt<'v>(r: &'v Vector, a: &'v Vector) -> Operation<'v> {
    Operation::new(INTT, r, [Some(a), None, None])
}

/// r = matrix a: as many elements of r as the matrix has rows, and of a as it has columns.
pub fn spmv<'v>(r: &'v Vector, matrix: &'v Matrix, a: &'v Vector) -> Operation<'v> {
    Operation { matrix: Some(matrix), ..Operation::new(3, r, [Some(a), None, None]) }
}

/// r = a + b
pub fn add<'v>(r: &'v Vector, a: &'v Vector, b: &'v Vector) -> Operation<'v> {
    Operation::new(4, r, [Some(a), Some(b), None])
}

/// r = a - b
pub fn sub<'v>(r: &'v Vector, a: &'v Vector, b: &'v Vector) -> Operation<'v> {
    Operation::new(5, r, [Some(a), Some(b), None])
}

/// r = a b, element by element
pub fn mul<'v>(r: &'v Vector, a: &'v Vector, b: &'v Vector) -> Operation<'v> {
    Operation::new(6, r, [Some(a), Some(b), None])
}

/// r = a b - c
pub fn mul_sub<'v>(r: &'v Vector, a: &'v Vector, b: &'v Vector, c: &'v Vector) -> Operation<'v> {
    Operation::new(7, r, [Some(a), Some(b), Some(c)])
}

/// r\[i\] = scale shift^i a\[i\]
pub fn powers<'v>(r: &'v Vector, a: &'v Vector) -> Operation<'v> {
    Operation::new(8, r, [Some(a), None, None])
}

/// r = a
pub fn copy<'v>(r: &'v Vector, a: &'v Vector) -> Operation<'v> {
    Operation::new(9, r, [Some(a), None, None])
}

/// Operations that were started. Dropping it abandons them: what they write holds its old contents, the results or zeros.
pub struct PendingOperations {
    started: Started,
}

impl PendingOperations {
    /// True if finish() would not wait.
    pub fn ready(&self) -> bool {
        self.started.ready()
    }

    /// Waits for at most that long; returns whether finish() would not wait.
    pub fn wait(&self, timeout: std::time::Duration) -> bool {
        self.started.wait(timeout)
    }

    /// Waits for the end. On failure everything that the operations write is 0.
    pub fn finish(mut self) -> Result<()> {
        let finish = slot(&self.started.state, self.started.state.table().vector_finish)?;
        // SAFETY: the handle is NULL afterwards, also when it fails.
        let status = unsafe { finish(&mut self.started.handle, ptr::null_mut()) };
        self.started.state.check(status)
    }
}

fn start(state: &Arc<State>, operations: &[Operation<'_>]) -> Result<PendingOperations> {
    let start = slot(state, state.table().vector_start)?;
    let ops = operations.iter().map(|one| one.made(state)).collect::<Result<Vec<_>>>()?;
    let mut handle = ptr::null_mut();
    // SAFETY: the library copies the list, and counts a use of vectors and matrices, before this returns.
    let status = unsafe { start(state.context, &mut handle, ops.as_ptr(), ops.len()) };
    state.check(status)?;
    Ok(PendingOperations { started: Started { state: state.clone(), handle } })
}

impl Context {
    /// A vector of n elements, all 0.
    pub fn vector(&self, n: usize, curve: Curve) -> Result<Vector> {
        let (state, mut handle) = (self.state.clone(), ptr::null_mut());
        let create = slot(&state, state.table().vector_create)?;
        // SAFETY: the output is a handle.
        let status = unsafe { create(state.context, &mut handle, curve as u32, n as u64) };
        state.check(status)?;
        Ok(Vector { state, handle, n, curve })
    }

    /// Registers a sparse matrix in compressed sparse row form: row i has the entries row_starts\[i\] to
    /// row_starts\[i + 1\] - 1, which are columns and values.
    pub fn matrix(&self, row_starts: &[u64], columns: &[u32], values: &[Element], n_columns: usize, curve: Curve,
                  encoding: Encoding) -> Result<Matrix> {
        let last = *row_starts.last().ok_or_else(|| {
            Error::argument("row_starts is empty; it has one number more than the matrix has rows".to_string())
        })?;
        if last != columns.len() as u64 || last != values.len() as u64 {
            return Err(Error::argument(format!("row_starts ends with {}, and there are {} columns and {} values", last,
                                               columns.len(), values.len())));
        }
        let mut desc = sys::pail_matrix_desc::zeroed();
        desc.struct_size = std::mem::size_of_val(&desc) as u32;
        desc.curve = curve as u32;
        desc.encoding = encoding as u32;
        desc.n_rows = row_starts.len() as u64 - 1;
        desc.n_columns = n_columns as u64;
        desc.row_starts = row_starts.as_ptr();
        desc.columns = columns.as_ptr();
        desc.values = values.as_ptr() as *const c_void;
        let (state, mut handle) = (self.state.clone(), ptr::null_mut());
        let create = slot(&state, state.table().matrix_create)?;
        // SAFETY: as many columns and values are there during the call as row_starts ends with.
        let status = unsafe { create(state.context, &mut handle, ptr::null_mut(), &desc) };
        state.check(status)?;
        Ok(Matrix { state, handle, rows: row_starts.len() - 1 })
    }

    /// Starts operations on vectors; each sees the results of those before it. Vectors may be dropped as soon as this
    /// returns.
    pub fn start(&self, operations: &[Operation<'_>]) -> Result<PendingOperations> {
        start(&self.state, operations)
    }

    /// The same, and waits. On failure everything that the operations write is 0.
    pub fn run(&self, operations: &[Operation<'_>]) -> Result<()> {
        self.start(operations)?.finish()
    }
}

impl Bases {
    /// The sum of `scalars[i] * bases[offset + i]` over the elements of a vector in `range`, such as `..`.
    pub fn msm_vector(&self, scalars: &Vector, offset: usize, range: impl RangeBounds<usize>) -> Result<Point> {
        self.sum(&self.vector_job(scalars, offset, range)?)
    }

    /// The same in the background: the vector may be dropped as soon as this returns.
    pub fn start_vector(&self, scalars: &Vector, offset: usize, range: impl RangeBounds<usize>) -> Result<Pending> {
        self.begin(&self.vector_job(scalars, offset, range)?)
    }

    fn vector_job(&self, scalars: &Vector, offset: usize, range: impl RangeBounds<usize>) -> Result<sys::pail_msm_job> {
        let first = match range.start_bound() {
            Bound::Included(&first) => first,
            Bound::Excluded(&before) => before.saturating_add(1),
            Bound::Unbounded => 0,
        };
        let n = match range.end_bound() {
            Bound::Included(&last) => Some(last.saturating_add(1).saturating_sub(first)),
            Bound::Excluded(&end) => Some(end.saturating_sub(first)),
            Bound::Unbounded => None,
        };
        same(&self.state, &scalars.state, "the vector of scalars")?;
        let mut job = self.job(&[], offset, Encoding::Canonical);
        job.scalars = ptr::null();
        job.scalar_location = LOCATION_VECTOR;
        job.scalar_vector = scalars.handle;
        job.scalar_offset = first as u64;
        job.n = scalars.count(first, n)?;
        Ok(job)
    }
}
