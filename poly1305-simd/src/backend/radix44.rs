//! The kernel of AVX-512 IFMA: radix 2^44, one block to each of eight lanes.
//!
//! The order of evaluation is that of [`radix26`](super::radix26): lane j takes in every eighth
//! block, the first group may be short, and the last multiplication is by r^8, ..., r. Here it pays
//! to go further: four groups at a time, `x r^32 + a r^24 + b r^16 + c r^8 + d`, need one carry
//! (Gueron and Krasnov's use of IFMA for public keys, 2016, is where lazy carries over 52-bit
//! products come from).
//!
//! A product of two limbs has its low 52 bits added to one sum and the rest to another, so each
//! column of the product is a pair, `low + 2^52 high`, the upper half of which belongs to the next
//! column times 2^8: limbs are 44 bits apart. The top limb has 42 bits, and what passes 2^130 comes
//! back as 5; limbs of a product that land on 2^132 come back as 20.
//!
//! | value | below | because |
//! |-------|-------|---------|
//! | limbs of a block | 2^44, 2^44, 2^41 | unpacked; 40 bits and the one above |
//! | x, first group | 2^45, 2^45, 2^43 | it holds the accumulator too |
//! | x, carried | 2^44, 2^44 + 2^12, 2^42 | see [`Sums::carry`] |
//! | limbs of a power | 2^44, 2^44 + 2^12, 2^42.4 | carried, or unpacked with up to 4 above 2^128 |
//! | twenty times the upper two | 2^48.4, 2^46.8 | a multiplication reads 52 bits |
//! | low sums: 4 products of 3 limbs, and a block | 2^55.6 | 12 * 2^52 + 2^44 |
//! | high sum of column 0 | 2^42.7 | 4 * (2^37 + 2^39.8 + 2^39.4) |
//! | high sum of column 1 | 2^41.1 | 4 * (2 * 2^37.1 + 2^37.8) |
//! | high sum of column 2 | 2^39.1 | 3 * (2^34.4 + 2^36.1 + 2^34.1), and twice that for the first group |
//! | 5 * 2^10 times that | 2^51.5 | so a multiplication by a constant drops no bit |
//! | final sums over 8 lanes, of 2 products | 2^58 | [`Element::from_radix44`] takes 2^63 |

use super::lanes::Multiply52;
use crate::{field::Element, key::Multiplier};

/// A power of r for each lane, and twenty times its upper limbs.
#[derive(Clone, Copy)]
struct Factor<V> {
    r: [V; 3],
    twenty: [V; 2],
}

impl<V: Multiply52> Factor<V> {
    /// # Safety
    /// The CPU has the instructions of `V`.
    #[inline(always)]
    unsafe fn new(r: [V; 3]) -> Self {
        let [_, r1, r2] = r;
        // SAFETY: passed on to the caller.
        let (zero, twenty) = unsafe { (V::splat(0), V::splat(20)) };
        Self { r, twenty: [zero.add_mul(r1, twenty), zero.add_mul(r2, twenty)] }
    }
}

/// A sum of products, column by column, that is yet to be carried.
#[derive(Clone, Copy)]
struct Sums<V> {
    low: [V; 3],
    high: [V; 3],
}

impl<V: Multiply52> Sums<V> {
    /// The limbs of a group, or zero.
    ///
    /// # Safety
    /// The CPU has the instructions of `V`.
    #[inline(always)]
    unsafe fn new(low: [V; 3]) -> Self {
        // SAFETY: passed on to the caller.
        Self { low, high: [unsafe { V::splat(0) }; 3] }
    }

    /// Adds `x * factor`.
    #[inline(always)]
    fn add_mul(self, x: [V; 3], factor: &Factor<V>) -> Self {
        let Self { low: [l0, l1, l2], high: [h0, h1, h2] } = self;
        let ([x0, x1, x2], [r0, r1, r2], [s1, s2]) = (x, factor.r, factor.twenty);
        Self {
            low: [
                l0.add_mul_low(x0, r0).add_mul_low(x1, s2).add_mul_low(x2, s1),
                l1.add_mul_low(x0, r1).add_mul_low(x1, r0).add_mul_low(x2, s2),
                l2.add_mul_low(x0, r2).add_mul_low(x1, r1).add_mul_low(x2, r0),
            ],
            high: [
                h0.add_mul_high(x0, r0).add_mul_high(x1, s2).add_mul_high(x2, s1),
                h1.add_mul_high(x0, r1).add_mul_high(x1, r0).add_mul_high(x2, s2),
                h2.add_mul_high(x0, r2).add_mul_high(x1, r1).add_mul_high(x2, r0),
            ],
        }
    }

