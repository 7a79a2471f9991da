//! Nothing is read outside of the message: it lies against pages that cannot be read.

mod common;

use common::{backends, bytes, key};
use poly1305::universal_hash::{KeyInit, UniversalHash};
use poly1305_simd::Backend;
use poly1305_simd::engine::Mac;
use testkit::{Guarded, lengths};

const LONGEST: usize = 4096;

fn reference(key: &[u8; 32]) -> poly1305::Poly1305 {
    poly1305::Poly1305::new(&(*key).into())
}

/// Copies `data` to where an inaccessible page follows it, then to where one precedes it, and
/// hands both to `test`.
fn at_both_guards(memory: &mut Guarded, data: &[u8], mut test: impl FnMut(&[u8], &str)) {
    let slice = memory.at_end(data.len());
    slice.copy_from_slice(data);
    test(slice, "before the guard");
    let slice = memory.at_start(data.len());
    slice.copy_from_slice(data);
    test(slice, "after the guard");
}

/// A message to its end: whole blocks, then the rest.
fn unpadded(mut mac: Mac, message: &[u8]) -> [u8; 16] {
    let (blocks, rest) = message.split_at(message.len() & !15);
    mac.blocks(blocks);
    if !rest.is_empty() {
        mac.partial(rest);
    }
    mac.finish()
}

/// A message filled up with zeros.
fn padded(mut mac: Mac, message: &[u8]) -> [u8; 16] {
    mac.padded(message);
    mac.finish()
}

#[test]
fn every_length() {
    let backends = backends();
    let (data, key) = (bytes(3, LONGEST), key(3));
    let mut memory = Guarded::new(LONGEST);
    for len in lengths::up_to(LONGEST) {
        let data = &data[..len];
        let whole = reference(&key).compute_unpadded(data);
        let mut filled_up = reference(&key);
        filled_up.update_padded(data);
        let filled_up = filled_up.finalize();
        at_both_guards(&mut memory, data, |message, place| {
            for backend in &backends {
                let mac = || Mac::new(&key, *backend);
                let what = || format!("{backend}, {len} bytes {place}");
                assert_eq!(unpadded(mac(), message)[..], whole[..], "{}", what());
                assert_eq!(padded(mac(), message)[..], filled_up[..], "{}, padded", what());
            }
        });
    }
}

/// What an AEAD authenticates: its two parts at guards of their own, and the lengths, which the
/// kernels take in together with the end of the ciphertext.
#[test]
fn every_length_of_a_ciphertext() {
    let backends = backends();
    let (data, key) = (bytes(4, LONGEST), key(4));
    let (mut memory, mut aad_memory) = (Guarded::new(LONGEST), Guarded::new(64));
    for len in lengths::up_to(LONGEST) {
        let (ciphertext, aad) = (&data[..len], &data[len % 61..][..len % 35]);
        let mut expected = reference(&key);
        expected.update_padded(aad);
        expected.update_padded(ciphertext);
        let lengths = aad.len() as u128 | (len as u128) << 64;
        expected.update_padded(&lengths.to_le_bytes());
        let expected = expected.finalize();
        at_both_guards(&mut memory, ciphertext, |ciphertext, place| {
            at_both_guards(&mut aad_memory, aad, |aad, aad_place| {
                for backend in &backends {
                    let tag = sealed(*backend, &key, aad, ciphertext);
                    let aad_len = aad.len();
                    let what = format!("{backend}, {len} {place}, {aad_len} of AAD {aad_place}");
                    assert_eq!(tag[..], expected[..], "{what}");
                }
            });
        });
    }
}

fn sealed(backend: Backend, key: &[u8; 32], aad: &[u8], ciphertext: &[u8]) -> [u8; 16] {
    let mut mac = Mac::new(key, backend);
    mac.aead(aad, ciphertext);
    mac.finish()
}

/// Part of the ciphertext may be hashed before, a block at a time or in whole blocks: the rest of it
/// then starts anywhere.
#[test]
fn every_end_of_a_ciphertext() {
    let backends = backends();
    let (data, key) = (bytes(5, LONGEST), key(5));
    let mut memory = Guarded::new(LONGEST);
    for len in lengths::up_to(LONGEST).filter(|len| *len >= 16) {
        let data = &data[..len];
        let split = 16 * (1 + len % 40).min(len / 16);
        let expected = sealed(Backend::Soft, &key, b"", data);
        at_both_guards(&mut memory, data, |ciphertext, place| {
            for backend in &backends {
                let (head, rest) = ciphertext.split_at(split);
                let mut mac = Mac::new(&key, *backend);
                let (first, head) = head.split_first_chunk().expect("at least one block");
                let mut stepper = mac.stepper();
                stepper.step(first);
                mac.resume(&stepper);
                mac.blocks(head);
                mac.aead_end(rest, 0, len);
                assert_eq!(mac.finish(), expected, "{backend}, {len} bytes {place}, from {split}");
            }
        });
    }
}
