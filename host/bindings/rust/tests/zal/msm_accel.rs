// SPDX-License-Identifier: Apache-2.0
//! The trait MsmAccel of halo2's ZAL, with exactly its signatures, on an engine of Pail. It needs Rust 1.65, and the crate
//! does not: the suite makes a test of this file where there is a newer compiler.
use pail::hooks::{BaseDescriptor, CoeffsDescriptor, Halo2Affine, Projective, Scalar, ZalEngine};
use pail::Context;

pub trait CurveAffine {
    type Scalar;
    type Curve;
}

pub trait MsmAccel<C: CurveAffine> {
    fn msm(&self, coeffs: &[C::Scalar], base: &[C]) -> C::Curve;
    type CoeffsDescriptor<'c>;
    type BaseDescriptor<'b>;
    fn get_coeffs_descriptor<'c>(&self, coeffs: &'c [C::Scalar]) -> Self::CoeffsDescriptor<'c>;
    fn get_base_descriptor<'b>(&self, base: &'b [C]) -> Self::BaseDescriptor<'b>;
    fn msm_with_cached_scalars(&self, coeffs: &Self::CoeffsDescriptor<'_>, base: &[C]) -> C::Curve;
    fn msm_with_cached_base(&self, coeffs: &[C::Scalar], base: &Self::BaseDescriptor<'_>) -> C::Curve;
    fn msm_with_cached_inputs(&self, coeffs: &Self::CoeffsDescriptor<'_>, base: &Self::BaseDescriptor<'_>) -> C::Curve;
}

type G1Affine = Halo2Affine<4>;

impl CurveAffine for G1Affine {
    type Scalar = Scalar;
    type Curve = Projective<4>;
}

struct Engine(ZalEngine);

// The trait has no errors.
impl MsmAccel<G1Affine> for Engine {
    fn msm(&self, coeffs: &[Scalar], base: &[G1Affine]) -> Projective<4> {
        self.0.msm(coeffs, base).expect("msm")
    }
    type CoeffsDescriptor<'c> = CoeffsDescriptor<'c>;
    type BaseDescriptor<'b> = BaseDescriptor<4>;
    fn get_coeffs_descriptor<'c>(&self, coeffs: &'c [Scalar]) -> CoeffsDescriptor<'c> {
        self.0.get_coeffs_descriptor(coeffs)
    }
    fn get_base_descriptor<'b>(&self, base: &'b [G1Affine]) -> BaseDescriptor<4> {
        self.0.get_base_descriptor(base).expect("bases")
    }
    fn msm_with_cached_scalars(&self, coeffs: &CoeffsDescriptor<'_>, base: &[G1Affine]) -> Projective<4> {
        self.0.msm_with_cached_scalars(coeffs, base).expect("msm")
    }
    fn msm_with_cached_base(&self, coeffs: &[Scalar], base: &BaseDescriptor<4>) -> Projective<4> {
        self.0.msm_with_cached_base(coeffs, base).expect("msm")
    }
    fn msm_with_cached_inputs(&self, coeffs: &CoeffsDescriptor<'_>, base: &BaseDescriptor<4>) -> Projective<4> {
        self.0.msm_with_cached_inputs(coeffs, base).expect("msm")
    }
}

fn sums<C: CurveAffine, E: MsmAccel<C>>(engine: &E, coeffs: &[C::Scalar], base: &[C]) -> [C::Curve; 4] {
    let (c, b) = (engine.get_coeffs_descriptor(coeffs), engine.get_base_descriptor(base));
    [engine.msm(coeffs, base), engine.msm_with_cached_scalars(&c, base), engine.msm_with_cached_base(coeffs, &b),
     engine.msm_with_cached_inputs(&c, &b)]
}

#[test]
fn all_ways() {
    // (1, 2), and 1 and 0 as elements of Fr, in Montgomery form.
    let one: [u64; 4] = [0xd35d438dc58f0d9d, 0x0a78eb28f5c70b3d, 0x666ea36f7879462c, 0x0e0a77c19a07df2f];
    let two = [0xa6ba871b8b1e1b3a, 0x14f1d651eb8e167b, 0xccdd46def0f28c58, 0x1c14ef83340fbe5e];
    let unit: Scalar = [0xac96341c4ffffffb, 0x36fc76959f60cd29, 0x666ea36f7879462e, 0x0e0a77c19a07df2f];
    let engine = Engine(ZalEngine::new(Context::new(None).unwrap()));
    let generator = Halo2Affine { x: one, y: two };
    for sum in sums(&engine, &[unit, [0; 4]], &[generator; 2]) {
        assert_eq!(sum, Projective { x: one, y: two, z: one });
    }
    for sum in sums(&engine, &[[0; 4]; 2], &[generator; 2]) {
        assert_eq!(sum, Projective { x: [0; 4], y: one, z: [0; 4] });
    }
}
