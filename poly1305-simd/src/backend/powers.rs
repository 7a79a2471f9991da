//! Powers of r, for kernels that take in several blocks at a time.

use crate::{field::Element, key::Multiplier};
use core::ptr::read_volatile;

/// The highest power that is kept. Kernels that want more have vectors to multiply them in.
const MAX: usize = 4;

/// Powers of r, once a message has been long enough to repay them.
#[derive(Clone)]
pub(crate) enum Powers {
    /// None yet. Writing this costs a tag, not a table of zeros.
    None,
    Some(Table),
}

impl Powers {
    /// The powers up to r^`count` at least, which is 2 or 4.
    #[inline(always)]
    pub(super) fn reach(&mut self, r: &Multiplier, count: usize) -> &Table {
        // Made in place: a copy of what was written just now waits for the store buffer.
        if matches!(self, Self::None) {
            *self = Self::Some(Table::new());
        }
        match self {
            Self::None => unreachable!("set just now"),
            Self::Some(table) => {
                table.reach(r, count);
                table
            }
        }
    }
}

#[cfg(feature = "zeroize")]
impl zeroize::Zeroize for Powers {
    #[inline(always)]
    fn zeroize(&mut self) {
        if let Self::Some(table) = self {
            table.zeroize();
        }
    }
}

/// r^1 up to r^`count`, in radix 2^64 whatever kernel they are for: whichever unpacks blocks unpacks
/// them the same way, and nothing is computed again when the kernel changes.
#[derive(Clone)]
pub(crate) struct Table {
    /// The low 128 bits, the highest power first: r^k is at `MAX - k`, so that the powers that
    /// belong to the blocks of a group stand in the order of the blocks.
    halves: [[u64; 2]; MAX],
    /// What is above the 128 bits, 4 at most, in the same order: a byte each, in one word, because
    /// bytes written one by one could not be loaded together before they have left the store buffer.
    tops: u64,
    count: usize,
}

impl Table {
    /// No powers.
    #[inline(always)]
    pub(super) const fn new() -> Self {
        Self { halves: [[0; 2]; MAX], tops: 0, count: 0 }
    }

    /// Computes what is missing up to r^`count`, which is 2 or 4.
    #[inline]
    pub(super) fn reach(&mut self, r: &Multiplier, count: usize) {
        debug_assert!(matches!(count, 2 | 4));
        if self.count < 2 {
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
    }

    #[inline(always)]
    fn get(&self, k: usize) -> Element {
        let [h0, h1] = self.halves[MAX - k];
        Element([h0, h1, self.top(k)])
    }

    #[inline(always)]
    fn top(&self, k: usize) -> u64 {
        self.tops >> (8 * (MAX - k)) & 0xff
    }

    #[inline(always)]
    fn set(&mut self, k: usize, power: Element) {
        let [h0, h1, h2] = power.0;
        self.halves[MAX - k] = [h0, h1];
        self.tops |= h2 << (8 * (MAX - k));
    }

    /// r^L, r^(L-1), ..., r: the low 128 bits of each, and what is above them.
    #[inline(always)]
    pub(super) fn falling<const L: usize>(&self) -> ([[u64; 2]; L], [u64; L]) {
        debug_assert!(self.count >= L);
        let mut halves = [[0; 2]; L];
        let mut tops = [0; L];
        for i in 0..L {
            // Volatile, because they may have been written just now: LLVM
            // would make vectors of these loads, and a load that spans several stores waits until
            // they have left the store buffer.
            let [low, high] = &self.halves[MAX - L + i];
            // SAFETY: read through references.
            halves[i] = unsafe { [read_volatile(low), read_volatile(high)] };
            tops[i] = self.top(L - i);
        }
        (halves, tops)
    }
}

#[cfg(feature = "zeroize")]
impl zeroize::Zeroize for Table {
    #[inline(always)]
    fn zeroize(&mut self) {
        for half in self.halves.as_flattened_mut() {
            half.zeroize();
        }
        self.tops.zeroize();
    }
}
