//! Any length as full passes and one last pass of the smallest shape that fits.

use super::lanes::Lanes;
use super::pass::Start;
use super::sink::{First, Store, Text, Whole};
use crate::beside::{Beside, Idle};
use crate::engine::{Block, CounterWidth, State, XorBuf};

/// `blocks` blocks of keystream to `dst`. `SITE` as for [`Lanes::column_rounds`].
///
/// # Safety
/// As the methods of [`Lanes`]; `dst` is valid for 64 times as many bytes as there are blocks.
#[inline(always)]
pub(super) unsafe fn keystream<V: Lanes, const SITE: u8, B: Beside>(
    double_rounds: usize,
    width: CounterWidth,
    state: &mut State,
    blocks: usize,
    mut dst: *mut u8,
    beside: &mut B,
) {
    let mut left = blocks;
    while left != 0 {
        let made = left.min(V::PASS);
        let len = 64 * made;
        // SAFETY: as the caller's promise.
        unsafe {
            let start = Start { double_rounds, width, state };
            V::pass::<SITE, B>(start, made, &mut Store { dst, len }, beside);
            dst = dst.add(len);
        }
        state.advance(width, made as u64);
        left -= made;
    }
}

/// XORs keystream into `buf` and advances the block counter; see [`crate::engine::xor`].
///
/// # Safety
/// As the methods of [`Lanes`].
#[inline(always)]
pub(super) unsafe fn xor<V: Lanes, B: Beside>(
    double_rounds: usize,
    width: CounterWidth,
    state: &mut State,
    mut buf: XorBuf<'_>,
    last: &mut Block,
    beside: &mut B,
) {
    let (mut src, mut dst) = buf.as_ptrs();
    let mut len = buf.len();
    while len >= 64 * V::PASS {
        // SAFETY: as the caller's promise. `buf` has `len` bytes from `src` and `dst` on, which are
        // the same or disjoint.
        unsafe {
            let start = Start { double_rounds, width, state };
            V::pass::<1, B>(start, V::PASS, &mut Whole { src, dst }, beside);
            (src, dst) = (src.add(64 * V::PASS), dst.add(64 * V::PASS));
        }
        len -= 64 * V::PASS;
        state.advance(width, V::PASS as u64);
    }
    if len != 0 {
        let blocks = len.div_ceil(64);
        let mut text = Text { src, dst, len, last };
        // SAFETY: as above.
        unsafe {
            let start = Start { double_rounds, width, state };
            V::pass::<4, B>(start, blocks, &mut text, beside);
            text.finish::<V>();
        }
        state.advance(width, blocks as u64);
    }
}

/// One pass through the rounds: the first block to `first`, the others XORed into the start of
/// `buf`; see [`crate::engine::xor_first`].
///
/// # Safety
/// As the methods of [`Lanes`].
#[inline(always)]
pub(super) unsafe fn xor_first<V: Lanes>(
    double_rounds: usize,
    width: CounterWidth,
    state: &mut State,
    first: &mut Block,
    mut buf: XorBuf<'_>,
    last: &mut Block,
) -> usize {
    let (src, dst) = buf.as_ptrs();
    let len = buf.len().min(64 * (V::PASS - 1));
    let blocks = 1 + len.div_ceil(64);
    let mut sink = First { first, text: Text { src, dst, len, last } };
    // SAFETY: as the caller's promise; `buf` has `len` bytes.
    unsafe {
        let start = Start { double_rounds, width, state };
        V::pass::<3, Idle>(start, blocks, &mut sink, &mut Idle);
        sink.text.finish::<V>();
    }
    state.advance(width, blocks as u64);
    len
}

