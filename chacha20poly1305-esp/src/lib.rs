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

#[doc(no_inline)]
pub use aead;
#[cfg(feature = "aead06")]
#[doc(no_inline)]
pub use aead06;

pub use crate::backend::Backend;
pub use crate::chachapoly::ChaChaPoly1305;
pub use crate::error::Error;
pub use crate::message::MAX_MESSAGE_LEN;
pub use crate::traits::aead05::{Key, Nonce, Tag, XNonce};
pub use crate::traits::segmented::SegmentedAead;

use chacha20_simd::{Ietf, R20, X};

/// ChaCha20-Poly1305 of RFC 8439: 32-byte key, 12-byte nonce, 16-byte tag.
pub type ChaCha20Poly1305 = ChaChaPoly1305<R20, Ietf>;
/// XChaCha20-Poly1305 of draft-irtf-cfrg-xchacha: 32-byte key, 24-byte nonce, 16-byte tag.
pub type XChaCha20Poly1305 = ChaChaPoly1305<R20, X>;
