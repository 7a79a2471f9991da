//! The polynomial in r that Poly1305 evaluates: all of the algorithm but the final `+ s`.

use crate::{
    backend::{Backend, Powers},
    field::Element,
    key::Multiplier,
};

/// What a block carries above its 128 bits (RFC 8439, section 2.5.1): a one for a whole block, and
/// for a zero-padded one; nothing when the one is among the bytes already.
#[derive(Clone, Copy)]
pub(crate) enum Top {
    One,
    Zero,
}

/// The accumulator together with what multiplies it.
#[derive(Clone)]
pub(crate) struct Polynomial {
    pub(crate) acc: Element,
    pub(crate) r: Multiplier,
    pub(crate) powers: Powers,
    pub(crate) backend: Backend,
}

impl Polynomial {
    #[inline(always)]
    pub(crate) const fn new(r: Multiplier, backend: Backend) -> Self {
        Self { acc: Element::ZERO, r, powers: Powers::None, backend }
    }

    /// Takes in whole blocks.
    #[inline(always)]
    pub(crate) fn blocks(&mut self, blocks: &[[u8; 16]]) {
        self.backend.absorb(self, blocks, &[]);
    }

    /// Takes in `data`, the last partial block filled up with zeros.
    #[inline(always)]
    pub(crate) fn padded(&mut self, data: &[u8]) {
        let (blocks, rest) = data.as_chunks();
        self.blocks(blocks);
        if !rest.is_empty() {
            self.block(load_partial(rest), Top::One);
        }
    }

    /// Takes in `data`, padded likewise, and one block more.
    #[inline(always)]
    pub(crate) fn padded_then(&mut self, data: &[u8], block: u128) {
        let (blocks, rest) = data.as_chunks();
        let tail = [load_partial(rest), block].map(u128::to_le_bytes);
        self.backend.absorb(self, blocks, &tail[usize::from(rest.is_empty())..]);
    }

    /// Takes in a last block of 1 to 15 bytes, ended by a one (RFC 8439, section 2.5.1).
    #[inline(always)]
    pub(crate) fn partial(&mut self, data: &[u8]) {
        let end = 1 << (8 * data.len());
        self.block(load_partial(data) | end, Top::Zero);
    }

    /// Takes in one block.
    #[inline(always)]
    pub(crate) fn block(&mut self, block: u128, top: Top) {
        self.backend.absorb_block(self, block, top);
    }
}

#[cfg(feature = "zeroize")]
impl Drop for Polynomial {
    #[inline(always)]
    fn drop(&mut self) {
        use zeroize::Zeroize;
        self.acc.0.zeroize();
        self.r.zeroize();
        self.powers.zeroize();
    }
}

/// The last block of an AEAD's message: the lengths of associated data and ciphertext in bytes, as
/// two 64-bit words (RFC 8439, section 2.8).
#[inline(always)]
pub(crate) const fn lengths(aad: usize, ciphertext: usize) -> u128 {
    aad as u128 | (ciphertext as u128) << 64
}

/// Fewer than 16 bytes as the low bytes of a little-endian block.
///
/// Two overlapping loads instead of a copy of variable length, which would be a call to `memcpy`:
/// that call alone takes as long as a multiplication.
#[inline(always)]
pub(crate) fn load_partial(data: &[u8]) -> u128 {
    let len = data.len();
    assert!(len < 16, "a partial block is shorter than a block");
    if let (Some(head), Some(tail)) = (data.first_chunk::<8>(), data.last_chunk::<8>()) {
        join(u64::from_le_bytes(*head), u64::from_le_bytes(*tail), len, 64)
    } else if let (Some(head), Some(tail)) = (data.first_chunk::<4>(), data.last_chunk::<4>()) {
        join(u32::from_le_bytes(*head).into(), u32::from_le_bytes(*tail).into(), len, 32)
    } else if let (Some(first), Some(last)) = (data.first(), data.last()) {
        // One to three bytes: the one in the middle is the first or the last again if there is none.
        let middle = data[len / 2];
        u128::from(*first)
            | u128::from(middle) << (8 * (len / 2))
            | u128::from(*last) << (8 * (len - 1))
    } else {
        0
    }
}

/// Lays the last `width` bits of `len` bytes over the first `width`.
#[inline(always)]
fn join(head: u64, tail: u64, len: usize, width: usize) -> u128 {
    u128::from(head) | u128::from(tail) << (8 * len - width)
}

#[cfg(test)]
mod tests {
    use super::load_partial;

    #[test]
    fn partial_blocks_load_little_endian() {
        let bytes: [u8; 15] = core::array::from_fn(|i| 0x81 + 7 * i as u8);
        for len in 0..16 {
            let mut block = [0; 16];
            block[..len].copy_from_slice(&bytes[..len]);
            assert_eq!(load_partial(&bytes[..len]), u128::from_le_bytes(block), "{len} bytes");
        }
    }
}
