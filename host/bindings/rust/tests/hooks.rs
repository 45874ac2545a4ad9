// SPDX-License-Identifier: Apache-2.0
//! Memory of arkworks and halo2curves, against values that other code computed. CASES is as in golden.rs.
use pail::hooks::{msm_bigint, ArkAffine, ArkBases, Halo2Affine, Projective, Scalar, ZalEngine};
use pail::{Context, Kind};
use std::{env, fs, mem};

const BN254: [&str; 2] = ["30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47",
                          "30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001"];
const BLS12_381: [&str; 2] = [
    "1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaab",
    "73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001"];

/// Big-endian digits, of `limbs` limbs, least significant first.
fn limbs(text: &str, limbs: usize) -> Vec<u64> {
    let text = format!("{:0>width$}", text, width = 16 * limbs);
    (0..limbs).rev().map(|i| u64::from_str_radix(&text[16 * i..16 * i + 16], 16).unwrap()).collect()
}

fn add(a: &[u64], b: &[u64]) -> Vec<u64> {
    let mut carry = 0;
    a.iter().zip(b).map(|(&a, &b)| { let sum = a as u128 + b as u128 + carry; carry = sum >> 64; sum as u64 }).collect()
}

fn sub(a: &[u64], b: &[u64]) -> Vec<u64> {
    let mut borrow = 0;
    a.iter().zip(b).map(|(&a, &b)| { let less = a as i128 - b as i128 - borrow; borrow = (less < 0) as i128; less as u64 }).collect()
}

/// value 2^(64 limbs) modulo the modulus.
fn montgomery(value: &[u64], modulus: &str) -> Vec<u64> {
    let p = limbs(modulus, value.len());
    let mut value = value.to_vec();
    let reduce = |value: Vec<u64>| if value.iter().rev().ge(p.iter().rev()) { sub(&value, &p) } else { value };
    for _ in 0..6 {
        value = reduce(value); // of 256 bits, or below p
    }
    for _ in 0..64 * value.len() {
        value = reduce(add(&value, &value));
    }
    value
}

fn words(text: &str) -> Vec<[u64; 4]> {
    let text = if text == "-" { "" } else { text };
    let byte = |i: usize| u8::from_str_radix(&text[2 * i..2 * i + 2], 16).unwrap();
    (0..text.len() / 64)
        .map(|k| { let mut value = [0; 4]; for (i, limb) in value.iter_mut().enumerate() {
            *limb = u64::from_le_bytes(std::array::from_fn(|j| byte(32 * k + 8 * i + j))); } value })
        .collect()
}

fn fixed<const N: usize>(value: Vec<u64>) -> [u64; N] {
    value.try_into().unwrap()
}

fn jacobian_of<const N: usize>(point: &Halo2Affine<N>, one: [u64; N], infinity: [u64; N]) -> Projective<N> {
    if point.x.iter().chain(&point.y).all(|&limb| limb == 0) {
        return Projective { x: infinity, y: one, z: [0; N] };
    }
    Projective { x: point.x, y: point.y, z: one }
}

#[test]
fn layouts() {
    assert_eq!((mem::size_of::<ArkAffine<4>>(), mem::size_of::<ArkAffine<6>>()), (72, 104));
    assert_eq!((mem::size_of::<ArkAffine<8>>(), mem::size_of::<ArkAffine<12>>()), (136, 200));
    assert_eq!((mem::size_of::<Halo2Affine<4>>(), mem::size_of::<Projective<4>>()), (64, 96));
}

#[test]
fn cases() {
    let context = Context::new(None).unwrap();
    let engine = ZalEngine::new(context.clone());
    let one: [u64; 4] = fixed(montgomery(&[1, 0, 0, 0], BN254[0]));
    let text = fs::read_to_string(env::var("CASES").expect("CASES names the cases")).unwrap();
    let (mut infinities, mut others) = (0, 0);
    for line in text.lines() {
        let parts: Vec<&str> = line.split(' ').collect();
        let field = |text| words(text).iter().map(|value| fixed(montgomery(value, BN254[0]))).collect::<Vec<[u64; 4]>>();
        let point = |pair: &[[u64; 4]]| Halo2Affine { x: pair[0], y: pair[1] };
        let bases: Vec<_> = field(parts[1]).chunks(2).map(point).collect();
        let integers = words(parts[2]);
        let expected = point(&field(parts[3]));
        let ark: Vec<_> = bases.iter().map(|base| {
            let infinity = base.x == [0; 4] && base.y == [0; 4];
            ArkAffine { x: base.x, y: if infinity { one } else { base.y }, infinity }
        }).collect();
        let sum = msm_bigint(&context, &ark, &integers).unwrap();
        if bases.len() == integers.len() {
            assert_eq!(sum, jacobian_of(&expected, one, one), "{}", parts[0]);
            let coeffs: Vec<Scalar> = integers.iter().map(|value| fixed(montgomery(value, BN254[1]))).collect();
            assert_eq!(engine.msm(&coeffs, &bases).unwrap(), jacobian_of(&expected, one, [0; 4]), "{}", parts[0]);
            if sum.z == [0; 4] { infinities += 1 } else { others += 1 }
        }
    }
    assert!(infinities > 0 && others > 20, "{} {}", infinities, others);
}

