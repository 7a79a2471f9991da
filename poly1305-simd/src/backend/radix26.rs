//! The kernel of SSE2 and AVX2: radix 2^26, one block to a lane.
//!
//! With L lanes, lane j takes in every L-th block from block j on and is multiplied by r^L each
//! time. At the end the lanes are multiplied by r^L, r^(L-1), ..., r and added up, which is what
//! evaluating the polynomial block by block would have given (Bernstein and Schwabe, "NEON crypto",
//! CHES 2012, section 5; Goll and Gueron, "Vectorization of Poly1305", 2014).
//!
//! A number of blocks that is no multiple of L makes the *first* group short: its empty lanes come
//! first and hold 0, so no block is ever left over at the end. Given powers up to r^2L, groups are
//! taken in pairs, `(x r^L + a) r^L + b` being done as `x r^2L + a r^L + b`, which needs one carry
//! where two steps need two.
//!
//! | value | below | because |
//! |-------|-------|---------|
//! | limbs of a block | 2^26; top one 2^25 | unpacked; 24 bits and the one above |
//! | limbs of the first group | 2^26; top one 2^27 | it holds the accumulator too: h2 + 2 <= 6 above 2^128 |
//! | x, carried | 2^26 + 2^9 | see [`carry`] |
//! | x and a block | 2^27 + 2^9 | |
//! | limbs of a power | 2^26; top one 1.25 * 2^26 | [`Element::to_radix26`] |
//! | five times that | 2^28.7 | fits the 32 bits that a multiplication reads |
//! | sum of five products with x | 2^57.8 | 2^27.01 * 2^26.33 * (1 + 4 * 5) |
//! | and of five with a block | 2^58.4 | |
//! | final sum over L <= 4 lanes | 2^60.4 | [`Element::from_radix26`] takes 2^63 |

use super::lanes::Lanes;
use crate::{field::Element, key::Multiplier};

/// The most lanes that a vector has here.
const MAX_LANES: usize = 4;

/// Powers of r, limb by limb, the highest first: `limbs[i][8 - k]` is limb i of r^k.
#[derive(Clone)]
pub(crate) struct Powers {
    limbs: [[u32; 2 * MAX_LANES]; 5],
    /// r^1 up to r^count are there.
    count: usize,
}

impl Powers {
    /// No powers yet.
    #[inline(always)]
    pub(super) const fn new() -> Self {
        Self { limbs: [[0; 8]; 5], count: 0 }
    }

    /// Computes what is missing up to r^`count`, a power of two from 2 to 8.
    #[inline]
    pub(super) fn reach(&mut self, r: &Multiplier, count: usize) {
        if self.count < 2 && count >= 2 {
            let r1 = Element([r.limbs[0], r.limbs[1], 0]);
            self.set(1, r1);
            self.set(2, Element::mul_clamped(r1.0, r));
            self.count = 2;
        }
        if self.count < 4 && count >= 4 {
            let r2 = self.get(2);
            self.set(3, Element::mul_clamped(r2.0, r));
            self.set(4, r2.mul(r2));
            self.count = 4;
        }
        if self.count < 8 && count >= 8 {
            let r4 = self.get(4);
            for k in 1..=4 {
                self.set(4 + k, r4.mul(self.get(k)));
            }
            self.count = 8;
        }
    }

    #[inline(always)]
    fn get(&self, k: usize) -> Element {
        Element::from_radix26(self.limbs.map(|row| u64::from(row[8 - k])))
    }

    pub(super) fn count(&self) -> usize {
        self.count
    }

    #[inline(always)]
    fn set(&mut self, k: usize, power: Element) {
        for (row, limb) in self.limbs.iter_mut().zip(power.to_radix26()) {
            row[8 - k] = limb;
        }
    }
}

#[cfg(feature = "zeroize")]
impl zeroize::Zeroize for Powers {
    #[inline]
    fn zeroize(&mut self) {
        self.limbs.zeroize();
    }
}

/// A power of r for each lane, and five times its upper limbs: what passes 2^130 comes back as 5.
struct Factor<V> {
    r: [V; 5],
    five: [V; 4],
}

impl<V: Lanes> Factor<V> {
    /// r^k in every lane.
    ///
    /// # Safety
    /// The CPU has the instructions of `V`.
    #[inline(always)]
    unsafe fn same(powers: &Powers, k: usize) -> Self {
        // SAFETY: passed on to the caller.
        Self::new(powers.limbs.map(|row| unsafe { V::splat(row[8 - k].into()) }))
    }

    /// r^k, r^(k-1), ... for the blocks of a group in turn.
    ///
    /// # Safety
    /// The CPU has the instructions of `V`.
    #[inline(always)]
    unsafe fn falling(powers: &Powers, k: usize) -> Self {
        // SAFETY: passed on to the caller.
        Self::new(powers.limbs.map(|row| unsafe { V::powers(&row[8 - k..8 - k + V::LANES]) }))
    }

    #[inline(always)]
    fn new(r: [V; 5]) -> Self {
        Self { r, five: [r[1], r[2], r[3], r[4]].map(|x| x.add(x.shl::<2>())) }
    }

