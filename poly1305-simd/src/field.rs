//! Integers modulo p = 2^130 - 5, and the radices that the kernels keep them in.
//!
//! Between calls the accumulator is always in radix 2^64: three words that need no unpacking to
//! take in a block. Kernels that work in another radix convert on entry and on exit, which costs a
//! dozen instructions for each slice and makes every change of backend in mid-message exact.
//!
//! | radix | limbs | at rest | accepted by the conversion |
//! |-------|-------|---------|----------------------------|
//! | 2^64  | 3     | top limb <= 4, so the value is < 1.25 * 2^130 | |
//! | 2^26  | 5     | < 2^26 each, top limb < 1.25 * 2^26 | any five limbs < 2^63 |
//! | 2^44  | 3     | < 2^44, 2^44, 1.25 * 2^42 | any three limbs < 2^63 |

use crate::key::Multiplier;

/// An integer modulo 2^130 - 5 in radix 2^64, least significant limb first, reduced just enough
/// that the top limb is at most [`Element::MAX_TOP`].
#[derive(Clone, Copy)]
pub(crate) struct Element(pub(crate) [u64; 3]);

impl Element {
    pub(crate) const ZERO: Self = Self([0; 3]);

    /// The bound that every kernel keeps and every kernel may rely on.
    pub(crate) const MAX_TOP: u64 = 4;

    /// Folds everything from 2^130 on back to the bottom, 2^130 being 5 modulo p.
    ///
    /// The top limb must be below 2^63, so that five quarters of it fit in a limb.
    #[inline(always)]
    pub(crate) const fn fold(limbs: [u64; 3]) -> Self {
        let [h0, h1, h2] = limbs;
        debug_assert!(h2 < 1 << 63);
        // h2 = 4a + b: a * 2^130 becomes 5a, and 5a = 4a + a needs no multiplication.
        // (In 128 bits, because LLVM then uses the carry flag: 9 % of a step.)
        let (low, carry) = join(h0, h1).overflowing_add(((h2 & !3) + (h2 >> 2)) as u128);
        Self([low as u64, (low >> 64) as u64, (h2 & 3) + carry as u64])
    }

    /// `self + block + top * 2^128`, left for the multiplication to reduce.
    #[inline(always)]
    pub(crate) const fn add(self, block: u128, top: u64) -> [u64; 3] {
        let [h0, h1, h2] = self.0;
        debug_assert!(h2 <= Self::MAX_TOP && top <= 1);
        let (low, carry) = join(h0, h1).overflowing_add(block);
        [low as u64, (low >> 64) as u64, h2 + top + carry as u64]
    }

    /// `limbs * r`, the multiplication of one block's step.
    ///
    /// | value | below | because |
    /// |-------|-------|---------|
    /// | h0, h1 | 2^64 | |
    /// | h2 | 7 | 4 at rest, 1 above the block, 1 carried |
    /// | r0, r1 | 2^60 | clamped |
    /// | r1 + r1/4 | 1.25 * 2^60 | |
    /// | d0 = h0 r0 + h1 (r1 + r1/4) | 2.25 * 2^124 | |
    /// | d1 = h0 r1 + h1 r0 + h2 (r1 + r1/4) + carry | 2^126 | |
    /// | d2 = h2 r0 + carry | 2^63 | 6 * 2^60 + 2^62 |
    #[inline(always)]
    pub(crate) const fn mul_clamped(limbs: [u64; 3], r: &Multiplier) -> Self {
        let [h0, h1, h2] = limbs;
        let ([r0, r1], folded) = (r.limbs, r.folded());
        debug_assert!(h2 < 7 && r0 < 1 << 60 && r1 < 1 << 60);
        let d0 = wide(h0, r0) + wide(h1, folded);
        let d1 = wide(h0, r1) + wide(h1, r0) + (h2 * folded) as u128 + (d0 >> 64);
        let d2 = h2 * r0 + (d1 >> 64) as u64;
        Self::fold([d0 as u64, d1 as u64, d2])
    }

