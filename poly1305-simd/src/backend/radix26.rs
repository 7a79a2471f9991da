//! The kernel of SSE2 and AVX2: radix 2^26, one block to a lane.
//!
//! With L lanes, lane j takes in every L-th block from block j on and is multiplied by r^L each
//! time. At the end the lanes are multiplied by r^L, r^(L-1), ..., r and added up, which is what
//! evaluating the polynomial block by block would have given (Bernstein and Schwabe, "NEON crypto",
//! CHES 2012, section 5; Goll and Gueron, "Vectorization of Poly1305", 2014).
//!
//! A number of blocks that is no multiple of L makes the *first* group short: its empty lanes come
//! first and hold 0, so no block is ever left over at the end. Groups are taken in pairs,
//! `(x r^L + a) r^L + b` being done as `x r^2L + a r^L + b`, which needs one carry where two steps
//! need two; r^2L, ..., r^(L+1) for it cost as much as one group.
//!
//! | value | below | because |
//! |-------|-------|---------|
//! | limbs of a block | 2^26; top one 2^25 | unpacked; 24 bits and the one above |
//! | limbs of the first group | 2^27 | it holds the accumulator too |
//! | x, carried | 2^26 + 2^9 | see [`carry`] |
//! | x and a block | 2^27 + 2^9 | |
//! | limbs of a power | 2^26; top one 1.25 * 2^26 | [`Element::to_radix26`] |
//! | five times that | 2^28.7 | fits the 32 bits that a multiplication reads |
//! | sum of five products with x | 2^57.8 | 2^27.01 * 2^26.33 * (1 + 4 * 5) |
//! | and of five with a block | 2^58.4 | |
//! | final sum over L <= 4 lanes | 2^60.4 | [`Element::from_radix26`] takes 2^63 |

use super::{lanes::Multiply32, powers::Powers};
use crate::{field::Element, key::Multiplier};

/// What a sum of ten products, five with the accumulator and five with a block, stays below: 2^58.4.
const SUM_BOUND: u64 = (1 << 58) / 10 * 13;

/// A power of r for each lane, and five times its upper limbs: what passes 2^130 comes back as 5.
struct Factor<V> {
    r: [V; 5],
    five: [V; 4],
}

impl<V: Multiply32> Factor<V> {
    #[inline(always)]
    fn new(r: [V; 5]) -> Self {
        let r = opaque(r);
        let [_, r1, r2, r3, r4] = r;
        Self { r, five: [five_times(r1), five_times(r2), five_times(r3), five_times(r4)] }
    }

    /// The product with `x` in limbs that are yet to be carried.
    #[inline(always)]
    fn mul(&self, x: [V; 5]) -> [V; 5] {
        let [x0, x1, x2, x3, x4] = opaque(x);
        let [r0, r1, r2, r3, r4] = self.r;
        let [s1, s2, s3, s4] = self.five;
        // Limb by limb of x: with sixteen registers, five sums and what feeds them is all that fits.
        let d = scale(x0, [r0, r1, r2, r3, r4]);
        let d = add(d, scale(x1, [s4, r0, r1, r2, r3]));
        let d = add(d, scale(x2, [s3, s4, r0, r1, r2]));
        let d = add(d, scale(x3, [s2, s3, s4, r0, r1]));
        add(d, scale(x4, [s1, s2, s3, s4, r0]))
    }
}

#[inline(always)]
fn scale<V: Multiply32>(x: V, [r0, r1, r2, r3, r4]: [V; 5]) -> [V; 5] {
    [x.mul(r0), x.mul(r1), x.mul(r2), x.mul(r3), x.mul(r4)]
}

#[inline(always)]
fn five_times<V: Multiply32>(x: V) -> V {
    x.add(x.shl::<2>()).opaque()
}