    /// The product with `x` in limbs that are yet to be carried.
    #[inline(always)]
    fn mul(&self, x: &[V; 5]) -> [V; 5] {
        let [r0, r1, r2, r3, r4] = self.r;
        let [s1, s2, s3, s4] = self.five;
        let rows = [
            [r0, s4, s3, s2, s1],
            [r1, r0, s4, s3, s2],
            [r2, r1, r0, s4, s3],
            [r3, r2, r1, r0, s4],
            [r4, r3, r2, r1, r0],
        ];
        rows.map(|row| {
            let low = x[0].mul(row[0]).add(x[1].mul(row[1]));
            let high = x[2].mul(row[2]).add(x[3].mul(row[3]));
            low.add(high).add(x[4].mul(row[4]))
        })
    }
}

#[inline(always)]
fn add<V: Lanes>(x: [V; 5], y: [V; 5]) -> [V; 5] {
    core::array::from_fn(|i| x[i].add(y[i]))
}

/// The five limbs of the blocks whose halves are given, all but what belongs above them.
///
/// # Safety
/// The CPU has the instructions of `V`.
#[inline(always)]
unsafe fn unpack<V: Lanes>([low, high]: [V; 2]) -> [V; 5] {
    // SAFETY: passed on to the caller.
    let mask = unsafe { V::splat((1 << 26) - 1) };
    [
        low.and(mask),
        low.shr::<26>().and(mask),
        low.shr::<52>().or(high.shl::<12>()).and(mask),
        high.shr::<14>().and(mask),
        high.shr::<40>(),
    ]
}

/// The limbs of a whole group.
///
/// # Safety
/// The CPU has the instructions of `V`.
#[inline(always)]
unsafe fn group<V: Lanes>(blocks: &[[u8; 16]]) -> [V; 5] {
    // SAFETY: passed on to the caller.
    unsafe {
        let [l0, l1, l2, l3, l4] = unpack(V::load(blocks));
        [l0, l1, l2, l3, l4.or(V::splat(1 << 24))]
    }
}

/// Brings limbs below 2^59 down to 2^26 + 2^9.
///
/// Two chains run side by side, from limbs 0 and 3, so that no step waits for the one before. The
/// carry out of limb 4 is below 2^34 and comes back five times as large, so after it limb 0 passes
/// on less than 2^11; limb 3 passes on as little.
#[inline(always)]
unsafe fn carry<V: Lanes>([d0, d1, d2, d3, d4]: [V; 5]) -> [V; 5] {
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
    [d0, d1, d2, d3, d4]
}

/// The accumulator after `blocks` and then `last`, which is one group.
///
/// # Safety
/// The CPU has the instructions of `V`.
///
/// # Panics
/// If `blocks` is empty or `last` is not a group.
#[inline(always)]
pub(super) unsafe fn absorb<V: Lanes>(
    h: Element,
    powers: &Powers,
    blocks: &[[u8; 16]],
    last: &[[u8; 16]],
) -> Element {
    assert!(!blocks.is_empty() && last.len() == V::LANES);
    debug_assert!(powers.count >= V::LANES);
    let short = (blocks.len() - 1) % V::LANES + 1;
    let (first, rest) = blocks.split_at(short);
    let mut groups = rest.chunks_exact(V::LANES);

    // SAFETY: passed on to the caller.
    unsafe {
        let mut x = first_group::<V>(h, first);
        let step = Factor::same(powers, V::LANES);
        let d = if powers.count < 2 * V::LANES {
            for blocks in groups {
                x = add(carry(step.mul(&x)), group(blocks));
            }
            x = add(carry(step.mul(&x)), group(last));
            Factor::falling(powers, V::LANES).mul(&x)
        } else {
            if groups.len() % 2 == 1
                && let Some(blocks) = groups.next()
            {
                x = add(carry(step.mul(&x)), group(blocks));
            }
            let double = Factor::same(powers, 2 * V::LANES);
            while let (Some(a), Some(b)) = (groups.next(), groups.next()) {
                let d = add(step.mul(&group(a)), double.mul(&x));
                x = add(carry(d), group(b));
            }
            let d = Factor::falling(powers, V::LANES).mul(&group(last));
            add(d, Factor::falling(powers, 2 * V::LANES).mul(&x))
        };
        Element::from_radix26(d.map(V::sum))
    }
}

/// The first group, which may be short, with the accumulator added to its first block.
///
/// # Safety
/// The CPU has the instructions of `V`.
#[inline(always)]
unsafe fn first_group<V: Lanes>(h: Element, first: &[[u8; 16]]) -> [V; 5] {
    let mut halves = [[0; 2]; MAX_LANES];
    let mut above = [[0; 2]; MAX_LANES];
    let empty = V::LANES - first.len();
    for (i, block) in first.iter().enumerate() {
        let block = u128::from_le_bytes(*block);
        halves[empty + i] = [block as u64, (block >> 64) as u64];
        above[empty + i] = [1 << 24, 0];
    }
    let [low, high, top] = h.add(u128::from_le_bytes(first[0]), 1);
    halves[empty] = [low, high];
    above[empty] = [top << 24, 0];
    // SAFETY: passed on to the caller.
    unsafe {
        let [l0, l1, l2, l3, l4] = unpack(V::halves(&halves));
        let [above, _] = V::halves(&above);
        [l0, l1, l2, l3, l4.add(above)]
    }
}