/// k G + (r - k) G, and G alone, of a group's generator.
fn generator<const N: usize>(context: &Context, modulus: [&str; 2], coordinates: &[&str]) {
    let width = modulus[0].len() / 16;
    let parts: Vec<Vec<u64>> = coordinates.iter().map(|text| montgomery(&limbs(text, width), modulus[0])).collect();
    let (x, y): (Vec<_>, Vec<_>) = (parts[..parts.len() / 2].concat(), parts[parts.len() / 2..].concat());
    let mut one = montgomery(&limbs("1", width), modulus[0]);
    one.resize(N, 0);
    let (x, y, one): ([u64; N], [u64; N], [u64; N]) = (fixed(x), fixed(y), fixed(one));
    let base = ArkAffine { x, y, infinity: false };
    let absent = ArkAffine { x, y, infinity: true };
    let bases = ArkBases::new(context, &[base, absent, base]).unwrap();
    let k: Scalar = [5, 6, 7, 8];
    let rest: Scalar = fixed(sub(&limbs(modulus[1], 4), &k));
    assert_eq!(bases.msm_bigint(&[k, k, rest]).unwrap(), Projective { x: one, y: one, z: [0; N] });
    assert_eq!(bases.msm_bigint(&[[1, 0, 0, 0], k]).unwrap(), Projective { x, y, z: one }); // the shorter decides
    assert_eq!(bases.msm_bigint(&[[1, 0, 0, 0], k, [0; 4], k]).unwrap(), Projective { x, y, z: one });
    let engine = ZalEngine::new(context.clone());
    let points = [Halo2Affine { x, y }, Halo2Affine { x: [0; N], y: [0; N] }];
    let coeffs = [fixed(montgomery(&[1, 0, 0, 0], modulus[1])), k];
    assert_eq!(engine.msm(&coeffs, &points).unwrap(), Projective { x, y, z: one });
    let cached = engine.get_base_descriptor(&points).unwrap();
    let error = engine.msm_with_cached_base(&coeffs[..1], &cached).unwrap_err();
    assert_eq!((error.kind(), error.to_string()), (Kind::Argument, "there are 1 coefficients and 2 bases".to_string()));
    let error = msm_bigint(context, &[ArkAffine { x: [u64::MAX; N], y, infinity: false }], &[k]).unwrap_err();
    assert_eq!(error.kind(), Kind::Data, "{}", error);
}

#[test]
fn generators() {
    let context = Context::new(None).unwrap();
    generator::<4>(&context, BN254, &["1", "2"]);
    generator::<8>(&context, BN254, &["1800deef121f1e76426a00665e5c4479674322d4f75edadd46debd5cd992f6ed",
        "198e9393920d483a7260bfb731fb5d25f1aa493335a9e71297e485b7aef312c2",
        "12c85ea5db8c6deb4aab71808dcb408fe3d1e7690c43d37b4ce6cc0166fa7daa",
        "90689d0585ff075ec9e99ad690c3395bc4b313370b38ef355acdadcd122975b"]);
    generator::<6>(&context, BLS12_381, &[
        "17f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb",
        "08b3f481e3aaa0f1a09e30ed741d8ae4fcf5e095d5d00af600db18cb2c04b3edd03cc744a2888ae40caa232946c5e7e1"]);
    generator::<12>(&context, BLS12_381, &[
        "024aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d1770bac0326a805bbefd48056c8c121bdb8",
        "13e02b6052719f607dacd3a088274f65596bd0d09920b61ab5da61bbdc7f5049334cf11213945d57e5ac7d055d042b7e",
        "0ce5d527727d6e118cc9cdc6da2e351aadfd9baa8cbdd3a76d429a695160d12c923ac9cc3baca289e193548608b82801",
        "0606c4a02ea734cc32acd2b02bc28b99cb3e287e85a763af267492ab572e99ab3f370d275cec1da1aaa9075ff05f79be"]);
}
