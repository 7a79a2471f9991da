//! AVX2: four lanes in radix 2^26.

use super::{
    lanes::{Lanes, Multiply32, align_frame},
    powers::{Falling, Powers},
    radix26,
};
use crate::{field::Element, key::Multiplier};
use core::arch::{asm, x86_64::*};

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
        debug_assert!(blocks.len() == LANES);
        let blocks = blocks.as_ptr().cast::<__m256i>();
        // SAFETY: the caller promises AVX2 and a whole group; blocks need no alignment.
        unsafe {
            let (a, b) = (_mm256_loadu_si256(blocks), _mm256_loadu_si256(blocks.add(1)));
            [Self(_mm256_unpacklo_epi64(a, b)), Self(_mm256_unpackhi_epi64(a, b))]
        }
    }

    // No masked loads: AMD leaves it to the implementation whether what is masked out may fault.
    #[inline(always)]
    unsafe fn load_short(blocks: &[[u8; 16]]) -> [Self; 2] {
        debug_assert!(matches!(blocks.len(), 1..=LANES));
        // SAFETY: the caller promises AVX2; each load is of one or two blocks that are there, and
        // need no alignment.
        unsafe {
            let zero = _mm256_setzero_si256();
            let upper = |block: &[u8; 16]| {
                let block = _mm_loadu_si128(block.as_ptr().cast());
                _mm256_inserti128_si256::<1>(zero, block)
            };
            let both = |blocks: &[[u8; 16]]| _mm256_loadu_si256(blocks.as_ptr().cast());
            let (a, b) = match blocks {
                [b] => (zero, upper(b)),
                [_, _] => (zero, both(blocks)),
                [a, b @ ..] if b.len() == 2 => (upper(a), both(b)),
                [_, _, b @ ..] => (both(blocks), both(b)),
                [] => (zero, zero),
            };
            [Self(_mm256_unpacklo_epi64(a, b)), Self(_mm256_unpackhi_epi64(a, b))]
        }
    }

    #[inline(always)]
    unsafe fn mask_last(count: usize) -> Self {
        // SAFETY: the caller promises AVX2.
        unsafe { Self(_mm256_permute4x64_epi64::<0b11_01_10_00>(block_mask(count))) }
    }

    #[inline(always)]
    unsafe fn falling(powers: &mut Powers, r: &Multiplier) -> [Self; 3] {
        let Falling { halves: [p0, p1, p2, p3], tops } = powers.falling(r);
        // SAFETY: the caller promises AVX2.
        unsafe {
            let a = _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(p0), p1);
            let b = _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(p2), p3);
            let tops = _mm256_cvtepu16_epi64(_mm_cvtsi64_si128(tops as i64));
            let tops = _mm256_permute4x64_epi64::<0b11_01_10_00>(tops);
            [Self(_mm256_unpacklo_epi64(a, b)), Self(_mm256_unpackhi_epi64(a, b)), Self(tops)]
        }
    }

    #[inline(always)]
    fn first(self) -> Self {
        // SAFETY: `self` exists, so there is AVX2.
        Self(unsafe { _mm256_broadcastq_epi64(_mm256_castsi256_si128(self.0)) })
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
    fn and_not(self, other: Self) -> Self {
        // SAFETY: `self` exists, so there is AVX2.
        Self(unsafe { _mm256_andnot_si256(self.0, other.0) })
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

impl Multiply32 for Avx2 {
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        // SAFETY: `self` exists, so there is AVX2.
        Self(unsafe { _mm256_mul_epu32(self.0, other.0) })
    }

    #[inline(always)]
    fn opaque(self) -> Self {
        // SAFETY: `self` exists, so there is AVX2.
        Self(unsafe { opaque(self.0) })
    }
}

/// All ones for the last `count` blocks of a group, in the order of the blocks.
///
/// # Safety
/// `count` is at most [`LANES`].
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn block_mask(count: usize) -> __m256i {
    static WINDOW: [u64; 2 * LANES] = [0, 0, 0, 0, !0, !0, !0, !0];
    debug_assert!(count <= LANES);
    // SAFETY: from there on there are four words; they need no alignment.
    unsafe { _mm256_loadu_si256(WINDOW.as_ptr().add(count).cast()) }
}

#[inline]
#[target_feature(enable = "avx2")]
fn opaque(mut x: __m256i) -> __m256i {
    // MemorySanitizer takes all assembly for a use of its operands.
    if !cfg!(chacha20poly1305_ct) {
        // SAFETY: this is no instruction at all.
        unsafe {
            asm!("/* {0} */", inout(ymm_reg) x, options(pure, nomem, nostack, preserves_flags));
        }
    }
    x
}

/// [`radix26::absorb`].
///
/// # Safety
/// As there: `blocks` is not empty, and `last` is a group.
#[target_feature(enable = "avx2")]
pub(super) unsafe fn absorb(
    h: &mut Element,
    powers: &mut Powers,
    r: &Multiplier,
    blocks: &[[u8; 16]],
    last: &[[u8; 16]; LANES],
) {
    align_frame();
    // SAFETY: this function is only called where there is AVX2; the rest is passed on.
    unsafe { *h = radix26::absorb::<Avx2>(h, powers, r, blocks, last) }
}
