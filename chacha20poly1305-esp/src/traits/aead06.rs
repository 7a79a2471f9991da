//! `aead` 0.6 (hybrid-array).

use aead06::array::Array;
use aead06::consts::{U12, U16, U24, U32};
use aead06::inout::InOutBuf;
use aead06::{AeadCore, AeadInOut, Key, KeyInit, KeySizeUser, TagPosition};
use chacha20_simd::{Ietf, Rounds, Variant, X};

use crate::backend::Backend;
use crate::chachapoly::ChaChaPoly1305;

impl<R: Rounds, V: Variant> KeySizeUser for ChaChaPoly1305<R, V> {
    type KeySize = U32;
}

impl<R: Rounds, V: Variant> KeyInit for ChaChaPoly1305<R, V> {
    #[inline]
    fn new(key: &Key<Self>) -> Self {
        Self::with_backend(key.as_ref(), Backend::detect())
    }
}

macro_rules! impl_aead {
    ($($variant:ty, $size:ty;)*) => {$(
        impl<R: Rounds> AeadCore for ChaChaPoly1305<R, $variant> {
            type NonceSize = $size;
            type TagSize = U16;
            const TAG_POSITION: TagPosition = TagPosition::Postfix;
        }

        impl<R: Rounds> AeadInOut for ChaChaPoly1305<R, $variant> {
            #[inline]
            fn encrypt_inout_detached(
                &self,
                nonce: &Array<u8, $size>,
                associated_data: &[u8],
                buffer: InOutBuf<'_, '_, u8>,
            ) -> aead06::Result<Array<u8, U16>> {
                Ok(self.seal(nonce.as_ref(), associated_data, buffer.into())?.to_le_bytes().into())
            }

            #[inline]
            fn decrypt_inout_detached(
                &self,
                nonce: &Array<u8, $size>,
                associated_data: &[u8],
                buffer: InOutBuf<'_, '_, u8>,
                tag: &Array<u8, U16>,
            ) -> aead06::Result<()> {
                Ok(self.open(nonce.as_ref(), associated_data, buffer.into(), tag.as_ref())?)
            }
        }
    )*};
}

impl_aead! {
    Ietf, U12;
    X, U24;
}
