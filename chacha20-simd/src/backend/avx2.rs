//! AVX2: 256-bit vectors; rows of 2, 4 and 6 blocks, columns of 8.
//!
//! Needs: `avx2`.

use core::arch::asm;
use core::arch::x86_64::*;

use super::lanes::Lanes;

/// Bytes of each 32-bit word rotated to the left by 16 bits, by 8 bits.
static ROTATIONS: [[u8; 32]; 2] = [rotation(2), rotation(1)];

const fn rotation(bytes: usize) -> [u8; 32] {
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
        join!(Ymm(q0), Ymm(q4))
    }};
}

/// The lower halves of two vectors as one, and the upper halves.
macro_rules! join {
    ($a:expr, $b:expr) => {
        (
            Ymm(_mm256_permute2x128_si256::<0x20>($a.0, $b.0)),
            Ymm(_mm256_permute2x128_si256::<0x31>($a.0, $b.0)),
        )
    };
}

#[derive(Clone, Copy)]
pub(super) struct Ymm(__m256i);

impl Ymm {
    #[inline(always)]
    unsafe fn shuffle(self, table: &[u8; 32]) -> Self {
        // SAFETY: AVX2 by the contract of `Lanes`; `table` is 32 bytes long.
        unsafe { Self(_mm256_shuffle_epi8(self.0, _mm256_loadu_si256(table.as_ptr().cast()))) }
    }

