//! AVX-512 IFMA: eight lanes in radix 2^44.

use super::{
    bmi2,
    lanes::{Lanes, Multiply52, align_frame},
    powers::{self, Falling, Powers},
    radix44,
};
use crate::{
    field::Element,
    key::Multiplier,
    polynomial::{lengths, load_partial},
};
use core::arch::{asm, x86_64::*};

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

    #[inline(always)]
    unsafe fn falling(powers: &mut Powers, r: &Multiplier) -> [Self; 3] {
        // SAFETY: passed on to the caller.
        unsafe { Self::spread(powers.falling(r)) }
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
    // Blocks i and 4 + i are neighbours, and get the same power.
    #[inline(always)]
    unsafe fn spread(Falling { halves: [p0, p1, p2, p3], tops }: Falling<4>) -> [Self; 3] {
        // SAFETY: the caller promises AVX-512.
        unsafe {
            let first = _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(p0), p1);
            let second = _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(p2), p3);
            let all = _mm512_inserti64x4::<1>(_mm512_castsi256_si512(first), second);
            let tops = _mm_cvtsi64_si128((tops | tops << 8) as i64);
            [
                Self(_mm512_unpacklo_epi64(all, all)),
                Self(_mm512_unpackhi_epi64(all, all)),
                Self(_mm512_cvtepu8_epi64(tops)),
            ]
        }
    }

    #[inline(always)]
    unsafe fn load_end(blocks: &[[u8; 16]], partial: Option<u128>, last: u128) -> [Self; 2] {
        debug_assert!(blocks.len() + usize::from(partial.is_some()) + 1 == LANES);
        let start = blocks.as_ptr().cast::<i64>();
        // SAFETY: the caller promises AVX-512, and six blocks, or seven without a partial one.
        unsafe {
            let number = |x: u128| _mm_set_epi64x((x >> 64) as i64, x as i64);
            let c = partial.map_or_else(|| _mm_loadu_si128(start.add(12).cast()), number);
            let cd = _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(c), number(last));
            let ab = _mm512_castsi256_si512(_mm256_loadu_si256(start.add(8).cast()));
            let (a, b) = (_mm512_loadu_epi64(start), _mm512_inserti64x4::<1>(ab, cd));
            [Self(_mm512_unpacklo_epi64(a, b)), Self(_mm512_unpackhi_epi64(a, b))]
        }
    }

    #[inline(always)]
    unsafe fn one_by_one(h: Element, r: &Multiplier, blocks: &[[u8; 16]]) -> Element {
        // SAFETY: the backend's guard has found BMI2, too.
        unsafe { bmi2::blocks(h, r, blocks, &[]) }
    }

    #[inline(always)]
    fn here(self) -> Self {
        // SAFETY: `self` exists, so there is AVX-512.
        Self(unsafe { here(self.0) })
    }

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

#[inline]
#[target_feature(enable = "avx512f")]
fn here(mut x: __m512i) -> __m512i {
    // MemorySanitizer takes all assembly for a use of its operands.
    if !cfg!(chacha20poly1305_ct) {
        // SAFETY: this is no instruction at all. It is not `pure`, or it could move.
        unsafe { asm!("/* {0} */", inout(zmm_reg) x, options(nomem, nostack, preserves_flags)) }
    }
    x
}

/// The accumulator `h` after `blocks` and then `last`.
///
/// # Safety
/// There is AVX-512 with IFMA, and BMI2. `blocks` holds a group.
#[inline(always)]
pub(super) unsafe fn absorb(
    h: &mut Element,
    powers: &mut Powers,
    r: &Multiplier,
    blocks: &[[u8; 16]],
    last: &[[u8; 16]; LANES],
) {
    // SAFETY: passed on to the caller.
    unsafe {
        match blocks.len() {
            ..TWO_GROUPS => two_groups(h, powers, r, blocks, last),
            TWO_GROUPS..LONG => groups(h, powers, r, blocks, last),
            LONG.. => long(h, powers, r, blocks, last),
        }
    }
}

/// Blocks before the last group from which more groups than two take no longer, if the first may be
/// short.
const TWO_GROUPS: usize = 12;

/// Blocks from which two more powers repay themselves.
const LONG: usize = 264;

