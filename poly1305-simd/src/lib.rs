#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![doc = include_str!("../README.md")]

#[cfg(feature = "std")]
extern crate std;

mod backend;
mod declassify;
pub mod engine;
mod field;
#[cfg(feature = "hazmat")]
pub mod hazmat;
mod key;
mod mac;
mod polynomial;
mod traits;

pub use crate::{
    backend::{Backend, Proof},
    mac::Poly1305,
};
pub use universal_hash;
#[cfg(feature = "universal-hash06")]
pub use universal_hash06;

use universal_hash::{
    consts::{U16, U32},
    generic_array::GenericArray,
};

/// Bytes in a one-time key: 16 of `r`, then 16 of `s` (RFC 8439, section 2.5).
pub const KEY_SIZE: usize = 32;

/// Bytes in a block and in a tag.
pub const BLOCK_SIZE: usize = 16;

/// A one-time key of [`KEY_SIZE`] bytes. It must never authenticate two messages.
pub type Key = GenericArray<u8, U32>;

/// A block of [`BLOCK_SIZE`] bytes.
pub type Block = GenericArray<u8, U16>;

/// An authentication tag of [`BLOCK_SIZE`] bytes. Compare tags with
/// [`UniversalHash::verify`](universal_hash::UniversalHash::verify), which takes constant time.
pub type Tag = Block;
