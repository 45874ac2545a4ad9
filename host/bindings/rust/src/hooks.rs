// SPDX-License-Identifier: Apache-2.0
//! Multi-scalar multiplication on memory as arkworks and halo2curves have it, without depending on either.
//!
//! Types are plain, with the memory layout of theirs: `N` is the number of 64-bit limbs of a coordinate, 4 for BN254 and 6
//! for BLS12-381, in G2 c0 then c1, 8 and 12. Another N does not compile. Coordinates are in Montgomery form. A crate that
//! has the real types views its slices as these; docs/hooks.md shows how.
use crate::{sys, Bases, Context, Curve, Encoding, Error, Group, Result, Validation};
use std::mem::size_of;
use std::os::raw::c_void;
use std::slice;

/// A scalar: `BigInt<4>` of arkworks, which is an integer, or an `Fr` in Montgomery form.
pub type Scalar = [u64; 4];

/// `ark_ec::short_weierstrass::Affine`. Where `infinity` is set, x and y do not matter, but are below p.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArkAffine<const N: usize> {
    pub x: [u64; N],
    pub y: [u64; N],
    pub infinity: bool,
}

/// An affine point of halo2curves. Both coordinates are 0 at infinity.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Halo2Affine<const N: usize> {
    pub x: [u64; N],
    pub y: [u64; N],
}

/// A sum, z being 1: `ark_ec::short_weierstrass::Projective`, (1, 1, 0) at infinity, or a curve point of halo2curves,
/// (0, 1, 0) there.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Projective<const N: usize> {
    pub x: [u64; N],
    pub y: [u64; N],
    pub z: [u64; N],
}

const BN254_P: [u64; 4] = [0x3c208c16d87cfd47, 0x97816a916871ca8d, 0xb85045b68181585d, 0x30644e72e131a029];
const BLS12_381_P: [u64; 6] = [
    0xb9feffffffffaaab,
    0x1eabfffeb153ffff,
    0x6730d2a0f6b0f624,
    0x64774b84f38512bf,
    0x4b1ba7b6434bacd7,
    0x1a0111ea397fe69a,
];

struct Shape<const N: usize>;

impl<const N: usize> Shape<N> {
    const CURVE: Curve = match N {
        4 | 8 => Curve::Bn254,
        6 | 12 => Curve::Bls12_381,
        _ => panic!("no curve of Pail has coordinates of N limbs"),
    };
    const GROUP: Group = if N > 6 { Group::G2 } else { Group::G1 };
    const P: &'static [u64] = match Self::CURVE {
        Curve::Bn254 => &BN254_P,
        Curve::Bls12_381 => &BLS12_381_P,
    };
}

/// value < p times 2 modulo p, whose top bit is 0.
fn double(value: &mut [u64], p: &[u64]) {
    let mut carry = 0;
    for limb in value.iter_mut() {
        let top = *limb >> 63;
        *limb = *limb << 1 | carry;
        carry = top;
    }
    if value.iter().rev().ge(p.iter().rev()) {
        let mut borrow = false;
        for (limb, &less) in value.iter_mut().zip(p) {
            let (once, first) = limb.overflowing_sub(less);
            let (twice, second) = once.overflowing_sub(borrow as u64);
            *limb = twice;
            borrow = first || second;
        }
    }
}

/// A coordinate of a result, which is canonical, in Montgomery form. One point: bases are converted by the device.
fn montgomery<const N: usize>(bytes: &[u8]) -> [u64; N] {
    let mut value = [0; N];
    for (limb, chunk) in value.iter_mut().zip(bytes.chunks_exact(8)) {
        *limb = u64::from_le_bytes(chunk.try_into().expect("chunks of 8"));
    }
    let p = Shape::<N>::P;
    for part in value.chunks_exact_mut(p.len()) {
        for _ in 0..64 * p.len() {
            double(part, p);
        }
    }
    value
}

fn one<const N: usize>() -> [u64; N] {
    let mut bytes = [0; 96];
    bytes[0] = 1;
    montgomery(&bytes)
}

/// Registered points that sums are read of as `Projective<N>`.
#[derive(Debug)]
struct Shaped<const N: usize> {
    bases: Bases,
}

impl<const N: usize> Shaped<N> {
    /// infinity_byte: 0, or 1 and the offset of a byte that is 1 at infinity. They are not asked to be on the curve, as
    /// neither library asks.
    fn new<T>(context: &Context, points: &[T], infinity_byte: usize) -> Result<Self> {
        let mut desc = sys::pail_bases_desc::zeroed();
        desc.struct_size = size_of::<sys::pail_bases_desc>() as u32;
        desc.curve = Shape::<N>::CURVE as u32;
        desc.group = Shape::<N>::GROUP as u32;
        desc.encoding = Encoding::Montgomery as u32;
        desc.validation = Validation::None as u32;
        desc.infinity_byte = infinity_byte as u32;
        desc.stride = size_of::<T>();
        desc.points = points.as_ptr() as *const c_void;
        desc.n_points = points.len();
        // SAFETY: the points are there during the call, `stride` bytes each.
        Ok(Self { bases: unsafe { context.register(&desc) }? })
    }

