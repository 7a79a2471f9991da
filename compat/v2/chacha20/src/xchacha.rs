//! XChaCha and HChaCha.

use chacha20_simd::engine::RoundCount;
use cipher::array::Array;
use cipher::common::{Block, BlockSizeUser};
use cipher::consts::{U16, U24, U32, U64};
use cipher::{
    InOut, InOutBuf, IvSizeUser, KeyIvInit, KeySizeUser, StreamCipherClosure, StreamCipherCore,
    StreamCipherCoreWrapper, StreamCipherSeekCore,
};

use crate::chacha::{Key, words};
use crate::core_type::ChaChaCore;
use crate::rounds::{R8, R12, R20, Rounds, round_count};
use crate::variants::Ietf;

/// The 24-byte nonce of XChaCha.
pub type XNonce = Array<u8, U24>;

/// XChaCha20 of draft-irtf-cfrg-xchacha.
pub type XChaCha20 = StreamCipherCoreWrapper<XChaChaCore<R20>>;
/// XChaCha with 12 rounds.
pub type XChaCha12 = StreamCipherCoreWrapper<XChaChaCore<R12>>;
/// XChaCha with 8 rounds.
pub type XChaCha8 = StreamCipherCoreWrapper<XChaChaCore<R8>>;

/// XChaCha block by block. Public in the aliases only, as in the original.
#[derive(Debug)]
#[allow(unreachable_pub)]
pub struct XChaChaCore<R: Rounds>(ChaChaCore<R, Ietf>);

impl<R: Rounds> KeySizeUser for XChaChaCore<R> {
    type KeySize = U32;
}

impl<R: Rounds> IvSizeUser for XChaChaCore<R> {
    type IvSize = U24;
}

impl<R: Rounds> BlockSizeUser for XChaChaCore<R> {
    type BlockSize = U64;
}

impl<R: Rounds> KeyIvInit for XChaChaCore<R> {
    fn new(key: &Key, iv: &XNonce) -> Self {
        let (input, rest) = iv.split_first_chunk().expect("24 bytes");
        let [a, b] = words(rest);
        #[allow(unused_mut)]
        let mut subkey = hchacha::<R>(key, &Array(*input));
        let core = ChaChaCore::from_words(subkey.as_ref(), [0, 0, a, b]);
        #[cfg(feature = "zeroize")]
        zeroize::Zeroize::zeroize(subkey.as_mut_slice());
        Self(core)
    }
}

impl<R: Rounds> StreamCipherCore for XChaChaCore<R> {
    #[inline(always)]
    fn remaining_blocks(&self) -> Option<usize> {
        self.0.remaining_blocks()
    }

    fn process_with_backend(&mut self, f: impl StreamCipherClosure<BlockSize = Self::BlockSize>) {
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

impl<R: Rounds> StreamCipherSeekCore for XChaChaCore<R> {
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
impl<R: Rounds> zeroize::ZeroizeOnDrop for XChaChaCore<R> {}

/// HChaCha with `R` rounds: a subkey of a key and 16 bytes of nonce.
#[must_use]
pub fn hchacha<R: Rounds>(key: &Key, input: &Array<u8, U16>) -> Array<u8, U32> {
    let (key, input): (&[u8; 32], &[u8; 16]) = (key.as_ref(), input.as_ref());
    let (key, input) = (key.into(), input.into());
    let subkey = match const { round_count::<R>() } {
        RoundCount::R8 => chacha20_simd::hchacha::<chacha20_simd::R8>(key, input),
        RoundCount::R12 => chacha20_simd::hchacha::<chacha20_simd::R12>(key, input),
        RoundCount::R20 => chacha20_simd::hchacha::<chacha20_simd::R20>(key, input),
    };
    Array(subkey.into())
}
