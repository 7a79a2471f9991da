//! Against big integers: every length, every way to cut a message, every edge of the accumulator.

mod common;

use common::{Oracle, backends, bytes, edge_multipliers, key, oracle, poly};
use poly1305_simd::{
    Backend,
    engine::{Mac, aead_tag},
};

fn unpadded(mut mac: Mac, data: &[u8]) -> [u8; 16] {
    let (whole, rest) = data.split_at(data.len() / 16 * 16);
    mac.blocks(whole);
    if !rest.is_empty() {
        mac.partial(rest);
    }
    mac.finish()
}

#[test]
fn every_length_to_4096() {
    let backends = backends();
    let all_ones = ([0xff; 32], vec![0xff; 4096]);
    for (key, data) in [(key(2), bytes(2, 4096)), all_ones] {
        let mut prefix = Oracle::new(&key);
        for len in 0..=data.len() {
            let start = len / 16 * 16;
            let mut whole = prefix.clone();
            whole.unpadded(&data[start..len]);
            for backend in &backends {
                // The offset varies with the length, so that loads see every alignment.
                let buffer = [vec![0; len % 67], data[..len].to_vec()].concat();
                let message = &buffer[len % 67..];
                let tag = poly(&key, *backend).compute_unpadded(message);
                assert_eq!(tag[..], whole.tag(), "{backend}, {len} bytes");
            }
            if len % 16 == 15 {
                prefix.block(&data[start..=len]);
            }
        }
    }
}

#[test]
fn every_cut_of_long_messages() {
    let backends = backends();
    let key = key(3);
    for len in (0..=80).chain([127, 128, 129, 512, 1008, 1100]) {
        let data = bytes(len as u64, len);
        let tag = oracle(&key, &data);
        for backend in &backends {
            for first in (0..=len).step_by(16) {
                let mut mac = Mac::new(&key, *backend);
                mac.blocks(&data[..first]);
                for second in (first..=len).step_by(16) {
                    let mut mac = mac.clone();
                    mac.blocks(&data[first..second]);
                    let tag_of_pieces = unpadded(mac, &data[second..]);
                    assert_eq!(tag_of_pieces, tag, "{backend}, {len} cut at {first}, {second}");
                }
            }
        }
    }
}

#[test]
fn backends_change_in_mid_message() {
    let backends = backends();
    let key = key(4);
    let data = bytes(4, 16 * 3 * 41 + 7);
    for blocks in 0..=40 {
        let message = &data[..16 * 3 * blocks + 7];
        let tag = oracle(&key, message);
        for first in &backends {
            for second in &backends {
                let mut mac = Mac::new(&key, *first);
                mac.blocks(&message[..16 * blocks]);
                mac.set_backend(*second);
                mac.blocks(&message[16 * blocks..32 * blocks]);
                mac.set_backend(*first);
                let tag_of_both = unpadded(mac, &message[32 * blocks..]);
                assert_eq!(tag_of_both, tag, "{first} and {second}, every {blocks} blocks");
            }
        }
    }
}

/// Accumulators that a message may leave behind: around 0, around multiples of 2^64, just below and
/// at p and 2^130, and up to the most that is kept unreduced.
fn edge_accumulators() -> Vec<[u64; 3]> {
    let mut edges = Vec::new();
    for top in 0..=4 {
        for middle in [0, u64::MAX] {
            edges.extend([[0, middle, top], [u64::MAX, middle, top]]);
        }
    }
    edges.extend((0..8).map(|k| [u64::MAX - k, u64::MAX, 3]));
    edges.extend([[(1 << 26) - 1, 0, 0], [1 << 44, 1 << 24, 0]]);
    edges
}

#[test]
fn edge_accumulators_and_multipliers() {
    let backends = backends();
    for r in edge_multipliers() {
        let key = [r, [0xff; 16]].concat().try_into().unwrap();
        for edge in edge_accumulators() {
            for fill in [0x00, 0xff] {
                let message = [fill; 16 * 74];
                let mut expected = Oracle::new(&key);
                expected.set_accumulator(edge);
                // Block counts that end in a scalar step, in each vector and in each remainder.
                let counts = [0, 1, 2, 3, 15, 16, 17, 18, 22, 23, 24, 25, 33, 36, 37, 41, 48, 74];
                for (i, blocks) in counts.into_iter().enumerate() {
                    let done = if i == 0 { 0 } else { counts[i - 1] };
                    (done..blocks).for_each(|_| expected.block(&message[..16]));
                    for backend in &backends {
                        let mut mac = Mac::new(&key, *backend);
                        mac.set_accumulator(edge);
                        mac.blocks(&message[..16 * blocks]);
                        assert_eq!(mac.finish(), expected.tag(), "{backend}, {edge:x?}, {blocks}");
                    }
                }
            }
        }
    }
}

/// With r = 1 the accumulator is the sum of the blocks, so three of them reach 2^130 - 1 - k and
/// pairs reach 2p; a vector kernel meets them in whichever lane they fall.
#[test]
fn accumulators_at_the_modulus_in_every_lane() {
    let mut key = [0; 32];
    key[0] = 1;
    let backends = backends();
    for position in 0..40 {
        for k in 0..12u128 {
            // Blocks of zeros, each of which adds 2^128, and what is missing to 2^130 - 1 - k.
            let mut message = vec![0; 16 * (position + 2)];
            message.extend((u128::MAX - k).to_le_bytes());
            let mut expected = Oracle::new(&key);
            expected.unpadded(&message);
            for after in 0..20 {
                for backend in &backends {
                    let tag = unpadded(Mac::new(&key, *backend), &message);
                    assert_eq!(tag, expected.tag(), "{backend}, {position}, {k}, {after}");
                }
                message.extend([0xff; 16]);
                expected.block(&[0xff; 16]);
            }
        }
    }
}

#[test]
fn aead_input_is_padded_and_followed_by_lengths() {
    let backends = backends();
    for (key, data) in [(key(5), bytes(5, 700)), ([0xff; 32], vec![0xff; 700])] {
        for aad in [0, 1, 8, 12, 13, 15, 16, 17, 31, 32, 64, 100, 240, 330] {
            for text in (0..=360).step_by(if aad == 12 { 1 } else { 5 }).chain(500..=600) {
                let (aad, text) = (&data[..aad], &data[100..100 + text]);
                let mut expected = Oracle::new(&key);
                expected.padded(aad);
                expected.padded(text);
                let lengths = aad.len() as u128 | (text.len() as u128) << 64;
                expected.block(&lengths.to_le_bytes());
                for backend in &backends {
                    let what = format!("{backend}, {} and {} bytes", aad.len(), text.len());
                    let mut mac = Mac::new(&key, *backend);
                    mac.aead(aad, text);
                    assert_eq!(mac.finish(), expected.tag(), "{what}");
                    let tag = aead_tag(&key, *backend, aad, text);
                    assert_eq!(tag.to_le_bytes(), expected.tag(), "{what}, in one call");
                }
            }
        }
    }
}

#[test]
fn backends_are_ordered_and_named() {
    let names: Vec<_> = backends().iter().map(|backend| backend.name()).collect();
    assert_eq!(names[0], "soft");
    let mut all = Backend::NAMES.into_iter();
    assert!(names.iter().all(|name| all.any(|other| other == *name)), "{names:?}");
    for name in Backend::NAMES {
        assert_eq!(Backend::by_name(name).is_some(), names.contains(&name));
    }
    assert_eq!(Backend::by_name("ssse3"), None);
    assert!(backends().contains(&Backend::detect()));
    assert_eq!(format!("{:>6}", Backend::Soft), "  soft");
}
