//! The core of the IETF layout, which the other cores wrap.

use core::marker::PhantomData;
use core::mem::ManuallyDrop;

use chacha20_simd::engine::{self, CounterWidth, RoundCount, State, XorBuf};
use cipher::consts::{U12, U16, U32, U64};
use cipher::generic_array::typenum::Unsigned;
use cipher::inout::{InOut, InOutBuf};
use cipher::{
    Block, BlockSizeUser, IvSizeUser, KeyIvInit, KeySizeUser, ParBlocks, ParBlocksSizeUser,
    StreamBackend, StreamCipherCore, StreamCipherSeekCore, StreamClosure,
};

use crate::backend::backend;
use crate::{Key, Nonce};

/// ChaCha block by block, with `R` double rounds: `U4`, `U6` or `U10`. 64 bytes.
///
/// Other numbers of rounds do not compile: there are no kernels for them.
pub struct ChaChaCore<R: Unsigned> {
    state: State,
    rounds: PhantomData<R>,
}

/// `R` double rounds, as the kernels count them.
pub(crate) const fn round_count<R: Unsigned>() -> RoundCount {
    match R::USIZE {
        4 => RoundCount::R8,
        6 => RoundCount::R12,
        10 => RoundCount::R20,
        _ => panic!("ChaCha has 4, 6 or 10 double rounds"),
    }
}

/// Little-endian words.
pub(crate) fn words<const N: usize>(bytes: &[u8]) -> [u32; N] {
    let (chunks, _) = bytes.as_chunks();
    core::array::from_fn(|i| u32::from_le_bytes(chunks[i]))
}

impl<R: Unsigned> ChaChaCore<R> {
    const ROUNDS: RoundCount = round_count::<R>();

    /// Words 12 and 13 are 0: the counter, and what the other layouts leave empty.
    pub(crate) fn short_nonce(key: &Key, nonce: &[u8]) -> Self {
        let [a, b] = words(nonce);
        Self { state: State::new(key.as_ref(), [0, 0, a, b]), rounds: PhantomData }
    }

    /// XORs whole blocks of keystream.
    #[inline]
    fn apply(&mut self, buf: XorBuf<'_>) {
        if buf.is_empty() {
            return;
        }
        // Whole blocks leave nothing in it that would have to be wiped.
        let mut unused = ManuallyDrop::new(engine::Block::ZERO);
        let width = CounterWidth::W32;
        engine::xor(backend(), Self::ROUNDS, width, &mut self.state, buf, &mut unused);
    }
}

impl<R: Unsigned> KeySizeUser for ChaChaCore<R> {
    type KeySize = U32;
}

impl<R: Unsigned> IvSizeUser for ChaChaCore<R> {
    type IvSize = U12;
}

impl<R: Unsigned> BlockSizeUser for ChaChaCore<R> {
    type BlockSize = U64;
}

impl<R: Unsigned> KeyIvInit for ChaChaCore<R> {
    #[inline]
    fn new(key: &Key, iv: &Nonce) -> Self {
        Self { state: State::ietf(key.as_ref(), iv.as_ref(), 0), rounds: PhantomData }
    }
}

impl<R: Unsigned> StreamCipherCore for ChaChaCore<R> {
    #[inline(always)]
    fn remaining_blocks(&self) -> Option<usize> {
        (u32::MAX - self.state.counter32()).try_into().ok()
    }

    /// The way for callers with a closure of their own; the methods below are the fast ones.
    fn process_with_backend(&mut self, f: impl StreamClosure<BlockSize = Self::BlockSize>) {
        f.call(&mut Blocks(self));
    }

    /// After the block with the last number the counter stays where it is, so that nothing remains.
    ///
    /// The original goes on with block 0. The wrapper gets here when it is sent into the middle of
    /// the last block, and would give out the whole keystream again afterwards.
    #[inline]
    fn write_keystream_block(&mut self, block: &mut Block<Self>) {
        let is_last = self.state.counter32() == u32::MAX;
        block.fill(0);
        self.apply(XorBuf::in_place(block));
        if is_last {
            self.state.set_counter32(u32::MAX);
        }
    }

    #[inline]
    fn write_keystream_blocks(&mut self, blocks: &mut [Block<Self>]) {
        blocks.fill(Block::<Self>::default());
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

impl<R: Unsigned> StreamCipherSeekCore for ChaChaCore<R> {
    type Counter = u32;

    #[inline(always)]
    fn get_block_pos(&self) -> u32 {
        self.state.counter32()
    }

    #[inline(always)]
    fn set_block_pos(&mut self, pos: u32) {
        self.state.set_counter32(pos);
    }
}

#[cfg(feature = "zeroize")]
impl<R: Unsigned> cipher::zeroize::ZeroizeOnDrop for ChaChaCore<R> {}

/// What a closure given to `process_with_backend` sees.
struct Blocks<'a, R: Unsigned>(&'a mut ChaChaCore<R>);

impl<R: Unsigned> BlockSizeUser for Blocks<'_, R> {
    type BlockSize = U64;
}

impl<R: Unsigned> ParBlocksSizeUser for Blocks<'_, R> {
    // As many as the widest kernel makes in one pass.
    type ParBlocksSize = U16;
}

impl<R: Unsigned> StreamBackend for Blocks<'_, R> {
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

/// The traits of a core that wraps another one.
macro_rules! impl_wrapped_core {
    ($core:ty, $nonce_size:ty $(, $rounds:ident)?) => {
        impl$(<$rounds: Unsigned>)? KeySizeUser for $core {
            type KeySize = U32;
        }

        impl$(<$rounds: Unsigned>)? IvSizeUser for $core {
            type IvSize = $nonce_size;
        }

        impl$(<$rounds: Unsigned>)? BlockSizeUser for $core {
            type BlockSize = U64;
        }

        impl$(<$rounds: Unsigned>)? StreamCipherCore for $core {
            #[inline(always)]
            fn remaining_blocks(&self) -> Option<usize> {
                self.0.remaining_blocks()
            }

            fn process_with_backend(&mut self, f: impl StreamClosure<BlockSize = U64>) {
                self.0.process_with_backend(f);
            }

            #[inline]
            fn write_keystream_block(&mut self, block: &mut Block<Self>) {
                self.0.write_keystream_block(block);
            }

            #[inline]
            fn write_keystream_blocks(&mut self, blocks: &mut [Block<Self>]) {
                self.0.write_keystream_blocks(blocks);
            }

            #[inline]
            fn apply_keystream_block_inout(&mut self, block: InOut<'_, '_, Block<Self>>) {
                self.0.apply_keystream_block_inout(block);
            }

            #[inline]
            fn apply_keystream_blocks(&mut self, blocks: &mut [Block<Self>]) {
                self.0.apply_keystream_blocks(blocks);
            }

            #[inline]
            fn apply_keystream_blocks_inout(&mut self, blocks: InOutBuf<'_, '_, Block<Self>>) {
                self.0.apply_keystream_blocks_inout(blocks);
            }
        }

        impl$(<$rounds: Unsigned>)? StreamCipherSeekCore for $core {
            type Counter = u32;

            #[inline(always)]
            fn get_block_pos(&self) -> u32 {
                self.0.get_block_pos()
            }

            #[inline(always)]
            fn set_block_pos(&mut self, pos: u32) {
                self.0.set_block_pos(pos);
            }
        }

        #[cfg(feature = "zeroize")]
        impl$(<$rounds: Unsigned>)? cipher::zeroize::ZeroizeOnDrop for $core {}
    };
}
pub(crate) use impl_wrapped_core;
