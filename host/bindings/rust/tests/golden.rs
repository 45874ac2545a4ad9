// SPDX-License-Identifier: Apache-2.0
//! Values that other code computed. CASES is the file that tests/bindings/support.py writes, DATA is tests/data.
use pail::groth16::{Blinding, Key};
use pail::{Bases, Context, Curve, Encoding, Error, Group, Kind, Pending};
use std::path::PathBuf;
use std::time::Duration;
use std::{env, fs, thread};

fn data(name: &str) -> PathBuf {
    PathBuf::from(env::var("DATA").expect("DATA names tests/data")).join(name)
}

fn from_hex(text: &str) -> Vec<u8> {
    let digits = if text == "-" { "" } else { text };
    (0..digits.len()).step_by(2).map(|i| u8::from_str_radix(&digits[i..i + 2], 16).unwrap()).collect()
}

fn scalars(bytes: &[u8]) -> Vec<[u8; 32]> {
    bytes.chunks_exact(32).map(|scalar| scalar.try_into().unwrap()).collect()
}

fn small(values: &[u8]) -> Vec<[u8; 32]> {
    values.iter().map(|&value| { let mut scalar = [0; 32]; scalar[0] = value; scalar }).collect()
}

fn generators(n: usize) -> Vec<u8> {
    let mut one = [0; 64];
    one[0] = 1;
    one[32] = 2;
    one.repeat(n)
}

fn fails<T>(result: Result<T, Error>, kind: Kind, name: &str, part: &str) {
    let error = result.err().expect("an error");
    assert_eq!((error.kind(), error.name()), (kind, name), "{}", error);
    assert!(error.to_string().contains(part), "{}", error);
}

#[test]
fn cases() {
    let context = Context::new(None).unwrap();
    let text = fs::read_to_string(env::var("CASES").expect("CASES names the cases")).unwrap();
    for line in text.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let (name, given, expected) = (words[0], scalars(&from_hex(words[2])), from_hex(words[3]));
        let bases = context.bases(&from_hex(words[1]), Curve::Bn254, Group::G1).unwrap();
        let sum = bases.msm(&given).unwrap();
        assert_eq!(sum.as_bytes(), expected, "{}", name);
        assert_eq!(sum.is_infinity(), expected.iter().all(|&byte| byte == 0));
        let pending = bases.start(&given, 0, Encoding::Canonical).unwrap();
        drop(given);
        while !pending.wait(Duration::from_secs(1)) {}
        assert!(pending.ready());
        assert_eq!(pending.finish().unwrap(), sum);
    }
    assert!(text.lines().count() > 50);
}

#[test]
fn lifetimes() {
    let bases = Context::new(Some("cpu")).unwrap().bases(&generators(2), Curve::Bn254, Group::G1).unwrap();
    let eleven = bases.msm(&small(&[5, 6])).unwrap();
    assert_eq!((eleven.as_bytes()[0], eleven.as_bytes().len(), bases.len()), (0xef, 64, 2));
    assert_eq!(bases.msm_of(&small(&[11]), 1, Encoding::Canonical).unwrap(), eleven);
    drop(bases.start(&small(&[5, 6]), 0, Encoding::Canonical).unwrap()); // abandoned
    let pending = bases.start(&small(&[5, 6]), 0, Encoding::Canonical).unwrap();
    drop(bases);
    assert_eq!(pending.finish().unwrap(), eleven);
}

#[test]
fn threads() {
    fn shared<T: Send + Sync>() {}
    fn sent<T: Send>() {}
    shared::<Context>();
    shared::<Bases>();
    shared::<Key>();
    sent::<Pending>();
    let context = Context::new(Some("cpu")).unwrap();
    let bases = context.bases(&generators(200), Curve::Bn254, Group::G1).unwrap();
    let given = small(&[7; 200]);
    let expected = bases.msm(&given).unwrap();
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..20 {
                    assert_eq!(bases.msm(&given).unwrap(), expected);
                    // Sentences are kept for each thread.
                    fails(bases.msm_of(&given, 1, Encoding::Canonical), Kind::Argument, "PAIL_ERR_ARGUMENT", "200");
                }
            });
        }
    });
    let pending = bases.start(&given, 0, Encoding::Canonical).unwrap();
    assert_eq!(thread::spawn(move || pending.finish().unwrap()).join().unwrap(), expected);
}

#[test]
fn errors() {
    let context = Context::new(Some("cpu")).unwrap();
    let mut bad = generators(2);
    bad[64] = 3;
    fails(context.bases(&bad, Curve::Bn254, Group::G1), Kind::Data, "PAIL_ERR_DATA", "1");
    fails(context.bases(&bad[1..], Curve::Bn254, Group::G1), Kind::Argument, "PAIL_ERR_ARGUMENT", "127 bytes");
    fails(Context::new(Some("nothing")), Kind::Argument, "PAIL_ERR_ARGUMENT", "nothing");
    fails(Context::new(Some("a\0b")), Kind::Argument, "PAIL_ERR_ARGUMENT", "zero byte");
    fails(Key::open(&context, "/nowhere.zkey"), Kind::Machine, "PAIL_ERR_IO", "/nowhere.zkey");
    fails(Key::from_bytes(&context, &[0; 100]), Kind::Data, "PAIL_ERR_DATA", "the key");
}

#[test]
fn proofs() {
    let context = Context::new(None).unwrap();
    let key = Key::open(&context, data("ledger.zkey")).unwrap();
    assert_eq!(key.n_public(), 3);
    let none = Blinding { r: [0; 32], s: [0; 32] };
    let fixed = key.prove(data("ledger.wtns"), Some(&none)).unwrap();
    assert_eq!(fixed.json().unwrap(), fs::read_to_string(data("ledger.proof.json")).unwrap());
    assert_eq!(fixed.public_json().unwrap(), fs::read_to_string(data("ledger.public.json")).unwrap());
    let wtns = fs::read(data("ledger.wtns")).unwrap();
    let mut proof = key.prove_bytes(&wtns, None).unwrap();
    assert!(key.verify(&proof).unwrap());
    assert_ne!(proof.points(), fixed.points());
    proof.publics_mut()[0][0] ^= 1;
    assert!(!key.verify(&proof).unwrap());
    proof.publics_mut()[0] = [0xff; 32];
    fails(key.verify(&proof), Kind::Data, "PAIL_ERR_DATA", "public value 0");
    fails(key.prove_bytes(&wtns[..1000], None), Kind::Data, "PAIL_ERR_DATA", "witness");
    let same = Key::from_bytes(&context, &fs::read(data("ledger.zkey")).unwrap()).unwrap();
    assert!(same.verify(&fixed).unwrap());
}
