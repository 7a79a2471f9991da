//! `universal-hash` 0.6 and the parts of `crypto-common` 0.2 that it stands on.

use crate::{Backend, Poly1305, engine::Mac};
use universal_hash06::{
    Block, Key, KeyInit, ParBlocks, UhfBackend, UhfClosure, UniversalHash,
    array::Array,
    common::{BlockSizeUser, KeySizeUser, ParBlocksSizeUser},
    consts::{U16, U32},
};

impl KeySizeUser for Poly1305 {
    type KeySize = U32;
}

impl BlockSizeUser for Poly1305 {
    type BlockSize = U16;
}

impl KeyInit for Poly1305 {
    #[inline]
    fn new(key: &Key<Self>) -> Self {
        Self { mac: Mac::new(key.as_ref(), Backend::detect()) }
    }
}

impl UniversalHash for Poly1305 {
    #[inline]
    fn update_with_backend(&mut self, f: impl UhfClosure<BlockSize = U16>) {
        f.call(&mut Batches(self));
    }

    // As in the other generation: the whole slice at once, not in batches.
    #[inline]
    fn update(&mut self, blocks: &[Block<Self>]) {
        self.mac.blocks(flatten(blocks));
    }

    #[inline]
    fn update_padded(&mut self, data: &[u8]) {
        self.mac.padded(data);
    }

    #[inline]
    fn finalize(self) -> Block<Self> {
        self.mac.finish().into()
    }
}

#[inline(always)]
fn flatten(blocks: &[Array<u8, U16>]) -> &[u8] {
    Array::cast_slice_to_core(blocks).as_flattened()
}

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
    fn proc_block(&mut self, block: &Block<Self>) {
        self.0.mac.blocks(block);
    }

    #[inline]
    fn proc_par_blocks(&mut self, blocks: &ParBlocks<Self>) {
        self.0.mac.blocks(flatten(blocks));
    }
}
