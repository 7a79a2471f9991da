//! The bare polynomial hash, without the final `+ s`. **Not a MAC**: read on before using it.
//!
//! For a message of blocks m_1..m_n the hash is
//! `((m_1 + 2^128) r^n + ... + (m_n + 2^128) r mod 2^130 - 5) mod 2^128`. It is
//! epsilon-almost-delta-universal: for any two messages of up to L blocks and any difference d, the
//! hashes differ by d (modulo 2^128) for at most a fraction of 8 L / 2^106 of the keys r. That, and
//! nothing more, is what Wegman-Carter authenticators and wide-block constructions such as Adiantum
//! and HPolyC (<https://eprint.iacr.org/2018/720>) ask of it.
//!
//! A hash that anybody sees gives r away: r is a root of a known polynomial. The output must be
//! masked (as Poly1305 does by adding s) or used where no attacker reads it.

use crate::{
    Backend,
    key::Multiplier,
    polynomial::{Polynomial, Top},
};
use core::fmt;

/// The polynomial hash of Poly1305 under a key of 16 bytes, which may be used for many messages as
/// long as no hash is revealed.
///
/// ```
/// use poly1305_simd::hazmat::PolyHash;
/// use poly1305_simd::{Key, Poly1305, universal_hash::KeyInit};
///
/// let (r, s, message) = ([0x85; 16], [0x5a; 16], [7; 64]);
///
/// let mut hash = PolyHash::new(&r);
/// hash.update_padded(&message);
/// let hash = u128::from_le_bytes(hash.finish());
///
/// // Poly1305 is this hash, plus s.
/// let key = [r, s].concat();
/// let tag = Poly1305::new(Key::from_slice(&key)).compute_unpadded(&message);
/// assert_eq!(tag[..], hash.wrapping_add(u128::from_le_bytes(s)).to_le_bytes());
/// ```
#[derive(Clone)]
pub struct PolyHash(Polynomial);

impl PolyHash {
    /// Starts a hash. The bits of `r` that Poly1305 clamps (RFC 8439, section 2.5.1) are ignored.
    #[inline]
    #[must_use]
    pub fn new(r: &[u8; 16]) -> Self {
        Self(Polynomial::new(Multiplier::clamp(r), Backend::detect()))
    }

    /// Takes in whole blocks.
    #[inline]
    pub fn update(&mut self, blocks: &[[u8; 16]]) {
        self.0.blocks(blocks);
    }

    /// Takes in `data`, its last partial block filled up with zeros. Hashes of messages that
    /// differ only in such zeros are equal: a caller to whom this matters hashes the length too.
    #[inline]
    pub fn update_padded(&mut self, data: &[u8]) {
        self.0.padded(data);
    }

    /// Takes in the end of a message, a last partial block being ended by a one, which tells
    /// messages of all lengths apart.
    #[inline]
    pub fn update_last(&mut self, data: &[u8]) {
        let (blocks, rest) = data.as_chunks();
        self.0.blocks(blocks);
        if !rest.is_empty() {
            self.0.partial(rest);
        }
    }

    /// Takes in one block without the one that Poly1305 adds above it, so that a block is the
    /// number that its bytes spell and a block of zeros adds nothing.
    #[inline]
    pub fn update_bare(&mut self, block: &[u8; 16]) {
        self.0.block(u128::from_le_bytes(*block), Top::Zero);
    }

    /// The hash: the low 128 bits of the polynomial's value, itself reduced to 0..2^130 - 5.
    #[inline]
    #[must_use]
    pub fn finish(self) -> [u8; 16] {
        self.0.acc.finish(0).to_le_bytes()
    }
}

impl fmt::Debug for PolyHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PolyHash").finish_non_exhaustive()
    }
}

#[cfg(feature = "zeroize")]
impl zeroize::ZeroizeOnDrop for PolyHash {}
