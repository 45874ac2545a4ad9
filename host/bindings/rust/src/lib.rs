// SPDX-License-Identifier: Apache-2.0
//! Pail computes multi-scalar multiplications, Groth16 proofs and KZG commitments on GPUs through Vulkan, and on the CPU
//! where there is none. This crate owns what the functions of libpail hand out.
//!
//! Points and scalars are little-endian bytes, read during the call and not copied. A point is affine x then y, each as
//! wide as the base field's modulus (32 bytes for BN254, 48 for BLS12-381; in G2 c0 before c1, twice that); all bytes
//! zero is infinity. A scalar is 32 bytes, any integer.
//!
//! [`Context`], [`Bases`], [`groth16::Key`], [`kzg::KzgSettings`], [`vectors::Vector`] and [`vectors::Matrix`] are `Send`
//! and `Sync`; pending work is `Send` alone. Each keeps what it was made through. Work in the background borrows nothing:
//! what it needs is copied, or counted by the library, before it is started, so that pending work may also be leaked.
//!
//! ```no_run
//! let context = pail::Context::new(None)?;
//! let generator = [&[1u8][..], &[0; 31], &[2], &[0; 31]].concat();
//! let bases = context.bases(&generator, pail::Curve::Bn254, pail::Group::G1)?;
//! let double = bases.msm(&[[2; 32]])?;
//! # Ok::<(), pail::Error>(())
//! ```
#![deny(missing_debug_implementations)]

mod error;
pub mod groth16;
pub mod hooks;
pub mod kzg;
pub mod vectors;
#[doc(hidden)]
#[allow(missing_debug_implementations)]
pub mod sys;

pub use error::{Error, Kind, Result};

use error::{check_with, told};
use std::ffi::{CStr, CString};
use std::os::raw::c_void;
use std::ptr;
use std::sync::Arc;
use std::time::Duration;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Curve {
    /// alt_bn128.
    Bn254 = 1,
    Bls12_381 = 2,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    G1 = 1,
    G2 = 2,
}

/// Of coordinates modulo p, or of scalars modulo the order of the group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    Canonical = 0,
    Montgomery = 1,
    /// Of points alone: x, y and z in Montgomery form, for (x / z^2, y / z^3); z = 0 is infinity.
    Jacobian = 2,
}

/// The check of each point when it is registered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Validation {
    /// Coordinates below p are checked all the same.
    None = 0,
    Curve = 1,
    Subgroup = 2,
}

/// Bytes of a packed point.
pub fn point_bytes(curve: Curve, group: Group) -> usize {
    let coordinate = match curve {
        Curve::Bn254 => 32,
        Curve::Bls12_381 => 48,
    };
    2 * coordinate * group as usize
}

/// The version of the library.
pub fn version() -> &'static str {
    // SAFETY: static storage, ASCII.
    unsafe { CStr::from_ptr(sys::pail_version()) }.to_str().unwrap_or("")
}

/// Registry, backend and context; goes with the last object that needs it.
pub(crate) struct State {
    registry: *mut c_void,
    pub(crate) backend: *const sys::pail_backend,
    pub(crate) context: *mut c_void,
}

// SAFETY: <pail/context.h>: a context is safe to use from several threads; registry and table are immutable.
unsafe impl Send for State {}
unsafe impl Sync for State {}

impl State {
    pub(crate) fn table(&self) -> &sys::pail_backend {
        // SAFETY: lives as long as the registry.
        unsafe { &*self.backend }
    }

    /// To be called in the thread of the call that failed: sentences are kept for each.
    pub(crate) fn check(&self, status: u32) -> Result<()> {
        // SAFETY: the table's error() never returns NULL, and is valid until the next call of this thread.
        unsafe { check_with(status, || (self.table().error)(self.context)) }
    }
}

impl Drop for State {
    fn drop(&mut self) {
        // SAFETY: everything that was made through the context holds this State and is gone.
        unsafe {
            if !self.context.is_null() {
                (self.table().context_destroy)(&mut self.context);
            }
            sys::pail_registry_destroy(&mut self.registry);
        }
    }
}

/// A device of a backend.
#[derive(Clone)]
pub struct Context {
    pub(crate) state: Arc<State>,
}

/// Settings of a context; zero is the default.
#[derive(Clone, Copy, Debug, Default)]
pub struct Settings {
    /// None: the best one.
    pub device: Option<u32>,
    /// For work on the CPU; 0: as many as there are processors.
    pub threads: u32,
    /// Bytes of device memory; 0: what there is.
    pub memory_budget: u64,
}

impl Context {
    /// backend: "vulkan" or "cpu"; None: the best of this machine.
    pub fn new(backend: Option<&str>) -> Result<Self> {
        Self::with(backend, Settings::default())
    }

