#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![doc = include_str!("../README.md")]

mod backend;
mod beside;
mod buffer;
mod counter;
pub mod engine;
mod keystream;
mod stream;
mod traces;
mod traits;
mod variants;
mod wipe;
mod xchacha;

#[doc(no_inline)]
pub use cipher;
#[cfg(feature = "cipher05")]
#[doc(no_inline)]
pub use cipher05;

pub use crate::backend::{Backend, Proof};
pub use crate::stream::ChaCha;
pub use crate::traits::cipher04::{Key, LegacyNonce, Nonce, XNonce, hchacha};
pub use crate::variants::{Ietf, Legacy, R8, R12, R20, Rounds, Variant, X};

/// ChaCha20 of RFC 8439: 32-byte key, 12-byte nonce, 32-bit block counter.
pub type ChaCha20 = ChaCha<R20, Ietf>;
/// ChaCha with 12 rounds, otherwise as [`ChaCha20`].
pub type ChaCha12 = ChaCha<R12, Ietf>;
/// ChaCha with 8 rounds, otherwise as [`ChaCha20`].
pub type ChaCha8 = ChaCha<R8, Ietf>;
/// XChaCha20 of draft-irtf-cfrg-xchacha: 32-byte key, 24-byte nonce, 32-bit block counter.
pub type XChaCha20 = ChaCha<R20, X>;
/// XChaCha with 12 rounds, otherwise as [`XChaCha20`].
pub type XChaCha12 = ChaCha<R12, X>;
/// XChaCha with 8 rounds, otherwise as [`XChaCha20`].
pub type XChaCha8 = ChaCha<R8, X>;
/// ChaCha20 in D. J. Bernstein's original layout: 8-byte nonce, 64-bit block counter.
pub type ChaCha20Legacy = ChaCha<R20, Legacy>;