/// The entry points of an ISA: the only functions of its module that are called from elsewhere.
macro_rules! entry_points {
    ($features:literal, $vector:ty) => {
        use crate::beside::Idle;
        use crate::engine::{Block, CounterWidth, State, XorBuf};

        /// See [`crate::engine::xor`].
        ///
        /// # Safety
        /// The CPU has the features that this module needs.
        #[inline(never)]
        #[target_feature(enable = $features)]
        pub(super) unsafe fn xor(
            double_rounds: usize,
            width: CounterWidth,
            state: &mut State,
            buf: XorBuf<'_>,
            last: &mut Block,
        ) {
            // SAFETY: the features are enabled here.
            unsafe {
                super::batches::xor::<$vector, _>(double_rounds, width, state, buf, last, &mut Idle)
            }
        }

        /// See [`Backend::keystream`](super::Backend::keystream).
        ///
        /// # Safety
        /// The CPU has the features that this module needs; `dst` is valid for 64 times as many
        /// bytes as there are blocks.
        #[inline(never)]
        #[target_feature(enable = $features)]
        pub(super) unsafe fn keystream(
            double_rounds: usize,
            width: CounterWidth,
            state: &mut State,
            blocks: usize,
            dst: *mut u8,
        ) {
            // SAFETY: the features are enabled here, and `dst` is as the caller promises.
            unsafe {
                super::batches::keystream::<$vector, 0, _>(
                    double_rounds,
                    width,
                    state,
                    blocks,
                    dst,
                    &mut Idle,
                )
            }
        }

        /// See [`crate::engine::xor_first`].
        ///
        /// # Safety
        /// The CPU has the features that this module needs.
        #[inline(never)]
        #[target_feature(enable = $features)]
        pub(super) unsafe fn xor_first(
            double_rounds: usize,
            width: CounterWidth,
            state: &mut State,
            first: &mut Block,
            buf: XorBuf<'_>,
            last: &mut Block,
        ) -> usize {
            // SAFETY: the features are enabled here.
            unsafe {
                super::batches::xor_first::<$vector>(double_rounds, width, state, first, buf, last)
            }
        }

        /// See [`Backend::xor_keystream`](super::Backend::xor_keystream).
        ///
        /// # Safety
        /// The CPU has the features that this module needs; `keystream` is valid for as many bytes
        /// as `buf` has.
        #[inline(never)]
        #[target_feature(enable = $features)]
        pub(super) unsafe fn xor_keystream(mut buf: XorBuf<'_>, keystream: *const u8) {
            let (src, dst) = buf.as_ptrs();
            // SAFETY: the features are enabled here, and the keystream is as the caller promises.
            unsafe { <$vector as super::lanes::Lanes>::xor_bytes(src, dst, keystream, buf.len()) }
        }
    };
}
pub(super) use entry_points;

/// The entry point for work beside the rounds. It is compiled where that work is known: in the crate
/// that has it.
macro_rules! beside_entry_point {
    ($features:literal, $vector:ty) => {
        /// See [`crate::engine::xor_beside`].
        ///
        /// # Safety
        /// The CPU has the features that this module needs.
        #[inline(never)]
        #[target_feature(enable = $features)]
        pub(super) unsafe fn xor_beside<B: crate::beside::Beside>(
            double_rounds: usize,
            width: CounterWidth,
            state: &mut State,
            buf: XorBuf<'_>,
            last: &mut Block,
            mut beside: B,
        ) -> B {
            // SAFETY: the features are enabled here.
            unsafe {
                super::batches::xor::<$vector, B>(
                    double_rounds,
                    width,
                    state,
                    buf,
                    last,
                    &mut beside,
                )
            }
            beside
        }

        /// See [`Backend::keystream_beside`](super::Backend::keystream_beside).
        ///
        /// # Safety
        /// As [`keystream`].
        #[inline(never)]
        #[target_feature(enable = $features)]
        pub(super) unsafe fn keystream_beside<B: crate::beside::Beside>(
            double_rounds: usize,
            width: CounterWidth,
            state: &mut State,
            blocks: usize,
            dst: *mut u8,
            mut beside: B,
        ) -> B {
            // SAFETY: the features are enabled here, and `dst` is as the caller promises.
            unsafe {
                super::batches::keystream::<$vector, 2, B>(
                    double_rounds,
                    width,
                    state,
                    blocks,
                    dst,
                    &mut beside,
                )
            }
            beside
        }
    };
}
pub(super) use beside_entry_point;
