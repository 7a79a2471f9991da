//! Slices of blocks as slices of bytes.

use crate::{BLOCK_SIZE, Block};
use core::slice;

/// The bytes of `blocks`, in order. `generic-array` 0.14 has no safe way to say this, and a copy
/// would cost more than hashing does.
#[inline(always)]
pub(super) fn flatten(blocks: &[Block]) -> &[u8] {
    const { assert!(size_of::<Block>() == BLOCK_SIZE && align_of::<Block>() == 1) }
    // SAFETY: a `GenericArray<u8, U16>` is 16 bytes and nothing else, so the slice covers
    // `16 * len` initialised bytes of one allocation, borrowed for as long as the result lives.
    unsafe { slice::from_raw_parts(blocks.as_ptr().cast(), size_of_val(blocks)) }
}