/// A kernel: a function of its own, since in one they would share a frame and its registers, at the
/// cost of the shorter ones.
macro_rules! kernel {
    ($name:ident, $evaluate:expr) => {
        /// See [`radix44`].
        ///
        /// # Safety
        /// There is AVX-512 with IFMA, and BMI2; `blocks` holds a group.
        #[inline(never)]
        #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512ifma,bmi2")]
        unsafe fn $name(
            h: &mut Element,
            powers: &mut Powers,
            r: &Multiplier,
            blocks: &[[u8; 16]],
            last: &[[u8; 16]; LANES],
        ) {
            align_frame();
            // SAFETY: passed on to the caller.
            unsafe {
                let falling = || Avx512::falling(powers, r);
                *h = $evaluate(|| *h, falling, r, blocks, Avx512::load(last));
            }
        }
    };
}
kernel!(two_groups, radix44::two_groups::<Avx512>);
kernel!(groups, radix44::groups::<Avx512, false>);
kernel!(long, radix44::groups::<Avx512, true>);

/// The tag of an AEAD's message, if it is neither too short for groups nor very long.
///
/// # Safety
/// There is AVX-512 with IFMA, and BMI2.
#[inline(always)]
pub(super) unsafe fn aead(key: &[u8; 32], aad: &[u8], ciphertext: &[u8]) -> Option<u128> {
    // SAFETY: passed on to the caller.
    unsafe {
        match (ciphertext.len().div_ceil(16) + 1).checked_sub(LANES)? {
            ..LANES => None,
            LANES..TWO_GROUPS => Some(aead_two_groups(key, aad, ciphertext)),
            TWO_GROUPS..LONG => Some(aead_groups(key, aad, ciphertext)),
            LONG.. => None,
        }
    }
}

/// A kernel from the key to the tag, for associated data that is short.
macro_rules! aead_kernel {
    ($name:ident, $evaluate:expr) => {
        /// The tag of an AEAD's message.
        ///
        /// # Safety
        /// There is AVX-512 with IFMA, and BMI2; ciphertext and lengths are two groups or more.
        #[inline(never)]
        #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512ifma,bmi2")]
        unsafe fn $name(key: &[u8; 32], aad: &[u8], ciphertext: &[u8]) -> u128 {
            align_frame();
            let (r, s) = bmi2::split(key);
            let (blocks, rest) = ciphertext.as_chunks();
            let partial = if rest.is_empty() { None } else { Some(load_partial(rest)) };
            let in_last = LANES - 1 - usize::from(partial.is_some());
            // SAFETY: there are more blocks than in a group; the rest is passed on to the caller.
            unsafe {
                let (blocks, end) = blocks.split_at_unchecked(blocks.len() - in_last);
                let last = Avx512::load_end(end, partial, lengths(aad.len(), ciphertext.len()));
                let falling = || Avx512::spread(powers::compute(&r));
                let start = || bmi2::padded(&r, aad);
                $evaluate(start, falling, &r, blocks, last).finish(s)
            }
        }
    };
}
aead_kernel!(aead_two_groups, radix44::two_groups::<Avx512>);
aead_kernel!(aead_groups, radix44::groups::<Avx512, false>);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::{simd, soft};

    /// Each kernel on all lengths, whichever it is chosen for.
    #[test]
    fn every_number_of_blocks() {
        if !simd::has_avx512() {
            return;
        }
        let mut state = 1u128;
        let blocks: [[u8; 16]; 330] = core::array::from_fn(|_| {
            state = state.wrapping_mul(0x2360_ed05_1fc6_5da4_4385_df64_9fcc_f645).wrapping_add(1);
            state.to_le_bytes()
        });
        for len in 2 * LANES..=blocks.len() {
            let r = Multiplier::clamp(&(state ^ len as u128).to_le_bytes());
            let start = Element([u64::MAX - len as u64, u64::MAX, 4]);
            let expected = soft::blocks(start, &r, &blocks[..len]).finish(0);
            let (blocks, last) = blocks[..len].split_last_chunk().unwrap();
            for (i, kernel) in [two_groups, groups, long].into_iter().enumerate() {
                let (mut h, mut powers) = (start, Powers::None);
                // With the powers yet to be made, and with those that are kept.
                for _ in 0..2 {
                    h = start;
                    // SAFETY: there is AVX-512 with IFMA, and BMI2, and a group in `blocks`.
                    unsafe { kernel(&mut h, &mut powers, &r, blocks, last) };
                    assert_eq!(h.finish(0), expected, "kernel {i}, {len} blocks");
                }
                assert!(h.0[2] <= Element::MAX_TOP);
            }
        }
    }
}
