// SPDX-License-Identifier: Apache-2.0
//! Cases of vectors. VECTORS is the file whose format tests/bindings/vector_cases.py has.
use pail::vectors::{self, root_of_unity, Element, Matrix, Operation, PendingOperations, Vector};
use pail::{Context, Curve, Encoding, Error, Group, Result};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;
use std::{env, fs, thread};

fn from_hex(text: &str) -> Vec<u8> {
    (0..text.len()).step_by(2).map(|i| u8::from_str_radix(&text[i..i + 2], 16).unwrap()).collect()
}

fn elements(text: &str) -> Vec<Element> {
    from_hex(text).chunks_exact(32).map(|one| one.try_into().unwrap()).collect()
}

fn small(values: &[u8]) -> Vec<Element> {
    values.iter().map(|&value| { let mut element = [0; 32]; element[0] = value; element }).collect()
}

fn curve(text: &str) -> Curve {
    if text == "1" { Curve::Bn254 } else { Curve::Bls12_381 }
}

fn numbers<T: std::str::FromStr>(text: &str) -> Vec<T> {
    text.split(',').map(|word| word.parse().ok().unwrap()).collect()
}

fn operation<'v>(vectors: &'v HashMap<&str, Vector>, matrix: Option<&'v Matrix>, text: &str) -> Operation<'v> {
    let (kind, settings) = text.split_once(':').unwrap();
    let settings: HashMap<&str, &str> = settings.split(',').map(|one| one.split_once('=').unwrap()).collect();
    let number = |name| settings.get(name).map(|text| text.parse::<usize>().unwrap());
    let element = |name| settings.get(name).map(|text| elements(text)[0]);
    let operand = |name| settings.get(name).map(|letter| &vectors[*letter]);
    let r = operand("r").unwrap();
    let (a, b, c) = (operand("a").unwrap_or(r), operand("b"), operand("c"));
    let mut made = match kind {
        "ntt" => vectors::ntt(r, a),
        "intt" => vectors::intt(r, a),
        "spmv" => vectors::spmv(r, matrix.unwrap(), a),
        "add" => vectors::add(r, a, b.unwrap()),
        "sub" => vectors::sub(r, a, b.unwrap()),
        "mul" => vectors::mul(r, a, b.unwrap()),
        "mul_sub" => vectors::mul_sub(r, a, b.unwrap(), c.unwrap()),
        "powers" => vectors::powers(r, a),
        "copy" => vectors::copy(r, a),
        _ => panic!("{}", kind),
    };
    made = made.offsets(number("r_offset").unwrap_or(0), number("a_offset").unwrap_or(0), number("b_offset").unwrap_or(0),
                        number("c_offset").unwrap_or(0));
    if let Some(n) = number("n") { made = made.count(n); }
    if let Some(log_n) = number("log_n") { made = made.log_n(log_n as u32); }
    if let Some(root) = element("root") { made = made.root(root); }
    if let Some(shift) = element("shift") { made = made.shift(shift); }
    if let Some(scale) = element("scale") { made = made.scale(scale); }
    made.bit_reversed(number("bit_reversed") == Some(1))
}

/// The three vectors afterwards, as the file has them.
fn run(context: &Context, words: &[&str]) -> Result<Vec<Vec<Element>>> {
    let encoding = if words[1] == "1" { Encoding::Montgomery } else { Encoding::Canonical };
    let mut vectors = HashMap::new();
    for (letter, text) in ["x", "y", "z"].iter().zip(&words[2..5]) {
        if let Some((of, content)) = text.split_once(':') {
            let content = elements(content);
            let vector = context.vector(content.len(), curve(of))?;
            vector.write_at(&content, 0, encoding)?;
            vectors.insert(*letter, vector);
        }
    }
    let matrix = match words[5].split(':').collect::<Vec<_>>()[..] {
        [of, n_columns, row_starts, columns, values] => {
            Some(context.matrix(&numbers(row_starts), &numbers(columns), &elements(values), n_columns.parse().unwrap(), curve(of),
                                Encoding::Canonical)?)
        }
        _ => None,
    };
    let operations: Vec<_> = words[6].split(';').map(|text| operation(&vectors, matrix.as_ref(), text)).collect();
    context.run(&operations)?;
    ["x", "y", "z"].iter().map(|letter| match vectors.get(letter) {
        Some(vector) => {
            let mut content = vec![[0; 32]; vector.len()];
            vector.read_at(&mut content, 0, encoding)?;
            Ok(content)
        }
        None => Ok(Vec::new()),
    }).collect()
}

