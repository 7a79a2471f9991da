//! RustCrypto's traits, a file a generation. They know no algorithm.

pub(crate) mod aead05;