    /// The low 128 bits of the value reduced to 0..p, plus `s`: a tag, once `s` is the nonce.
    #[inline(always)]
    pub(crate) const fn finish(self, s: u128) -> u128 {
        let [h0, h1, h2] = self.0;
        debug_assert!(h2 <= Self::MAX_TOP);
        // The value is below 2p, so the quotient by p is 1 exactly when adding 5 reaches 2^130;
        // h - p is h + 5 - 2^130, and the last term is beyond the 128 bits that remain.
        let (_, carry) = h0.overflowing_add(5);
        let (_, carry) = h1.overflowing_add(carry as u64);
        let quotient = (h2 + carry as u64) >> 2;
        debug_assert!(quotient <= 1);
        join(h0, h1).wrapping_add(5 * quotient as u128).wrapping_add(s)
    }

    /// Five limbs of 26 bits, the top one of up to 27.
    #[inline(always)]
    pub(crate) const fn to_radix26(self) -> [u32; 5] {
        const MASK: u64 = (1 << 26) - 1;
        let [h0, h1, h2] = self.0;
        [
            (h0 & MASK) as u32,
            (h0 >> 26 & MASK) as u32,
            ((h0 >> 52 | h1 << 12) & MASK) as u32,
            (h1 >> 14 & MASK) as u32,
            (h1 >> 40 | h2 << 24) as u32,
        ]
    }

    /// The value of five lazily carried limbs in radix 2^26, each below 2^63.
    #[inline(always)]
    pub(crate) const fn from_radix26(limbs: [u64; 5]) -> Self {
        const MASK: u64 = (1 << 26) - 1;
        let [l0, l1, l2, l3, l4] = limbs;
        debug_assert!((l0 | l1 | l2 | l3 | l4) >> 63 == 0);
        let l1 = l1 + (l0 >> 26);
        let l2 = l2 + (l1 >> 26);
        let l3 = l3 + (l2 >> 26);
        let l4 = l4 + (l3 >> 26);
        // All but the bottom limb are below 2^26 now. What leaves the top is below 2^38, and five
        // times as much may stay in the bottom limb: the sum below has room for it.
        let l0 = (l0 & MASK) + 5 * (l4 >> 26);
        let low = l0 as u128
            + (((l1 & MASK) as u128) << 26)
            + (((l2 & MASK) as u128) << 52)
            + (((l3 & MASK) as u128) << 78);
        let l4 = l4 & MASK;
        let (low, carry) = low.overflowing_add((l4 as u128) << 104);
        Self([low as u64, (low >> 64) as u64, (l4 >> 24) + carry as u64])
    }
}

/// For vector kernels.
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
impl Element {
    /// Three limbs of 44, 44 and 42 bits, the last one of up to 43.
    #[inline(always)]
    pub(crate) const fn to_radix44(self) -> [u64; 3] {
        const MASK: u64 = (1 << 44) - 1;
        let [h0, h1, h2] = self.0;
        [h0 & MASK, (h0 >> 44 | h1 << 20) & MASK, h1 >> 24 | h2 << 40]
    }

    /// The value of three lazily carried limbs in radix 2^44, each below 2^63.
    #[inline(always)]
    pub(crate) const fn from_radix44(limbs: [u64; 3]) -> Self {
        const MASK: u64 = (1 << 44) - 1;
        let [l0, l1, l2] = limbs;
        debug_assert!((l0 | l1 | l2) >> 63 == 0);
        let l1 = l1 + (l0 >> 44);
        let l2 = l2 + (l1 >> 44);
        // What leaves the top is below 2^22, and may come back to the bottom unreduced.
        let l0 = (l0 & MASK) + 5 * (l2 >> 42);
        let l2 = l2 & ((1 << 42) - 1);
        let low = l0 as u128 + (((l1 & MASK) as u128) << 44);
        let (low, carry) = low.overflowing_add((l2 as u128) << 88);
        Self([low as u64, (low >> 64) as u64, (l2 >> 40) + carry as u64])
    }
}

/// A whole product.
#[inline(always)]
const fn wide(a: u64, b: u64) -> u128 {
    a as u128 * b as u128
}

/// Two limbs as one number.
#[inline(always)]
const fn join(low: u64, high: u64) -> u128 {
    low as u128 | (high as u128) << 64
}
