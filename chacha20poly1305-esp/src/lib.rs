#![no_std]
#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![doc = include_str!("../README.md")]

mod backend;
mod chachapoly;
pub mod engine;
mod error;
pub mod esp;
mod message;
mod segments;
mod stitched;
mod traits;

/// What `chacha20poly1305` 0.10 has at its root, so that a program finds it here by the same path.
#[doc(no_inline)]
pub use aead::{self, AeadCore, AeadInPlace, Error, KeyInit, KeySizeUser, consts};
#[cfg(feature = "aead06")]
#[doc(no_inline)]
pub use aead06;

pub use crate::backend::Backend;
pub use crate::chachapoly::ChaChaPoly1305;
pub use crate::error::MessageError;
pub use crate::message::MAX_MESSAGE_LEN;
pub use crate::traits::aead05::{Key, Nonce, Tag, XNonce};
pub use crate::traits::segmented::SegmentedAead;

use chacha20_simd::{Ietf, R20, X};
#[cfg(feature = "reduced-round")]
use chacha20_simd::{R8, R12};

/// ChaCha20-Poly1305 of RFC 8439: 32-byte key, 12-byte nonce, 16-byte tag.
pub type ChaCha20Poly1305 = ChaChaPoly1305<R20, Ietf>;
/// XChaCha20-Poly1305 of draft-irtf-cfrg-xchacha: 32-byte key, 24-byte nonce, 16-byte tag.
pub type XChaCha20Poly1305 = ChaChaPoly1305<R20, X>;

/// ChaCha with 8 rounds and Poly1305, otherwise as [`ChaCha20Poly1305`].
#[cfg(feature = "reduced-round")]
pub type ChaCha8Poly1305 = ChaChaPoly1305<R8, Ietf>;
/// ChaCha with 12 rounds and Poly1305, otherwise as [`ChaCha20Poly1305`].
#[cfg(feature = "reduced-round")]
pub type ChaCha12Poly1305 = ChaChaPoly1305<R12, Ietf>;
/// XChaCha with 8 rounds and Poly1305, otherwise as [`XChaCha20Poly1305`].
#[cfg(feature = "reduced-round")]
pub type XChaCha8Poly1305 = ChaChaPoly1305<R8, X>;
/// XChaCha with 12 rounds and Poly1305, otherwise as [`XChaCha20Poly1305`].
#[cfg(feature = "reduced-round")]
pub type XChaCha12Poly1305 = ChaChaPoly1305<R12, X>;
