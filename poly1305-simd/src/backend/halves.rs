//! A message of middle length in two halves, in scalar code: `A r^k + B`, A and B the polynomials of
//! its first blocks and its last k.
//!
//! A chain of steps waits for itself: 15 cycles a block, of which the multiplier is busy for 6. Two
//! chains with the same r take no longer than one, and r^k is made beside them. Two blocks a step
//! with r^2 would not do: r^2 is not clamped, which costs more than it gains.
//!
//! Vector code needs all its powers before it starts, and takes this long for 32 blocks on Zen 4.

use super::soft;
use crate::{field::Element, key::Multiplier, polynomial::Top::One};

/// Blocks from which two halves take less time than one piece.
pub(super) const MIN: usize = 10;

/// log2 of k: how often r is squared. The halves are as even as that lets them be.
const fn squarings(blocks: usize) -> u32 {
    match blocks {
        ..12 => 2,
        12..24 => 3,
        _ => 4,
    }
}

/// The accumulator after `blocks` and then `tail`, which are [`MIN`] or more together; `tail` is no
/// longer than the second half.
#[inline]
pub(super) fn absorb(
    h: Element,
    r: &Multiplier,
    blocks: &[[u8; 16]],
    tail: &[[u8; 16]],
) -> Element {
    let count = blocks.len() + tail.len();
    debug_assert!(count >= MIN);
    let squarings = squarings(count);
    let k = 1 << squarings;
    let (first, second) = blocks.split_at(count - k);

    let mut power = Element([r.limbs[0], r.limbs[1], 0]);
    for _ in 0..squarings {
        power = power.mul(power);
    }
    let (mut a, mut b) = (h, Element::ZERO);
    // What one half has more than the other goes first, beside the powers.
    let (more_a, first) = first.split_at(first.len().saturating_sub(second.len()));
    let (more_b, second) = second.split_at(second.len().saturating_sub(first.len()));
    a = soft::blocks(a, r, more_a);
    b = soft::blocks(b, r, more_b);
    for (x, y) in first.iter().zip(second) {
        a = soft::block(a, r, u128::from_le_bytes(*x), One);
        b = soft::block(b, r, u128::from_le_bytes(*y), One);
    }
    a.mul(power).plus(soft::blocks(b, r, tail))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_of_blocks() {
        let mut state = 1u128;
        let blocks: [[u8; 16]; 64] = core::array::from_fn(|_| {
            state = state.wrapping_mul(0x2360_ed05_1fc6_5da4_4385_df64_9fcc_f645).wrapping_add(1);
            state.to_le_bytes()
        });
        let accumulators = [[0, 0, 0], [u64::MAX, u64::MAX, 4], [u64::MAX - 4, u64::MAX, 3]];
        for r in [0, 1, 2, 1 << 44, 1 << 123, u128::MAX, state] {
            let r = Multiplier::clamp(&r.to_le_bytes());
            for (len, h) in (MIN..=blocks.len()).flat_map(|len| accumulators.map(|h| (len, h))) {
                for blocks in [&blocks[..len], &[[0xff; 16]; 64][..len]] {
                    let expected = soft::blocks(Element(h), &r, blocks).finish(0);
                    for tail in 0..=2 {
                        let (blocks, tail) = blocks.split_at(len - tail);
                        let h = absorb(Element(h), &r, blocks, tail);
                        assert!(h.0[2] <= Element::MAX_TOP);
                        assert_eq!(h.finish(0), expected, "{len} blocks, {} apart", tail.len());
                    }
                }
            }
        }
    }
}
