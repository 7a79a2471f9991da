//! The crates' types behind object-safe traits, chosen by the names in the vector files.

use chacha20_simd::cipher::{StreamCipher, StreamCipherSeek};
use chacha20_simd::{ChaCha, Rounds, Variant};
use chacha20poly1305_esp as esp_crate;
use esp_crate::aead::{Aead as _, AeadInPlace, KeyInit, Nonce, Payload, Tag};
use serde::Deserialize;

use super::Kernels;

/// A stream cipher by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[allow(clippy::enum_variant_names, reason = "the names of the types")]
pub(crate) enum StreamAlg {
    ChaCha20,
    ChaCha12,
    ChaCha8,
    XChaCha20,
    XChaCha12,
    XChaCha8,
    ChaCha20Legacy,
}

/// `StreamCipher` and `StreamCipherSeek` as the vectors need them; `false` stands for `Err`.
pub(crate) trait Stream {
    fn apply(&mut self, data: &mut [u8]) -> bool;
    fn apply_b2b(&mut self, input: &[u8], output: &mut [u8]) -> bool;
    fn seek(&mut self, position: u64) -> bool;
    fn seek_i32(&mut self, position: i32) -> bool;
    fn position(&self) -> u64;
    fn block(&self, counter: u64) -> [u8; 64];
}

impl<R: Rounds, V: Variant> Stream for ChaCha<R, V>
where
    V::Counter: TryFrom<u64>,
{
    fn apply(&mut self, data: &mut [u8]) -> bool {
        self.try_apply_keystream(data).is_ok()
    }

    fn apply_b2b(&mut self, input: &[u8], output: &mut [u8]) -> bool {
        self.apply_keystream_b2b(input, output).is_ok()
    }

    fn seek(&mut self, position: u64) -> bool {
        self.try_seek(position).is_ok()
    }

    fn seek_i32(&mut self, position: i32) -> bool {
        self.try_seek(position).is_ok()
    }

    fn position(&self) -> u64 {
        self.try_current_pos().expect("every position fits 64 bits")
    }

    fn block(&self, counter: u64) -> [u8; 64] {
        let Ok(counter) = counter.try_into() else { panic!("counter {counter} is too wide") };
        ChaCha::block(self, counter)
    }
}

impl StreamAlg {
    /// # Panics
    /// If key or iv have another length than the algorithm's.
    pub(crate) fn start(self, key: &[u8], iv: &[u8], kernels: &Kernels) -> Box<dyn Stream> {
        fn boxed<R: Rounds, V: Variant>(key: &[u8], iv: &[u8], kernels: &Kernels) -> Box<dyn Stream>
        where
            V::Counter: TryFrom<u64>,
        {
            let mut nonce = V::Nonce::default();
            nonce.as_mut().copy_from_slice(iv);
            let key = key.try_into().expect("a key of 32 bytes");
            Box::new(ChaCha::<R, V>::with_backend(key, &nonce, kernels.chacha20))
        }
        use chacha20_simd::{Ietf, Legacy, R8, R12, R20, X};
        let new = match self {
            Self::ChaCha20 => boxed::<R20, Ietf>,
            Self::ChaCha12 => boxed::<R12, Ietf>,
            Self::ChaCha8 => boxed::<R8, Ietf>,
            Self::XChaCha20 => boxed::<R20, X>,
            Self::XChaCha12 => boxed::<R12, X>,
            Self::XChaCha8 => boxed::<R8, X>,
            Self::ChaCha20Legacy => boxed::<R20, Legacy>,
        };
        new(key, iv, kernels)
    }
}

/// An AEAD by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub(crate) enum AeadAlg {
    ChaCha20Poly1305,
    XChaCha20Poly1305,
}

