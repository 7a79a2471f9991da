//! Against RustCrypto's `poly1305`: every length, and messages cut at random.

mod common;

use common::{backends, bytes, key, poly};
use poly1305::universal_hash::{KeyInit, UniversalHash};
use poly1305_simd::Block;
use proptest::prelude::*;

fn reference(key: &[u8; 32]) -> poly1305::Poly1305 {
    poly1305::Poly1305::new(&(*key).into())
}

fn blocks(data: &[u8]) -> Vec<Block> {
    data.chunks_exact(16).map(|block| *Block::from_slice(block)).collect()
}

#[test]
fn every_length_to_2100() {
    let backends = backends();
    let data = bytes(1, 2100);
    for len in 0..=data.len() {
        let key = key(len as u64);
        let unpadded = reference(&key).compute_unpadded(&data[..len]);
        let mut padded = reference(&key);
        padded.update_padded(&data[..len]);
        let padded = padded.finalize();
        for backend in &backends {
            let tag = poly(&key, *backend).compute_unpadded(&data[..len]);
            assert_eq!(tag, unpadded, "{backend}, {len} bytes");
            let mut mac = poly(&key, *backend);
            mac.update_padded(&data[..len]);
            assert_eq!(mac.finalize(), padded, "{backend}, {len} bytes padded");
        }
    }
}

/// One call of either implementation.
#[derive(Clone, Debug)]
enum Step {
    Update(Vec<u8>),
    Padded(Vec<u8>),
    /// Goes on with a clone, and checks in the end that the original was not disturbed.
    Clone,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let data = || {
        prop_oneof![
            prop::collection::vec(any::<u8>(), 0..80),
            prop::collection::vec(any::<u8>(), 0..1100),
            (0usize..600).prop_map(|len| vec![0xff; len]),
        ]
    };
    let step = prop_oneof![
        4 => data().prop_map(|mut data| {
            data.truncate(data.len() & !15);
            Step::Update(data)
        }),
        4 => data().prop_map(Step::Padded),
        1 => Just(Step::Clone),
    ];
    prop::collection::vec(step, 0..8)
}

proptest! {
    #[test]
    fn any_calls_in_any_order(key: [u8; 32], steps in steps(), last: Vec<u8>) {
        for backend in backends() {
            let mut ours = poly(&key, backend);
            let mut theirs = reference(&key);
            let mut clones = Vec::new();
            for step in &steps {
                match step {
                    Step::Update(data) => {
                        ours.update(&blocks(data));
                        theirs.update(&blocks(data));
                    }
                    Step::Padded(data) => {
                        ours.update_padded(data);
                        theirs.update_padded(data);
                    }
                    Step::Clone => {
                        let clone = ours.clone();
                        clones.push((std::mem::replace(&mut ours, clone), theirs.clone()));
                    }
                }
            }
            for (ours, theirs) in clones {
                prop_assert_eq!(ours.finalize(), theirs.finalize());
            }
            prop_assert_eq!(ours.compute_unpadded(&last), theirs.compute_unpadded(&last));
        }
    }
}
