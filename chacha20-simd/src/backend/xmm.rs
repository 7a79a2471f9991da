//! 128-bit vectors, with SSE2's instructions alone or with SSSE3's byte shuffle.

use core::arch::asm;
use core::arch::x86_64::*;

use super::lanes::Lanes;

/// Four words. `SHUFFLE` tells whether SSSE3 may be used: two of the four rotations are shuffles of
/// bytes then.
#[derive(Clone, Copy)]
pub(super) struct Xmm<const SHUFFLE: bool>(__m128i);

/// For a shuffle of bytes, of each 32-bit word: its rotation to the left by 16 bits, by 8 bits.
static ROTATIONS: [[u8; 16]; 2] = [
    [2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13],
    [3, 0, 1, 2, 7, 4, 5, 6, 11, 8, 9, 10, 15, 12, 13, 14],
];

/// The table of the rotation by 16 bits (0) or 8 bits (1), which the compiler can't see through. It
/// would make two shuffles of 16-bit words of the first one: a cycle more in each round of a form
/// that is bound by latency.
#[inline(always)]
pub(super) unsafe fn rotation(index: usize) -> __m128i {
    // SAFETY: the table is 16 bytes long; the assembly is no instruction at all.
    unsafe {
        let mut table = _mm_loadu_si128(ROTATIONS[index].as_ptr().cast());
        asm!("/* {0} */", inout(xmm_reg) table, options(pure, nomem, nostack, preserves_flags));
        table
    }
}

macro_rules! rotl {
    ($x:expr, $n:literal) => {
        Self(_mm_or_si128(_mm_slli_epi32::<$n>($x.0), _mm_srli_epi32::<{ 32 - $n }>($x.0)))
    };
}

impl<const SHUFFLE: bool> Xmm<SHUFFLE> {
    /// Transposes four words of four blocks each.
    #[inline(always)]
    unsafe fn transpose([x0, x1, x2, x3]: [Self; 4]) -> [Self; 4] {
        // SAFETY: SSE2 by the contract of `Lanes`.
        unsafe {
            let [ab0, ab2] = [_mm_unpacklo_epi32(x0.0, x1.0), _mm_unpacklo_epi32(x2.0, x3.0)];
            let [cd0, cd2] = [_mm_unpackhi_epi32(x0.0, x1.0), _mm_unpackhi_epi32(x2.0, x3.0)];
            [
                Self(_mm_unpacklo_epi64(ab0, ab2)),
                Self(_mm_unpackhi_epi64(ab0, ab2)),
                Self(_mm_unpacklo_epi64(cd0, cd2)),
                Self(_mm_unpackhi_epi64(cd0, cd2)),
            ]
        }
    }
}

// SAFETY of the blocks in it: SSE2, and SSSE3 if `SHUFFLE`, by the contract of `Lanes`; pointers
// are valid for what the methods say.
#[allow(clippy::undocumented_unsafe_blocks)]
impl<const SHUFFLE: bool> Lanes for Xmm<SHUFFLE> {
    const PARTS: usize = 1;
    type Row = Self;

    #[inline(always)]
    unsafe fn splat(word: u32) -> Self {
        unsafe { Self(_mm_set1_epi32(word as i32)) }
    }
    #[inline(always)]
    unsafe fn row(words: &[u32; 4]) -> Self {
        unsafe { Self(_mm_loadu_si128(words.as_ptr().cast())) }
    }
    #[inline(always)]
    unsafe fn iota() -> Self {
        unsafe { Self(_mm_setr_epi32(0, 1, 2, 3)) }
    }
    #[inline(always)]
    unsafe fn row_iota() -> Self {
        unsafe { Self(_mm_setzero_si128()) }
    }
    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        unsafe { Self(_mm_add_epi32(self.0, other.0)) }
    }
    #[inline(always)]
    unsafe fn add64(self, other: Self) -> Self {
        unsafe { Self(_mm_add_epi64(self.0, other.0)) }
    }
    #[inline(always)]
    unsafe fn wrapped(self, addend: Self) -> Self {
        // The comparison is signed: flipping the sign bits makes it unsigned.
        unsafe {
            let sign = Self::splat(1 << 31);
            Self(_mm_cmpgt_epi32(addend.xor(sign).0, self.xor(sign).0))
        }
    }
    #[inline(always)]
    unsafe fn sub(self, other: Self) -> Self {
        unsafe { Self(_mm_sub_epi32(self.0, other.0)) }
    }
    #[inline(always)]
    unsafe fn xor(self, other: Self) -> Self {
        unsafe { Self(_mm_xor_si128(self.0, other.0)) }
    }
    #[inline(always)]
    unsafe fn rotl16(self) -> Self {
        unsafe {
            if SHUFFLE {
                Self(_mm_shuffle_epi8(self.0, rotation(0)))
            } else {
                // Swaps the halves of each word: two shuffles in place of two shifts and an or.
                let low = _mm_shufflelo_epi16::<0b10_11_00_01>(self.0);
                Self(_mm_shufflehi_epi16::<0b10_11_00_01>(low))
            }
        }
    }
    #[inline(always)]
    unsafe fn rotl12(self) -> Self {
        unsafe { rotl!(self, 12) }
    }
    #[inline(always)]
    unsafe fn rotl8(self) -> Self {
        unsafe {
            if SHUFFLE { Self(_mm_shuffle_epi8(self.0, rotation(1))) } else { rotl!(self, 8) }
        }
    }
    #[inline(always)]
    unsafe fn rotl7(self) -> Self {
        unsafe { rotl!(self, 7) }
    }
    #[inline(always)]
    unsafe fn turn1(self) -> Self {
        unsafe { Self(_mm_shuffle_epi32::<0b00_11_10_01>(self.0)) }
    }
    #[inline(always)]
    unsafe fn turn2(self) -> Self {
        unsafe { Self(_mm_shuffle_epi32::<0b01_00_11_10>(self.0)) }
    }
    #[inline(always)]
    unsafe fn turn3(self) -> Self {
        unsafe { Self(_mm_shuffle_epi32::<0b10_01_00_11>(self.0)) }
    }

    #[inline(always)]
    unsafe fn load(src: *const u8) -> Self {
        unsafe { Self(_mm_loadu_si128(src.cast())) }
    }
    #[inline(always)]
    unsafe fn store(self, dst: *mut u8) {
        unsafe { _mm_storeu_si128(dst.cast(), self.0) }
    }

    #[inline(always)]
    unsafe fn low(self) -> __m128i {
        self.0
    }

    #[inline(always)]
    unsafe fn blocks(rows: [Self; 4]) -> [Self; 4] {
        rows
    }

    #[inline(always)]
    unsafe fn blocks_of_columns(x: [Self; 16], mut put: impl FnMut(Self, usize)) {
        unsafe {
            for i in 0..4 {
                let words = Self::transpose([x[4 * i], x[4 * i + 1], x[4 * i + 2], x[4 * i + 3]]);
                for (block, words) in words.into_iter().enumerate() {
                    put(words, 64 * block + 16 * i);
                }
            }
        }
    }
}