    fn msm(&self, scalars: &[Scalar], encoding: Encoding) -> Result<Option<Projective<N>>> {
        // SAFETY: as many bytes, of less alignment, little-endian as everything that Pail runs on.
        let scalars = unsafe { slice::from_raw_parts(scalars.as_ptr() as *const [u8; 32], scalars.len()) };
        let sum = self.bases.msm_of(scalars, 0, encoding)?;
        let (x, y) = sum.as_bytes().split_at(8 * N);
        Ok(if sum.is_infinity() { None } else { Some(Projective { x: montgomery(x), y: montgomery(y), z: one() }) })
    }
}

/// Bases of arkworks, registered once.
#[derive(Debug)]
pub struct ArkBases<const N: usize> {
    shaped: Shaped<N>,
}

impl<const N: usize> ArkBases<N> {
    pub fn new(context: &Context, bases: &[ArkAffine<N>]) -> Result<Self> {
        Ok(Self { shaped: Shaped::new(context, bases, 1 + 16 * N)? })
    }

    /// `VariableBaseMSM::msm_bigint`: the sum of `bigints[i] * bases[i]` over as many as the shorter of both has.
    pub fn msm_bigint(&self, bigints: &[Scalar]) -> Result<Projective<N>> {
        let n = bigints.len().min(self.shaped.bases.len());
        let sum = self.shaped.msm(&bigints[..n], Encoding::Canonical)?;
        Ok(sum.unwrap_or(Projective { x: one(), y: one(), z: [0; N] }))
    }
}

/// `VariableBaseMSM::msm_bigint` with bases that are registered for this call alone.
pub fn msm_bigint<const N: usize>(context: &Context, bases: &[ArkAffine<N>], bigints: &[Scalar]) -> Result<Projective<N>> {
    let n = bigints.len().min(bases.len());
    ArkBases::new(context, &bases[..n])?.msm_bigint(bigints)
}

/// The engine of halo2's ZAL: the functions of `MsmAccel` by their names, on plain types. They differ in their
/// `Result`, which the trait does not have.
#[derive(Clone, Debug)]
pub struct ZalEngine {
    context: Context,
}

/// Scalars to be used again: a view. They are sent with each multiplication.
#[derive(Clone, Copy, Debug)]
pub struct CoeffsDescriptor<'c> {
    coeffs: &'c [Scalar],
}

/// Registered points.
#[derive(Debug)]
pub struct BaseDescriptor<const N: usize> {
    shaped: Shaped<N>,
}

impl ZalEngine {
    pub fn new(context: Context) -> Self {
        Self { context }
    }

    pub fn msm<const N: usize>(&self, coeffs: &[Scalar], base: &[Halo2Affine<N>]) -> Result<Projective<N>> {
        self.msm_with_cached_base(coeffs, &self.get_base_descriptor(base)?)
    }

    pub fn get_coeffs_descriptor<'c>(&self, coeffs: &'c [Scalar]) -> CoeffsDescriptor<'c> {
        CoeffsDescriptor { coeffs }
    }

    pub fn get_base_descriptor<const N: usize>(&self, base: &[Halo2Affine<N>]) -> Result<BaseDescriptor<N>> {
        Ok(BaseDescriptor { shaped: Shaped::new(&self.context, base, 0)? })
    }

    pub fn msm_with_cached_scalars<const N: usize>(&self, coeffs: &CoeffsDescriptor<'_>,
                                                   base: &[Halo2Affine<N>]) -> Result<Projective<N>> {
        self.msm(coeffs.coeffs, base)
    }

    pub fn msm_with_cached_base<const N: usize>(&self, coeffs: &[Scalar],
                                                base: &BaseDescriptor<N>) -> Result<Projective<N>> {
        let n = base.shaped.bases.len();
        if coeffs.len() != n {
            return Err(Error::argument(format!("there are {} coefficients and {} bases", coeffs.len(), n)));
        }
        let sum = base.shaped.msm(coeffs, Encoding::Montgomery)?;
        Ok(sum.unwrap_or(Projective { x: [0; N], y: one(), z: [0; N] }))
    }

    pub fn msm_with_cached_inputs<const N: usize>(&self, coeffs: &CoeffsDescriptor<'_>,
                                                  base: &BaseDescriptor<N>) -> Result<Projective<N>> {
        self.msm_with_cached_base(coeffs.coeffs, base)
    }
}
