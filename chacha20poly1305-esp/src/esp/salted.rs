//! An AEAD with a 12-octet nonce, as ESP keys and calls it.

use crate::SegmentedAead;
use aead::consts::{U0, U4, U8, U12, U16};
use aead::generic_array::typenum::{Sum, Unsigned};
use aead::generic_array::{ArrayLength, GenericArray};
use aead::{AeadCore, AeadInPlace, Key, KeyInit, KeySizeUser, Nonce, Result, Tag};
use core::fmt;
use core::ops::{Add, Range};

/// Octets of salt at the end of the keying material.
pub const SALT_LEN: usize = 4;

/// An AEAD whose key carries the first 4 octets of every nonce.
///
/// The key is `A`'s key and a 4-octet salt, one behind the other, as IKEv2 derives them (RFC 7634
/// section 2, RFC 4106 section 8.1). The nonce is the 8-octet IV of a packet; `A` gets salt and IV as
/// its 12 octets. The tag has 16 octets, and nothing makes it shorter.
///
/// The same bytes as Linux's `rfc7539esp(chacha20,poly1305)` and `rfc4106(gcm(aes))`, whose associated
/// data ends in a copy of the IV that they do not authenticate; here there is no such copy.
///
/// ```
/// use chacha20poly1305_esp::aead::{AeadInPlace, Error, KeyInit};
/// use chacha20poly1305_esp::esp::Rfc7539Esp;
///
/// assert!(Rfc7539Esp::new_from_slice(&[7; 32]).is_err());
/// let aead = Rfc7539Esp::new(&[7; 36].into());
///
/// let (iv, aad) = ([0, 0, 0, 0, 0, 0, 0, 1], [0, 0, 0x10, 1, 0, 0, 0, 1]);
/// let mut text = *b"text";
/// let tag = aead.encrypt_in_place_detached(&iv.into(), &aad, &mut text)?;
/// aead.decrypt_in_place_detached(&iv.into(), &aad, &mut text, &tag)?;
/// assert_eq!(&text, b"text");
/// # Ok::<(), Error>(())
/// ```
pub struct SaltedAead<A> {
    aead: A,
    salt: [u8; SALT_LEN],
}

/// ChaCha20-Poly1305 for ESP: 36 octets of keying material (RFC 7634). IKEv2's
/// `ENCR_CHACHA20_POLY1305`, number 28.
pub type Rfc7539Esp = SaltedAead<crate::ChaCha20Poly1305>;

/// GCM over the block cipher `C` for ESP (RFC 4106, with the 16-octet ICV).
#[cfg(feature = "aes-gcm")]
pub type Rfc4106<C> = SaltedAead<aes_gcm::AesGcm<C, U12>>;
/// AES-128-GCM for ESP: 20 octets of keying material (RFC 4106).
#[cfg(feature = "aes-gcm")]
pub type Rfc4106Aes128Gcm = Rfc4106<aes_gcm::aes::Aes128>;
/// AES-192-GCM for ESP: 28 octets of keying material (RFC 4106).
#[cfg(feature = "aes-gcm")]
pub type Rfc4106Aes192Gcm = Rfc4106<aes_gcm::aes::Aes192>;
/// AES-256-GCM for ESP: 36 octets of keying material (RFC 4106).
#[cfg(feature = "aes-gcm")]
pub type Rfc4106Aes256Gcm = Rfc4106<aes_gcm::aes::Aes256>;

impl Rfc7539Esp {
    /// As `new`, on a backend of the caller's choice.
    ///
    /// **Unstable**: for tests, benches and tools; exempt from semantic versioning.
    pub fn with_backend(keymat: &[u8; 36], backend: crate::Backend) -> Self {
        let (key, salt) = keymat.split_first_chunk().expect("36 octets");
        let mut octets = [0; SALT_LEN];
        octets.copy_from_slice(salt);
        Self { aead: crate::ChaCha20Poly1305::with_backend(key, backend), salt: octets }
    }
}

