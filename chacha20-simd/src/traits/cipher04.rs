//! `cipher` 0.4 (generic-array).

use cipher::consts::{U8, U12, U16, U24, U32, U64};
use cipher::generic_array::GenericArray;
use cipher::inout::InOutBuf;
use cipher::{
    BlockSizeUser, Iv, IvSizeUser, KeyIvInit, KeySizeUser, OverflowError, SeekNum, StreamCipher,
    StreamCipherError, StreamCipherSeek,
};

use crate::backend::Backend;
use crate::stream::ChaCha;
use crate::variants::{Ietf, Legacy, Rounds, Variant, X};
use crate::xchacha;

/// A 32-byte key.
pub type Key = GenericArray<u8, U32>;
/// The 12-byte nonce of RFC 8439.
pub type Nonce = GenericArray<u8, U12>;
/// The 24-byte nonce of XChaCha.
pub type XNonce = GenericArray<u8, U24>;
/// The 8-byte nonce of the original layout.
pub type LegacyNonce = GenericArray<u8, U8>;

/// Blocks of keystream: RustCrypto's bound, a 32-bit counter less its last value, for every
/// variant (its `ChaCha20Legacy`, too, counts 32 bits in this generation).
const LIMIT: u64 = u32::MAX as u64;

/// HChaCha with `R` rounds: a 32-byte subkey of a key and 16 bytes of nonce.
///
/// draft-irtf-cfrg-xchacha, section 2.2.
///
/// ```
/// use chacha20_simd::{R20, hchacha};
/// let subkey = hchacha::<R20>(&[0xff; 32].into(), &[0xff; 16].into());
/// assert_eq!(subkey[..4], [0x72, 0xb3, 0xb0, 0x6d]);
/// ```
pub fn hchacha<R: Rounds>(key: &Key, input: &GenericArray<u8, U16>) -> Key {
    xchacha::hchacha(R::ROUNDS, key.as_ref(), input.as_ref()).into()
}

impl<R: Rounds, V: Variant> KeySizeUser for ChaCha<R, V> {
    type KeySize = U32;
}

impl<R: Rounds, V: Variant> BlockSizeUser for ChaCha<R, V> {
    type BlockSize = U64;
}

macro_rules! impl_iv {
    ($($variant:ty, $size:ty;)*) => {$(
        impl<R: Rounds> IvSizeUser for ChaCha<R, $variant> {
            type IvSize = $size;
        }

        impl<R: Rounds> KeyIvInit for ChaCha<R, $variant> {
            #[inline]
            fn new(key: &Key, iv: &Iv<Self>) -> Self {
                Self::with_backend(key.as_ref(), iv.as_ref(), Backend::detect())
            }
        }
    )*};
}

impl_iv! {
    Ietf, U12;
    X, U24;
    Legacy, U8;
}

impl<R: Rounds, V: Variant> StreamCipher for ChaCha<R, V> {
    #[inline]
    fn try_apply_keystream_inout(
        &mut self,
        buf: InOutBuf<'_, '_, u8>,
    ) -> Result<(), StreamCipherError> {
        self.apply(buf.into(), LIMIT).map_err(|_| StreamCipherError)
    }
}

impl<R: Rounds, V: Variant> StreamCipherSeek for ChaCha<R, V> {
    fn try_current_pos<T: SeekNum>(&self) -> Result<T, OverflowError> {
        let (block, byte) = self.position();
        T::from_block_byte(block, byte, 64)
    }

    /// An error beyond the end of the keystream, and for negative positions: RustCrypto's older
    /// generation reuses keystream in the first case (its issue stream-ciphers#398) and leaves an
    /// invalid state in the second.
    fn try_seek<T: SeekNum>(&mut self, pos: T) -> Result<(), StreamCipherError> {
        let (block, byte) = pos.into_block_byte::<u32>(64).map_err(|_| StreamCipherError)?;
        self.seek(block.into(), byte, LIMIT).map_err(|_| StreamCipherError)
    }
}

#[cfg(feature = "zeroize")]
impl<R: Rounds, V: Variant> zeroize::ZeroizeOnDrop for ChaCha<R, V> {}
