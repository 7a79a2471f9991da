//! Scalar code for CPUs with BMI2: the step of [`soft64`](super::super::soft) in assembly, 13.5 cycles
//! from one accumulator to the next on Zen 4 where LLVM's takes 15.
//!
//! What makes the difference: the accumulator stays unfolded between the steps, so the block is added
//! while the top limb is still under way, and the carries of the two additions run side by side;
//! LLVM has one carry flag at a time and stores the others. And products that the longest sums wait
//! for come first: multiplications start one in a cycle, and there are six of them.
//!
//! The bounds are those of [`Element::mul_clamped`]. The top limb between two steps is its d2, which
//! [`Element::fold`] takes; d0's upper half plus h2 (r1 + r1/4) is below 10 * 2^60, which one word
//! holds.

use core::arch::asm;

use crate::{backend::soft, field::Element, key::Multiplier, polynomial::Top};

/// Takes in whole blocks, from two places.
///
/// # Safety
/// The CPU has BMI2.
#[inline(always)]
pub(super) unsafe fn blocks(
    h: Element,
    r: &Multiplier,
    blocks: &[[u8; 16]],
    tail: &[[u8; 16]],
) -> Element {
    let mut limbs = h.0;
    for block in blocks.iter().chain(tail) {
        // SAFETY: passed on to the caller.
        limbs = unsafe { step(limbs, r, block) };
    }
    Element::fold(limbs)
}

/// (h + block + 2^128) * r, both accumulators unfolded.
///
/// # Safety
/// The CPU has BMI2.
#[inline(always)]
unsafe fn step([h0, h1, h2]: [u64; 3], r: &Multiplier, block: &[u8; 16]) -> [u64; 3] {
    // MemorySanitizer takes all assembly for a use of its operands.
    if cfg!(chacha20poly1305_ct) {
        let block = u128::from_le_bytes(*block);
        return soft::block(Element::fold([h0, h1, h2]), r, block, Top::One).0;
    }
    let (d0, d1, d2): (u64, u64, u64);
    // SAFETY: BMI2 as the caller promises; reads a block.
    unsafe {
        asm!(
            // t + 4q = h2; c = 5q
            "mov {t}, {h2}",
            "mov {c}, {h2}",
            "shr {h2}, 2",
            "and {t}, 3",
            "and {c}, -4",
            "add {h0}, [{x}]",
            "adc {h1}, [{x} + 8]",
            "adc {t}, 1",
            "add {c}, {h2}",
            "add {h0}, {c}",
            "adc {h1}, 0",
            "adc {t}, 0",
            // e:x = h1 s, a:h1 = h1 r0, h2:c = h0 r0, rdx:h0 = h0 r1
            "mov rdx, {h1}",
            "mulx {e}, {x}, {s}",
            "mulx {a}, {h1}, {r0}",
            "mov rdx, {h0}",
            "mulx {h2}, {c}, {r0}",
            "mulx rdx, {h0}, {r1}",
            // h2:c = d0
            "add {c}, {x}",
            "adc {h2}, {e}",
            // a:h0 = d1 + 2^64 d2, its four products and d0's upper half
            "mov {x}, {t}",
            "imul {t}, {s}",
            "imul {x}, {r0}",
            "add {h0}, {h1}",
            "adc {a}, rdx",
            "add {h2}, {t}",
            "adc {a}, {x}",
            "add {h0}, {h2}",
            "adc {a}, 0",
            h0 = inout(reg) h0 => d1,
            h1 = inout(reg) h1 => _,
            h2 = inout(reg) h2 => _,
            x = inout(reg) block.as_ptr() => _,
            r0 = in(reg) r.limbs[0],
            r1 = in(reg) r.limbs[1],
            s = in(reg) r.folded(),
            t = out(reg) _,
            c = out(reg) d0,
            a = out(reg) d2,
            e = out(reg) _,
            out("rdx") _,
            options(pure, readonly, nostack),
        );
    }
    [d0, d1, d2]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limbs_at_their_bounds() {
        if !super::super::has_avx2() {
            return;
        }
        let multipliers = [0, 1, 2, 4, 1 << 59, 1 << 64, 1 << 123, u128::MAX];
        let halves = [0, 1, 3, 4, u64::MAX - 4, u64::MAX - 1, u64::MAX];
        let mut checked = 0;
        for r in multipliers.map(|r| Multiplier::clamp(&r.to_le_bytes())) {
            for h0 in halves {
                for h1 in halves {
                    for h2 in 0..=Element::MAX_TOP {
                        for fill in [0x00, 0x01, 0xfc, 0xff] {
                            for count in [0, 1, 2, 5] {
                                let (h, data) = (Element([h0, h1, h2]), [[fill; 16]; 5]);
                                let (first, second) = data[..count].split_at(count / 2);
                                // SAFETY: it has BMI2.
                                let ours = unsafe { blocks(h, &r, first, second) };
                                let theirs = soft::blocks(h, &r, &data[..count]);
                                assert!(ours.0[2] <= Element::MAX_TOP);
                                assert_eq!(ours.finish(0), theirs.finish(0), "{:x?}", h.0);
                                checked += 1;
                            }
                        }
                    }
                }
            }
        }
        assert_eq!(checked, 8 * 49 * 5 * 16);
    }
}
