//! RustCrypto's traits, a file a generation. They know no algorithm.

pub(crate) mod aead05;
#[cfg(feature = "aead06")]
mod aead06;
pub(crate) mod segmented;
