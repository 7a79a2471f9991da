//! Powers of r, for kernels that take in several blocks at a time.

use crate::{field::Element, key::Multiplier};
use core::arch::asm;

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
    /// The low 128 bits, the highest power first: r^k is at `MAX - k`.
    halves: [[u64; 2]; MAX],
    /// What is above the 128 bits, 4 at most, in the same order and a byte each.
    tops: u64,
    count: usize,
}

/// r^L, r^(L-1), ..., r: the low 128 bits of each, and what is above them.
pub(super) type Falling<const L: usize> = ([[u64; 2]; L], [u64; L]);

impl Powers {
    /// The first L powers, which is 2 or 4 of them: those that are kept, or else computed and kept.
    #[inline(always)]
    pub(super) fn falling<const L: usize>(&mut self, r: &Multiplier) -> Falling<L> {
        match self {
            Self::Some(table) if table.count >= L => table.load(),
            // What is returned does not come out of the table: it would have to wait until the
            // stores are done.
            _ => {
                let powers = compute(r);
                *self = Self::Some(Table::new(&powers));
                powers
            }
        }
    }
}

impl Table {
    #[inline(always)]
    fn new<const L: usize>((falling, tops): &Falling<L>) -> Self {
        let mut table = Self { halves: [[0; 2]; MAX], tops: 0, count: L };
        for i in 0..L {
            table.halves[MAX - L + i] = falling[i];
            table.tops |= tops[i] << (8 * (MAX - L + i));
        }
        table
    }

    #[inline(always)]
    fn load<const L: usize>(&self) -> Falling<L> {
        let mut halves = [[0; 2]; L];
        let mut tops = [0; L];
        for i in 0..L {
            let [low, high] = self.halves[MAX - L + i];
            halves[i] = [scalar(low), scalar(high)];
            tops[i] = scalar(self.tops >> (8 * (MAX - L + i)) & 0xff);
        }
        (halves, tops)
    }
}

#[inline(always)]
fn compute<const L: usize>(r: &Multiplier) -> Falling<L> {
    const { assert!(L == 2 || L == MAX) }
    let r = &Multiplier { limbs: [scalar(r.limbs[0]), scalar(r.limbs[1])] };
    let r1 = Element([r.limbs[0], r.limbs[1], 0]);
    let r2 = Element::mul_clamped(r1.0, r);
    let mut halves = [[0; 2]; L];
    let mut tops = [0; L];
    let mut set = |k: usize, Element([h0, h1, h2]): Element| {
        halves[L - k] = [scalar(h0), scalar(h1)];
        tops[L - k] = scalar(h2);
    };
    set(1, r1);
    set(2, r2);
    if L == MAX {
        // r is clamped, r^2 is not: two steps take less time than a product of two such.
        let r3 = Element::mul_clamped(r2.0, r);
        set(3, r3);
        set(4, Element::mul_clamped(r3.0, r));
    }
    (halves, tops)
}

/// The same number, in a general register. LLVM would make vectors of neighbouring words: by loads
/// that span several stores and wait until those have left the store buffer, or by doing the last
/// carries of two powers side by side, which takes longer than one after the other.
#[inline(always)]
fn scalar(mut x: u64) -> u64 {
    // MemorySanitizer takes all assembly for a use of its operands.
    if !cfg!(chacha20poly1305_ct) {
        // SAFETY: this is no instruction at all.
        unsafe {
            asm!("/* {0} */", inout(reg) x, options(pure, nomem, nostack, preserves_flags));
        }
    }
    x
}

#[cfg(feature = "zeroize")]
impl zeroize::Zeroize for Powers {
    #[inline(always)]
    fn zeroize(&mut self) {
        if let Self::Some(table) = self {
            for half in table.halves.as_flattened_mut() {
                half.zeroize();
            }
            table.tops.zeroize();
        }
    }
}