    pub fn with(backend: Option<&str>, settings: Settings) -> Result<Self> {
        let name = match backend {
            None => None,
            Some(name) => Some(
                CString::new(name).map_err(|_| Error::argument(format!("the backend's name {:?} has a zero byte", name)))?,
            ),
        };
        let name_at = name.as_ref().map_or(ptr::null(), |name| name.as_ptr());
        let mut state = State { registry: ptr::null_mut(), backend: ptr::null(), context: ptr::null_mut() };
        let mut wanted = sys::pail_registry_params::zeroed();
        wanted.struct_size = std::mem::size_of_val(&wanted) as u32;
        wanted.backend = name_at;
        let mut params = sys::pail_context_params::zeroed();
        params.struct_size = std::mem::size_of_val(&params) as u32;
        params.device = settings.device.unwrap_or(u32::MAX);
        params.threads = settings.threads;
        params.memory_budget = settings.memory_budget;
        // SAFETY: outputs are members of `state`, which destroys what was made, also when a later call fails.
        unsafe {
            told(|error, capacity| sys::pail_registry_create(&mut state.registry, &wanted, error, capacity))?;
            told(|error, capacity| {
                sys::pail_registry_find(state.registry, &mut state.backend, name_at, error, capacity)
            })?;
            let host = sys::pail_registry_host(state.registry);
            let status = ((*state.backend).context_create)(host, &mut state.context, &params);
            state.check(status)?;
        }
        Ok(Context { state: Arc::new(state) })
    }

    /// The name of the backend.
    pub fn backend(&self) -> &str {
        // SAFETY: static storage of the plugin, which stays as long as the registry.
        unsafe { CStr::from_ptr(self.state.table().name) }.to_str().unwrap_or("")
    }

    /// Registers packed points that are on the curve.
    pub fn bases(&self, points: &[u8], curve: Curve, group: Group) -> Result<Bases> {
        self.bases_of(points, curve, group, Encoding::Canonical, Validation::Curve)
    }

    pub fn bases_of(&self, points: &[u8], curve: Curve, group: Group, encoding: Encoding,
                    validation: Validation) -> Result<Bases> {
        let width = point_bytes(curve, group) / 2 * if encoding == Encoding::Jacobian { 3 } else { 2 };
        if points.len() % width != 0 {
            return Err(Error::argument(format!("points have {} bytes, which is no multiple of {}", points.len(), width)));
        }
        let mut desc = sys::pail_bases_desc::zeroed();
        desc.struct_size = std::mem::size_of_val(&desc) as u32;
        desc.curve = curve as u32;
        desc.group = group as u32;
        desc.encoding = encoding as u32;
        desc.validation = validation as u32;
        desc.points = points.as_ptr() as *const c_void;
        desc.n_points = points.len() / width;
        // SAFETY: the points are there during the call.
        unsafe { self.register(&desc) }
    }

    /// The memory that desc points to must be there during the call.
    pub(crate) unsafe fn register(&self, desc: &sys::pail_bases_desc) -> Result<Bases> {
        let state = self.state.clone();
        let mut handle = ptr::null_mut();
        let status = (state.table().bases_create)(state.context, &mut handle, ptr::null_mut(), desc);
        state.check(status)?;
        Ok(Bases { state, handle, n: desc.n_points })
    }
}

/// A point as bases have it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Point {
    bytes: [u8; 192],
    width: usize,
}

impl Point {
    fn of(result: &sys::pail_msm_result) -> Self {
        let width = result.coordinate_bytes as usize;
        let mut bytes = [0; 192];
        bytes[..width].copy_from_slice(&result.x[..width]);
        bytes[width..2 * width].copy_from_slice(&result.y[..width]);
        Point { bytes, width: 2 * width }
    }

    /// x then y.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.width]
    }

    pub fn is_infinity(&self) -> bool {
        self.bytes.iter().all(|&byte| byte == 0)
    }
}

impl std::fmt::Debug for Point {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(to, "Point({:02x?})", self.as_bytes())
    }
}

/// Points that are registered with a context. Immutable.
pub struct Bases {
    state: Arc<State>,
    handle: *mut c_void,
    n: usize,
}

// SAFETY: <pail/bases.h>: immutable, and safe to use from several threads.
unsafe impl Send for Bases {}
unsafe impl Sync for Bases {}

impl Bases {
    pub fn len(&self) -> usize {
        self.n
    }

    pub fn is_empty(&self) -> bool {
        self.n == 0
    }

    /// The sum of `scalars[i] * bases[i]`.
    pub fn msm(&self, scalars: &[[u8; 32]]) -> Result<Point> {
        self.msm_of(scalars, 0, Encoding::Canonical)
    }