/// An AEAD as the vectors need it; `None` and `false` stand for `Err`.
pub(crate) trait Aead {
    fn seal_in_place(&self, nonce: &[u8], aad: &[u8], text: &mut [u8]) -> Option<[u8; 16]>;
    fn open_in_place(&self, nonce: &[u8], aad: &[u8], text: &mut [u8], tag: &[u8; 16]) -> bool;
    fn seal_into(&self, nonce: &[u8], aad: &[u8], text: &[u8], out: &mut [u8]) -> bool;
    fn open_into(&self, nonce: &[u8], aad: &[u8], sealed: &[u8], out: &mut [u8]) -> bool;
    fn open_vec(&self, nonce: &[u8], aad: &[u8], sealed: &[u8]) -> Option<Vec<u8>>;
}

/// The trait's in-place pair, for any AEAD with a tag of 16 bytes.
pub(crate) fn seal_in_place<A>(
    aead: &A,
    nonce: &[u8],
    aad: &[u8],
    text: &mut [u8],
) -> Option<[u8; 16]>
where
    A: AeadInPlace<TagSize = esp_crate::aead::consts::U16>,
{
    aead.encrypt_in_place_detached(Nonce::<A>::from_slice(nonce), aad, text).ok().map(Into::into)
}

/// See [`seal_in_place`].
pub(crate) fn open_in_place<A>(
    aead: &A,
    nonce: &[u8],
    aad: &[u8],
    text: &mut [u8],
    tag: &[u8; 16],
) -> bool
where
    A: AeadInPlace<TagSize = esp_crate::aead::consts::U16>,
{
    let tag = Tag::<A>::from_slice(tag);
    aead.decrypt_in_place_detached(Nonce::<A>::from_slice(nonce), aad, text, tag).is_ok()
}

macro_rules! impl_aead {
    ($($aead:ty),*) => {$(
        impl Aead for $aead {
            fn seal_in_place(&self, nonce: &[u8], aad: &[u8], text: &mut [u8]) -> Option<[u8; 16]> {
                seal_in_place(self, nonce, aad, text)
            }

            fn open_in_place(
                &self,
                nonce: &[u8],
                aad: &[u8],
                text: &mut [u8],
                tag: &[u8; 16],
            ) -> bool {
                open_in_place(self, nonce, aad, text, tag)
            }

            fn seal_into(&self, nonce: &[u8], aad: &[u8], text: &[u8], out: &mut [u8]) -> bool {
                let nonce = nonce.try_into().expect("a nonce of the AEAD's length");
                <$aead>::seal_into(self, nonce, aad, text, out).is_ok()
            }

            fn open_into(&self, nonce: &[u8], aad: &[u8], sealed: &[u8], out: &mut [u8]) -> bool {
                let nonce = nonce.try_into().expect("a nonce of the AEAD's length");
                <$aead>::open_into(self, nonce, aad, sealed, out).is_ok()
            }

            fn open_vec(&self, nonce: &[u8], aad: &[u8], sealed: &[u8]) -> Option<Vec<u8>> {
                let nonce = Nonce::<Self>::from_slice(nonce);
                self.decrypt(nonce, Payload { msg: sealed, aad }).ok()
            }
        }
    )*};
}

impl_aead!(esp_crate::ChaCha20Poly1305, esp_crate::XChaCha20Poly1305);

impl AeadAlg {
    /// # Panics
    /// If the key does not have 32 bytes.
    pub(crate) fn start(self, key: &[u8], kernels: &Kernels) -> Box<dyn Aead> {
        let key = key.try_into().expect("a key of 32 bytes");
        match self {
            Self::ChaCha20Poly1305 => {
                Box::new(esp_crate::ChaCha20Poly1305::with_backend(key, kernels.aead))
            }
            Self::XChaCha20Poly1305 => {
                Box::new(esp_crate::XChaCha20Poly1305::with_backend(key, kernels.aead))
            }
        }
    }

    /// The stream cipher inside, whose block 0 is the one-time key (RFC 8439 section 2.6).
    pub(crate) fn stream(self) -> StreamAlg {
        match self {
            Self::ChaCha20Poly1305 => StreamAlg::ChaCha20,
            Self::XChaCha20Poly1305 => StreamAlg::XChaCha20,
        }
    }
}

/// Whether a constructor takes a key of this length.
pub(crate) fn takes_key<T: KeyInit>(key: &[u8]) -> bool {
    T::new_from_slice(key).is_ok()
}
