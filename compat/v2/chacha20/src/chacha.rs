//! The ciphers of RFC 8439's layout, and the traits that all cores have.

use chacha20_simd::engine::XorBuf;
use cipher::array::Array;
use cipher::common::{Block, BlockSizeUser, ParBlocks, ParBlocksSizeUser};
use cipher::consts::{U12, U16, U32, U64};
use cipher::{
    InOut, InOutBuf, IvSizeUser, KeyIvInit, KeySizeUser, StreamCipherBackend, StreamCipherClosure,
    StreamCipherCore, StreamCipherCoreWrapper, StreamCipherSeekCore,
};

use crate::core_type::ChaChaCore;
use crate::rounds::{R8, R12, R20, Rounds};
use crate::variants::{Ietf, Variant};

/// A 32-byte key.
pub type Key = Array<u8, U32>;
/// The 12-byte nonce of RFC 8439.
pub type Nonce = Array<u8, U12>;

/// ChaCha with 8 rounds.
pub type ChaCha8 = StreamCipherCoreWrapper<ChaChaCore<R8, Ietf>>;
/// ChaCha with 12 rounds.
pub type ChaCha12 = StreamCipherCoreWrapper<ChaChaCore<R12, Ietf>>;
/// ChaCha20 of RFC 8439.
pub type ChaCha20 = StreamCipherCoreWrapper<ChaChaCore<R20, Ietf>>;

/// Little-endian words.
pub(crate) fn words<const N: usize>(bytes: &[u8]) -> [u32; N] {
    let (chunks, _) = bytes.as_chunks();
    core::array::from_fn(|i| u32::from_le_bytes(chunks[i]))
}

impl<R: Rounds> KeySizeUser for ChaChaCore<R, Ietf> {
    type KeySize = U32;
}

impl<R: Rounds> IvSizeUser for ChaChaCore<R, Ietf> {
    type IvSize = U12;
}

impl<R: Rounds> KeyIvInit for ChaChaCore<R, Ietf> {
    #[inline]
    fn new(key: &Key, iv: &Nonce) -> Self {
        let [a, b, c] = words(iv);
        Self::from_words(key.as_ref(), [0, a, b, c])
    }
}

impl<R: Rounds, V: Variant> BlockSizeUser for ChaChaCore<R, V> {
    type BlockSize = U64;
}

impl<R: Rounds, V: Variant> StreamCipherSeekCore for ChaChaCore<R, V> {
    type Counter = V::Counter;

    #[inline(always)]
    fn get_block_pos(&self) -> V::Counter {
        self.get_block_pos()
    }

    #[inline(always)]
    fn set_block_pos(&mut self, pos: V::Counter) {
        self.set_block_pos(pos);
    }
}

impl<R: Rounds, V: Variant> StreamCipherCore for ChaChaCore<R, V> {
    #[inline(always)]
    fn remaining_blocks(&self) -> Option<usize> {
        V::remaining_blocks(self.get_block_pos())
    }

    /// The way for callers with a closure of their own; the methods below are the fast ones.
    fn process_with_backend(&mut self, f: impl StreamCipherClosure<BlockSize = Self::BlockSize>) {
        f.call(&mut Blocks(self));
    }

    #[inline]
    fn write_keystream_block(&mut self, block: &mut Block<Self>) {
        block.fill(0);
        self.apply(XorBuf::in_place(block));
    }

    #[inline]
    fn write_keystream_blocks(&mut self, blocks: &mut [Block<Self>]) {
        blocks.fill(Array([0; 64]));
        self.apply(InOutBuf::from(blocks).into());
    }

    #[inline]
    fn apply_keystream_block_inout(&mut self, block: InOut<'_, '_, Block<Self>>) {
        self.apply(block.into_buf().into());
    }

    #[inline]
    fn apply_keystream_blocks(&mut self, blocks: &mut [Block<Self>]) {
        self.apply(InOutBuf::from(blocks).into());
    }

    #[inline]
    fn apply_keystream_blocks_inout(&mut self, blocks: InOutBuf<'_, '_, Block<Self>>) {
        self.apply(blocks.into());
    }
}

/// What a closure given to `process_with_backend` sees.
struct Blocks<'a, R: Rounds, V: Variant>(&'a mut ChaChaCore<R, V>);

impl<R: Rounds, V: Variant> BlockSizeUser for Blocks<'_, R, V> {
    type BlockSize = U64;
}

impl<R: Rounds, V: Variant> ParBlocksSizeUser for Blocks<'_, R, V> {
    // As many as the widest kernel makes in one pass.
    type ParBlocksSize = U16;
}

impl<R: Rounds, V: Variant> StreamCipherBackend for Blocks<'_, R, V> {
    #[inline]
    fn gen_ks_block(&mut self, block: &mut Block<Self>) {
        self.0.write_keystream_block(block);
    }

    #[inline]
    fn gen_par_ks_blocks(&mut self, blocks: &mut ParBlocks<Self>) {
        self.0.write_keystream_blocks(blocks);
    }

    #[inline]
    fn gen_tail_blocks(&mut self, blocks: &mut [Block<Self>]) {
        self.0.write_keystream_blocks(blocks);
    }
}