    /// Both halves of each column in one limb. Column 2's upper half, at 2^140, comes back to
    /// column 0 as 5 * 2^10.
    ///
    /// # Safety
    /// The CPU has the instructions of `V`.
    #[inline(always)]
    unsafe fn columns(self) -> [V; 3] {
        let Self { low: [l0, l1, l2], high: [h0, h1, h2] } = self;
        // SAFETY: passed on to the caller.
        let five = unsafe { V::splat(5 << 10) };
        let d0 = l0.add_mul(h2, five);
        let d1 = l1.add(h0.below(1 << 43).shl::<8>());
        let d2 = l2.add(h1.below(1 << 42).shl::<8>());
        [d0.below(1 << 56), d1.below(1 << 56), d2.below(1 << 56)]
    }

    /// The sum of all lanes.
    ///
    /// # Safety
    /// The CPU has the instructions of `V`.
    #[inline(always)]
    unsafe fn total(self) -> Element {
        // SAFETY: passed on to the caller.
        let [d0, d1, d2] = unsafe { self.columns() };
        Element::from_radix44([d0.sum(), d1.sum(), d2.sum()])
    }

    /// The limbs of the sum, carried to 2^44, 2^44 + 2^12 and 2^42.
    ///
    /// The carry starts from column 1, goes round through column 2 to column 0 and ends in column
    /// 1: columns are below 2^56, so what leaves them is below 2^12, and 2^14 from the top one.
    ///
    /// # Safety
    /// The CPU has the instructions of `V`.
    #[inline(always)]
    unsafe fn carry(self) -> [V; 3] {
        // SAFETY: passed on to the caller.
        unsafe {
            let (mask44, mask42) = (V::splat((1 << 44) - 1), V::splat((1 << 42) - 1));
            let [d0, d1, d2] = self.columns();
            let (d2, d1) = (d2.add(d1.shr::<44>()), d1.and(mask44));
            let (d0, d2) = (d0.add_mul(d2.shr::<42>(), V::splat(5)), d2.and(mask42));
            let (d1, d0) = (d1.add(d0.shr::<44>()), d0.and(mask44));
            [d0.below(1 << 44), d1.below((1 << 44) + (1 << 12)), d2.below(1 << 42)]
        }
    }
}

/// The three limbs of the numbers whose low 128 bits are given in halves, `top` being added to the
/// last limb.
///
/// # Safety
/// The CPU has the instructions of `V`.
#[inline(always)]
unsafe fn limbs<V: Multiply52>([low, high]: [V; 2], top: V) -> [V; 3] {
    // SAFETY: passed on to the caller.
    let mask = unsafe { V::splat((1 << 44) - 1) };
    [low.and(mask), low.shr::<44>().or(high.shl::<20>()).and(mask), high.shr::<24>().add(top)]
}

/// The limbs of a whole group.
///
/// # Safety
/// The CPU has the instructions of `V`.
#[inline(always)]
unsafe fn whole<V: Multiply52>(halves: [V; 2]) -> [V; 3] {
    // SAFETY: passed on to the caller.
    unsafe { limbs(halves, V::splat(1 << 40)) }
}

/// The same, of blocks.
///
/// # Safety
/// The CPU has the instructions of `V`; it is a group.
#[inline(always)]
unsafe fn group<V: Multiply52>(blocks: &[[u8; 16]]) -> [V; 3] {
    // SAFETY: passed on to the caller.
    unsafe { whole(V::load(blocks)) }
}

/// The first group, which may be short, with the accumulator added to its first block.
///
/// # Safety
/// The CPU has the instructions of `V`; it is 1 to [`LANES`](super::lanes::Lanes::LANES) blocks.
#[inline(always)]
unsafe fn first_group<V: Multiply52>(h: &Element, first: &[[u8; 16]]) -> [V; 3] {
    let [h0, h1, h2] = h.to_radix44();
    // SAFETY: passed on to the caller.
    unsafe {
        let taken = V::mask_last(first.len());
        let lane = V::mask_last(first.len() - 1).and_not(taken);
        let [x0, x1, x2] = limbs(V::load_short(first), V::splat(1 << 40).and(taken));
        [
            x0.add(V::splat(h0).and(lane)),
            x1.add(V::splat(h1).and(lane)),
            x2.add(V::splat(h2).and(lane)),
        ]
    }
}

