//! AVX-512: vectors of 512 bits, and of 256 where they are enough, with rotations as one
//! instruction; rows of 2 to 12 blocks, columns of 8 to 32, all in the 32 registers.
//!
//! Masked loads and stores are not for the ends of texts: on Zen 4 what has been stored by a mask
//! reaches a load only by way of the cache, and the authenticator waits for it: 3 % of a short
//! message.
//!
//! Needs: `avx512f`, `avx512vl`, and `bmi2` for the multiplications of work beside the
//! rounds (the guard asks for more, see [`Backend::Avx512`](crate::Backend)).

use core::arch::asm;
use core::arch::x86_64::*;

use super::avx2::Ymm;
use super::lanes::{KeyPlace, Lanes};
use super::pair;
use super::pass::{self, Start};
use super::sink::Sink;
use crate::beside::Beside;

#[derive(Clone, Copy)]
pub(super) struct Zmm(pub(super) __m512i);

impl Zmm {
    /// Transposes the 128-bit parts of four vectors: part `j` of vector `i` becomes part `i` of
    /// vector `j`.
    #[inline(always)]
    unsafe fn transpose_parts([q0, q1, q2, q3]: [Self; 4]) -> [Self; 4] {
        // SAFETY: AVX-512 F by the contract of `Lanes`.
        unsafe {
            // Parts 0 and 2 (0x88) or 1 and 3 (0xdd) of each operand.
            let even01 = _mm512_shuffle_i32x4::<0x88>(q0.0, q1.0);
            let even23 = _mm512_shuffle_i32x4::<0x88>(q2.0, q3.0);
            let odd01 = _mm512_shuffle_i32x4::<0xdd>(q0.0, q1.0);
            let odd23 = _mm512_shuffle_i32x4::<0xdd>(q2.0, q3.0);
            [
                Self(_mm512_shuffle_i32x4::<0x88>(even01, even23)),
                Self(_mm512_shuffle_i32x4::<0x88>(odd01, odd23)),
                Self(_mm512_shuffle_i32x4::<0xdd>(even01, even23)),
                Self(_mm512_shuffle_i32x4::<0xdd>(odd01, odd23)),
            ]
        }
    }

    /// Transposes the 32-bit words within each 128-bit part of four vectors.
    #[inline(always)]
    unsafe fn transpose_words([x0, x1, x2, x3]: [Self; 4]) -> [Self; 4] {
        // SAFETY: AVX-512 F by the contract of `Lanes`.
        unsafe {
            let [ab0, ab2] = [_mm512_unpacklo_epi32(x0.0, x1.0), _mm512_unpacklo_epi32(x2.0, x3.0)];
            let [cd0, cd2] = [_mm512_unpackhi_epi32(x0.0, x1.0), _mm512_unpackhi_epi32(x2.0, x3.0)];
            [
                Self(_mm512_unpacklo_epi64(ab0, ab2)),
                Self(_mm512_unpackhi_epi64(ab0, ab2)),
                Self(_mm512_unpacklo_epi64(cd0, cd2)),
                Self(_mm512_unpackhi_epi64(cd0, cd2)),
            ]
        }
    }

    /// The first half of [`blocks_of_columns`](Lanes::blocks_of_columns): at `4i + e`, in part `p`,
    /// words `4i` to `4i + 3` of block `4p + e`.
    #[inline(always)]
    pub(super) unsafe fn quads(mut x: [Self; 16]) -> [Self; 16] {
        for quad in x.as_chunks_mut().0 {
            // SAFETY: AVX-512 F by the contract of `Lanes`.
            *quad = unsafe { Self::transpose_words(*quad) };
        }
        x
    }

    /// The second half.
    #[inline(always)]
    pub(super) unsafe fn blocks_of_quads(x: [Self; 16], mut put: impl FnMut(Self, usize)) {
        for e in 0..4 {
            let rows = [x[e], x[4 + e], x[8 + e], x[12 + e]];
            // SAFETY: AVX-512 F by the contract of `Lanes`.
            let blocks = unsafe { Self::transpose_parts(rows) };
            for (p, block) in blocks.into_iter().enumerate() {
                put(block, 64 * (4 * p + e));
            }
        }
    }
}

