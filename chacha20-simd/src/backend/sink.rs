//! Where keystream goes from the registers, vector by vector.
//!
//! By way of a scratch it took a fifteenth of the time of a short message.

use core::arch::x86_64::{__m128i, _mm_storeu_si128};

use super::column;
use super::lanes::Lanes;
use crate::engine::Block;

/// Takes the vectors of a pass's blocks, each once and in any order.
pub(super) trait Sink {
    /// Takes `part`, which belongs at byte `at` of the blocks, a multiple of the vector's size.
    ///
    /// # Safety
    /// As the methods of [`Lanes`], and what the sink's own documentation says.
    unsafe fn put<V: Lanes>(&mut self, part: V, at: usize);

    /// Takes the first block of columns, if the sink wants it before those are put together: a
    /// message's one-time key, which is the start of another long computation. Returns whether it
    /// does.
    ///
    /// # Safety
    /// As [`put`](Self::put).
    #[inline(always)]
    unsafe fn put_ahead<V: Lanes>(&mut self, _columns: &[V; 16]) -> bool {
        false
    }
}

/// Stores a block, in parts that loads of words can be forwarded from.
///
/// # Safety
/// `dst` is valid for 64 bytes.
#[inline(always)]
unsafe fn store_block(block: [__m128i; 4], dst: *mut u8) {
    for (i, row) in block.into_iter().enumerate() {
        // SAFETY: as the caller's promise.
        unsafe { _mm_storeu_si128(dst.add(16 * i).cast(), row) };
    }
}

/// Stores `len` bytes of whole blocks at `dst`, which must be valid for that, and leaves out what a
/// pass has made beyond them.
pub(super) struct Store {
    pub(super) dst: *mut u8,
    pub(super) len: usize,
}

impl Sink for Store {
    #[inline(always)]
    unsafe fn put<V: Lanes>(&mut self, part: V, at: usize) {
        if at < self.len {
            // SAFETY: vectors are no larger than a block, and their sizes divide its.
            unsafe { part.store(self.dst.add(at)) }
        }
    }
}

/// The same, for keystream from a message's first block on.
pub(super) struct FromFirst(pub(super) Store);

impl Sink for FromFirst {
    #[inline(always)]
    unsafe fn put<V: Lanes>(&mut self, part: V, at: usize) {
        // SAFETY: as the caller's promise.
        unsafe { self.0.put(part, at) }
    }

    #[inline(always)]
    unsafe fn put_ahead<V: Lanes>(&mut self, columns: &[V; 16]) -> bool {
        // SAFETY: as the caller's promise; there is a first block.
        unsafe { store_block(column::first_block(columns), self.0.dst) };
        true
    }
}

/// XORs into a text as long as the blocks of a pass: `src` and `dst` must be valid for as much, and
/// be the same or disjoint.
pub(super) struct Whole {
    pub(super) src: *const u8,
    pub(super) dst: *mut u8,
}

impl Sink for Whole {
    #[inline(always)]
    unsafe fn put<V: Lanes>(&mut self, part: V, at: usize) {
        // SAFETY: as the caller's promise.
        unsafe { part.xor_into(self.src.add(at), self.dst.add(at)) }
    }
}

/// XORs into what is left of a text, less than the blocks of a pass; `src` and `dst` must be valid
/// for `len` bytes, and be the same or disjoint.
pub(super) struct Text {
    pub(super) src: *const u8,
    pub(super) dst: *mut u8,
    pub(super) len: usize,
    /// Takes the block of keystream in which the text ends, if it ends within one; valid for 64
    /// bytes.
    pub(super) last: *mut u8,
}

impl Sink for Text {
    #[inline(always)]
    unsafe fn put<V: Lanes>(&mut self, part: V, at: usize) {
        let block = at / 64;
        // SAFETY: as the caller's promise. Vectors are no larger than a block, and their sizes
        // divide its.
        unsafe {
            if block < self.len / 64 {
                part.xor_into(self.src.add(at), self.dst.add(at));
            } else if block == self.len / 64 && !self.len.is_multiple_of(64) {
                part.store(self.last.add(at % 64));
            }
        }
    }
}

impl Text {
    /// XORs what is left, less than a block, after all vectors have been put.
    ///
    /// # Safety
    /// As the methods of [`Lanes`] and of [`Text`].
    #[inline(always)]
    pub(super) unsafe fn finish<V: Lanes>(self) {
        let Self { src, dst, len, last } = self;
        if !len.is_multiple_of(64) {
            let whole = len / 64 * 64;
            // SAFETY: as the caller's promise; `last` holds the block in which the text ends.
            unsafe { V::xor_bytes(src.add(whole), dst.add(whole), last, len - whole) };
        }
    }
}

/// A message's first block apart, and the others into its text.
pub(super) struct First<'a> {
    pub(super) first: &'a mut Block,
    pub(super) text: Text,
}

impl Sink for First<'_> {
    #[inline(always)]
    unsafe fn put_ahead<V: Lanes>(&mut self, columns: &[V; 16]) -> bool {
        // SAFETY: it is a block.
        unsafe { store_block(column::first_block(columns), self.first.0.as_mut_ptr()) };
        true
    }

    #[inline(always)]
    unsafe fn put<V: Lanes>(&mut self, part: V, at: usize) {
        // SAFETY: as the caller's promise; a vector does not reach beyond its block.
        unsafe {
            match at.checked_sub(64) {
                None => part.store(self.first.0.as_mut_ptr().add(at)),
                Some(at) => self.text.put(part, at),
            }
        }
    }
}
