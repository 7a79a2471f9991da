//! AVX2: 256-bit vectors; rows of 2, 4 and 6 blocks, columns of 8.
//!
//! Needs: `avx2`, and `bmi2` for the multiplications of work beside the rounds.

use core::arch::asm;
use core::arch::x86_64::*;

use super::lanes::{KeyPlace, Lanes};
use super::pass;
use super::xmm::rotation;
use crate::beside::Beside;

/// For a shuffle of bytes, of each 32-bit word: its rotation to the left by 16 bits, by 8 bits. For
/// the assembly, which has no register to keep them in.
static ROTATIONS: [[u8; 32]; 2] = [bytes_rotated(2), bytes_rotated(1)];

const fn bytes_rotated(bytes: usize) -> [u8; 32] {
    let mut table = [0; 32];
    let mut i = 0;
    while i < 32 {
        table[i] = (i % 16 / 4 * 4 + (i + 4 - bytes) % 4) as u8;
        i += 1;
    }
    table
}

/// Interleaves the words of each two of eight vectors.
macro_rules! pairs {
    ($unpack:ident, $x:ident) => {
        [
            $unpack($x[0].0, $x[1].0),
            $unpack($x[2].0, $x[3].0),
            $unpack($x[4].0, $x[5].0),
            $unpack($x[6].0, $x[7].0),
        ]
    };
}

/// Joins pairs to quads, and the quads of the same block to whole vectors.
macro_rules! halves {
    ($unpack:ident, $p0:ident, $p2:ident, $p4:ident, $p6:ident) => {{
        let (q0, q4) = ($unpack($p0, $p2), $unpack($p4, $p6));
        join!(Self(q0), Self(q4))
    }};
}

/// The lower halves of two vectors as one, and the upper halves.
macro_rules! join {
    ($a:expr, $b:expr) => {
        (
            Self(_mm256_permute2x128_si256::<0x20>($a.0, $b.0)),
            Self(_mm256_permute2x128_si256::<0x31>($a.0, $b.0)),
        )
    };
}

/// Eight words. `ROTATE` tells whether AVX-512's rotations may be used.
#[derive(Clone, Copy)]
pub(super) struct Ymm<const ROTATE: bool>(pub(super) __m256i);

impl<const ROTATE: bool> Ymm<ROTATE> {
    /// The rotation by 16 bits (0) or 8 bits (1), as a shuffle of bytes.
    #[inline(always)]
    unsafe fn shuffle(self, index: usize) -> Self {
        // SAFETY: AVX2 by the contract of `Lanes`.
        unsafe { Self(_mm256_shuffle_epi8(self.0, _mm256_broadcastsi128_si256(rotation(index)))) }
    }

    /// Of eight vectors, each with one word of eight blocks, makes eight with eight words of one
    /// block each.
    ///
    /// ```text
    /// x[0]: a0 b0 c0 d0 | e0 f0 g0 h0      pairs:  a0 a1 b0 b1 | e0 e1 f0 f1
    /// x[1]: a1 b1 c1 d1 | e1 f1 g1 h1      quads:  a0 a1 a2 a3 | e0 e1 e2 e3
    /// ...                                  halves: a0 a1 a2 a3 | a4 a5 a6 a7
    /// ```
    #[inline(always)]
    unsafe fn transpose(x: [Self; 8]) -> [Self; 8] {
        // SAFETY: AVX2 by the contract of `Lanes`.
        unsafe {
            let [ab0, ab2, ab4, ab6] = pairs!(_mm256_unpacklo_epi32, x);
            let [cd0, cd2, cd4, cd6] = pairs!(_mm256_unpackhi_epi32, x);
            let a = halves!(_mm256_unpacklo_epi64, ab0, ab2, ab4, ab6);
            let b = halves!(_mm256_unpackhi_epi64, ab0, ab2, ab4, ab6);
            let c = halves!(_mm256_unpacklo_epi64, cd0, cd2, cd4, cd6);
            let d = halves!(_mm256_unpackhi_epi64, cd0, cd2, cd4, cd6);
            [a.0, b.0, c.0, d.0, a.1, b.1, c.1, d.1]
        }
    }
}

