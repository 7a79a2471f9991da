//! ChaCha20-Poly1305 and its X variant as types: a key, a backend, and whole messages.

use core::marker::PhantomData;
use core::ops::Range;

use chacha20_simd::engine::XorBuf;
use chacha20_simd::{Rounds, Variant};

use crate::backend::Backend;
use crate::engine;
use crate::error::MessageError;
use crate::message::{self, TAG_SIZE};
use crate::segments;

/// ChaCha-Poly1305 with `R` rounds and nonce layout `V`. Use it through its aliases
/// [`ChaCha20Poly1305`](crate::ChaCha20Poly1305) and
/// [`XChaCha20Poly1305`](crate::XChaCha20Poly1305).
///
/// It implements [`aead`]'s `KeyInit`, `AeadCore` and `AeadInPlace` (and `Aead`, with the feature
/// `alloc`). The methods here seal and open between separate slices without allocating.
///
/// A message is at most [`MAX_MESSAGE_LEN`](crate::MAX_MESSAGE_LEN) bytes long. Opening compares
/// the tag in constant time. Messages of up to 4 KiB, and all between separate buffers, are
/// decrypted only then; a longer one in place may be decrypted while it is hashed, and is encrypted
/// again before an error is returned. After a failure the caller's buffers are as they were.
///
/// `Debug` shows no secret; the key is wiped on drop (feature `zeroize`, on by default).
pub struct ChaChaPoly1305<R: Rounds, V: Variant> {
    key: [u8; 32],
    backend: Backend,
    variant: PhantomData<fn() -> (R, V)>,
}

impl<R: Rounds, V: Variant> ChaChaPoly1305<R, V> {
    /// As `new`, on a backend of the caller's choice.
    ///
    /// **Unstable**: for tests, benches and tools; exempt from semantic versioning.
    #[inline]
    pub fn with_backend(key: &[u8; 32], backend: Backend) -> Self {
        Self { key: *key, backend, variant: PhantomData }
    }

    /// The backend that messages run on.
    ///
    /// **Unstable**: for tests, benches and tools; exempt from semantic versioning.
    pub fn backend(&self) -> Backend {
        self.backend
    }

    /// Seals in the caller's buffers; the tag, as a little-endian number: bytes in a `Result` would be
    /// put together again piece by piece.
    #[inline]
    pub(crate) fn seal(
        &self,
        nonce: &V::Nonce,
        aad: &[u8],
        buf: XorBuf<'_>,
    ) -> Result<u128, MessageError> {
        engine::seal::<R, V>(self.backend, &self.key, nonce, aad, buf)
    }

    /// Opens in the caller's buffers if the tag is right.
    #[inline]
    pub(crate) fn open(
        &self,
        nonce: &V::Nonce,
        aad: &[u8],
        buf: XorBuf<'_>,
        tag: &[u8; TAG_SIZE],
    ) -> Result<(), MessageError> {
        engine::open::<R, V>(self.backend, &self.key, nonce, aad, buf, tag)
    }

    /// Seals a range of several slices; the tag.
    pub(crate) fn seal_segments(
        &self,
        nonce: &V::Nonce,
        aad: &[u8],
        segments: &mut [&mut [u8]],
        text: Range<usize>,
    ) -> Result<[u8; TAG_SIZE], MessageError> {
        let state = &mut V::state::<R>(&self.key, nonce);
        message::wipe_traces_of_state::<V>();
        segments::seal(self.backend, R::ROUNDS, state, aad, segments, text)
    }

    /// Opens a range of several slices if the tag is right.
    pub(crate) fn open_segments(
        &self,
        nonce: &V::Nonce,
        aad: &[u8],
        segments: &mut [&mut [u8]],
        text: Range<usize>,
        tag: &[u8; TAG_SIZE],
    ) -> Result<(), MessageError> {
        let state = &mut V::state::<R>(&self.key, nonce);
        message::wipe_traces_of_state::<V>();
        segments::open(self.backend, R::ROUNDS, state, aad, segments, text, tag)
    }

    /// Encrypts `plaintext` into `out` and puts the tag behind it. Returns the sealed message: the
    /// first `plaintext.len() + 16` bytes of `out`; the rest of `out` is not touched.
    ///
    /// # Errors
    /// [`MessageError::BufferTooSmall`] and [`MessageError::MessageTooLong`], before anything is
    /// written.
    ///
    /// ```
    /// use chacha20poly1305_esp::{ChaCha20Poly1305, aead::KeyInit};
    /// let aead = ChaCha20Poly1305::new(&[0x42; 32].into());
    /// let (nonce, mut sealed, mut opened) = ([7; 12], [0; 64], [0; 64]);
    /// let sealed = aead.seal_into(&nonce, b"header", b"hello", &mut sealed)?;
    /// assert_eq!(sealed.len(), 5 + 16);
    /// assert_eq!(aead.open_into(&nonce, b"header", sealed, &mut opened)?, b"hello");
    /// # Ok::<(), chacha20poly1305_esp::MessageError>(())
    /// ```
    pub fn seal_into<'o>(
        &self,
        nonce: &V::Nonce,
        aad: &[u8],
        plaintext: &[u8],
        out: &'o mut [u8],
    ) -> Result<&'o mut [u8], MessageError> {
        message::check_len(plaintext.len() as u64)?;
        let needed = plaintext.len() + TAG_SIZE;
        let out = out.get_mut(..needed).ok_or(MessageError::BufferTooSmall { needed })?;
        let (text, tag) = out.split_at_mut(plaintext.len());
        let number = self.seal(nonce, aad, XorBuf::between(plaintext, text))?;
        tag.copy_from_slice(&number.to_le_bytes());
        Ok(out)
    }

    /// Opens `sealed`, ciphertext followed by the tag, into `out`. Returns the plaintext: the
    /// first `sealed.len() - 16` bytes of `out`; the rest of `out` is not touched.
    ///
    /// # Errors
    /// [`MessageError::Authentication`] for a wrong tag and for `sealed` shorter than a tag,
    /// [`MessageError::BufferTooSmall`] and [`MessageError::MessageTooLong`]; nothing is written in
    /// any case.
    pub fn open_into<'o>(
        &self,
        nonce: &V::Nonce,
        aad: &[u8],
        sealed: &[u8],
        out: &'o mut [u8],
    ) -> Result<&'o mut [u8], MessageError> {
        let (text, tag) = sealed.split_last_chunk().ok_or(MessageError::Authentication)?;
        message::check_len(text.len() as u64)?;
        let needed = text.len();
        let out = out.get_mut(..needed).ok_or(MessageError::BufferTooSmall { needed })?;
        self.open(nonce, aad, XorBuf::between(text, out), tag)?;
        Ok(out)
    }
}

/// As upstream's: a key may be used in several places.
impl<R: Rounds, V: Variant> Clone for ChaChaPoly1305<R, V> {
    fn clone(&self) -> Self {
        Self::with_backend(&self.key, self.backend)
    }
}

impl<R: Rounds, V: Variant> core::fmt::Debug for ChaChaPoly1305<R, V> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("ChaChaPoly1305").field("backend", &self.backend).finish_non_exhaustive()
    }
}

impl<R: Rounds, V: Variant> Drop for ChaChaPoly1305<R, V> {
    fn drop(&mut self) {
        #[cfg(feature = "zeroize")]
        zeroize::Zeroize::zeroize(&mut self.key);
    }
}
