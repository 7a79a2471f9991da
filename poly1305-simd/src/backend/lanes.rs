//! The vectors that the kernel in radix 2^26 is written over.

/// A vector of 64-bit lanes, one for each of as many blocks.
///
/// # Safety
///
/// Every value comes out of one of the unsafe constructors, whose caller promises that the CPU has
/// the instructions of the implementing type. So a value is the proof that the safe operations on
/// it are sound. All methods are `#[inline(always)]`: they take on the target features of the entry
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
    /// An implementation may assign blocks to lanes in whatever order is cheapest, as long as it is
    /// the same order as in [`halves`](Self::halves) and [`powers`](Self::powers).
    ///
    /// # Safety
    /// The CPU has the instructions of this type.
    unsafe fn load(blocks: &[[u8; 16]]) -> [Self; 2];

    /// The same, from numbers.
    ///
    /// # Safety
    /// The CPU has the instructions of this type.
    unsafe fn halves(blocks: &[[u64; 2]; 4]) -> [Self; 2];

    /// As many numbers below 2^32, for the blocks of a group in turn.
    ///
    /// # Safety
    /// The CPU has the instructions of this type.
    unsafe fn powers(limbs: &[u32]) -> Self;

    /// The sum of all lanes.
    fn sum(self) -> u64;

    /// The product of the low 32 bits of each lane.
    fn mul(self, other: Self) -> Self;

    fn add(self, other: Self) -> Self;
    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    fn shl<const N: i32>(self) -> Self;
    fn shr<const N: i32>(self) -> Self;
}
