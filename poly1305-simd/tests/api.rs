//! The traits, the size and the secrecy of the public type.

mod common;

use common::{backends, bytes, key, oracle, poly};
use poly1305_simd::universal_hash;
use poly1305_simd::{BLOCK_SIZE, Block, KEY_SIZE, Key, Poly1305, engine::Mac};
use universal_hash::{
    KeyInit, UhfBackend, UhfClosure, UniversalHash,
    consts::U16,
    crypto_common::{BlockSizeUser, KeySizeUser},
};

/// Code that knows the upstream traits only.
fn hash<U: UniversalHash + KeyInit + Clone>(key: &[u8], data: &[u8]) -> Vec<u8> {
    let mut state = U::new_from_slice(key).unwrap();
    state.update_padded(data);
    let tag = state.clone().finalize();
    state.verify(&tag).unwrap();
    tag.to_vec()
}

#[test]
fn stands_in_for_rustcrypto() {
    for len in [0, 1, 16, 17, 64, 100, 512, 1500] {
        let (key, data) = (key(len as u64), bytes(6, len));
        assert_eq!(hash::<Poly1305>(&key, &data), hash::<poly1305::Poly1305>(&key, &data));
    }
    assert_eq!(KEY_SIZE, Poly1305::key_size());
    assert_eq!(BLOCK_SIZE, Poly1305::block_size());
    assert!(Poly1305::new_from_slice(&[0; 31]).is_err());
    assert!(Poly1305::new_from_slice(&[0; 33]).is_err());
}

#[test]
fn verify_refuses_every_other_tag() {
    let key = key(7);
    let mac = poly(&key, poly1305_simd::Backend::detect());
    let mut tag = mac.clone().compute_unpadded(b"");
    assert!(mac.clone().verify(&tag).is_ok());
    for bit in 0..128 {
        tag[bit / 8] ^= 1 << (bit % 8);
        assert!(mac.clone().verify(&tag).is_err());
        tag[bit / 8] ^= 1 << (bit % 8);
    }
}

/// Feeds blocks to a backend in the batches of its choice.
struct Feed<'a>(&'a [Block]);

impl BlockSizeUser for Feed<'_> {
    type BlockSize = U16;
}

impl UhfClosure for Feed<'_> {
    fn call<B: UhfBackend<BlockSize = U16>>(self, backend: &mut B) {
        let width = B::ParBlocksSize::default_len();
        let mut batches = self.0.chunks_exact(width);
        for batch in &mut batches {
            backend.proc_par_blocks(universal_hash::ParBlocks::<B>::from_slice(batch));
        }
        batches.remainder().iter().for_each(|block| backend.proc_block(block));
    }
}

/// The value of a type-level number.
trait DefaultLen {
    fn default_len() -> usize;
}

impl<N: universal_hash::typenum::Unsigned> DefaultLen for N {
    fn default_len() -> usize {
        N::USIZE
    }
}

#[test]
fn closures_see_the_same_hash() {
    let key = key(8);
    for blocks in 0..80 {
        let data = bytes(8, 16 * blocks);
        let list: Vec<_> = data.chunks(16).map(|block| *Block::from_slice(block)).collect();
        for backend in backends() {
            let mut mac = poly(&key, backend);
            mac.update_with_backend(Feed(&list));
            assert_eq!(mac.finalize()[..], oracle(&key, &data));
        }
    }
}

#[test]
fn debug_prints_no_secret() {
    let mac = Poly1305::new(&Key::from([0xab; 32]));
    assert_eq!(format!("{mac:?}"), "Poly1305 { .. }");
}

#[test]
fn state_is_small() {
    println!("Poly1305: {} bytes", size_of::<Poly1305>());
    assert!(size_of::<Poly1305>() <= 512);
}

#[test]
#[should_panic(expected = "blocks are of 16 bytes")]
fn blocks_must_be_whole() {
    Mac::new(&[0; 32], poly1305_simd::Backend::Soft).blocks(&[0; 17]);
}

#[test]
#[should_panic(expected = "1 to 15 bytes")]
fn partial_blocks_must_not_be_whole() {
    Mac::new(&[0; 32], poly1305_simd::Backend::Soft).partial(&[0; 16]);
}

#[test]
#[should_panic(expected = "1 to 15 bytes")]
fn partial_blocks_must_not_be_empty() {
    Mac::new(&[0; 32], poly1305_simd::Backend::Soft).partial(&[]);
}

#[cfg(feature = "hazmat")]
#[test]
fn bare_hash_lacks_s_only() {
    use poly1305_simd::hazmat::PolyHash;
    for len in [0, 5, 16, 40, 64, 160, 1000] {
        let data = bytes(9, len);
        let mut key = key(9);
        key[16..].fill(0);
        let mut hash = PolyHash::new(&key[..16].try_into().unwrap());
        hash.update_last(&data);
        assert_eq!(hash.finish(), oracle(&key, &data));
    }
    // Without its top bit a block of zeros is the number 0.
    let mut hash = PolyHash::new(&[0xff; 16]);
    hash.update_bare(&[0; 16]);
    assert_eq!(hash.finish(), [0; 16]);
    assert_eq!(format!("{:?}", PolyHash::new(&[1; 16])), "PolyHash { .. }");
}