/// r^8, r^7, ..., r for the blocks of a group, of what [`Lanes::falling`](super::lanes::Lanes::falling)
/// gives.
///
/// # Safety
/// The CPU has the instructions of `V`.
#[inline(always)]
unsafe fn eight_powers<V: Multiply52>([low, high, top]: [V; 3]) -> [V; 3] {
    // SAFETY: passed on to the caller.
    unsafe {
        // r^4, r^3, r^2, r and once more the same, times r^4 for the first four and 1 for the others.
        let twice = limbs([low, high], top.shl::<40>());
        let others = V::mask_last(4);
        let [r0, r1, r2] = same(&twice);
        let one = V::splat(1).and(others);
        let factor = [others.and_not(r0).or(one), others.and_not(r1), others.and_not(r2)];
        product(twice, &Factor::new(factor))
    }
}

/// `x * factor`, carried.
///
/// # Safety
/// The CPU has the instructions of `V`.
#[inline(always)]
unsafe fn product<V: Multiply52>(x: [V; 3], factor: &Factor<V>) -> [V; 3] {
    // SAFETY: passed on to the caller.
    unsafe { Sums::new([V::splat(0); 3]).add_mul(x, factor).carry() }
}

/// The lane of the first block, in every lane.
#[inline(always)]
fn same<V: Multiply52>(x: &[V; 3]) -> [V; 3] {
    [x[0].first(), x[1].first(), x[2].first()]
}

/// The accumulator, which starts as `h`, after `blocks` and then `last`, where there are few more blocks
/// than two groups: by r^8, since no other power is worth its time. What is more than the groups is
/// for the scalar units, which are done with two or three blocks when the power is known.
///
/// # Safety
/// The CPU has the instructions of `V`. `blocks` holds a group.
#[inline(always)]
pub(super) unsafe fn two_groups<V: Multiply52>(
    h: impl FnOnce() -> Element,
    falling: impl FnOnce() -> [V; 3],
    r: &Multiplier,
    blocks: &[[u8; 16]],
    last: [V; 2],
) -> Element {
    debug_assert!(blocks.len() >= V::LANES);
    // SAFETY: there is a group in `blocks`; the rest is passed on to the caller.
    unsafe {
        let (head, first) = blocks.split_at_unchecked(blocks.len() - V::LANES);
        let last = whole(last).map(V::here);
        let r1_8 = eight_powers(falling());
        let r8 = Factor::new(same(&r1_8));
        // Only now: the powers take longer, and wait for nothing.
        let h = V::one_by_one(h(), r, head);
        let x = Sums::new(last).add_mul(first_group(&h, first), &r8).carry();
        Sums::new([V::splat(0); 3]).add_mul(x, &Factor::new(r1_8)).total()
    }
}

/// The same for any number of blocks, two groups at a time by r^16. What makes no group is a short
/// first one.
///
/// If they are many (`LONG`), four groups at a time by r^32, as long as there are four. It makes two
/// more powers, and saves little: two rounds of the other loop overlap, though each waits for the one
/// before.
///
/// # Safety
/// As there.
#[inline(always)]
pub(super) unsafe fn groups<V: Multiply52, const LONG: bool>(
    h: impl FnOnce() -> Element,
    falling: impl FnOnce() -> [V; 3],
    _: &Multiplier,
    blocks: &[[u8; 16]],
    last: [V; 2],
) -> Element {
    debug_assert!(blocks.len() >= V::LANES);
    // SAFETY: there is a group in `blocks`; the rest is passed on to the caller.
    unsafe {
        let (first, rest) = blocks.split_at_unchecked((blocks.len() - 1) % V::LANES + 1);
        let last = whole(last).map(V::here);
        let r1_8 = eight_powers(falling());
        let r8 = Factor::new(same(&r1_8));
        let r9_16 = product(r1_8, &r8);
        let r16 = Factor::new(same(&r9_16));
        let x = horner::<V, LONG>(first_group(&h(), first), &r8, &r16, rest);
        let sums = Sums::new([V::splat(0); 3]).add_mul(last, &Factor::new(r1_8));
        sums.add_mul(x, &Factor::new(r9_16)).total()
    }
}