/// `count` in every word, which the compiler can't see through: it would make a rotation of shifts.
#[inline(always)]
unsafe fn opaque_count(count: i32) -> __m256i {
    let mut x = count;
    // MemorySanitizer takes all assembly for a use of its operands.
    if !cfg!(chacha20poly1305_ct) {
        // SAFETY: no instruction.
        unsafe { asm!("/* {0:e} */", inout(reg) x, options(pure, nomem, nostack, preserves_flags)) };
    }
    // SAFETY: the caller promises AVX2.
    unsafe { _mm256_set1_epi32(x) }
}

macro_rules! rotl {
    ($x:expr, $n:literal) => {
        if ROTATE {
            Self(_mm256_rol_epi32::<$n>($x.0))
        } else {
            let (left, right) =
                (_mm256_slli_epi32::<$n>($x.0), _mm256_srli_epi32::<{ 32 - $n }>($x.0));
            Self(_mm256_or_si256(left, right))
        }
    };
}

// SAFETY of the blocks in it: AVX2, and AVX-512 VL if `ROTATE`, by the contract of `Lanes`, and what
// the method says.
#[allow(clippy::undocumented_unsafe_blocks)]
impl<const ROTATE: bool> Lanes for Ymm<ROTATE> {
    const PARTS: usize = 2;
    type Row = Self;

    /// Where one block more would take one pass more.
    #[inline(always)]
    fn key_place(blocks: usize) -> KeyPlace {
        let fills = blocks != 0 && blocks.is_multiple_of(Self::PASS);
        if fills { KeyPlace::Scalar } else { KeyPlace::Within }
    }

    #[inline(always)]
    unsafe fn splat(word: u32) -> Self {
        unsafe { Self(_mm256_set1_epi32(word as i32)) }
    }
    #[inline(always)]
    unsafe fn row(words: &[u32; 4]) -> Self {
        unsafe { Self(_mm256_broadcastsi128_si256(_mm_loadu_si128(words.as_ptr().cast()))) }
    }
    #[inline(always)]
    unsafe fn iota() -> Self {
        unsafe { Self(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)) }
    }
    #[inline(always)]
    unsafe fn row_iota() -> Self {
        unsafe { Self(_mm256_setr_epi32(0, 0, 0, 0, 1, 0, 0, 0)) }
    }
    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        unsafe { Self(_mm256_add_epi32(self.0, other.0)) }
    }
    #[inline(always)]
    unsafe fn add64(self, other: Self) -> Self {
        unsafe { Self(_mm256_add_epi64(self.0, other.0)) }
    }
    #[inline(always)]
    unsafe fn wrapped(self, addend: Self) -> Self {
        // The comparison is signed: flipping the sign bits makes it unsigned.
        unsafe {
            let sign = Self::splat(1 << 31);
            Self(_mm256_cmpgt_epi32(addend.xor(sign).0, self.xor(sign).0))
        }
    }
    #[inline(always)]
    unsafe fn sub(self, other: Self) -> Self {
        unsafe { Self(_mm256_sub_epi32(self.0, other.0)) }
    }
    #[inline(always)]
    unsafe fn xor(self, other: Self) -> Self {
        unsafe { Self(_mm256_xor_si256(self.0, other.0)) }
    }
    #[inline(always)]
    unsafe fn rotl16(self) -> Self {
        unsafe { if ROTATE { rotl!(self, 16) } else { self.shuffle(0) } }
    }
    #[inline(always)]
    unsafe fn rotl12(self) -> Self {
        unsafe { rotl!(self, 12) }
    }
    #[inline(always)]
    unsafe fn rotl8(self) -> Self {
        unsafe { if ROTATE { rotl!(self, 8) } else { self.shuffle(1) } }
    }
    #[inline(always)]
    unsafe fn rotl7(self) -> Self {
        unsafe { rotl!(self, 7) }
    }
    /// A rotation takes two cycles on Zen 4, a shift one. `self` is there before `other`: it is
    /// rotated while that is made, and the rotation of `other` is two shifts that are XORed into it.
    /// A double round takes 29 cycles in place of 32.
    #[inline(always)]
    unsafe fn xor_rotl<const BY: i32>(self, other: Self) -> Self {
        unsafe {
            if ROTATE {
                let (left, right) = (opaque_count(BY), opaque_count(32 - BY));
                let high = _mm256_sllv_epi32(other.0, left);
                let low = _mm256_srlv_epi32(other.0, right);
                let x = self.rotl::<BY>();
                // MemorySanitizer cannot follow this instruction.
                if cfg!(chacha20poly1305_ct) {
                    x.xor(Self(high)).xor(Self(low))
                } else {
                    Self(_mm256_ternarylogic_epi32::<0x96>(x.0, high, low))
                }
            } else {
                self.xor(other).rotl::<BY>()
            }
        }
    }
    #[inline(always)]
    unsafe fn turn1(self) -> Self {
        unsafe { Self(_mm256_shuffle_epi32::<0b00_11_10_01>(self.0)) }
    }
    #[inline(always)]
    unsafe fn turn2(self) -> Self {
        unsafe { Self(_mm256_shuffle_epi32::<0b01_00_11_10>(self.0)) }
    }
    #[inline(always)]
    unsafe fn turn3(self) -> Self {
        unsafe { Self(_mm256_shuffle_epi32::<0b10_01_00_11>(self.0)) }
    }

    #[inline(always)]
    unsafe fn load(src: *const u8) -> Self {
        unsafe { Self(_mm256_loadu_si256(src.cast())) }
    }
    #[inline(always)]
    unsafe fn store(self, dst: *mut u8) {
        unsafe { _mm256_storeu_si256(dst.cast(), self.0) }
    }

    #[inline(always)]
    unsafe fn low(self) -> __m128i {
        unsafe { _mm256_castsi256_si128(self.0) }
    }

    #[inline(always)]
    unsafe fn blocks([a, b, c, d]: [Self; 4]) -> [Self; 4] {
        unsafe {
            let ((ab0, ab1), (cd0, cd1)) = (join!(a, b), join!(c, d));
            [ab0, cd0, ab1, cd1]
        }
    }

    #[inline(always)]
    unsafe fn blocks_of_columns(x: [Self; 16], mut put: impl FnMut(Self, usize)) {
        unsafe {
            // A half of all blocks after the other: both at once would not fit the registers.
            let first = Self::transpose([x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7]]);
            for (i, half) in first.into_iter().enumerate() {
                put(half, 64 * i);
            }
            let second = Self::transpose([x[8], x[9], x[10], x[11], x[12], x[13], x[14], x[15]]);
            for (i, half) in second.into_iter().enumerate() {
                put(half, 64 * i + 32);
            }
        }
    }

    #[inline(always)]
    unsafe fn column_rounds<const SITE: u8, B: Beside>(
        x: &mut [Self; 16],
        count: usize,
        beside: &mut B,
    ) {
        // With a rotation in one instruction and 32 registers there is no need of it; and
        // MemorySanitizer takes all assembly for a use of its operands.
        if ROTATE || cfg!(chacha20poly1305_ct) {
            return unsafe { super::column::double_rounds(x, count, beside) };
        }
        unsafe { column_rounds::<SITE, ROTATE, B>(x, count, beside) }
    }
}

