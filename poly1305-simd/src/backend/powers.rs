//! Powers of r, for kernels that take in several blocks at a time.

use super::lanes::scalar;
use crate::{field::Element, key::Multiplier};
use core::arch::x86_64::*;

/// The highest power that is kept. Kernels that want more have vectors to multiply them in.
const MAX: usize = 4;

/// Powers of r, once a message has been long enough to repay them.
#[derive(Clone)]
pub(crate) enum Powers {
    /// None yet. Writing this costs a tag, not a table of zeros.
    None,
    Some(Table),
}

/// r^1 up to r^`count`, in radix 2^64 whatever kernel they are for: whichever unpacks blocks unpacks
/// them the same way, and nothing is computed again when the kernel changes.
#[derive(Clone)]
pub(crate) struct Table {
    powers: Falling<MAX>,
    count: usize,
}

/// r^L, r^(L-1), ..., r.
#[derive(Clone, Copy)]
pub(super) struct Falling<const L: usize> {
    /// The low 128 bits of each, as blocks are loaded.
    pub(super) halves: [__m128i; L],
    /// What is above the 128 bits, 4 at most, in the same order and 16 bits each: the last power in
    /// the top ones.
    pub(super) tops: u64,
}

impl Powers {
    /// The first L powers, which is 2 or 4 of them: those that are kept, or else computed and kept.
    #[inline(always)]
    pub(super) fn falling<const L: usize>(&mut self, r: &Multiplier) -> Falling<L> {
        match self {
            Self::Some(table) if table.count >= L => table.powers.last(),
            // What is returned does not come out of the table: it would have to wait until the
            // stores are done.
            _ => {
                let powers = compute(r);
                *self = Self::Some(Table { powers: powers.last(), count: L });
                powers
            }
        }
    }
}

impl<const L: usize> Falling<L> {
    // SAFETY: SSE2 is part of the target, or this file would not be compiled.
    const ZERO: Self = Self { halves: [unsafe { core::mem::zeroed() }; L], tops: 0 };

    // In general registers, or LLVM would do the last carries of two powers side by side, which takes
    // longer than one after the other.
    #[inline(always)]
    fn set(&mut self, k: usize, Element([h0, h1, h2]): Element) {
        // SAFETY: as above.
        self.halves[L - k] = unsafe { _mm_set_epi64x(scalar(h1) as i64, scalar(h0) as i64) };
        self.tops |= h2 << (64 - 16 * k);
    }

    /// The last N powers, with zeros before them if that is more.
    #[inline(always)]
    fn last<const N: usize>(&self) -> Falling<N> {
        let mut last = Falling { tops: self.tops, ..Falling::ZERO };
        for k in 1..=N.min(L) {
            last.halves[N - k] = self.halves[L - k];
        }
        last
    }
}

/// Powers that are used once.
#[inline(always)]
pub(super) fn compute<const L: usize>(r: &Multiplier) -> Falling<L> {
    const { assert!(L == 2 || L == MAX) }
    let r1 = Element([r.limbs[0], r.limbs[1], 0]);
    let r2 = Element::mul_clamped(r1.0, r);
    let mut falling = Falling::ZERO;
    falling.set(1, r1);
    falling.set(2, r2);
    // Not in a loop, which LLVM does not unroll.
    if L == MAX {
        // r is clamped, r^2 is not: two steps take less time than a product of two such.
        let r3 = Element::mul_clamped(r2.0, r);
        falling.set(3, r3);
        let r4 = Element::mul_clamped(r3.0, r);
        falling.set(4, r4);
    }
    falling
}

#[cfg(feature = "zeroize")]
impl zeroize::Zeroize for Powers {
    #[inline(always)]
    fn zeroize(&mut self) {
        if let Self::Some(table) = self {
            for half in &mut table.powers.halves {
                half.zeroize();
            }
            table.powers.tops.zeroize();
        }
    }
}
