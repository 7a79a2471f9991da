//! The small vector trait that the shared kernels are written over.

use core::arch::x86_64::__m128i;

use super::pass::{self, Start};
use super::sink::Sink;
use crate::beside::Beside;
use crate::buffer::xor_bytes;

/// Where the one-time key of a message is made, in its first pass.
pub(super) enum KeyPlace {
    /// In the pass, as its first block.
    Within,
    /// Beside the pass, in rows: see [`key_block::Rows`](super::key_block::Rows).
    Rows,
    /// Beside the pass, in the scalar units: see [`key_block::Scalar`](super::key_block::Scalar).
    Scalar,
}

/// A vector of 32-bit words: 4, 8 or 16 of them.
///
/// The *row* form of a kernel holds a row of the state in each 128-bit part, so a vector has the
/// same row of [`PARTS`](Self::PARTS) blocks. The *column* form holds one word of the state in a
/// vector, for 4 * `PARTS` blocks.
///
/// # Safety
/// Every method may only be called from a function that has the `#[target_feature]`s of the
/// implementation's module enabled, on a CPU on which the backend's guard has found them. That is
/// all the contract of a method whose documentation says no more. They are `#[inline(always)]`
/// and so become a part of the kernel's concrete entry point: a kernel calls nothing but
/// other kernels (`cargo xtask asm` checks that).
pub(super) trait Lanes: Copy {
    /// The vector that a single block's rows are held in.
    type Row: Lanes;
    /// How many 128-bit parts a vector has.
    const PARTS: usize;
    /// How many blocks a pass through the rounds makes at the most.
    const PASS: usize = 4 * Self::PARTS;
    /// For how many pieces of other work a round in column form has room.
    const STEPS: usize = 1;

    /// Where the one-time key of a text of so many blocks is made.
    #[inline(always)]
    fn key_place(_blocks: usize) -> KeyPlace {
        KeyPlace::Within
    }

    /// `word` everywhere.
    unsafe fn splat(word: u32) -> Self;
    /// The four words in every 128-bit part.
    unsafe fn row(words: &[u32; 4]) -> Self;
    /// 0, 1, 2 .. in the words.
    unsafe fn iota() -> Self;
    /// 0, 1, 2 .. in the first words of the 128-bit parts, 0 in the others.
    unsafe fn row_iota() -> Self;

    /// 32-bit additions.
    unsafe fn add(self, other: Self) -> Self;
    /// 64-bit additions.
    unsafe fn add64(self, other: Self) -> Self;
    /// All ones where the 32-bit sum `self` has wrapped around: where it is less than `addend`.
    unsafe fn wrapped(self, addend: Self) -> Self;
    /// 32-bit subtractions.
    unsafe fn sub(self, other: Self) -> Self;
    /// Exclusive or.
    unsafe fn xor(self, other: Self) -> Self;
    /// 32-bit rotations to the left by 16.
    unsafe fn rotl16(self) -> Self;
    /// 32-bit rotations to the left by 12.
    unsafe fn rotl12(self) -> Self;
    /// 32-bit rotations to the left by 8.
    unsafe fn rotl8(self) -> Self;
    /// 32-bit rotations to the left by 7.
    unsafe fn rotl7(self) -> Self;

    /// A 32-bit rotation to the left by 16, 12, 8 or 7.
    #[inline(always)]
    unsafe fn rotl<const BY: i32>(self) -> Self {
        // SAFETY: the caller's promise.
        unsafe {
            match BY {
                16 => self.rotl16(),
                12 => self.rotl12(),
                8 => self.rotl8(),
                _ => self.rotl7(),
            }
        }
    }

    /// `xor`, then `rotl`, for a form that waits for `other`.
    #[inline(always)]
    unsafe fn xor_rotl<const BY: i32>(self, other: Self) -> Self {
        // SAFETY: the caller's promise.
        unsafe { self.xor(other).rotl::<BY>() }
    }

    /// Word `i + 1` (modulo 4) of each 128-bit part becomes word `i`.
    unsafe fn turn1(self) -> Self;
    /// Word `i + 2` (modulo 4) of each 128-bit part becomes word `i`.
    unsafe fn turn2(self) -> Self;
    /// Word `i + 3` (modulo 4) of each 128-bit part becomes word `i`.
    unsafe fn turn3(self) -> Self;

    /// Loads `16 * PARTS` bytes from `src`, which must be valid for that.
    unsafe fn load(src: *const u8) -> Self;
    /// Stores `16 * PARTS` bytes at `dst`, which must be valid for that.
    unsafe fn store(self, dst: *mut u8);

    /// The first 128-bit part.
    unsafe fn low(self) -> __m128i;

    /// The `PARTS` blocks whose rows are `rows`, one after the other.
    unsafe fn blocks(rows: [Self; 4]) -> [Self; 4];

    /// Hands the 4 * `PARTS` blocks whose words are `columns` to `put`: a vector, and at which byte
    /// of the blocks it belongs; in any order.
    unsafe fn blocks_of_columns(columns: [Self; 16], put: impl FnMut(Self, usize));

    /// XORs `self` with what is at `src`, to `dst`; valid as for [`load`](Self::load) and
    /// [`store`](Self::store).
    #[inline(always)]
    unsafe fn xor_into(self, src: *const u8, dst: *mut u8) {
        // SAFETY: as the caller's promise.
        unsafe { self.xor(Self::load(src)).store(dst) }
    }

    /// `dst = src ^ keystream`, by the vector as far as that goes; see [`xor_bytes`].
    #[inline(always)]
    unsafe fn xor_bytes(src: *const u8, dst: *mut u8, keystream: *const u8, len: usize) {
        let whole = len / size_of::<Self>() * size_of::<Self>();
        // SAFETY: the promise of `xor_bytes` is the caller's.
        unsafe {
            for at in (0..whole).step_by(size_of::<Self>()) {
                Self::load(keystream.add(at)).xor_into(src.add(at), dst.add(at));
            }
            xor_bytes(src.add(whole), dst.add(whole), keystream.add(whole), len - whole);
        }
    }

    /// `count` double rounds in column form, with work beside them. An ISA overrides it if the
    /// compiler's allocation of registers costs too much; `SITE` is another number for each place
    /// that calls it, so that what is large has but one caller and is inlined there.
    #[inline(always)]
    unsafe fn column_rounds<const SITE: u8, B: Beside>(
        x: &mut [Self; 16],
        count: usize,
        beside: &mut B,
    ) {
        // SAFETY: as the caller's promise.
        unsafe { super::column::double_rounds(x, count, beside) }
    }

    /// At least `blocks` blocks to `sink`, of 1 to [`PASS`](Self::PASS), with work beside the rounds.
    /// An ISA overrides it if it has other shapes than [`pass::pass`]. `SITE` as for
    /// [`column_rounds`](Self::column_rounds).
    #[inline(always)]
    unsafe fn pass<const SITE: u8, B: Beside>(
        start: Start<'_>,
        blocks: usize,
        sink: &mut impl Sink,
        beside: &mut B,
    ) {
        // SAFETY: as the caller's promise.
        unsafe { pass::pass::<Self, SITE, B>(start, blocks, sink, beside) }
    }
}
