//! A block beside a pass: the one-time key of a message whose text fills the pass. In its own shape
//! the pass would have to be larger by several blocks for it.

use core::mem::{ManuallyDrop, MaybeUninit};

use super::lanes::Lanes;
use super::pass::Start;
use super::{row, soft};
use crate::beside::Beside;
use crate::engine::State;

/// A block that goes through a round whenever the pass does, and is stored before those of the pass.
pub(super) trait KeyBlock<'a>: Beside + Sized {
    /// The block that `start` points at, for `dst`.
    ///
    /// # Safety
    /// As the methods of [`Lanes`]; `dst` is valid for 64 bytes.
    unsafe fn new(start: Start<'a>, dst: *mut u8) -> Self;
}

/// In the scalar units: beside a pass that takes all registers.
pub(super) struct Scalar<'a> {
    /// Not dropped if the pass panics, which it does not: code for that would be in every kernel.
    x: ManuallyDrop<State>,
    start: Start<'a>,
    /// Double rounds left.
    left: usize,
    dst: *mut u8,
}

impl<'a> KeyBlock<'a> for Scalar<'a> {
    #[inline(always)]
    unsafe fn new(start: Start<'a>, dst: *mut u8) -> Self {
        let x = ManuallyDrop::new(start.state.clone());
        Self { x, start, left: start.double_rounds, dst }
    }
}

impl Beside for Scalar<'_> {
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

    #[inline(always)]
    fn done(&mut self) {
        for _ in 0..self.left {
            soft::column_round(&mut self.x.words);
            soft::diagonal_round(&mut self.x.words);
        }
        // SAFETY: `dst` is valid for a block by the promise of `new`.
        let block = unsafe { &mut *self.dst.cast::<MaybeUninit<[u8; 64]>>() };
        soft::feed_forward(&self.x.words, self.start.state, block.write([0; 64]));
        // SAFETY: it is done, and not used again.
        unsafe { ManuallyDrop::drop(&mut self.x) };
    }
}

/// In row form: beside a pass that leaves registers, or waits for its results.
pub(super) struct Rows<'a, V> {
    rows: [V; 4],
    start: Start<'a>,
    dst: *mut u8,
}

impl<'a, V: Lanes> KeyBlock<'a> for Rows<'a, V> {
    #[inline(always)]
    unsafe fn new(start: Start<'a>, dst: *mut u8) -> Self {
        // SAFETY: as the caller's promise.
        let [rows] = unsafe { row::states(start) };
        Self { rows, start, dst }
    }
}

impl<V: Lanes> Beside for Rows<'_, V> {
    #[inline(always)]
    fn step(&mut self) {}

    #[inline(always)]
    fn column_round(&mut self) {
        // SAFETY: vectors exist, so the CPU has their instructions.
        unsafe { row::column_round(&mut self.rows) }
    }

    #[inline(always)]
    fn diagonal_round(&mut self) {
        // SAFETY: likewise.
        unsafe { row::diagonal_round(&mut self.rows) }
    }

    #[inline(always)]
    fn done(&mut self) {
        // SAFETY: likewise; `dst` is valid for a block, the first of them, by the promise of `new`.
        unsafe {
            let [rows] = row::feed_forward([self.rows], self.start);
            let parts = V::blocks(rows);
            for (at, part) in (0..64).step_by(size_of::<V>()).zip(parts) {
                part.store(self.dst.add(at));
            }
        }
    }
}