#[inline(always)]
fn opaque<V: Multiply32>([x0, x1, x2, x3, x4]: [V; 5]) -> [V; 5] {
    [x0.opaque(), x1.opaque(), x2.opaque(), x3.opaque(), x4.opaque()]
}

#[inline(always)]
fn add<V: Multiply32>([x0, x1, x2, x3, x4]: [V; 5], [y0, y1, y2, y3, y4]: [V; 5]) -> [V; 5] {
    [x0.add(y0), x1.add(y1), x2.add(y2), x3.add(y3), x4.add(y4)]
}

/// [`Lanes::below`](super::lanes::Lanes::below) for every limb.
#[inline(always)]
fn below<V: Multiply32>([x0, x1, x2, x3, x4]: [V; 5], bound: u64) -> [V; 5] {
    [x0.below(bound), x1.below(bound), x2.below(bound), x3.below(bound), x4.below(bound)]
}

/// The five limbs of the numbers whose low 128 bits are given in halves, `top` being added to the
/// last limb.
///
/// # Safety
/// The CPU has the instructions of `V`.
#[inline(always)]
unsafe fn limbs<V: Multiply32>([low, high]: [V; 2], top: V) -> [V; 5] {
    // SAFETY: passed on to the caller.
    let mask = unsafe { V::splat((1 << 26) - 1) };
    [
        low.and(mask),
        low.shr::<26>().and(mask),
        low.shr::<52>().or(high.shl::<12>()).and(mask),
        high.shr::<14>().and(mask),
        high.shr::<40>().add(top),
    ]
}

/// The limbs of a whole group.
///
/// # Safety
/// The CPU has the instructions of `V`; it is a group.
#[inline(always)]
unsafe fn group<V: Multiply32>(blocks: &[[u8; 16]]) -> [V; 5] {
    // SAFETY: passed on to the caller.
    unsafe { limbs(V::load(blocks), V::splat(1 << 24)) }
}

/// Brings limbs below 2^58.4 down to 2^26 + 2^9.
///
/// Two chains run side by side, from limbs 0 and 3, so that no step waits for the one before. What
/// leaves limb 4 is below 2^32.5 and comes back five times as large, so limb 0 passes on less than
/// 2^9 the second time; limb 3 passes on less still.
///
/// # Safety
/// The CPU has the instructions of `V`.
#[inline(always)]
unsafe fn carry<V: Multiply32>(d: [V; 5]) -> [V; 5] {
    let [d0, d1, d2, d3, d4] = below(d, SUM_BOUND);
    // SAFETY: passed on to the caller.
    let mask = unsafe { V::splat((1 << 26) - 1) };
    let (d4, d3) = (d4.add(d3.shr::<26>()), d3.and(mask));
    let (d1, d0) = (d1.add(d0.shr::<26>()), d0.and(mask));
    let (c, d4) = (d4.shr::<26>(), d4.and(mask));
    let (d2, d1) = (d2.add(d1.shr::<26>()), d1.and(mask));
    let d0 = d0.add(c).add(c.shl::<2>());
    let (d3, d2) = (d3.add(d2.shr::<26>()), d2.and(mask));
    let (d1, d0) = (d1.add(d0.shr::<26>()), d0.and(mask));
    let (d4, d3) = (d4.add(d3.shr::<26>()), d3.and(mask));
    below([d0, d1, d2, d3, d4], (1 << 26) + (1 << 9))
}