impl<A> SaltedAead<A> {
    #[inline]
    fn nonce(&self, iv: &Nonce<Self>) -> GenericArray<u8, U12>
    where
        Self: AeadCore<NonceSize = U8>,
    {
        let mut nonce = GenericArray::default();
        nonce[..SALT_LEN].copy_from_slice(&self.salt);
        nonce[SALT_LEN..].copy_from_slice(iv);
        nonce
    }
}

impl<A> KeySizeUser for SaltedAead<A>
where
    A: KeySizeUser,
    A::KeySize: Add<U4>,
    Sum<A::KeySize, U4>: ArrayLength<u8> + 'static,
{
    type KeySize = Sum<A::KeySize, U4>;
}

impl<A> KeyInit for SaltedAead<A>
where
    A: KeyInit,
    Self: KeySizeUser,
{
    fn new(keymat: &Key<Self>) -> Self {
        let (key, salt) = keymat.split_at(A::KeySize::USIZE);
        let mut octets = [0; SALT_LEN];
        octets.copy_from_slice(salt);
        Self { aead: A::new(Key::<A>::from_slice(key)), salt: octets }
    }
}

impl<A> AeadCore for SaltedAead<A>
where
    A: AeadCore<NonceSize = U12, TagSize = U16, CiphertextOverhead = U0>,
{
    type NonceSize = U8;
    type TagSize = U16;
    type CiphertextOverhead = U0;
}

impl<A> AeadInPlace for SaltedAead<A>
where
    A: AeadInPlace<NonceSize = U12, TagSize = U16, CiphertextOverhead = U0>,
{
    #[inline]
    fn encrypt_in_place_detached(
        &self,
        iv: &Nonce<Self>,
        aad: &[u8],
        buffer: &mut [u8],
    ) -> Result<Tag<Self>> {
        self.aead.encrypt_in_place_detached(&self.nonce(iv), aad, buffer)
    }

    #[inline]
    fn decrypt_in_place_detached(
        &self,
        iv: &Nonce<Self>,
        aad: &[u8],
        buffer: &mut [u8],
        tag: &Tag<Self>,
    ) -> Result<()> {
        self.aead.decrypt_in_place_detached(&self.nonce(iv), aad, buffer, tag)
    }
}

impl<A> SegmentedAead for SaltedAead<A>
where
    A: SegmentedAead<NonceSize = U12, TagSize = U16, CiphertextOverhead = U0>,
{
    fn encrypt_segments_detached(
        &self,
        iv: &Nonce<Self>,
        aad: &[u8],
        segments: &mut [&mut [u8]],
        text: Range<usize>,
    ) -> Result<Tag<Self>> {
        self.aead.encrypt_segments_detached(&self.nonce(iv), aad, segments, text)
    }

    fn decrypt_segments_detached(
        &self,
        iv: &Nonce<Self>,
        aad: &[u8],
        segments: &mut [&mut [u8]],
        text: Range<usize>,
        tag: &Tag<Self>,
    ) -> Result<()> {
        self.aead.decrypt_segments_detached(&self.nonce(iv), aad, segments, text, tag)
    }
}

impl<A: Clone> Clone for SaltedAead<A> {
    fn clone(&self) -> Self {
        Self { aead: self.aead.clone(), salt: self.salt }
    }
}

impl<A> fmt::Debug for SaltedAead<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SaltedAead").finish_non_exhaustive()
    }
}

// `A` wipes its key itself. The salt is no key, but it comes from the same keying material.
#[cfg(feature = "zeroize")]
impl<A> Drop for SaltedAead<A> {
    fn drop(&mut self) {
        zeroize::Zeroize::zeroize(&mut self.salt);
    }
}

#[cfg(feature = "zeroize")]
impl<A: zeroize::ZeroizeOnDrop> zeroize::ZeroizeOnDrop for SaltedAead<A> {}
