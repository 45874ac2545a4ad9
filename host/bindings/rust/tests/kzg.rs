// SPDX-License-Identifier: Apache-2.0
//! Values of c-kzg. KZG is the file that tests/bindings/support.py writes, SETUP the ceremony's setup, DATA is tests/data.
use pail::kzg::{Blob, Bytes32, Bytes48, Cell, KzgProof, KzgSettings, PendingCells, BYTES_PER_BLOB, CELLS_PER_EXT_BLOB};
use pail::{Context, Error, Kind};
use std::time::Duration;
use std::{env, fs, thread};

/// SHA-256, for digests of cells.
fn sha256(content: &[u8]) -> String {
    let primes: Vec<u64> = (2u64..).filter(|n| (2..*n).take_while(|d| d * d <= *n).all(|d| n % d != 0)).take(64).collect();
    // The first 32 bits of the fractional part of the k-th root.
    let fraction = |n: u64, k: u32| {
        let (mut root, mut bit) = (0u128, 1u128 << 36);
        while bit > 0 {
            let next = root | bit;
            if (0..k - 1).fold(next, |power, _| power * next) <= u128::from(n) << (32 * k) {
                root = next;
            }
            bit >>= 1;
        }
        root as u32
    };
    let keys: Vec<u32> = primes.iter().map(|&n| fraction(n, 3)).collect();
    let mut state: Vec<u32> = primes[..8].iter().map(|&n| fraction(n, 2)).collect();
    let mut padded = content.to_vec();
    padded.push(0x80);
    padded.resize((content.len() + 9 + 63) / 64 * 64 - 8, 0);
    padded.extend((8 * content.len() as u64).to_be_bytes());
    for block in padded.chunks_exact(64) {
        let mut w: Vec<u32> = block.chunks_exact(4).map(|word| u32::from_be_bytes(word.try_into().unwrap())).collect();
        for i in 16..64 {
            let (a, b) = (w[i - 15], w[i - 2]);
            let near = a.rotate_right(7) ^ a.rotate_right(18) ^ (a >> 3);
            let far = b.rotate_right(17) ^ b.rotate_right(19) ^ (b >> 10);
            w.push(w[i - 16].wrapping_add(near).wrapping_add(w[i - 7]).wrapping_add(far));
        }
        let mut s = state.clone();
        for i in 0..64 {
            let e = s[4].rotate_right(6) ^ s[4].rotate_right(11) ^ s[4].rotate_right(25);
            let choice = (s[4] & s[5]) ^ (!s[4] & s[6]);
            let one = s[7].wrapping_add(e).wrapping_add(choice).wrapping_add(keys[i]).wrapping_add(w[i]);
            let a = s[0].rotate_right(2) ^ s[0].rotate_right(13) ^ s[0].rotate_right(22);
            let two = a.wrapping_add((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
            s.rotate_right(1);
            s[4] = s[4].wrapping_add(one);
            s[0] = one.wrapping_add(two);
        }
        state.iter_mut().zip(s).for_each(|(sum, part)| *sum = sum.wrapping_add(part));
    }
    state.iter().map(|word| format!("{:08x}", word)).collect()
}

fn flat<const N: usize, T: std::ops::Deref<Target = [u8; N]>>(all: &[T]) -> String {
    sha256(&all.iter().flat_map(|one| one.iter().copied()).collect::<Vec<u8>>())
}

struct Golden {
    z: Bytes32,
    y: Bytes32,
    points: [Bytes48; 3], // commitment, proof, proof of the blob
    cells: String,
    proofs: String,
}

fn golden() -> (Vec<Blob>, Vec<Golden>) {
    let text = fs::read_to_string(env::var("KZG").expect("KZG names the values")).unwrap();
    text.lines()
        .enumerate()
        .map(|(number, line)| {
            let words: Vec<&str> = line.split(' ').collect();
            let byte = |k: usize| if k % 32 == 0 { 0 } else { ((k * k + 31 * k) / 8 + 97 * number) as u8 };
            let blob = Blob::from_bytes(&(0..BYTES_PER_BLOB).map(byte).collect::<Vec<u8>>()).unwrap();
            assert_eq!(sha256(&blob[..]), words[2]);
            let point = |i: usize| Bytes48::from_hex(words[i]).unwrap();
            let scalar = |i: usize| Bytes32::from_hex(&format!("0x{}", words[i])).unwrap();
            let (cells, proofs) = (words[7].to_string(), words[8].to_string());
            (blob, Golden { z: scalar(1), y: scalar(5), points: [point(3), point(4), point(6)], cells, proofs })
        })
        .unzip()
}

fn fails<T>(result: Result<T, Error>, kind: Kind, part: &str) {
    let error = result.err().expect("an error");
    assert_eq!(error.kind(), kind, "{}", error);
    assert!(error.to_string().contains(part), "{}", error);
}

fn settings() -> KzgSettings {
    KzgSettings::load_trusted_setup_file(env::var("SETUP").expect("SETUP names the setup"), 0).unwrap()
}

#[test]
fn values_of_c_kzg() {
    let (settings, (blobs, all)) = (settings(), golden());
    for (blob, one) in blobs.iter().zip(&all) {
        let [commitment, proof, blob_proof] = &one.points;
        assert_eq!(settings.blob_to_kzg_commitment(blob).unwrap().to_bytes(), *commitment);
        assert_eq!(settings.compute_kzg_proof(blob, &one.z).unwrap(), (KzgProof::new(**proof), one.y));
        assert_eq!(Bytes48::from(settings.compute_blob_kzg_proof(blob, commitment).unwrap()), *blob_proof);
        assert!(settings.verify_kzg_proof(commitment, &one.z, &one.y, proof).unwrap());
        assert!(!settings.verify_kzg_proof(commitment, &one.y, &one.y, proof).unwrap());
        assert!(settings.verify_blob_kzg_proof(blob, commitment, blob_proof).unwrap());
        assert!(!settings.verify_blob_kzg_proof(blob, commitment, proof).unwrap());
    }
    let points = |i: usize| [all[0].points[i], all[1].points[i]];
    assert!(settings.verify_blob_kzg_proof_batch(&blobs, &points(0), &points(2)).unwrap());
    assert!(!settings.verify_blob_kzg_proof_batch(&blobs, &points(0), &points(1)).unwrap());
    assert!(settings.verify_blob_kzg_proof_batch(&[], &[], &[]).unwrap());

    let pending = settings.start_cells_and_kzg_proofs(&blobs).unwrap();
    let dropped = settings.start_cells_and_kzg_proofs(&blobs).unwrap();
    drop(dropped);
    let (cells, proofs) = settings.compute_cells_and_kzg_proofs(&blobs[1]).unwrap();
    assert_eq!((flat(&cells[..]), flat(&proofs[..])), (all[1].cells.clone(), all[1].proofs.clone()));
    assert!(settings.compute_cells(&blobs[1]).unwrap() == cells);
    let odd: Vec<u64> = (1..CELLS_PER_EXT_BLOB as u64).step_by(2).collect();
    let half: Vec<Cell> = odd.iter().map(|&i| cells[i as usize].clone()).collect();
    assert!(settings.recover_cells_and_kzg_proofs(&odd, &half).unwrap() == (cells.clone(), proofs.clone()));
    let at = [3u64, 90, 127];
    let some: Vec<Cell> = at.iter().map(|&i| cells[i as usize].clone()).collect();
    let theirs: Vec<Bytes48> = at.iter().map(|&i| proofs[i as usize].into()).collect();
    let commitments = [all[1].points[0]; 3];
    assert!(settings.verify_cell_kzg_proof_batch(&commitments, &at, &some, &theirs).unwrap());
    assert!(!settings.verify_cell_kzg_proof_batch(&commitments, &[4, 90, 127], &some, &theirs).unwrap());

    // The work goes on without the settings, in another thread.
    let again = settings.clone();
    drop(settings);
    let made = thread::spawn(move || {
        while !pending.wait(Duration::from_secs(1)) {}
        assert!(pending.ready());
        pending.finish().unwrap()
    });
    let made = made.join().unwrap();
    assert_eq!(made.of(1), (&cells[..], &proofs[..]));
    assert_eq!(flat(made.of(0).1), all[0].proofs);
    refused(&again, &blobs, &all, &odd, &half);
    threads(&again, &blobs, &all);
}

fn refused(settings: &KzgSettings, blobs: &[Blob], all: &[Golden], indices: &[u64], cells: &[Cell]) {
    let point = all[0].points[0];
    fails(settings.verify_blob_kzg_proof_batch(blobs, &[point], &[point, point]), Kind::Argument, "there are 1 commitments, but 2 blobs");
    fails(settings.recover_cells_and_kzg_proofs(&indices[1..], cells), Kind::Argument, "there are 63 cell_indices, but 64 cells");
    fails(settings.recover_cells_and_kzg_proofs(&indices[1..], &cells[1..]), Kind::Data, "63 cells");
    fails(settings.verify_cell_kzg_proof_batch(&[point], &[0], &cells[..1], &[]), Kind::Argument, "there are 0 proofs, but 1 cells");
    fails(settings.verify_cell_kzg_proof_batch(&[point], &[128], &cells[..1], &[point]), Kind::Data, "128");
    fails(settings.verify_blob_kzg_proof(&blobs[0], &Bytes48::default(), &point), Kind::Data, "");
    let none = settings.compute_cells_and_kzg_proofs_batch(&[]).unwrap();
    assert!(none.cells.is_empty() && none.proofs.is_empty());
}

/// Each thread has the sentences of its own calls.
fn threads(settings: &KzgSettings, blobs: &[Blob], all: &[Golden]) {
    fn shared<T: Send + Sync>() {}
    fn sent<T: Send>() {}
    shared::<KzgSettings>();
    sent::<PendingCells>();
    thread::scope(|scope| {
        for i in 0..4 {
            scope.spawn(move || {
                let mut above = blobs[0].to_bytes();
                above[32 * i] = 255;
                fails(settings.blob_to_kzg_commitment(&above.into()), Kind::Data, &format!("{}", i));
                let pending = settings.start_cells_and_kzg_proofs(&[above.into()]).unwrap();
                fails(pending.finish(), Kind::Data, &format!("{}", i));
                assert_eq!(settings.blob_to_kzg_commitment(&blobs[1]).unwrap().to_bytes(), all[1].points[0]);
            });
        }
    });
}

#[test]
fn setups_and_bytes() {
    let context = Context::new(Some("cpu")).unwrap();
    let small = env::var("DATA").expect("DATA names tests/data") + "/eip-4844/trusted_setup.txt";
    fails(KzgSettings::open(&context, &small, 0), Kind::Unsupported, "blobs of 8 scalars");
    fails(KzgSettings::open(&context, &small, 16), Kind::Argument, "precompute is 16");
    fails(KzgSettings::open(&context, "/nowhere.txt", 0), Kind::Machine, "/nowhere.txt");
    fails(KzgSettings::open(&context, "a\0b", 0), Kind::Argument, "zero byte");
    fails(KzgSettings::from_text(&context, "8 3", 0), Kind::Data, "");
    fails(KzgSettings::parse_kzg_trusted_setup("8 3", 0), Kind::Data, "");
    fails(Blob::from_bytes(&[0; 5]), Kind::Argument, "a Blob has 131072 bytes, not 5");
    fails(Bytes32::from_hex("0x00"), Kind::Argument, "a Bytes32 has 64 hexadecimal digits, not 2");
    fails(Bytes48::from_hex(&"0g".repeat(48)), Kind::Argument, "byte 0 of a Bytes48 is not hexadecimal");
    assert_eq!(Bytes48::from_hex(&"0f".repeat(48)).unwrap(), Bytes48::from([15; 48]));
    // The rest of c-kzg's types and their methods.
    let (mut blob, proof) = (Blob::default(), KzgProof::new([15; 48]));
    blob[1] = 7;
    assert_eq!((blob.as_ref()[1], blob.into_inner()[1]), (7, 7));
    assert_eq!((proof.as_hex_string(), proof.to_bytes(), proof.into_inner()), ("0f".repeat(48), Bytes48::new([15; 48]), [15; 48]));
    // Points of a setup as bytes.
    let text = fs::read_to_string(&small).unwrap();
    let lines: Vec<&str> = text.split_whitespace().collect();
    let bytes = |from: usize, to: usize| -> Vec<u8> {
        let digits = lines[from..to].concat();
        (0..digits.len() / 2).map(|i| u8::from_str_radix(&digits[2 * i..2 * i + 2], 16).unwrap()).collect()
    };
    let (lagrange, g2, powers) = (bytes(2, 10), bytes(10, 13), bytes(13, 21));
    fails(KzgSettings::load_trusted_setup(&powers, &lagrange, &g2, 0), Kind::Unsupported, "blobs of 8 scalars");
    fails(KzgSettings::load_trusted_setup(&lagrange, &powers, &g2, 0), Kind::Data, "");
    let other = env::var("DATA").expect("DATA names tests/data") + "/ptau/bn254-3.ptau";
    fails(KzgSettings::load_trusted_setup_file(other, 0), Kind::Data, "bn254");
    fails(KzgSettings::load_trusted_setup(&powers, &lagrange[1..], &g2, 0), Kind::Argument, "but g1_lagrange_bytes 383");
    fails(KzgSettings::load_trusted_setup(&powers, &lagrange, &g2[1..], 0), Kind::Argument, "g2_monomial_bytes has 287 bytes");
    assert_eq!(format!("{:?}", KzgProof::default()).len(), "KzgProof()".len() + 48 * 4);
}