/// The accumulator after `blocks` and then `last`, which is one group.
///
/// # Safety
/// The CPU has the instructions of `V`. `blocks` is not empty, and `last` is a group.
#[inline(always)]
pub(super) unsafe fn absorb<V: Multiply32>(
    h: &Element,
    powers: &mut Powers,
    r: &Multiplier,
    blocks: &[[u8; 16]],
    last: &[[u8; 16]],
) -> Element {
    debug_assert!(!blocks.is_empty() && last.len() == V::LANES);
    let short = (blocks.len() - 1) % V::LANES + 1;
    // SAFETY: `short` is no more than there is.
    let (first, rest) = unsafe { blocks.split_at_unchecked(short) };
    let mut groups = rest.chunks_exact(V::LANES);

    // SAFETY: passed on to the caller.
    unsafe {
        let [low, high, top] = V::falling(powers, r);
        let falling = limbs([low, high], top.shl::<24>());
        let step = Factor::new(same(&falling));
        let mut x = first_group::<V>(h, first);
        let falling2 = carry(step.mul(falling));
        let step2 = Factor::new(same(&falling2));
        if groups.len() % 2 == 1
            && let Some(blocks) = groups.next()
        {
            x = add(carry(step.mul(x)), group(blocks));
        }
        while let (Some(a), Some(b)) = (groups.next(), groups.next()) {
            let d = add(step.mul(group(a)), step2.mul(x));
            x = add(carry(d), group(b));
        }
        let d = Factor::new(falling).mul(group(last));
        let d = add(d, Factor::new(falling2).mul(x));
        let [d0, d1, d2, d3, d4] = below(d, SUM_BOUND);
        Element::from_radix26([d0.sum(), d1.sum(), d2.sum(), d3.sum(), d4.sum()])
    }
}

/// The lane of the first block, in every lane.
#[inline(always)]
fn same<V: Multiply32>(x: &[V; 5]) -> [V; 5] {
    [x[0].first(), x[1].first(), x[2].first(), x[3].first(), x[4].first()]
}

/// The first group, which may be short, with the accumulator added to its first block.
///
/// # Safety
/// The CPU has the instructions of `V`; it is 1 to [`LANES`](super::lanes::Lanes::LANES) blocks.
#[inline(always)]
unsafe fn first_group<V: Multiply32>(h: &Element, first: &[[u8; 16]]) -> [V; 5] {
    let [h0, h1, h2, h3, h4] = h.to_radix26();
    // SAFETY: passed on to the caller.
    unsafe {
        let taken = V::mask_last(first.len());
        let lane = V::mask_last(first.len() - 1).and_not(taken);
        let h = [
            V::splat(h0.into()).and(lane),
            V::splat(h1.into()).and(lane),
            V::splat(h2.into()).and(lane),
            V::splat(h3.into()).and(lane),
            V::splat(h4.into()).and(lane),
        ];
        below(add(limbs(V::load_short(first), V::splat(1 << 24).and(taken)), h), 1 << 27)
    }
}

#[cfg(test)]
mod tests {
    use super::super::lanes::model::Model;
    use super::*;
    use crate::backend::soft;

    fn check<const L: usize>(r: u128, h: [u64; 3], blocks: &[[u8; 16]]) {
        let r = Multiplier::clamp(&r.to_le_bytes());
        let expected = soft::blocks(Element(h), &r, blocks).finish(0);
        let (blocks, last) = blocks.split_at(blocks.len() - L);
        // SAFETY: the model needs no instructions.
        let h = unsafe { absorb::<Model<L>>(&Element(h), &mut Powers::None, &r, blocks, last) };
        assert!(h.0[2] <= Element::MAX_TOP);
        assert_eq!(h.finish(0), expected, "{} blocks", blocks.len() + L);
    }

    #[test]
    fn limbs_at_their_bounds() {
        let multipliers = [0, 1, 2, 4, (1 << 26) - 1, 1 << 26, 1 << 52, 1 << 123, u128::MAX];
        let accumulators = [[0, 0, 0], [u64::MAX, u64::MAX, 4], [u64::MAX - 4, u64::MAX, 3]];
        for r in multipliers {
            for h in accumulators {
                for len in 5..=40 {
                    for fill in [0x00, 0xff] {
                        check::<2>(r, h, &[[fill; 16]; 40][..len]);
                        check::<4>(r, h, &[[fill; 16]; 40][..len]);
                    }
                }
            }
        }
    }
}
