//! `Rfc7539Esp` on kernels of one's choice.
//!
//! [`SaltedAead`] makes its AEAD from the key alone, on the best backend. [`Forced`] is that AEAD
//! with a constructor that takes the backend from the thread instead, so that the code under test
//! is the real `SaltedAead`, over each backend in turn.

use std::cell::Cell;
use std::ops::Range;

use chacha20poly1305_esp as esp_crate;
use esp_crate::aead::consts::{U0, U12, U16, U32};
use esp_crate::aead::{self, AeadCore, AeadInPlace, Key, KeyInit, KeySizeUser, Nonce, Tag};
use esp_crate::esp::SaltedAead;
use esp_crate::{Backend, ChaCha20Poly1305, SegmentedAead};

use super::Kernels;

thread_local! {
    static BACKEND: Cell<Option<Backend>> = const { Cell::new(None) };
}

/// ChaCha20-Poly1305 on the thread's backend.
pub(crate) struct Forced(ChaCha20Poly1305);

/// RFC 7634's AEAD on the thread's backend.
pub(crate) type Salted = SaltedAead<Forced>;

/// Whatever this thread keys from now on runs on these kernels.
pub(crate) fn set(kernels: &Kernels) {
    BACKEND.set(Some(kernels.aead));
}

/// RFC 7634's AEAD on these kernels.
///
/// # Panics
/// If the keying material does not have 36 bytes.
pub(crate) fn salted(keymat: &[u8], kernels: &Kernels) -> Salted {
    set(kernels);
    Salted::new_from_slice(keymat).expect("36 bytes of keying material")
}

impl KeySizeUser for Forced {
    type KeySize = U32;
}

impl KeyInit for Forced {
    fn new(key: &Key<Self>) -> Self {
        let backend = BACKEND.get().expect("set before any construction");
        Self(ChaCha20Poly1305::with_backend(key.as_ref(), backend))
    }
}

impl AeadCore for Forced {
    type NonceSize = U12;
    type TagSize = U16;
    type CiphertextOverhead = U0;
}

impl AeadInPlace for Forced {
    fn encrypt_in_place_detached(
        &self,
        nonce: &Nonce<Self>,
        aad: &[u8],
        text: &mut [u8],
    ) -> aead::Result<Tag<Self>> {
        self.0.encrypt_in_place_detached(nonce, aad, text)
    }

    fn decrypt_in_place_detached(
        &self,
        nonce: &Nonce<Self>,
        aad: &[u8],
        text: &mut [u8],
        tag: &Tag<Self>,
    ) -> aead::Result<()> {
        self.0.decrypt_in_place_detached(nonce, aad, text, tag)
    }
}

impl SegmentedAead for Forced {
    fn encrypt_segments_detached(
        &self,
        nonce: &Nonce<Self>,
        aad: &[u8],
        segments: &mut [&mut [u8]],
        text: Range<usize>,
    ) -> aead::Result<Tag<Self>> {
        self.0.encrypt_segments_detached(nonce, aad, segments, text)
    }

    fn decrypt_segments_detached(
        &self,
        nonce: &Nonce<Self>,
        aad: &[u8],
        segments: &mut [&mut [u8]],
        text: Range<usize>,
        tag: &Tag<Self>,
    ) -> aead::Result<()> {
        self.0.decrypt_segments_detached(nonce, aad, segments, text, tag)
    }
}
