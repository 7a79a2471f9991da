//! Stands in for RustCrypto's `chacha20poly1305` 0.10.1, through `[patch.crates-io]`: the same
//! names, types and traits, on the kernels of [`chacha20poly1305_esp`].
//!
//! [`ChaChaPoly1305`] is generic over the stream cipher, as the original is: with one of the
//! `chacha20` crate's it runs whole messages on the kernels, with any other it goes through the
//! cipher's traits.

#![no_std]

mod backend;
mod foreign;
mod known;
mod type_eq;

pub use aead::{self, AeadCore, AeadInPlace, Error, KeyInit, KeySizeUser, consts};

use core::marker::PhantomData;

use aead::consts::{U0, U12, U16, U24, U32};
use aead::generic_array::{ArrayLength, GenericArray};
#[cfg(feature = "reduced-round")]
use chacha20::{ChaCha8, ChaCha12, XChaCha8, XChaCha12};
use chacha20::{ChaCha20, XChaCha20};
use chacha20_simd::engine::XorBuf;
use cipher::{KeyIvInit, StreamCipher, StreamCipherSeek};
use zeroize::{Zeroize, ZeroizeOnDrop};

/// A 32-byte key.
pub type Key = GenericArray<u8, U32>;
/// The 12-byte nonce of RFC 8439.
pub type Nonce = GenericArray<u8, U12>;
/// The 24-byte nonce of XChaCha20-Poly1305.
pub type XNonce = GenericArray<u8, U24>;
/// A 16-byte tag.
pub type Tag = GenericArray<u8, U16>;

/// ChaCha20-Poly1305 of RFC 8439.
pub type ChaCha20Poly1305 = ChaChaPoly1305<ChaCha20, U12>;
/// XChaCha20-Poly1305 of draft-irtf-cfrg-xchacha.
pub type XChaCha20Poly1305 = ChaChaPoly1305<XChaCha20, U24>;
/// ChaCha20-Poly1305 with 8 rounds.
#[cfg(feature = "reduced-round")]
pub type ChaCha8Poly1305 = ChaChaPoly1305<ChaCha8, U12>;
/// ChaCha20-Poly1305 with 12 rounds.
#[cfg(feature = "reduced-round")]
pub type ChaCha12Poly1305 = ChaChaPoly1305<ChaCha12, U12>;
/// XChaCha20-Poly1305 with 8 rounds.
#[cfg(feature = "reduced-round")]
pub type XChaCha8Poly1305 = ChaChaPoly1305<XChaCha8, U24>;
/// XChaCha20-Poly1305 with 12 rounds.
#[cfg(feature = "reduced-round")]
pub type XChaCha12Poly1305 = ChaChaPoly1305<XChaCha12, U24>;

/// The construction of RFC 8439, section 2.8, over the stream cipher `C` with a nonce of `N` bytes.
pub struct ChaChaPoly1305<C, N: ArrayLength<u8> = U12> {
    key: Key,
    types: PhantomData<(C, N)>,
}

impl<C, N: ArrayLength<u8>> KeySizeUser for ChaChaPoly1305<C, N> {
    type KeySize = U32;
}

impl<C, N: ArrayLength<u8>> KeyInit for ChaChaPoly1305<C, N> {
    #[inline]
    fn new(key: &Key) -> Self {
        Self { key: *key, types: PhantomData }
    }
}

impl<C, N: ArrayLength<u8>> AeadCore for ChaChaPoly1305<C, N> {
    type NonceSize = N;
    type TagSize = U16;
    type CiphertextOverhead = U0;
}

impl<C, N> AeadInPlace for ChaChaPoly1305<C, N>
where
    C: KeyIvInit<KeySize = U32, IvSize = N> + StreamCipher + StreamCipherSeek,
    N: ArrayLength<u8>,
{
    #[inline]
    fn encrypt_in_place_detached(
        &self,
        nonce: &aead::Nonce<Self>,
        associated_data: &[u8],
        buffer: &mut [u8],
    ) -> Result<Tag, Error> {
        if let Some(known) = known::cipher::<C>() {
            let buffer = XorBuf::in_place(buffer);
            let tag = (known.seal)(self.key.as_ref(), nonce, associated_data, buffer)?;
            return Ok(tag.to_le_bytes().into());
        }
        foreign::seal(C::new(&self.key, nonce), associated_data, buffer)
    }

    #[inline]
    fn decrypt_in_place_detached(
        &self,
        nonce: &aead::Nonce<Self>,
        associated_data: &[u8],
        buffer: &mut [u8],
        tag: &Tag,
    ) -> Result<(), Error> {
        if let Some(known) = known::cipher::<C>() {
            let buffer = XorBuf::in_place(buffer);
            let key = self.key.as_ref();
            return Ok((known.open)(key, nonce, associated_data, buffer, tag.as_ref())?);
        }
        foreign::open(C::new(&self.key, nonce), associated_data, buffer, tag)
    }
}

impl<C, N: ArrayLength<u8>> Clone for ChaChaPoly1305<C, N> {
    fn clone(&self) -> Self {
        Self { key: self.key, types: PhantomData }
    }
}

impl<C, N: ArrayLength<u8>> Drop for ChaChaPoly1305<C, N> {
    fn drop(&mut self) {
        self.key.as_mut_slice().zeroize();
    }
}

impl<C, N: ArrayLength<u8>> ZeroizeOnDrop for ChaChaPoly1305<C, N> {}
