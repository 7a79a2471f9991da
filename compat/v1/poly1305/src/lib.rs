//! Stands in for RustCrypto's `poly1305` 0.8.0, through `[patch.crates-io]`: the same names, types
//! and traits, on the kernels of [`poly1305_simd`].

#![no_std]
#![forbid(unsafe_code)]

#[cfg(feature = "std")]
extern crate std;

pub use universal_hash;

use poly1305_simd::Backend;
use universal_hash::consts::{U16, U32};
use universal_hash::crypto_common::{BlockSizeUser, KeySizeUser};
use universal_hash::{KeyInit, UhfClosure, UniversalHash};

/// Bytes of a one-time key.
pub const KEY_SIZE: usize = 32;
/// Bytes of a block and of a tag.
pub const BLOCK_SIZE: usize = 16;

/// A one-time key.
pub type Key = universal_hash::Key<Poly1305>;
/// A block.
pub type Block = universal_hash::Block<Poly1305>;
/// A tag.
pub type Tag = universal_hash::Block<Poly1305>;

/// Poly1305, the one-time authenticator of RFC 8439, section 2.5.
#[derive(Clone)]
pub struct Poly1305(poly1305_simd::Poly1305);

impl Poly1305 {
    /// The tag of a message that ends with `data`, its last partial block ended by a one.
    pub fn compute_unpadded(self, data: &[u8]) -> Tag {
        self.0.compute_unpadded(data)
    }
}

impl KeySizeUser for Poly1305 {
    type KeySize = U32;
}

impl KeyInit for Poly1305 {
    #[inline]
    fn new(key: &Key) -> Self {
        let backend = if cfg!(poly1305_force_soft) { Backend::Soft } else { Backend::detect() };
        Self(poly1305_simd::Poly1305::with_backend(key, backend))
    }
}

impl BlockSizeUser for Poly1305 {
    type BlockSize = U16;
}

impl UniversalHash for Poly1305 {
    fn update_with_backend(&mut self, f: impl UhfClosure<BlockSize = Self::BlockSize>) {
        self.0.update_with_backend(f);
    }

    #[inline]
    fn update(&mut self, blocks: &[Block]) {
        self.0.update(blocks);
    }

    #[inline]
    fn update_padded(&mut self, data: &[u8]) {
        self.0.update_padded(data);
    }

    #[inline]
    fn finalize(self) -> Tag {
        self.0.finalize()
    }
}

impl core::fmt::Debug for Poly1305 {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("Poly1305 { ... }")
    }
}
