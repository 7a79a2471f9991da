//! SSE2: two lanes in radix 2^26.
//!
//! Part of x86-64 itself, so nothing is detected.

use super::{
    lanes::Lanes,
    radix26::{self, Powers},
};
use crate::field::Element;
use core::arch::x86_64::*;

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
        assert!(blocks.len() == LANES);
        let blocks = blocks.as_ptr().cast::<__m128i>();
        // SAFETY: the caller promises SSE2; the two blocks are there, and need no alignment.
        unsafe {
            let (a, b) = (_mm_loadu_si128(blocks), _mm_loadu_si128(blocks.add(1)));
            [Self(_mm_unpacklo_epi64(a, b)), Self(_mm_unpackhi_epi64(a, b))]
        }
    }

    #[inline(always)]
    unsafe fn halves(b: &[[u64; 2]; 4]) -> [Self; 2] {
        // SAFETY: the caller promises SSE2.
        unsafe { [0, 1].map(|i| Self(_mm_set_epi64x(b[1][i] as i64, b[0][i] as i64))) }
    }

    #[inline(always)]
    unsafe fn powers(limbs: &[u32]) -> Self {
        // SAFETY: the caller promises SSE2.
        Self(unsafe { _mm_set_epi64x(limbs[1].into(), limbs[0].into()) })
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
    fn mul(self, other: Self) -> Self {
        // SAFETY: `self` exists, so there is SSE2.
        Self(unsafe { _mm_mul_epu32(self.0, other.0) })
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

/// The accumulator after `blocks` and then `last`, which is one group.
pub(super) fn absorb(
    h: Element,
    powers: &Powers,
    blocks: &[[u8; 16]],
    last: &[[u8; 16]],
) -> Element {
    // SAFETY: this file is only compiled for targets that have SSE2.
    unsafe { radix26::absorb::<Sse2>(h, powers, blocks, last) }
}
