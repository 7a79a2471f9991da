//! AVX2: four lanes in radix 2^26.

use super::{
    lanes::Lanes,
    radix26::{self, Powers},
};
use crate::field::Element;
use core::arch::x86_64::*;

/// Blocks in a group.
pub(super) const LANES: usize = 4;

/// Lanes hold the blocks of a group in the order 0, 2, 1, 3: AVX2 interleaves within 128-bit halves
/// only, and this order spares a permutation of every load.
#[derive(Clone, Copy)]
struct Avx2(__m256i);

impl Lanes for Avx2 {
    const LANES: usize = LANES;

    #[inline(always)]
    unsafe fn splat(x: u64) -> Self {
        // SAFETY: the caller promises AVX2.
        Self(unsafe { _mm256_set1_epi64x(x as i64) })
    }

    // [low0 high0 | low1 high1], [low2 high2 | low3 high3]
    // -> [low0 low2 | low1 low3], [high0 high2 | high1 high3]
    #[inline(always)]
    unsafe fn load(blocks: &[[u8; 16]]) -> [Self; 2] {
        assert!(blocks.len() == LANES);
        let blocks = blocks.as_ptr().cast::<__m256i>();
        // SAFETY: the caller promises AVX2; the four blocks are there, and need no alignment.
        unsafe {
            let (a, b) = (_mm256_loadu_si256(blocks), _mm256_loadu_si256(blocks.add(1)));
            [Self(_mm256_unpacklo_epi64(a, b)), Self(_mm256_unpackhi_epi64(a, b))]
        }
    }

    #[inline(always)]
    unsafe fn halves(b: &[[u64; 2]; 4]) -> [Self; 2] {
        let lanes = |i: usize| [3, 1, 2, 0].map(|block: usize| b[block][i] as i64);
        // SAFETY: the caller promises AVX2.
        [0, 1].map(lanes).map(|[d, c, b, a]| Self(unsafe { _mm256_set_epi64x(d, c, b, a) }))
    }

    #[inline(always)]
    unsafe fn powers(limbs: &[u32]) -> Self {
        assert!(limbs.len() == LANES);
        // SAFETY: the caller promises AVX2; the four limbs are there, and need no alignment.
        unsafe {
            let limbs = _mm_loadu_si128(limbs.as_ptr().cast());
            Self(_mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_cvtepu32_epi64(limbs)))
        }
    }

    #[inline(always)]
    fn sum(self) -> u64 {
        // SAFETY: `self` exists, so there is AVX2.
        unsafe {
            let upper = _mm256_extracti128_si256::<1>(self.0);
            let sum = _mm_add_epi64(_mm256_castsi256_si128(self.0), upper);
            let sum = _mm_add_epi64(sum, _mm_unpackhi_epi64(sum, sum));
            _mm_cvtsi128_si64(sum) as u64
        }
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        // SAFETY: `self` exists, so there is AVX2.
        Self(unsafe { _mm256_mul_epu32(self.0, other.0) })
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: `self` exists, so there is AVX2.
        Self(unsafe { _mm256_add_epi64(self.0, other.0) })
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        // SAFETY: `self` exists, so there is AVX2.
        Self(unsafe { _mm256_and_si256(self.0, other.0) })
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        // SAFETY: `self` exists, so there is AVX2.
        Self(unsafe { _mm256_or_si256(self.0, other.0) })
    }

    #[inline(always)]
    fn shl<const N: i32>(self) -> Self {
        // SAFETY: `self` exists, so there is AVX2.
        Self(unsafe { _mm256_slli_epi64::<N>(self.0) })
    }

    #[inline(always)]
    fn shr<const N: i32>(self) -> Self {
        // SAFETY: `self` exists, so there is AVX2.
        Self(unsafe { _mm256_srli_epi64::<N>(self.0) })
    }
}

/// The accumulator after `blocks` and then `last`, which is one group.
#[target_feature(enable = "avx2")]
pub(super) fn absorb(
    h: Element,
    powers: &Powers,
    blocks: &[[u8; 16]],
    last: &[[u8; 16]],
) -> Element {
    // SAFETY: this function is only called where there is AVX2.
    unsafe { radix26::absorb::<Avx2>(h, powers, blocks, last) }
}
