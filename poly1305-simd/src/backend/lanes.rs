//! The vectors that the kernels are written over.

use super::powers::{Falling, Powers};
use crate::{field::Element, key::Multiplier};
use core::{arch::asm, mem::MaybeUninit};

/// A vector of 64-bit lanes, one for each of as many blocks.
///
/// An implementation may assign blocks to lanes in whatever order is cheapest, as long as all its
/// constructors keep to it: "the lane of a block" is whichever that is.
///
/// Every value comes out of one of the unsafe constructors, whose caller promises that the CPU has
/// the instructions of the implementing type. So a value is the proof that the safe operations on it
/// are sound. All methods are `#[inline(always)]`: they take on the target features of the entry
/// point that they end up in.
pub(super) trait Lanes: Copy {
    /// Lanes in a vector, and blocks in a group.
    const LANES: usize;

    /// The same number in every lane.
    ///
    /// # Safety
    /// The CPU has the instructions of this type.
    unsafe fn splat(x: u64) -> Self;

    /// The low and the high halves of [`LANES`](Self::LANES) blocks.
    ///
    /// # Safety
    /// The CPU has the instructions of this type; it is that many blocks.
    unsafe fn load(blocks: &[[u8; 16]]) -> [Self; 2];

    /// The same for 1 to [`LANES`](Self::LANES) blocks, which are the last of a group whose others
    /// are zero.
    ///
    /// # Safety
    /// The CPU has the instructions of this type; it is that many blocks.
    unsafe fn load_short(blocks: &[[u8; 16]]) -> [Self; 2];

    /// All ones in the lanes of the last `count` blocks of a group, zero in the others.
    ///
    /// # Safety
    /// The CPU has the instructions of this type; `count` is at most [`LANES`](Self::LANES).
    unsafe fn mask_last(count: usize) -> Self;

    /// r^L, r^(L-1), ..., r for the blocks of a group in turn, L being [`LANES`](Self::LANES) or 4,
    /// whichever is less; with eight lanes they come twice. The low and the high halves of their
    /// lower 128 bits, and what is above those.
    ///
    /// # Safety
    /// The CPU has the instructions of this type.
    unsafe fn falling(powers: &mut Powers, r: &Multiplier) -> [Self; 3];

    /// The lane of a group's first block, in every lane.
    fn first(self) -> Self;

    /// The sum of all lanes.
    fn sum(self) -> u64;

    /// The same value, which is below `bound` in every lane: the tests check it.
    #[inline(always)]
    fn below(self, _bound: u64) -> Self {
        self
    }

    fn add(self, other: Self) -> Self;
    fn and(self, other: Self) -> Self;
    /// `!self & other`
    fn and_not(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    fn shl<const N: i32>(self) -> Self;
    fn shr<const N: i32>(self) -> Self;
}

/// Lanes that multiply 32 by 32 bits.
pub(super) trait Multiply32: Lanes {
    /// The product of the low 32 bits of each lane.
    fn mul(self, other: Self) -> Self;

    /// The same value, about which the compiler knows nothing more.
    ///
    /// `mul` reads 32 bits, which LLVM sees as clearing the rest and multiplying whole lanes. In a
    /// loop it clears the accumulator at the end of a round, forgets about it at the start of the
    /// next, and multiplies 64 by 32 bits: two and a half times the instructions.
    fn opaque(self) -> Self;
}

/// Lanes that multiply 52 by 52 bits and add.
pub(super) trait Multiply52: Lanes {
    /// `self` plus the low 52 bits of the product of the low 52 bits of `a` and `b`.
    fn add_mul_low(self, a: Self, b: Self) -> Self;

    /// `self` plus the high 52 bits of that product.
    fn add_mul_high(self, a: Self, b: Self) -> Self;

    /// [`falling`](Lanes::falling) of given powers.
    ///
    /// # Safety
    /// The CPU has the instructions of this type.
    unsafe fn spread(powers: Falling<4>) -> [Self; 3];

    /// [`load`](Lanes::load) of the last group of a message: `blocks`, then `partial` if there is
    /// one, then `last`. Not by way of memory, where a load that spans several stores would wait until
    /// they have left the store buffer.
    ///
    /// # Safety
    /// The CPU has the instructions of this type; all together it is a group.
    unsafe fn load_end(blocks: &[[u8; 16]], partial: Option<u128>, last: u128) -> [Self; 2];

    /// The accumulator after some blocks, by the scalar code for CPUs with these lanes.
    ///
    /// # Safety
    /// The CPU has the instructions of this type.
    unsafe fn one_by_one(h: Element, r: &Multiplier, blocks: &[[u8; 16]]) -> Element;

    /// The same value, made at this place among the instructions.
    ///
    /// LLVM puts what is ready at any time next to where it is used: there, behind a hundred
    /// instructions that wait for the powers of r, where the CPU does not see it in time.
    fn here(self) -> Self;

    /// `self + a * k`, provided that the product is below 2^52.
    #[inline(always)]
    fn add_mul(self, a: Self, k: Self) -> Self {
        self.add_mul_low(a, k)
    }
}

/// Makes the frame of the function that this is inlined into start at a cache line.
///
/// The ABI aligns stacks to 16 bytes, and LLVM spills vectors to wherever that leaves them: three
/// times out of four across cache lines for vectors of 64 bytes, every other time for 32. Measured
/// with AVX2, such a frame costs a quarter of the speed, from one call chain or process to another.
#[inline(always)]
pub(super) fn align_frame() {
    #[repr(align(64))]
    struct Line(MaybeUninit<[u8; 64]>);

    let line = Line(MaybeUninit::uninit());
    // SAFETY: this is no instruction at all, only a use of the address.
    unsafe {
        asm!("/* {0} */", in(reg) &raw const line.0, options(readonly, nostack, preserves_flags));
    }
}

/// The same number, in a general register. LLVM would make vectors of neighbouring words: by loads
/// that span several stores and wait until those have left the store buffer, with a way back to
/// general registers that takes longer than the vector saves.
#[inline(always)]
pub(super) fn scalar(mut x: u64) -> u64 {
    // MemorySanitizer takes all assembly for a use of its operands.
    if !cfg!(chacha20poly1305_ct) {
        // SAFETY: this is no instruction at all.
        unsafe {
            asm!("/* {0} */", inout(reg) x, options(pure, nomem, nostack, preserves_flags));
        }
    }
    x
}

#[cfg(test)]
pub(super) mod model;