    /// XORs `self` with 32 bytes at `src` if `XOR`, and stores it at `dst`.
    #[inline(always)]
    unsafe fn put<const XOR: bool>(self, src: *const u8, dst: *mut u8) {
        // SAFETY: AVX2, and 32 bytes at both pointers, by the contract of `Lanes`.
        unsafe {
            let text =
                if XOR { _mm256_xor_si256(self.0, _mm256_loadu_si256(src.cast())) } else { self.0 };
            _mm256_storeu_si256(dst.cast(), text);
        }
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

macro_rules! rotl {
    ($x:expr, $n:literal) => {
        Self(_mm256_or_si256(_mm256_slli_epi32::<$n>($x.0), _mm256_srli_epi32::<{ 32 - $n }>($x.0)))
    };
}

// SAFETY of the blocks in it: AVX2 by the contract of `Lanes`, and what the method says.
#[allow(clippy::undocumented_unsafe_blocks)]
impl Lanes for Ymm {
    const PARTS: usize = 2;

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
        unsafe { self.shuffle(&ROTATIONS[0]) }
    }
    #[inline(always)]
    unsafe fn rotl12(self) -> Self {
        unsafe { rotl!(self, 12) }
    }
    #[inline(always)]
    unsafe fn rotl8(self) -> Self {
        unsafe { self.shuffle(&ROTATIONS[1]) }
    }
    #[inline(always)]
    unsafe fn rotl7(self) -> Self {
        unsafe { rotl!(self, 7) }
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
    unsafe fn store_rows([a, b, c, d]: [Self; 4], dst: *mut u8) {
        unsafe {
            let ((ab0, ab1), (cd0, cd1)) = (join!(a, b), join!(c, d));
            for (i, half) in [ab0, cd0, ab1, cd1].into_iter().enumerate() {
                half.put::<false>(dst, dst.add(32 * i));
            }
        }
    }

    #[inline(always)]
    unsafe fn store_columns<const XOR: bool>(x: [Self; 16], src: *const u8, dst: *mut u8) {
        unsafe {
            let first = Self::transpose([x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7]]);
            let second = Self::transpose([x[8], x[9], x[10], x[11], x[12], x[13], x[14], x[15]]);
            for (i, (first, second)) in first.into_iter().zip(second).enumerate() {
                let at = 64 * i;
                first.put::<XOR>(src.wrapping_add(at), dst.add(at));
                second.put::<XOR>(src.wrapping_add(at + 32), dst.add(at + 32));
            }
        }
    }

    #[inline(always)]
    unsafe fn column_rounds(x: &mut [Self; 16], count: usize) {
        unsafe { column_rounds(x, count) }
    }
}

/// `count` double rounds in column form, at least one.
///
/// In assembly: sixteen words and the temporaries of the rotations need more than the sixteen
/// registers, and the compiler spills up to a third of the words in every step. Here two words of
/// row c at a time are in memory, and are exchanged for the other two once in a round.
#[inline]
#[target_feature(enable = "avx2")]
fn column_rounds(x: &mut [Ymm; 16], count: usize) {
        let [x0, x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12, x13, x14, x15] = x;
        debug_assert!(count > 0);
        // SAFETY: the operands are as declared; memory is accessed only in `row_c` and `ROTATIONS`,
        // both 128 and 64 bytes long; the count is at least one.
        unsafe {
            // One step of two quarter-rounds.
            macro_rules! pair {
                ($a:literal $b:literal $c:literal $d:literal, $e:literal $f:literal $g:literal $h:literal) => {
                    concat!(
                        pair!(@half $a $b $c $d, $e $f $g $h, "0", "12", "20"),
                        pair!(@half $a $b $c $d, $e $f $g $h, "32", "7", "25"),
                    )
                };
                (@half $a:literal $b:literal $c:literal $d:literal, $e:literal $f:literal $g:literal $h:literal,
                 $table:literal, $left:literal, $right:literal) => {
                    concat!(
                        "vpaddd {", $a, "}, {", $a, "}, {", $b, "}\n",
                        "vpaddd {", $e, "}, {", $e, "}, {", $f, "}\n",
                        "vpxor {", $d, "}, {", $d, "}, {", $a, "}\n",
                        "vpxor {", $h, "}, {", $h, "}, {", $e, "}\n",
                        "vpshufb {", $d, "}, {", $d, "}, [{tables} + ", $table, "]\n",
                        "vpshufb {", $h, "}, {", $h, "}, [{tables} + ", $table, "]\n",
                        "vpaddd {", $c, "}, {", $c, "}, {", $d, "}\n",
                        "vpaddd {", $g, "}, {", $g, "}, {", $h, "}\n",
                        "vpxor {", $b, "}, {", $b, "}, {", $c, "}\n",
                        "vpxor {", $f, "}, {", $f, "}, {", $g, "}\n",
                        "vpslld {t0}, {", $b, "}, ", $left, "\n",
                        "vpslld {t1}, {", $f, "}, ", $left, "\n",
                        "vpsrld {", $b, "}, {", $b, "}, ", $right, "\n",
                        "vpsrld {", $f, "}, {", $f, "}, ", $right, "\n",
                        "vpor {", $b, "}, {", $b, "}, {t0}\n",
                        "vpor {", $f, "}, {", $f, "}, {t1}\n",
                    )
                };
            }
            // Words 8 to 11: the first two are in memory when the last two are not.
            let mut row_c = [*x8, *x9, *x10, *x11];
            asm!(
                "2:",
                pair!("x0" "x4" "c0" "x12", "x1" "x5" "c1" "x13"),
                "vmovdqu [{row_c}], {c0}",
                "vmovdqu [{row_c} + 32], {c1}",
                "vmovdqu {c0}, [{row_c} + 64]",
                "vmovdqu {c1}, [{row_c} + 96]",
                pair!("x2" "x6" "c0" "x14", "x3" "x7" "c1" "x15"),
                pair!("x0" "x5" "c0" "x15", "x1" "x6" "c1" "x12"),
                "vmovdqu [{row_c} + 64], {c0}",
                "vmovdqu [{row_c} + 96], {c1}",
                "vmovdqu {c0}, [{row_c}]",
                "vmovdqu {c1}, [{row_c} + 32]",
                pair!("x2" "x7" "c0" "x13", "x3" "x4" "c1" "x14"),
                "dec {count}",
                "jnz 2b",
                x0 = inout(ymm_reg) x0.0, x1 = inout(ymm_reg) x1.0,
                x2 = inout(ymm_reg) x2.0, x3 = inout(ymm_reg) x3.0,
                x4 = inout(ymm_reg) x4.0, x5 = inout(ymm_reg) x5.0,
                x6 = inout(ymm_reg) x6.0, x7 = inout(ymm_reg) x7.0,
                x12 = inout(ymm_reg) x12.0, x13 = inout(ymm_reg) x13.0,
                x14 = inout(ymm_reg) x14.0, x15 = inout(ymm_reg) x15.0,
                c0 = inout(ymm_reg) x8.0, c1 = inout(ymm_reg) x9.0,
                t0 = out(ymm_reg) _, t1 = out(ymm_reg) _,
                count = inout(reg) count => _,
                row_c = in(reg) row_c.as_mut_ptr(),
                tables = in(reg) ROTATIONS.as_ptr(),
                options(nostack),
            );
            [*x10, *x11] = [row_c[2], row_c[3]];
        }
}

super::batches::entry_points!("avx2", Ymm);
