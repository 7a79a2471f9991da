//! Layouts of the counter and the nonce.

mod sealed {
    pub trait Sealed {}
}

/// How wide the block counter is. Sealed.
pub trait Variant: sealed::Sealed {
    /// The block counter.
    #[cfg(not(feature = "cipher"))]
    type Counter: Copy;

    /// The block counter.
    #[cfg(feature = "cipher")]
    type Counter: cipher::StreamCipherCounter;

    /// Reads the counter off words 12 and on.
    fn get_block_pos(row: &[u32]) -> Self::Counter;

    /// Writes the counter into words 12 and on.
    fn set_block_pos(row: &mut [u32], pos: Self::Counter);

    /// Blocks before the last value of the counter, which is never used up.
    fn remaining_blocks(block_pos: Self::Counter) -> Option<usize>;
}

/// RFC 8439: a 32-bit counter.
#[derive(Clone, Copy, Debug)]
pub enum Ietf {}

impl sealed::Sealed for Ietf {}

impl Variant for Ietf {
    type Counter = u32;

    #[inline(always)]
    fn get_block_pos(row: &[u32]) -> u32 {
        row[0]
    }

    #[inline(always)]
    fn set_block_pos(row: &mut [u32], pos: u32) {
        row[0] = pos;
    }

    #[inline(always)]
    fn remaining_blocks(block_pos: u32) -> Option<usize> {
        usize::try_from(u32::MAX - block_pos).ok()
    }
}

/// D. J. Bernstein's original: a 64-bit counter.
#[cfg(any(feature = "legacy", feature = "rng"))]
#[derive(Clone, Copy, Debug)]
pub enum Legacy {}

#[cfg(any(feature = "legacy", feature = "rng"))]
impl sealed::Sealed for Legacy {}

#[cfg(any(feature = "legacy", feature = "rng"))]
impl Variant for Legacy {
    type Counter = u64;

    #[inline(always)]
    fn get_block_pos(row: &[u32]) -> u64 {
        u64::from(row[0]) | u64::from(row[1]) << 32
    }

    #[inline(always)]
    fn set_block_pos(row: &mut [u32], pos: u64) {
        row[0] = pos as u32;
        row[1] = (pos >> 32) as u32;
    }

    /// More than a `usize` holds counts as the most that it holds. The original says `None` there,
    /// on 32-bit targets, which means "without limit".
    #[inline(always)]
    fn remaining_blocks(block_pos: u64) -> Option<usize> {
        Some(usize::try_from(u64::MAX - block_pos).unwrap_or(usize::MAX))
    }
}
