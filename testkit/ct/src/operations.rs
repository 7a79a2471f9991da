//! What the crates do with secrets.

pub(crate) mod aead;
pub(crate) mod cipher;
pub(crate) mod esp;
pub(crate) mod poly1305;
