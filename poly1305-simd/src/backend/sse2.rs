//! SSE2: two lanes in radix 2^26.
//!
//! Part of x86-64 itself, so nothing is detected.

use super::{
    lanes::{Lanes, Multiply32},
    powers::{Falling, Powers},
    radix26,
};
use crate::{field::Element, key::Multiplier};
use core::arch::{asm, x86_64::*};

/// Blocks in a group.
pub(super) const LANES: usize = 2;

#[derive(Clone, Copy)]
struct Sse2(__m128i);

impl Lanes for Sse2 {
    const LANES: usize = LANES;

    #[inline(always)]
    unsafe fn splat(x: u64) -> Self {
        // SAFETY: the caller promises SSE2.
        Self(unsafe { _mm_set1_epi64x(x as i64) })
    }

    // [low0 high0], [low1 high1] -> [low0 low1], [high0 high1]
    #[inline(always)]
    unsafe fn load(blocks: &[[u8; 16]]) -> [Self; 2] {
        debug_assert!(blocks.len() == LANES);
        let blocks = blocks.as_ptr().cast::<__m128i>();
        // SAFETY: the caller promises SSE2 and a whole group; blocks need no alignment.
        unsafe {
            let (a, b) = (_mm_loadu_si128(blocks), _mm_loadu_si128(blocks.add(1)));
            [Self(_mm_unpacklo_epi64(a, b)), Self(_mm_unpackhi_epi64(a, b))]
        }
    }

    #[inline(always)]
    unsafe fn load_short(blocks: &[[u8; 16]]) -> [Self; 2] {
        match blocks {
            // SAFETY: the caller promises SSE2; the block is there, and needs no alignment.
            [block] => unsafe {
                let block = _mm_loadu_si128(block.as_ptr().cast());
                let zero = _mm_setzero_si128();
                [Self(_mm_unpacklo_epi64(zero, block)), Self(_mm_unpackhi_epi64(zero, block))]
            },
            // SAFETY: passed on to the caller.
            _ => unsafe { Self::load(blocks) },
        }
    }

    #[inline(always)]
    unsafe fn mask_last(count: usize) -> Self {
        let ones = |lanes| -i64::from(count >= lanes);
        // SAFETY: the caller promises SSE2.
        Self(unsafe { _mm_set_epi64x(ones(1), ones(2)) })
    }

    #[inline(always)]
    unsafe fn falling(powers: &mut Powers, r: &Multiplier) -> [Self; 3] {
        let Falling { halves: [a, b], tops } = powers.falling(r);
        // SAFETY: the caller promises SSE2.
        unsafe {
            let tops = _mm_set_epi64x((tops >> 48) as i64, (tops >> 32 & 0xffff) as i64);
            [Self(_mm_unpacklo_epi64(a, b)), Self(_mm_unpackhi_epi64(a, b)), Self(tops)]
        }
    }

    #[inline(always)]
    fn first(self) -> Self {
        // SAFETY: `self` exists, so there is SSE2.
        Self(unsafe { _mm_unpacklo_epi64(self.0, self.0) })
    }

    #[inline(always)]
    fn sum(self) -> u64 {
        // SAFETY: `self` exists, so there is SSE2.
        unsafe {
            let sum = _mm_add_epi64(self.0, _mm_unpackhi_epi64(self.0, self.0));
            _mm_cvtsi128_si64(sum) as u64
        }
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: `self` exists, so there is SSE2.
        Self(unsafe { _mm_add_epi64(self.0, other.0) })
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        // SAFETY: `self` exists, so there is SSE2.
        Self(unsafe { _mm_and_si128(self.0, other.0) })
    }

    #[inline(always)]
    fn and_not(self, other: Self) -> Self {
        // SAFETY: `self` exists, so there is SSE2.
        Self(unsafe { _mm_andnot_si128(self.0, other.0) })
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        // SAFETY: `self` exists, so there is SSE2.
        Self(unsafe { _mm_or_si128(self.0, other.0) })
    }

    #[inline(always)]
    fn shl<const N: i32>(self) -> Self {
        // SAFETY: `self` exists, so there is SSE2.
        Self(unsafe { _mm_slli_epi64::<N>(self.0) })
    }

    #[inline(always)]
    fn shr<const N: i32>(self) -> Self {
        // SAFETY: `self` exists, so there is SSE2.
        Self(unsafe { _mm_srli_epi64::<N>(self.0) })
    }
}

impl Multiply32 for Sse2 {
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        // SAFETY: `self` exists, so there is SSE2.
        Self(unsafe { _mm_mul_epu32(self.0, other.0) })
    }

    #[inline(always)]
    fn opaque(mut self) -> Self {
        // MemorySanitizer takes all assembly for a use of its operands.
        if !cfg!(chacha20poly1305_ct) {
            // SAFETY: no instruction; `self` exists, so there is SSE2 and its registers.
            unsafe {
                asm!(
                    "/* {0} */",
                    inout(xmm_reg) self.0,
                    options(pure, nomem, nostack, preserves_flags)
                );
            }
        }
        self
    }
}

/// [`radix26::absorb`].
///
/// # Safety
/// As there: `blocks` is not empty, and `last` is a group.
pub(super) unsafe fn absorb(
    h: &mut Element,
    powers: &mut Powers,
    r: &Multiplier,
    blocks: &[[u8; 16]],
    last: &[[u8; 16]; LANES],
) {
    // SAFETY: this file is only compiled for targets that have SSE2; the rest is passed on.
    unsafe { *h = radix26::absorb::<Sse2>(h, powers, r, blocks, last) }
}
