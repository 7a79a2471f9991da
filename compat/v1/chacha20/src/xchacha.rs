//! XChaCha and HChaCha.

use chacha20_simd::engine::RoundCount;
use chacha20_simd::{R8, R12, R20};
use cipher::consts::{U4, U6, U10, U16, U24, U32, U64};
use cipher::generic_array::GenericArray;
use cipher::generic_array::typenum::Unsigned;
use cipher::inout::{InOut, InOutBuf};
use cipher::{
    Block, BlockSizeUser, IvSizeUser, KeyIvInit, KeySizeUser, StreamCipherCore,
    StreamCipherCoreWrapper, StreamCipherSeekCore, StreamClosure,
};

use crate::Key;
use crate::cores::{ChaChaCore, impl_wrapped_core, round_count};

/// The 24-byte nonce of XChaCha.
pub type XNonce = GenericArray<u8, U24>;

/// XChaCha20 of draft-irtf-cfrg-xchacha.
pub type XChaCha20 = StreamCipherCoreWrapper<XChaChaCore<U10>>;
/// XChaCha with 12 rounds.
pub type XChaCha12 = StreamCipherCoreWrapper<XChaChaCore<U6>>;
/// XChaCha with 8 rounds.
pub type XChaCha8 = StreamCipherCoreWrapper<XChaChaCore<U4>>;

/// XChaCha block by block, with `R` double rounds as in [`ChaChaCore`].
pub struct XChaChaCore<R: Unsigned>(ChaChaCore<R>);

impl_wrapped_core!(XChaChaCore<R>, U24, R);

impl<R: Unsigned> KeyIvInit for XChaChaCore<R> {
    fn new(key: &Key, iv: &XNonce) -> Self {
        let (input, rest) = iv.split_at(16);
        #[allow(unused_mut)]
        let mut subkey = hchacha::<R>(key, GenericArray::from_slice(input));
        let core = ChaChaCore::short_nonce(&subkey, rest);
        #[cfg(feature = "zeroize")]
        cipher::zeroize::Zeroize::zeroize(subkey.as_mut_slice());
        Self(core)
    }
}

/// HChaCha with `R` double rounds: a subkey of a key and 16 bytes of nonce.
pub fn hchacha<R: Unsigned>(key: &Key, input: &GenericArray<u8, U16>) -> GenericArray<u8, U32> {
    match const { round_count::<R>() } {
        RoundCount::R8 => chacha20_simd::hchacha::<R8>(key, input),
        RoundCount::R12 => chacha20_simd::hchacha::<R12>(key, input),
        RoundCount::R20 => chacha20_simd::hchacha::<R20>(key, input),
    }
}