// SAFETY of the blocks in it: AVX-512 F by the contract of `Lanes`, and what the method says.
#[allow(clippy::undocumented_unsafe_blocks)]
impl Lanes for Zmm {
    const PARTS: usize = 4;
    const PASS: usize = 32;
    const STEPS: usize = 2;

    type Row = Half;

    /// Where a pass of one block more would take the next larger shape, or one pass more.
    #[inline(always)]
    fn key_place(blocks: usize) -> KeyPlace {
        match blocks {
            16 => KeyPlace::Rows,
            32.. => KeyPlace::Scalar,
            _ => KeyPlace::Within,
        }
    }

    #[inline(always)]
    unsafe fn splat(word: u32) -> Self {
        unsafe { Self(_mm512_set1_epi32(word as i32)) }
    }
    #[inline(always)]
    unsafe fn row(words: &[u32; 4]) -> Self {
        unsafe { Self(_mm512_broadcast_i32x4(_mm_loadu_si128(words.as_ptr().cast()))) }
    }
    #[inline(always)]
    unsafe fn iota() -> Self {
        unsafe { Self(_mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)) }
    }
    #[inline(always)]
    unsafe fn row_iota() -> Self {
        unsafe { Self(_mm512_setr_epi32(0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0)) }
    }
    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        unsafe { Self(_mm512_add_epi32(self.0, other.0)) }
    }
    #[inline(always)]
    unsafe fn add64(self, other: Self) -> Self {
        unsafe { Self(_mm512_add_epi64(self.0, other.0)) }
    }
    #[inline(always)]
    unsafe fn wrapped(self, addend: Self) -> Self {
        unsafe {
            let mask = _mm512_cmplt_epu32_mask(self.0, addend.0);
            Self(_mm512_maskz_set1_epi32(mask, -1))
        }
    }
    #[inline(always)]
    unsafe fn sub(self, other: Self) -> Self {
        unsafe { Self(_mm512_sub_epi32(self.0, other.0)) }
    }
    #[inline(always)]
    unsafe fn xor(self, other: Self) -> Self {
        unsafe { Self(_mm512_xor_si512(self.0, other.0)) }
    }
    #[inline(always)]
    unsafe fn rotl16(self) -> Self {
        unsafe { Self(_mm512_rol_epi32::<16>(self.0)) }
    }
    #[inline(always)]
    unsafe fn rotl12(self) -> Self {
        unsafe { Self(_mm512_rol_epi32::<12>(self.0)) }
    }
    #[inline(always)]
    unsafe fn rotl8(self) -> Self {
        unsafe { Self(_mm512_rol_epi32::<8>(self.0)) }
    }
    #[inline(always)]
    unsafe fn rotl7(self) -> Self {
        unsafe { Self(_mm512_rol_epi32::<7>(self.0)) }
    }
    #[inline(always)]
    unsafe fn turn1(self) -> Self {
        unsafe { Self(_mm512_shuffle_epi32::<0b00_11_10_01>(self.0)) }
    }
    #[inline(always)]
    unsafe fn turn2(self) -> Self {
        unsafe { Self(_mm512_shuffle_epi32::<0b01_00_11_10>(self.0)) }
    }
    #[inline(always)]
    unsafe fn turn3(self) -> Self {
        unsafe { Self(_mm512_shuffle_epi32::<0b10_01_00_11>(self.0)) }
    }

    #[inline(always)]
    unsafe fn load(src: *const u8) -> Self {
        unsafe { Self(_mm512_loadu_si512(src.cast())) }
    }
    #[inline(always)]
    unsafe fn store(self, dst: *mut u8) {
        unsafe { _mm512_storeu_si512(dst.cast(), self.0) }
    }

    #[inline(always)]
    unsafe fn low(self) -> __m128i {
        unsafe { _mm512_castsi512_si128(self.0) }
    }

    #[inline(always)]
    unsafe fn blocks(rows: [Self; 4]) -> [Self; 4] {
        unsafe { Self::transpose_parts(rows) }
    }

    #[inline(always)]
    unsafe fn blocks_of_columns(x: [Self; 16], put: impl FnMut(Self, usize)) {
        unsafe { Self::blocks_of_quads(Self::quads(x), put) }
    }

    /// Measured on Zen 4, in cycles of a double round: rows of 2 blocks 29, of 4 30 (33 as one row of
    /// 512 bits), of 6 40, columns of 8 43 (rows 44 or 47), rows of 12 57, columns of 16 62, of 24 83,
    /// of 32 106. Counted in instructions, the same are best where three of 256 bits start in a cycle
    /// and two of 512, but for one row of 512 bits in place of two.
    #[inline(always)]
    unsafe fn pass<const SITE: u8, B: Beside>(
        start: Start<'_>,
        blocks: usize,
        sink: &mut impl Sink,
        beside: &mut B,
    ) {
        unsafe {
            match blocks {
                ..=2 => pass::rows::<Half, 1, B>(start, sink, beside),
                3..=4 => pass::rows::<Half, 2, B>(start, sink, beside),
                5..=6 => pass::rows::<Half, 3, B>(start, sink, beside),
                7..=8 => apart(eight, start, sink, beside),
                9..=10 => apart(ten, start, sink, beside),
                11..=12 => apart(twelve, start, sink, beside),
                13..=16 => apart(sixteen, start, sink, beside),
                17..=24 => apart(pair::sixteen_and_eight, start, sink, beside),
                _ => apart(pair::sixteen_and_sixteen, start, sink, beside),
            }
        }
    }
}

