//! `aead` 0.5 (generic-array).

use aead::consts::{U0, U12, U16, U24, U32};
use aead::generic_array::GenericArray;
use aead::{AeadCore, AeadInPlace, KeyInit, KeySizeUser};
use chacha20_simd::engine::XorBuf;
use chacha20_simd::{Ietf, Rounds, Variant, X};

use crate::backend::Backend;
use crate::chachapoly::ChaChaPoly1305;

/// A 32-byte key.
pub type Key = GenericArray<u8, U32>;
/// The 12-byte nonce of RFC 8439.
pub type Nonce = GenericArray<u8, U12>;
/// The 24-byte nonce of XChaCha20-Poly1305.
pub type XNonce = GenericArray<u8, U24>;
/// A 16-byte tag.
pub type Tag = GenericArray<u8, U16>;

impl<R: Rounds, V: Variant> KeySizeUser for ChaChaPoly1305<R, V> {
    type KeySize = U32;
}

impl<R: Rounds, V: Variant> KeyInit for ChaChaPoly1305<R, V> {
    #[inline]
    fn new(key: &Key) -> Self {
        Self::with_backend(key.as_ref(), Backend::detect())
    }
}

macro_rules! impl_aead {
    ($($variant:ty, $size:ty;)*) => {$(
        impl<R: Rounds> AeadCore for ChaChaPoly1305<R, $variant> {
            type NonceSize = $size;
            type TagSize = U16;
            type CiphertextOverhead = U0;
        }

        impl<R: Rounds> AeadInPlace for ChaChaPoly1305<R, $variant> {
            #[inline]
            fn encrypt_in_place_detached(
                &self,
                nonce: &GenericArray<u8, $size>,
                associated_data: &[u8],
                buffer: &mut [u8],
            ) -> aead::Result<Tag> {
                let buf = XorBuf::in_place(buffer);
                Ok(self.seal(nonce.as_ref(), associated_data, buf)?.to_le_bytes().into())
            }

            #[inline]
            fn decrypt_in_place_detached(
                &self,
                nonce: &GenericArray<u8, $size>,
                associated_data: &[u8],
                buffer: &mut [u8],
                tag: &Tag,
            ) -> aead::Result<()> {
                let buf = XorBuf::in_place(buffer);
                Ok(self.open(nonce.as_ref(), associated_data, buf, tag.as_ref())?)
            }
        }
    )*};
}

impl_aead! {
    Ietf, U12;
    X, U24;
}

#[cfg(feature = "zeroize")]
impl<R: Rounds, V: Variant> zeroize::ZeroizeOnDrop for ChaChaPoly1305<R, V> {}