    /// The sum of `scalars[i] * bases[offset + i]`.
    pub fn msm_of(&self, scalars: &[[u8; 32]], offset: usize, encoding: Encoding) -> Result<Point> {
        self.sum(&self.job(scalars, offset, encoding))
    }

    /// The memory that the job points to must be there during the call.
    fn sum(&self, job: &sys::pail_msm_job) -> Result<Point> {
        let mut result = empty_result();
        // SAFETY: what the job points to is there during the call.
        let status = unsafe {
            sys::pail_msm(self.state.backend, self.state.context, &mut result, ptr::null_mut(), job, ptr::null())
        };
        self.state.check(status)?;
        Ok(Point::of(&result))
    }

    /// The same in the background: the scalars may go as soon as this returns.
    pub fn start(&self, scalars: &[[u8; 32]], offset: usize, encoding: Encoding) -> Result<Pending> {
        self.begin(&self.job(scalars, offset, encoding))
    }

    fn begin(&self, job: &sys::pail_msm_job) -> Result<Pending> {
        let mut handle = ptr::null_mut();
        // SAFETY: the library copies scalars, and counts a use of bases and vectors, before this returns.
        let status = unsafe { (self.state.table().msm_start)(self.state.context, &mut handle, job, 1, ptr::null()) };
        self.state.check(status)?;
        Ok(Pending { started: Started { state: self.state.clone(), handle } })
    }

    fn job(&self, scalars: &[[u8; 32]], offset: usize, encoding: Encoding) -> sys::pail_msm_job {
        let mut job = sys::pail_msm_job::zeroed();
        job.struct_size = std::mem::size_of_val(&job) as u32;
        job.scalar_encoding = encoding as u32;
        job.bases = self.handle;
        job.base_offset = offset;
        job.scalars = scalars.as_ptr() as *const c_void;
        job.n = scalars.len();
        job
    }
}

fn empty_result() -> sys::pail_msm_result {
    let mut result = sys::pail_msm_result::zeroed();
    result.struct_size = std::mem::size_of_val(&result) as u32;
    result
}

impl Drop for Bases {
    fn drop(&mut self) {
        // SAFETY: made by bases_create, destroyed once, while `state` keeps the context.
        unsafe { (self.state.table().bases_destroy)(self.state.context, &mut self.handle) };
    }
}

/// Work that was started. Dropping it abandons the work.
pub(crate) struct Started {
    pub(crate) state: Arc<State>,
    pub(crate) handle: *mut c_void,
}

// SAFETY: <pail/msm.h>: pending work may be used by one thread at a time, whichever.
unsafe impl Send for Started {}

pub(crate) const NOT_READY: u32 = 1;

impl Started {
    pub(crate) fn ready(&self) -> bool {
        // SAFETY: not finished yet.
        unsafe { (self.state.table().pending_poll)(self.handle) != NOT_READY }
    }

    pub(crate) fn wait(&self, timeout: Duration) -> bool {
        let ns = u64::try_from(timeout.as_nanos()).unwrap_or(u64::MAX);
        // SAFETY: as above.
        unsafe { (self.state.table().pending_wait)(self.handle, ns) != NOT_READY }
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        // SAFETY: the library takes a handle that is NULL.
        unsafe { (self.state.table().pending_abandon)(&mut self.handle) };
    }
}

/// A multiplication that was started. Dropping it abandons the work.
pub struct Pending {
    started: Started,
}

impl Pending {
    /// True if finish() would not wait.
    pub fn ready(&self) -> bool {
        self.started.ready()
    }

    /// Waits for at most that long; returns whether finish() would not wait.
    pub fn wait(&self, timeout: Duration) -> bool {
        self.started.wait(timeout)
    }

    /// Waits for the result.
    pub fn finish(mut self) -> Result<Point> {
        let mut result = empty_result();
        let Started { state, handle } = &mut self.started;
        // SAFETY: the handle is NULL afterwards, also when it fails.
        let status = unsafe { (state.table().msm_finish)(handle, &mut result, 1, ptr::null_mut()) };
        state.check(status)?;
        Ok(Point::of(&result))
    }
}

macro_rules! opaque_debug {
    ($($kind:ty),*) => { $(
        impl std::fmt::Debug for $kind {
            fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                to.write_str(stringify!($kind))
            }
        }
    )* };
}
opaque_debug!(Context, Bases, Pending, groth16::Key, groth16::Proof, groth16::Blinding, kzg::KzgSettings, kzg::Blob, kzg::Cell, kzg::Cells,
              kzg::PendingCells, vectors::Vector, vectors::Matrix,
              vectors::Operation<'_>, vectors::PendingOperations);