/// Half a vector.
type Half = Ymm<true>;

/// Calls a shape that is a function of its own.
///
/// That a function is never to be inlined, rustc 1.95 tells LLVM at its calls if it has target
/// features, and link-time optimisation inlines it all the same if there is one call. So its address
/// is used, too.
///
/// # Safety
/// As the methods of [`Lanes`] and of the sink.
#[inline(always)]
unsafe fn apart<B: Beside, S: Sink>(
    shape: unsafe fn(Start<'_>, &mut S, &mut B),
    start: Start<'_>,
    sink: &mut S,
    beside: &mut B,
) {
    // SAFETY: no instruction; then as the caller's promise.
    unsafe {
        asm!("/* {0} */", in(reg) shape, options(readonly, nostack, preserves_flags));
        shape(start, sink, beside);
    }
}

/// A shape as a function of its own: its vectors on the stack, and what has to be wiped, are not
/// below those of other shapes then.
macro_rules! apart {
    ($name:ident, $shape:expr) => {
        /// See [`apart!`].
        ///
        /// # Safety
        /// As the methods of [`Lanes`] and of the sink.
        #[inline(never)]
        #[target_feature(enable = "avx512f,avx512vl,bmi2")]
        unsafe fn $name<B: Beside, S: Sink>(start: Start<'_>, sink: &mut S, beside: &mut B) {
            pass::align_frame();
            // SAFETY: as the caller's promise.
            unsafe { $shape(start, sink, beside) }
        }
    };
}
apart!(eight, pass::columns::<Half, 0, B>);
apart!(ten, pass::rows::<Half, 5, B>);
apart!(twelve, pass::rows::<Zmm, 3, B>);
apart!(sixteen, pass::columns::<Zmm, 0, B>);

super::entry::entry_points!("avx512f,avx512vl,bmi2", Zmm);
super::entry::first_entry_points!(
    "avx512f,avx512vl,bmi2",
    Zmm,
    xor_first_2, keystream_2: 2 in pass::rows::<Half, 1, _>,
    xor_first_4, keystream_4: 4 in pass::rows::<Half, 2, _>,
    xor_first_6, keystream_6: 6 in pass::rows::<Half, 3, _>,
    xor_first_8, keystream_8: 8 in pass::columns::<Half, 0, _>,
    xor_first_10, keystream_10: 10 in pass::rows::<Half, 5, _>,
    xor_first_12, keystream_12: 12 in pass::rows::<Zmm, 3, _>
);
super::entry::beside_entry_point!("avx512f,avx512vl,bmi2", Zmm);
