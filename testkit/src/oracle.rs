//! References that are obviously right: ChaCha word by word, Poly1305 on big integers.

mod aead;
mod chacha;
mod poly1305;

pub use aead::{open, seal, xopen, xseal};
pub use chacha::{block, block_legacy, hchacha, xchacha_xor, xor, xor_legacy};
pub use poly1305::{poly1305, polynomial, polynomial_from};
