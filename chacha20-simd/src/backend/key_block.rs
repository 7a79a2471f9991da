//! A block beside a pass: the one-time key of a message whose text fills the pass. In its own shape
//! the pass would have to be larger by several blocks for it.

use core::mem::{ManuallyDrop, MaybeUninit};

use super::lanes::Lanes;
use super::pass::Start;
use super::{row, soft};
use crate::beside::Beside;
use crate::engine::State;

/// A block that goes through a round whenever the pass does.
pub(super) trait KeyBlock: Beside + Sized {
    /// The block that `start` points at.
    ///
    /// # Safety
    /// As the methods of [`Lanes`].
    unsafe fn new(start: Start<'_>) -> Self;

    /// The block to `dst`, after the rounds.
    ///
    /// # Safety
    /// As the methods of [`Lanes`]; `dst` is valid for 64 bytes.
    unsafe fn finish(self, start: Start<'_>, dst: *mut u8);
}

/// In the scalar units: beside a pass that takes all registers.
pub(super) struct Scalar {
    /// Not dropped if the pass panics, which it does not: code for that would be in every kernel.
    x: ManuallyDrop<State>,
    /// Double rounds left.
    left: usize,
}

impl KeyBlock for Scalar {
    #[inline(always)]
    unsafe fn new(start: Start<'_>) -> Self {
        Self { x: ManuallyDrop::new(start.state.clone()), left: start.double_rounds }
    }

    #[inline(always)]
    unsafe fn finish(mut self, start: Start<'_>, dst: *mut u8) {
        for _ in 0..self.left {
            soft::column_round(&mut self.x.words);
            soft::diagonal_round(&mut self.x.words);
        }
        // SAFETY: as the caller's promise.
        let block = unsafe { &mut *dst.cast::<MaybeUninit<[u8; 64]>>() };
        let x = ManuallyDrop::into_inner(self.x);
        soft::feed_forward(&x.words, start.state, block.write([0; 64]));
    }
}

impl Beside for Scalar {
    #[inline(always)]
    fn step(&mut self) {}

    #[inline(always)]
    fn column_round(&mut self) {
        if self.left != 0 {
            soft::column_round(&mut self.x.words);
        }
    }

    #[inline(always)]
    fn diagonal_round(&mut self) {
        if self.left != 0 {
            soft::diagonal_round(&mut self.x.words);
            self.left -= 1;
        }
    }
}

/// In row form: beside a pass that leaves registers, or waits for its results.
pub(super) struct Rows<V>([V; 4]);

impl<V: Lanes> KeyBlock for Rows<V> {
    #[inline(always)]
    unsafe fn new(start: Start<'_>) -> Self {
        // SAFETY: as the caller's promise.
        let [rows] = unsafe { row::states(start) };
        Self(rows)
    }

    #[inline(always)]
    unsafe fn finish(self, start: Start<'_>, dst: *mut u8) {
        // SAFETY: as the caller's promise, for the first of the blocks.
        unsafe {
            let [rows] = row::feed_forward([self.0], start);
            let parts = V::blocks(rows);
            for (at, part) in (0..64).step_by(size_of::<V>()).zip(parts) {
                part.store(dst.add(at));
            }
        }
    }
}

impl<V: Lanes> Beside for Rows<V> {
    #[inline(always)]
    fn step(&mut self) {}

    #[inline(always)]
    fn column_round(&mut self) {
        // SAFETY: vectors exist, so the CPU has their instructions.
        unsafe { row::column_round(&mut self.0) }
    }

    #[inline(always)]
    fn diagonal_round(&mut self) {
        // SAFETY: likewise.
        unsafe { row::diagonal_round(&mut self.0) }
    }
}
