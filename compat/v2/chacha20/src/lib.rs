//! Stands in for RustCrypto's `chacha20` 0.10.2, through `[patch.crates-io]`: the same names, types
//! and traits, on the kernels of [`chacha20_simd`].
//!
//! The cipher types are RustCrypto's own wrapper around the cores here, so that they can be spelled
//! out as before. The cores hand whole slices to the kernels, and so do the random number
//! generators where they fill more than their buffer.

#![no_std]
#![forbid(unsafe_code)]

#[cfg(any(feature = "cipher", feature = "rng"))]
mod backend;
#[cfg(feature = "cipher")]
mod chacha;
mod core_type;
#[cfg(feature = "legacy")]
mod legacy;
#[cfg(feature = "rng")]
mod rng;
mod rounds;
pub mod variants;
#[cfg(feature = "xchacha")]
mod xchacha;

pub use core_type::ChaChaCore;
pub use rounds::{R8, R12, R20, Rounds};

#[cfg(feature = "cipher")]
pub use chacha::{ChaCha8, ChaCha12, ChaCha20, Key, Nonce};
#[cfg(feature = "cipher")]
pub use cipher::{self, KeyIvInit};
#[cfg(feature = "legacy")]
pub use legacy::{ChaCha20Legacy, ChaCha20LegacyCore, LegacyNonce};
#[cfg(feature = "rng")]
pub use rand_core;
#[cfg(feature = "rng")]
pub use rng::{ChaCha8Rng, ChaCha12Rng, ChaCha20Rng, Seed, SerializedRngState};
#[cfg(feature = "xchacha")]
pub use xchacha::{XChaCha8, XChaCha12, XChaCha20, XNonce, hchacha};
