//! Scalar code for CPUs with BMI2: the step of [`soft64`](super::super::soft) in assembly, 11.5 cycles
//! from one accumulator to the next on Zen 4 where LLVM's takes 15.
//!
//! What makes the difference: the accumulator is not folded between the steps. Its limbs are
//! multiplied as they are, the top one too, and two products more take the place of the fold, which
//! would have to come before all the others. r1 is a multiple of 4, so with s = 5/4 r1 the top limb
//! h2 = 4q + t needs no more than
//!
//! `h2 * 2^128 * r = h2 s * 2^64 + q 5r0 + t r0 * 2^128` modulo p.
//!
//! The carries of two additions run side by side; LLVM has one carry flag at a time and stores the
//! others. The order of the instructions is the best of some thousand: multiplications, seven of
//! them, start one in a cycle, and the last limb waits for whichever comes too late.
//!
//! | value | below | because |
//! |-------|-------|---------|
//! | h0, h1 | 2^64 | |
//! | h2, q, t | 2^63, 2^61, 4 | d2 of the step before, a one above the block, and a carry |
//! | r0, r1; s; 5r0 | 2^60; 1.25 * 2^60; 1.25 * 2^62 | clamped |
//! | d0 = h0 r0 + h1 s + q 5r0 | 2.9 * 2^124 | |
//! | d1 = h0 r1 + h1 r0 + h2 s + carry | 1.4 * 2^125 | |
//! | d2 = t r0 + carry | 5.8 * 2^60 | 3 * 2^60 + 2.8 * 2^60 |

use core::arch::asm;

use super::lanes::scalar;
use crate::{
    backend::soft,
    field::Element,
    key::Multiplier,
    polynomial::{Top, lengths, load_partial},
};

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
    // SAFETY: passed on to the caller.
    Element::fold(unsafe { whole(whole(h.0, r, blocks), r, tail) })
}

/// The accumulator after nothing but `data`, its last partial block filled up with zeros.
///
/// # Safety
/// The CPU has BMI2.
#[inline(always)]
pub(super) unsafe fn padded(r: &Multiplier, data: &[u8]) -> Element {
    // SAFETY: passed on to the caller.
    Element::fold(unsafe { whole_and_partial([0; 3], r, data) })
}

/// [`key::split`](crate::key::split), in general registers.
#[inline(always)]
pub(super) fn split(key: &[u8; 32]) -> (Multiplier, u128) {
    let (words, _) = key.as_chunks();
    let word = |i: usize| scalar(u64::from_le_bytes(words[i]));
    let s = u128::from(word(2)) | u128::from(word(3)) << 64;
    (Multiplier::clamp_limbs([word(0), word(1)]), s)
}

/// The tag of a short message of an AEAD: all in registers, from the key to the tag.
///
/// # Safety
/// The CPU has BMI2.
#[inline(never)]
#[target_feature(enable = "bmi2")]
pub(super) unsafe fn aead(key: &[u8; 32], aad: &[u8], ciphertext: &[u8]) -> u128 {
    let (r, s) = split(key);
    // SAFETY: passed on to the caller.
    let limbs = unsafe {
        let limbs = whole_and_partial([0; 3], &r, aad);
        let limbs = whole_and_partial(limbs, &r, ciphertext);
        step(limbs, &r, &lengths(aad.len(), ciphertext.len()).to_le_bytes())
    };
    Element::fold(limbs).finish(s)
}

/// Takes in whole blocks.
///
/// # Safety
/// The CPU has BMI2.
#[inline(always)]
unsafe fn whole(mut limbs: [u64; 3], r: &Multiplier, blocks: &[[u8; 16]]) -> [u64; 3] {
    for block in blocks {
        // SAFETY: passed on to the caller.
        limbs = unsafe { step(limbs, r, block) };
    }
    limbs
}

/// Takes in `data`, the last partial block filled up with zeros.
///
/// # Safety
/// The CPU has BMI2.
#[inline(always)]
unsafe fn whole_and_partial(mut limbs: [u64; 3], r: &Multiplier, data: &[u8]) -> [u64; 3] {
    let (blocks, rest) = data.as_chunks();
    // SAFETY: passed on to the caller.
    limbs = unsafe { whole(limbs, r, blocks) };
    if !rest.is_empty() {
        // SAFETY: as above.
        limbs = unsafe { step(limbs, r, &load_partial(rest).to_le_bytes()) };
    }
    limbs
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
            "add {h0}, [{x}]",
            "adc {h1}, [{x} + 8]",
            "adc {h2}, 1",
            // a:c = q 5r0
            "mov rdx, {h2}",
            "shr rdx, 2",
            "mulx {a}, {c}, {f}",
            // a:c += h1 s, b:h1 = h1 r0
            "mov rdx, {h1}",
            "mulx {e}, {x}, {s}",
            "mulx {b}, {h1}, {r0}",
            "add {c}, {x}",
            "adc {a}, {e}",
            // a:c += h0 r0, b:h1 += h0 r1
            "mov rdx, {h0}",
            "mulx {e}, {x}, {r0}",
            "mulx rdx, {h0}, {r1}",
            "add {c}, {x}",
            "adc {a}, {e}",
            "add {h1}, {h0}",
            "adc {b}, rdx",
            // e:x = h2 s + b:h1 + 2^64 t r0 + a
            "mov rdx, {h2}",
            "mulx {e}, {x}, {s}",
            "and {h2}, 3",
            "imul {h2}, {r0}",
            "add {b}, {h2}",
            "add {x}, {h1}",
            "adc {e}, {b}",
            "add {x}, {a}",
            "adc {e}, 0",
            h0 = inout(reg) h0 => _,
            h1 = inout(reg) h1 => _,
            h2 = inout(reg) h2 => _,
            x = inout(reg) block.as_ptr() => d1,
            r0 = in(reg) r.limbs[0],
            r1 = in(reg) r.limbs[1],
            s = in(reg) r.folded(),
            f = in(reg) 5 * r.limbs[0],
            a = out(reg) _,
            b = out(reg) _,
            c = out(reg) d0,
            e = out(reg) d2,
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