#[test]
fn cases() {
    let context = Context::new(None).unwrap();
    let text = fs::read_to_string(env::var("VECTORS").expect("VECTORS names the cases")).unwrap();
    for line in text.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        match words[7].strip_prefix('!') {
            Some(failure) => {
                let (name, part) = failure.split_once(':').unwrap();
                let error = run(&context, &words).err().expect(words[0]);
                assert_eq!(error.name(), name, "{}: {}", words[0], error);
                assert!(error.to_string().replace('_', " ").contains(&part.replace('_', " ")), "{}: {}", words[0], error);
            }
            None => {
                let expected: Vec<_> = words[7..10].iter().map(|text| elements(text.split_once(':').map_or("", |two| two.1))).collect();
                assert_eq!(run(&context, &words).unwrap(), expected, "{}", words[0]);
            }
        }
    }
    assert!(text.lines().count() > 50);
}

fn fails<T>(result: Result<T>, part: &str) {
    let error: Error = result.err().expect("an error");
    assert_eq!(error.name(), "PAIL_ERR_ARGUMENT", "{}", error);
    assert!(error.to_string().contains(part), "{}", error);
}

#[test]
fn calls() {
    let context = Context::new(Some("cpu")).unwrap();
    let vector = context.vector(3, Curve::Bn254).unwrap();
    vector.write(&small(&[5, 6])).unwrap();
    let generators = [&[1u8][..], &[0; 31], &[2], &[0; 31]].concat().repeat(3);
    let bases = context.bases(&generators, Curve::Bn254, Group::G1).unwrap();
    let eleven = bases.msm(&small(&[11])).unwrap();
    assert_eq!(bases.msm_vector(&vector, 0, ..).unwrap(), eleven);
    assert_eq!(bases.msm_vector(&vector, 1, 1..=1).unwrap(), bases.msm(&small(&[6])).unwrap());
    let pending = bases.start_vector(&vector, 0, ..2).unwrap();
    fails(bases.msm_vector(&vector, 0, 4..), "elements 4 to 4");
    fails(bases.msm_vector(&vector, 0, ..4), "elements 0 to 0 + 4");
    fails(root_of_unity(Curve::Bn254, 29), "order 2^29");
    assert_eq!(root_of_unity(Curve::Bls12_381, 0).unwrap(), small(&[1])[0]);
    fails(context.run(&[vectors::powers(&vector, &vector).scale([0; 32])]), "scale is 0");
    fails(context.matrix(&[], &[], &[], 1, Curve::Bn254, Encoding::Canonical), "row_starts");
    let other = Context::new(Some("cpu")).unwrap();
    fails(other.run(&[vectors::copy(&vector, &vector)]), "another context");
    fails(other.bases(&generators, Curve::Bn254, Group::G1).unwrap().msm_vector(&vector, 0, ..), "another context");
    fails(vector.write_at(&small(&[1, 2]), 2, Encoding::Canonical), "elements");
    let started = context.start(&[vectors::add(&vector, &vector, &vector)]).unwrap();
    drop((vector, bases, context)); // none of which the work needs any more
    while !started.wait(Duration::from_secs(1)) {}
    assert!(started.ready());
    started.finish().unwrap();
    assert_eq!(pending.finish().unwrap(), eleven);
}

/// Threads and their rights. Work in the background borrows nothing, so that neither dropping nor leaking it is harmful.
#[test]
fn threads() {
    fn shared<T: Send + Sync>() {}
    fn sent<T: Send>() {}
    shared::<Vector>();
    shared::<Matrix>();
    sent::<PendingOperations>();
    let vector = {
        let context = Context::new(Some("cpu")).unwrap();
        Arc::new(context.vector(1 << 12, Curve::Bn254).unwrap())
    };
    vector.write(&small(&[1; 1 << 12])).unwrap();
    let workers: Vec<_> = (0..4).map(|_| {
        let vector = vector.clone();
        thread::spawn(move || for _ in 0..10 {
            vector.ntt().unwrap(); // one call after the other: the transforms of all threads are in some order
            vector.intt().unwrap();
        })
    }).collect();
    workers.into_iter().for_each(|worker| worker.join().unwrap());
    assert_eq!(vector.read().unwrap(), small(&[1; 1 << 12]));

    let context = Context::new(Some("cpu")).unwrap();
    let n = 3000;
    let generators = [&[1u8][..], &[0; 31], &[2], &[0; 31]].concat().repeat(n);
    let bases = context.bases(&generators, Curve::Bn254, Group::G1).unwrap();
    let mut scalars = vec![[7; 32]; n];
    let expected = bases.msm(&scalars).unwrap();
    let pending = bases.start(&scalars, 0, Encoding::Canonical).unwrap();
    std::mem::forget(bases.start(&scalars, 0, Encoding::Canonical).unwrap());
    scalars.fill([0xff; 32]);
    drop((scalars, bases, context));
    assert_eq!(pending.finish().unwrap(), expected);
}