/// `count` double rounds in column form, with work beside them.
///
/// In assembly, for two reasons. Sixteen words and the temporaries of the rotations need more than
/// the sixteen registers, and the compiler spills in every step; here word i is in register i, but
/// for word 9, which lives in memory, and register 9 is the temporary. And the order of
/// instructions matters: four quarter-rounds in step ask for the shifters at the same time, which
/// then stand idle half of the time. So they go in two pairs, the second a quarter of the way
/// behind the first, and the diagonal ones are paired by where their word b comes from, 0 with 3
/// and 1 with 2, so that the second pair stays behind from round to round.
#[inline]
#[target_feature(enable = "avx2,bmi2")]
fn column_rounds<const SITE: u8, const ROTATE: bool, B: Beside>(
    x: &mut [Ymm<ROTATE>; 16],
    count: usize,
    beside: &mut B,
) {
    let [x0, x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12, x13, x14, x15] = x;
    // A copy, or the address of the whole array would escape and all of it be kept in memory.
    let mut word9 = *x9;

    macro_rules! op {
        ($op:literal $x:literal $y:literal) => {
            concat!($op, " ymm", $x, ", ymm", $x, ", ymm", $y, "\n")
        };
    }
    macro_rules! shuffle {
        ($x:literal $table:literal) => {
            concat!("vpshufb ymm", $x, ", ymm", $x, ", [{tables} + ", $table, "]\n")
        };
    }
    #[rustfmt::skip]
    macro_rules! rotate {
        ($x:literal $left:literal $right:literal) => {
            concat!(
                "vpslld ymm9, ymm", $x, ", ", $left, "\n",
                "vpsrld ymm", $x, ", ymm", $x, ", ", $right, "\n",
                "vpor ymm", $x, ", ymm", $x, ", ymm9\n",
            )
        };
    }
    // Half of four quarter-rounds; of the second, word c is in memory. `last` are the words b of
    // the second pair of the step before, whose rotations are still to be done.
    macro_rules! half {
        ($a0:literal $b0:literal $c0:literal $d0:literal,
         $a1:literal $b1:literal x9 $d1:literal;
         $a2:literal $b2:literal $c2:literal $d2:literal,
         $a3:literal $b3:literal $c3:literal $d3:literal;
         $table:literal $left:literal $right:literal;
         $($last:literal $last_left:literal $last_right:literal),*) => {
            concat!(
                op!("vpaddd" $a0 $b0),
                op!("vpaddd" $a1 $b1),
                $(rotate!($last $last_left $last_right),)*
                op!("vpxor" $d0 $a0),
                op!("vpxor" $d1 $a1),
                shuffle!($d0 $table),
                shuffle!($d1 $table),
                op!("vpaddd" $a2 $b2),
                op!("vpaddd" $a3 $b3),
                op!("vpaddd" $c0 $d0),
                "vpaddd ymm9, ymm", $d1, ", [{x9}]\n",
                "vmovdqu [{x9}], ymm9\n",
                op!("vpxor" $b1 9),
                op!("vpxor" $d2 $a2),
                op!("vpxor" $d3 $a3),
                op!("vpxor" $b0 $c0),
                shuffle!($d2 $table),
                shuffle!($d3 $table),
                rotate!($b0 $left $right),
                op!("vpaddd" $c2 $d2),
                rotate!($b1 $left $right),
                op!("vpaddd" $c3 $d3),
                op!("vpxor" $b2 $c2),
                op!("vpxor" $b3 $c3),
            )
        };
    }
    // One half of a round, or the end of the last one.
    macro_rules! run {
        ($($template:expr),+) => {
            // SAFETY: the operands are as declared; memory is accessed only in `word9`, 32 bytes
            // long, and `ROTATIONS`, 64 bytes long.
            unsafe {
                asm!(
                    $($template,)+
                    inout("ymm0") x0.0, inout("ymm1") x1.0, inout("ymm2") x2.0,
                    inout("ymm3") x3.0, inout("ymm4") x4.0, inout("ymm5") x5.0,
                    inout("ymm6") x6.0, inout("ymm7") x7.0, inout("ymm8") x8.0,
                    inout("ymm10") x10.0, inout("ymm11") x11.0, inout("ymm12") x12.0,
                    inout("ymm13") x13.0, inout("ymm14") x14.0, inout("ymm15") x15.0,
                    out("ymm9") _,
                    x9 = in(reg) &raw mut word9,
                    tables = in(reg) ROTATIONS.as_ptr(),
                    options(nostack, preserves_flags),
                );
            }
        };
    }
    for _ in 0..count {
        run!(half!(0 4 8 12, 1 5 x9 13; 2 6 10 14, 3 7 11 15; "0" "12" "20";));
        beside.step();
        run!(half!(0 4 8 12, 1 5 x9 13; 2 6 10 14, 3 7 11 15; "32" "7" "25";
                   6 "12" "20", 7 "12" "20"));
        beside.step();
        beside.column_round();
        run!(half!(0 5 10 15, 3 4 x9 14; 1 6 11 12, 2 7 8 13; "0" "12" "20";
                   6 "7" "25", 7 "7" "25"));
        beside.step();
        run!(
            half!(0 5 10 15, 3 4 x9 14; 1 6 11 12, 2 7 8 13; "32" "7" "25";
                  6 "12" "20", 7 "12" "20"),
            rotate!(6 "7" "25"),
            rotate!(7 "7" "25")
        );
        beside.diagonal_round();
    }
    *x9 = word9;
}

super::entry::entry_points!("avx2,bmi2", Ymm<false>);
super::entry::first_entry_points!(
    "avx2,bmi2",
    Ymm<false>,
    xor_first_2, keystream_2: 2 in pass::rows::<Ymm<false>, 1, _>,
    xor_first_4, keystream_4: 4 in pass::rows::<Ymm<false>, 2, _>,
    xor_first_6, keystream_6: 6 in pass::rows::<Ymm<false>, 3, _>
);
super::entry::beside_entry_point!("avx2,bmi2", Ymm<false>);
