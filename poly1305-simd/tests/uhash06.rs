//! The newer generation of the traits: against RustCrypto's own type of that generation.

#![cfg(feature = "universal-hash06")]

use poly1305_simd::universal_hash06::{
    Block, Key, KeyInit, ParBlocks, UhfBackend, UhfClosure, UniversalHash,
    common::BlockSizeUser,
    consts::{U16, U32},
};

/// Bytes that look random, different for each seed.
fn bytes(seed: u64, len: usize) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u8
    };
    (0..len).map(|_| next()).collect()
}

/// A caller that drives the backend itself, in batches and single blocks.
struct ByHand<'a>(&'a [Block<poly1305_simd::Poly1305>]);

impl BlockSizeUser for ByHand<'_> {
    type BlockSize = U16;
}

impl UhfClosure for ByHand<'_> {
    fn call<B: UhfBackend<BlockSize = U16>>(self, backend: &mut B) {
        let (batches, rest) = ParBlocks::<B>::slice_as_chunks(self.0);
        for batch in batches {
            backend.proc_par_blocks(batch);
        }
        rest.iter().for_each(|block| backend.proc_block(block));
    }
}

/// Everything that the traits offer.
fn log<U: UniversalHash + KeyInit<KeySize = U32> + BlockSizeUser<BlockSize = U16> + Clone>()
-> Vec<u8> {
    let mut log = Vec::new();
    for seed in 0..200 {
        let key = Key::<U>::try_from(&bytes(seed, 32)[..]).expect("length");
        let mut state = U::new(&key);
        for piece in 0..seed % 5 {
            let len = (seed * 37 + piece * 411) as usize % 1500;
            let data = bytes(seed + 1000 * piece, len);
            let blocks = Block::<U>::slice_as_chunks(&data).0;
            match (seed + piece) % 3 {
                0 => state.update_padded(&data),
                1 => state.update(blocks),
                _ => state.update_with_backend(ByHand(blocks)),
            }
            log.extend(state.clone().finalize());
        }
        let tag = state.clone().finalize();
        assert!(state.clone().verify(&tag).is_ok());
        let mut wrong = tag;
        wrong[0] ^= 1;
        assert!(state.verify(&wrong).is_err());
        log.extend(tag);
    }
    log
}

#[test]
fn as_upstream() {
    assert!(log::<poly1305_new::Poly1305>() == log::<poly1305_simd::Poly1305>());
}