/// x after the groups of `blocks`: one and two of them until a multiple of what is taken at a time is
/// left.
///
/// # Safety
/// The CPU has the instructions of `V`.
#[inline(always)]
unsafe fn horner<V: Multiply52, const LONG: bool>(
    mut x: [V; 3],
    r8: &Factor<V>,
    r16: &Factor<V>,
    blocks: &[[u8; 16]],
) -> [V; 3] {
    let mut groups = blocks.chunks_exact(V::LANES);
    // SAFETY: passed on to the caller.
    unsafe {
        if groups.len() % 2 == 1
            && let Some(a) = groups.next()
        {
            x = Sums::new(group(a)).add_mul(x, r8).carry();
        }
        while (!LONG || groups.len() % 4 == 2)
            && let (Some(a), Some(b)) = (groups.next(), groups.next())
        {
            x = Sums::new(group(b)).add_mul(group(a), r8).add_mul(x, r16).carry();
        }
        if LONG {
            let r24 = Factor::new(product(r16.r, r8));
            let r32 = Factor::new(product(r16.r, r16));
            while let (Some(a), Some(b), Some(c), Some(d)) =
                (groups.next(), groups.next(), groups.next(), groups.next())
            {
                // x comes last: it is what the next round waits for.
                let sums = Sums::new(group(d)).add_mul(group(c), r8).add_mul(group(b), r16);
                x = sums.add_mul(group(a), &r24).add_mul(x, &r32).carry();
            }
        }
        x
    }
}

#[cfg(test)]
mod tests {
    use super::super::lanes::{Lanes, model::Model};
    use super::super::powers::{Powers, compute};
    use super::*;
    use crate::backend::soft;

    fn check(r: u128, h: [u64; 3], blocks: &[[u8; 16]]) {
        let r = Multiplier::clamp(&r.to_le_bytes());
        let expected = soft::blocks(Element(h), &r, blocks).finish(0);
        let (blocks, last) = blocks.split_at(blocks.len() - 8);
        for (i, keep) in [(0, false), (0, true), (1, false), (1, true), (2, true)] {
            let (start, mut powers) = (|| Element(h), Powers::None);
            // SAFETY: the model needs no instructions.
            let h = unsafe {
                let falling = || match keep {
                    true => Model::<8>::falling(&mut powers, &r),
                    false => Model::spread(compute(&r)),
                };
                let last = Model::load(last);
                match i {
                    0 => two_groups(start, falling, &r, blocks, last),
                    1 => groups::<_, false>(start, falling, &r, blocks, last),
                    _ => groups::<_, true>(start, falling, &r, blocks, last),
                }
            };
            assert!(h.0[2] <= Element::MAX_TOP);
            assert_eq!(h.finish(0), expected, "form {i}, {} blocks", blocks.len() + 8);
        }
    }

    #[test]
    fn every_number_of_blocks() {
        let mut state = 1u128;
        let blocks: [[u8; 16]; 140] = core::array::from_fn(|_| {
            state = state.wrapping_mul(0x2360_ed05_1fc6_5da4_4385_df64_9fcc_f645).wrapping_add(1);
            state.to_le_bytes()
        });
        for len in 16..=blocks.len() {
            check(state ^ len as u128, [len as u64, u64::MAX, 3], &blocks[..len]);
        }
    }

    #[test]
    fn limbs_at_their_bounds() {
        let multipliers = [0, 1, 2, 4, (1 << 44) - 1, 1 << 44, 1 << 88, 1 << 123, u128::MAX];
        let accumulators = [[0, 0, 0], [u64::MAX, u64::MAX, 4], [u64::MAX - 4, u64::MAX, 3]];
        for r in multipliers {
            for h in accumulators {
                for len in [16, 17, 23, 24, 25, 40, 41, 48, 64, 72, 139] {
                    for fill in [0x00, 0xff] {
                        check(r, h, &[[fill; 16]; 139][..len]);
                    }
                }
            }
        }
    }
}
