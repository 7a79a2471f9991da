//! AVX-512 IFMA: eight lanes in radix 2^44.

use super::{
    lanes::{Lanes, Multiply52, align_frame},
    powers::Powers,
    radix44,
};
use crate::{field::Element, key::Multiplier};
use core::arch::x86_64::*;

/// Blocks in a group.
pub(super) const LANES: usize = 8;

/// Lanes hold the blocks of a group in the order 0, 4, 1, 5, 2, 6, 3, 7: AVX-512 interleaves within
/// 128-bit quarters only, and this order spares a permutation of every load.
#[derive(Clone, Copy)]
struct Avx512(__m512i);

impl Lanes for Avx512 {
    const LANES: usize = LANES;

    #[inline(always)]
    unsafe fn splat(x: u64) -> Self {
        // SAFETY: the caller promises AVX-512.
        Self(unsafe { _mm512_set1_epi64(x as i64) })
    }

    // [low0 high0 | low1 high1 | ...], [low4 high4 | low5 high5 | ...]
    // -> [low0 low4 | low1 low5 | ...], [high0 high4 | high1 high5 | ...]
    #[inline(always)]
    unsafe fn load(blocks: &[[u8; 16]]) -> [Self; 2] {
        debug_assert!(blocks.len() == LANES);
        let start = blocks.as_ptr().cast::<i64>();
        // SAFETY: the caller promises AVX-512 and a whole group; blocks need no alignment.
        unsafe {
            let (a, b) = (_mm512_loadu_epi64(start), _mm512_loadu_epi64(start.add(8)));
            [Self(_mm512_unpacklo_epi64(a, b)), Self(_mm512_unpackhi_epi64(a, b))]
        }
    }

    // Unlike AVX2's, these masked loads never fault on what is masked out, so the pointer may start
    // before the blocks.
    #[inline(always)]
    unsafe fn load_short(blocks: &[[u8; 16]]) -> [Self; 2] {
        debug_assert!(matches!(blocks.len(), 1..=LANES));
        let empty = LANES - blocks.len();
        let start = blocks.as_ptr().wrapping_sub(empty).cast::<i64>();
        // A bit for each half of a block.
        let mask = u16::MAX << (2 * empty);
        // SAFETY: the caller promises AVX-512; the last `blocks.len()` blocks of the group are
        // there, and need no alignment.
        unsafe {
            let a = _mm512_maskz_loadu_epi64(mask as u8, start);
            let b = _mm512_maskz_loadu_epi64((mask >> 8) as u8, start.wrapping_add(8));
            [Self(_mm512_unpacklo_epi64(a, b)), Self(_mm512_unpackhi_epi64(a, b))]
        }
    }

    #[inline(always)]
    unsafe fn mask_last(count: usize) -> Self {
        /// The lanes of the last 0, 1, ... 8 blocks: blocks 7, 3, 6, 2, ... are in lanes 7, 1, ...
        const LANES_OF_LAST: [u8; LANES + 1] = {
            let mut masks = [0; LANES + 1];
            let mut count = 1;
            while count <= LANES {
                let block = LANES - count;
                let lane = if block < 4 { 2 * block } else { 2 * (block - 4) + 1 };
                masks[count] = masks[count - 1] | 1 << lane;
                count += 1;
            }
            masks
        };
        debug_assert!(count <= LANES);
        // SAFETY: the caller promises AVX-512, and that there is such a mask.
        unsafe { Self(_mm512_maskz_set1_epi64(*LANES_OF_LAST.get_unchecked(count), -1)) }
    }

    // Blocks i and 4 + i are neighbours, and get the same power.
    #[inline(always)]
    unsafe fn falling(powers: &mut Powers, r: &Multiplier) -> [Self; 3] {
        let ([[l0, h0], [l1, h1], [l2, h2], [l3, h3]], [t0, t1, t2, t3]) = powers.falling(r);
        // SAFETY: the caller promises AVX-512.
        unsafe {
            let low = _mm256_set_epi64x(l3 as i64, l2 as i64, l1 as i64, l0 as i64);
            let high = _mm256_set_epi64x(h3 as i64, h2 as i64, h1 as i64, h0 as i64);
            let top = _mm256_set_epi64x(t3 as i64, t2 as i64, t1 as i64, t0 as i64);
            let doubled = _mm512_set_epi64(3, 3, 2, 2, 1, 1, 0, 0);
            let low = _mm512_permutexvar_epi64(doubled, _mm512_castsi256_si512(low));
            let high = _mm512_permutexvar_epi64(doubled, _mm512_castsi256_si512(high));
            let top = _mm512_permutexvar_epi64(doubled, _mm512_castsi256_si512(top));
            [Self(low), Self(high), Self(top)]
        }
    }

    #[inline(always)]
    fn first(self) -> Self {
        // SAFETY: `self` exists, so there is AVX-512.
        Self(unsafe { _mm512_broadcastq_epi64(_mm512_castsi512_si128(self.0)) })
    }

    #[inline(always)]
    fn sum(self) -> u64 {
        // SAFETY: `self` exists, so there is AVX-512.
        unsafe { _mm512_reduce_add_epi64(self.0) as u64 }
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: `self` exists, so there is AVX-512.
        Self(unsafe { _mm512_add_epi64(self.0, other.0) })
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        // SAFETY: `self` exists, so there is AVX-512.
        Self(unsafe { _mm512_and_si512(self.0, other.0) })
    }

    #[inline(always)]
    fn and_not(self, other: Self) -> Self {
        // SAFETY: `self` exists, so there is AVX-512.
        Self(unsafe { _mm512_andnot_si512(self.0, other.0) })
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        // SAFETY: `self` exists, so there is AVX-512.
        Self(unsafe { _mm512_or_si512(self.0, other.0) })
    }

    // (The forms with an immediate count want it as `u32` here and as `i32` in older sets.)
    #[inline(always)]
    fn shl<const N: i32>(self) -> Self {
        // SAFETY: `self` exists, so there is AVX-512.
        Self(unsafe { _mm512_sll_epi64(self.0, _mm_cvtsi32_si128(N)) })
    }

    #[inline(always)]
    fn shr<const N: i32>(self) -> Self {
        // SAFETY: `self` exists, so there is AVX-512.
        Self(unsafe { _mm512_srl_epi64(self.0, _mm_cvtsi32_si128(N)) })
    }
}

impl Multiply52 for Avx512 {
    #[inline(always)]
    fn add_mul_low(self, a: Self, b: Self) -> Self {
        // SAFETY: `self` exists, so there is AVX-512 IFMA.
        Self(unsafe { _mm512_madd52lo_epu64(self.0, a.0, b.0) })
    }

    #[inline(always)]
    fn add_mul_high(self, a: Self, b: Self) -> Self {
        // SAFETY: `self` exists, so there is AVX-512 IFMA.
        Self(unsafe { _mm512_madd52hi_epu64(self.0, a.0, b.0) })
    }
}

/// [`radix44::absorb`].
///
/// # Safety
/// As there: `blocks` is not empty, and `last` is a group.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512ifma,bmi2")]
pub(super) unsafe fn absorb(
    h: &Element,
    powers: &mut Powers,
    r: &Multiplier,
    blocks: &[[u8; 16]],
    last: &[[u8; 16]],
) -> Element {
    align_frame();
    // SAFETY: this function is only called where there is AVX-512 with IFMA; the rest is passed on.
    unsafe { radix44::absorb::<Avx512>(h, powers, r, blocks, last) }
}
