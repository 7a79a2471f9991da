//! `universal-hash` 0.5 and the parts of `crypto-common` 0.1 that it stands on.

use super::flatten::flatten;
use crate::{Backend, Block, Key, Poly1305, Tag};
use universal_hash::{
    KeyInit, ParBlocks, UhfBackend, UhfClosure, UniversalHash,
    consts::{U16, U32},
    crypto_common::{BlockSizeUser, KeySizeUser, ParBlocksSizeUser},
};

impl KeySizeUser for Poly1305 {
    type KeySize = U32;
}

impl BlockSizeUser for Poly1305 {
    type BlockSize = U16;
}

impl KeyInit for Poly1305 {
    #[inline]
    fn new(key: &Key) -> Self {
        Self::with_backend(key, Backend::detect())
    }
}

impl UniversalHash for Poly1305 {
    #[inline]
    fn update_with_backend(&mut self, f: impl UhfClosure<BlockSize = U16>) {
        f.call(&mut Batches(self));
    }

    // The default sends blocks through `update_with_backend` in batches. The whole slice at once
    // keeps the accumulator in registers from end to end.
    #[inline]
    fn update(&mut self, blocks: &[Block]) {
        self.mac.blocks(flatten(blocks));
    }

    #[inline]
    fn update_padded(&mut self, data: &[u8]) {
        self.mac.padded(data);
    }

    #[inline]
    fn finalize(self) -> Tag {
        self.mac.finish().into()
    }
}

#[cfg(feature = "zeroize")]
impl zeroize::ZeroizeOnDrop for Poly1305 {}

/// What a closure given to `update_with_backend` sees.
struct Batches<'a>(&'a mut Poly1305);

impl BlockSizeUser for Batches<'_> {
    type BlockSize = U16;
}

impl ParBlocksSizeUser for Batches<'_> {
    // Wide enough for every kernel to get up to speed.
    type ParBlocksSize = U32;
}

impl UhfBackend for Batches<'_> {
    #[inline]
    fn proc_block(&mut self, block: &Block) {
        self.0.mac.blocks(block);
    }

    #[inline]
    fn proc_par_blocks(&mut self, blocks: &ParBlocks<Self>) {
        self.0.mac.blocks(flatten(blocks));
    }
}
