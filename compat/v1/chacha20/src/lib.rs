//! Stands in for RustCrypto's `chacha20` 0.9.1, through `[patch.crates-io]`: the same names, types
//! and traits, on the kernels of [`chacha20_simd`].
//!
//! The cipher types are RustCrypto's own wrapper around the cores here, so that they can be spelled
//! out as before. The cores hand whole slices to the kernels.

#![no_std]
#![forbid(unsafe_code)]

pub use cipher;

mod backend;
mod cores;
mod legacy;
mod xchacha;

pub use cores::ChaChaCore;
pub use legacy::{ChaCha20Legacy, ChaCha20LegacyCore, LegacyNonce};
pub use xchacha::{XChaCha8, XChaCha12, XChaCha20, XChaChaCore, XNonce, hchacha};

use cipher::StreamCipherCoreWrapper;
use cipher::consts::{U4, U6, U10, U12, U32};
use cipher::generic_array::GenericArray;

/// A 32-byte key.
pub type Key = GenericArray<u8, U32>;
/// The 12-byte nonce of RFC 8439.
pub type Nonce = GenericArray<u8, U12>;

/// ChaCha with 8 rounds.
pub type ChaCha8 = StreamCipherCoreWrapper<ChaChaCore<U4>>;
/// ChaCha with 12 rounds.
pub type ChaCha12 = StreamCipherCoreWrapper<ChaChaCore<U6>>;
/// ChaCha20 of RFC 8439.
pub type ChaCha20 = StreamCipherCoreWrapper<ChaChaCore<U10>>;
