//! Radix 2^26: 32 x 32 -> 64 products, five limbs, carries put off until all products are summed.
//!
//! Bounds of one step, h being the accumulator with the block added:
//!
//! | value | below | because |
//! |-------|-------|---------|
//! | h0..h3 | 2^27 + 2^10 | carried or unpacked to 2^26, and a block limb below 2^26 |
//! | h4 | 2^27 | at rest below 1.25 * 2^26, and a block limb below 2^25 |
//! | r0..r4 | 2^26 | clamped |
//! | 5 r1..5 r4 | 2^28.4 | |
//! | d0..d4, each five products, up to four of them with 5 r | 2^58 | 21 * 2^53.01 |

use crate::{field::Element, key::Multiplier, polynomial::Top};

const MASK: u32 = (1 << 26) - 1;

#[cfg_attr(target_pointer_width = "64", allow(dead_code))]
#[inline]
pub(crate) fn blocks(h: Element, r: &Multiplier, blocks: &[[u8; 16]]) -> Element {
    let r = unpack(r);
    let mut h = h.to_radix26();
    for block in blocks {
        h = step(h, &r, u128::from_le_bytes(*block), 1);
    }
    Element::from_radix26(h.map(u64::from))
}

#[cfg_attr(target_pointer_width = "64", allow(dead_code))]
#[inline]
pub(crate) fn block(h: Element, r: &Multiplier, block: u128, top: Top) -> Element {
    let h = step(h.to_radix26(), &unpack(r), block, matches!(top, Top::One) as u32);
    Element::from_radix26(h.map(u64::from))
}

fn unpack(r: &Multiplier) -> [u32; 5] {
    Element([r.limbs[0], r.limbs[1], 0]).to_radix26()
}

/// (h + block + top * 2^128) * r
#[inline(always)]
fn step(h: [u32; 5], r: &[u32; 5], block: u128, top: u32) -> [u32; 5] {
    let h0 = h[0] + (block as u32 & MASK);
    let h1 = h[1] + ((block >> 26) as u32 & MASK);
    let h2 = h[2] + ((block >> 52) as u32 & MASK);
    let h3 = h[3] + ((block >> 78) as u32 & MASK);
    let h4 = h[4] + ((block >> 104) as u32 | top << 24);
    debug_assert!(h0.max(h1).max(h2).max(h3) < (1 << 27) + (1 << 10) && h4 < 1 << 27);

    let [r0, r1, r2, r3, r4] = *r;
    let [s1, s2, s3, s4] = [5 * r1, 5 * r2, 5 * r3, 5 * r4];
    let d0 = mul(h0, r0) + mul(h1, s4) + mul(h2, s3) + mul(h3, s2) + mul(h4, s1);
    let d1 = mul(h0, r1) + mul(h1, r0) + mul(h2, s4) + mul(h3, s3) + mul(h4, s2);
    let d2 = mul(h0, r2) + mul(h1, r1) + mul(h2, r0) + mul(h3, s4) + mul(h4, s3);
    let d3 = mul(h0, r3) + mul(h1, r2) + mul(h2, r1) + mul(h3, r0) + mul(h4, s4);
    let d4 = mul(h0, r4) + mul(h1, r3) + mul(h2, r2) + mul(h3, r1) + mul(h4, r0);
    debug_assert!(d0.max(d1).max(d2).max(d3).max(d4) < 1 << 58);

    // Up the chain, round its end by 5, and once more from the bottom: what is left over in limb 1
    // is a few bits, and the next sum has room for them.
    let d1 = d1 + (d0 >> 26);
    let d2 = d2 + (d1 >> 26);
    let d3 = d3 + (d2 >> 26);
    let d4 = d4 + (d3 >> 26);
    let d0 = (d0 & u64::from(MASK)) + 5 * (d4 >> 26);
    let limb = |d: u64| d as u32 & MASK;
    [limb(d0), limb(d1) + (d0 >> 26) as u32, limb(d2), limb(d3), limb(d4)]
}

#[inline(always)]
fn mul(a: u32, b: u32) -> u64 {
    u64::from(a) * u64::from(b)
}

#[cfg(test)]
mod tests {
    use super::super::soft64;
    use super::*;

    /// Only one of the two is dispatched to on a target: this runs both everywhere.
    #[test]
    fn both_radices_agree() {
        let edges = [0, 1, 2, 4, (1 << 26) - 1, 1 << 44, u64::MAX as u128, u128::MAX];
        for r in edges {
            let r = Multiplier::clamp(&r.to_le_bytes());
            for low in edges.into_iter().chain((0..8).map(|k| u128::MAX - k)) {
                for top in 0..=Element::MAX_TOP {
                    let h = Element([low as u64, (low >> 64) as u64, top]);
                    for block in edges {
                        let message = [block.to_le_bytes(); 5];
                        for len in 0..=message.len() {
                            let a = super::blocks(h, &r, &message[..len]).finish(0);
                            let b = soft64::blocks(h, &r, &message[..len]).finish(0);
                            assert_eq!(a, b);
                        }
                        for end in [Top::One, Top::Zero] {
                            let a = super::block(h, &r, block, end).finish(0);
                            let b = soft64::block(h, &r, block, end).finish(0);
                            assert_eq!(a, b);
                        }
                    }
                }
            }
        }
    }
}
