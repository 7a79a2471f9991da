//! The end of a text: keystream goes from the registers to it, vector by vector.

use super::lanes::Lanes;
use crate::engine::Block;

/// What is left of a text: less than the blocks of keystream that are at hand.
///
/// Keystream goes from the registers to the text. By way of a scratch it took a fifteenth of the time
/// of a short message.
pub(super) struct Text<'a> {
    pub(super) src: *const u8,
    pub(super) dst: *mut u8,
    pub(super) len: usize,
    /// Takes the block of keystream in which the text ends, if it ends within one.
    pub(super) last: &'a mut Block,
}

impl Text<'_> {
    /// XORs a vector of keystream into the text at byte `at`, if it is wanted as a whole, and keeps
    /// it if it belongs to the last block.
    ///
    /// # Safety
    /// As the methods of [`Lanes`]; `src` and `dst` are valid for `len` bytes and the same or
    /// disjoint. `at` is a multiple of the vector's size.
    #[inline(always)]
    pub(super) unsafe fn put<V: Lanes>(&mut self, part: V, at: usize) {
        // SAFETY: as the caller's promise. Vectors are no larger than a block, and their sizes
        // divide its.
        unsafe {
            if at + size_of::<V>() <= self.len {
                part.xor_into(self.src.add(at), self.dst.add(at));
            }
            if at / 64 == self.len / 64 && !self.len.is_multiple_of(64) {
                part.store(self.last.0.as_mut_ptr().add(at % 64));
            }
        }
    }

    /// XORs what is left, less than a vector, after all vectors have been [`put`](Self::put).
    ///
    /// # Safety
    /// As there.
    #[inline(always)]
    pub(super) unsafe fn finish<V: Lanes>(self) {
        let Self { src, dst, len, last } = self;
        if !len.is_multiple_of(64) {
            let whole = len / size_of::<V>() * size_of::<V>();
            let keystream = last.0[whole % 64..].as_ptr();
            // SAFETY: as the caller's promise; `last` holds the block in which the text ends.
            unsafe { V::xor_tail(src.add(whole), dst.add(whole), keystream, len - whole) };
        }
    }
}
