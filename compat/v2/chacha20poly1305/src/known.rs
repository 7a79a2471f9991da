//! The ciphers that the kernels run whole messages of.

use chacha20::{ChaCha8, ChaCha12, ChaCha20, XChaCha8, XChaCha12, XChaCha20};
use chacha20_simd::engine::XorBuf;
use chacha20_simd::{Ietf, R8, R12, R20, Rounds, Variant, X};
use chacha20poly1305_esp::{MessageError, engine};

use crate::backend::backend;
use crate::type_eq::type_eq;

/// Key, nonce, associated data, text.
type Seal = fn(&[u8; 32], &[u8], &[u8], XorBuf<'_>) -> Result<u128, MessageError>;
/// Key, nonce, associated data, text, tag.
type Open = fn(&[u8; 32], &[u8], &[u8], XorBuf<'_>, &[u8; 16]) -> Result<(), MessageError>;

/// What runs a message of a known cipher.
pub(crate) struct Known {
    pub(crate) seal: Seal,
    pub(crate) open: Open,
}

impl Known {
    #[inline(always)]
    fn of<R: Rounds, V: Variant>() -> Option<Self>
    where
        for<'a> &'a V::Nonce: TryFrom<&'a [u8]>,
    {
        fn nonce<V: Variant>(bytes: &[u8]) -> &V::Nonce
        where
            for<'a> &'a V::Nonce: TryFrom<&'a [u8]>,
        {
            <&V::Nonce>::try_from(bytes).ok().expect("the nonce is as long as the cipher's")
        }
        Some(Self {
            seal: |key, iv, aad, buf| {
                engine::seal::<R, V>(backend(), key, nonce::<V>(iv), aad, buf)
            },
            open: |key, iv, aad, buf, tag| {
                engine::open::<R, V>(backend(), key, nonce::<V>(iv), aad, buf, tag)
            },
        })
    }
}

/// What runs messages of the cipher `C`, if it is one of `chacha20`'s.
#[inline(always)]
pub(crate) fn cipher<C>() -> Option<Known> {
    if type_eq::<C, ChaCha20>() {
        Known::of::<R20, Ietf>()
    } else if type_eq::<C, XChaCha20>() {
        Known::of::<R20, X>()
    } else if type_eq::<C, ChaCha12>() {
        Known::of::<R12, Ietf>()
    } else if type_eq::<C, XChaCha12>() {
        Known::of::<R12, X>()
    } else if type_eq::<C, ChaCha8>() {
        Known::of::<R8, Ietf>()
    } else if type_eq::<C, XChaCha8>() {
        Known::of::<R8, X>()
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Were a cipher not recognised, its messages would be right, but slow.
    #[test]
    fn recognises_them() {
        assert!(cipher::<ChaCha8>().is_some());
        assert!(cipher::<ChaCha12>().is_some());
        assert!(cipher::<ChaCha20>().is_some());
        assert!(cipher::<XChaCha8>().is_some());
        assert!(cipher::<XChaCha12>().is_some());
        assert!(cipher::<XChaCha20>().is_some());
        assert!(cipher::<&mut ChaCha20>().is_none());
        assert!(cipher::<chacha20_simd::ChaCha20>().is_none());
    }
}
