// SPDX-License-Identifier: Apache-2.0
//! The time and memory of a call, as tests/bindings/consumer/calls.cpp prints it for C++.
use pail::{Context, Curve, Encoding, Group};
use std::time::Instant;

fn each(times: u32, mut call: impl FnMut()) -> u128 {
    (0..100)
        .map(|_| {
            let begin = Instant::now();
            (0..times).for_each(|_| call());
            begin.elapsed().as_nanos() / u128::from(times)
        })
        .min()
        .unwrap()
}

fn main() {
    let context = Context::new(Some("cpu")).unwrap();
    let mut point = [0; 64];
    point[0] = 1;
    point[32] = 2;
    let bases = context.bases(&point, Curve::Bn254, Group::G1).unwrap();
    let many = vec![[0u8; 32]; 1 << 20];
    let call = each(200, || {
        bases.msm(&[]).unwrap();
    });
    let refused = |n: usize| {
        each(50, || {
            bases.msm_of(&many[..n], 2, Encoding::Canonical).unwrap_err();
        })
    };
    println!("{{\"call_ns\": {}, \"refused_1_ns\": {}, \"refused_many_ns\": {}}}", call, refused(1), refused(1 << 20));
}
