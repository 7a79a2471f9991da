//! Any length as full passes and one last pass of the smallest shape that fits.

use core::mem::MaybeUninit;

use super::key_block::{KeyBlock, Rows, Scalar};
use super::lanes::{KeyPlace, Lanes};
use super::pass::Start;
use super::sink::{First, Sink, Store, Text, Whole};
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
            let start = Start { double_rounds, width, state, skip: 0 };
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
            let start = Start { double_rounds, width, state, skip: 0 };
            V::pass::<1, B>(start, V::PASS, &mut Whole { src, dst }, beside);
            (src, dst) = (src.add(64 * V::PASS), dst.add(64 * V::PASS));
        }
        len -= 64 * V::PASS;
        state.advance(width, V::PASS as u64);
    }
    if len != 0 {
        let blocks = len.div_ceil(64);
        let mut text = Text { src, dst, len, last: last.0.as_mut_ptr() };
        // SAFETY: as above.
        unsafe {
            let start = Start { double_rounds, width, state, skip: 0 };
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
    buf: &mut XorBuf<'_>,
) -> usize {
    let ((src, dst), len) = (buf.as_ptrs(), buf.len());
    let key_place = V::key_place(len.div_ceil(64));
    if !matches!(key_place, KeyPlace::Within) {
        // SAFETY: as the caller's promise; `buf` has `len` bytes.
        unsafe {
            let mut last = MaybeUninit::<[u8; 64]>::uninit();
            let last = last.as_mut_ptr().cast();
            let mut text = Text { src, dst, len: len.min(64 * V::PASS), last };
            let (len, blocks, key) = (text.len, text.len.div_ceil(64), first.0.as_mut_ptr());
            let start = (double_rounds, width);
            match key_place {
                KeyPlace::Rows => {
                    beside_key::<V, Rows<V::Row>, 6>(start, state, blocks, &mut text, key);
                }
                _ => beside_key::<V, Scalar, 5>(start, state, blocks, &mut text, key),
            }
            text.finish::<V>();
            return len;
        }
    }
    let len = len.min(64 * (V::PASS - 1));
    let blocks = 1 + len.div_ceil(64);
    // SAFETY: as the caller's promise.
    unsafe {
        let pass = |start: Start<'_>, sink: &mut First<'_>, idle: &mut Idle| {
            V::pass::<3, _>(start, blocks, sink, idle);
        };
        xor_first_in::<V>(pass, double_rounds, width, state, first, buf, len)
    }
}

/// [`xor_first`] of the first `len` bytes of a text, with a shape that has room for them and the
/// first block.
///
/// # Safety
/// As there; `buf` has `len` bytes.
#[inline(always)]
pub(super) unsafe fn xor_first_in<V: Lanes>(
    pass: impl FnOnce(Start<'_>, &mut First<'_>, &mut Idle),
    double_rounds: usize,
    width: CounterWidth,
    state: &mut State,
    first: &mut Block,
    buf: &mut XorBuf<'_>,
    len: usize,
) -> usize {
    let (src, dst) = buf.as_ptrs();
    let mut last = MaybeUninit::<[u8; 64]>::uninit();
    let text = Text { src, dst, len, last: last.as_mut_ptr().cast() };
    // In one piece: what is moved into it waits until it has left the store buffer.
    let mut sink = First { first, text };
    pass(Start { double_rounds, width, state, skip: 0 }, &mut sink, &mut Idle);
    // SAFETY: as the caller's promise.
    unsafe { sink.text.finish::<V>() };
    state.advance(width, 1 + len.div_ceil(64) as u64);
    len
}

/// The block that `state` points at to `key`, beside the pass that makes the `blocks` blocks after
/// it.
///
/// # Safety
/// As the methods of [`Lanes`] and of the sink; `key` is valid for 64 bytes.
#[inline(always)]
unsafe fn beside_key<V: Lanes, K: KeyBlock, const SITE: u8>(
    (double_rounds, width): (usize, CounterWidth),
    state: &mut State,
    blocks: usize,
    sink: &mut impl Sink,
    key: *mut u8,
) {
    // One state for both: a copy of it would have to wait until what it was made of is stored.
    let of_key = Start { double_rounds, width, state, skip: 0 };
    // SAFETY: as the caller's promise.
    unsafe {
        let mut beside = K::new(of_key);
        V::pass::<SITE, _>(Start { skip: 1, ..of_key }, blocks, sink, &mut beside);
        beside.finish(of_key, key);
    }
    state.advance(width, 1 + blocks as u64);
}

/// [`keystream`] for the start of a message: with the first block beside the first pass, where that
/// is its place.
///
/// # Safety
/// As there; there is a block.
#[inline(always)]
pub(super) unsafe fn keystream_from_first<V: Lanes>(
    double_rounds: usize,
    width: CounterWidth,
    state: &mut State,
    blocks: usize,
    dst: *mut u8,
) {
    let made = (blocks - 1).min(V::PASS);
    let start = (double_rounds, width);
    // SAFETY: as the caller's promise.
    unsafe {
        let mut sink = Store { dst: dst.add(64), len: 64 * made };
        let made = match V::key_place(blocks - 1) {
            KeyPlace::Within => 0,
            KeyPlace::Rows => {
                beside_key::<V, Rows<V::Row>, 8>(start, state, made, &mut sink, dst);
                1 + made
            }
            KeyPlace::Scalar => {
                beside_key::<V, Scalar, 7>(start, state, made, &mut sink, dst);
                1 + made
            }
        };
        let (left, dst) = (blocks - made, dst.add(64 * made));
        keystream::<V, 0, _>(double_rounds, width, state, left, dst, &mut Idle);
    }
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
                super::batches::keystream_from_first::<$vector>(
                    double_rounds,
                    width,
                    state,
                    blocks,
                    dst,
                )
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

/// The entry points for a message's first pass, each shape apart: with less to save and to spill, and
/// to wipe, than all of them in one function.
macro_rules! first_entry_points {
    ($features:literal, $vector:ty, $($name:ident: $blocks:literal in $shape:expr),+) => {
        /// See [`crate::engine::xor_first`].
        ///
        /// # Safety
        /// The CPU has the features that this module needs.
        #[inline(always)]
        pub(super) unsafe fn xor_first(
            double_rounds: usize,
            width: CounterWidth,
            state: &mut State,
            first: &mut Block,
            buf: &mut XorBuf<'_>,
        ) -> usize {
            // SAFETY: as the caller's promise; the shape has room for the text.
            unsafe {
                $(
                    if buf.len() <= 64 * ($blocks - 1) {
                        return $name(double_rounds, width, state, first, buf);
                    }
                )+
                xor_first_of_many(double_rounds, width, state, first, buf)
            }
        }

        $(
            /// See [`crate::engine::xor_first`].
            ///
            /// # Safety
            /// The CPU has the features that this module needs, and the shape has room for the text.
            #[inline(never)]
            #[target_feature(enable = $features)]
            unsafe fn $name(
                double_rounds: usize,
                width: CounterWidth,
                state: &mut State,
                first: &mut Block,
                buf: &mut XorBuf<'_>,
            ) -> usize {
                // SAFETY: the features are enabled here, and the shape is as the caller promises.
                unsafe {
                    super::batches::xor_first_in::<$vector>(
                        |start, sink, idle| $shape(start, sink, idle),
                        double_rounds,
                        width,
                        state,
                        first,
                        buf,
                        buf.len(),
                    )
                }
            }
        )+

        /// See [`crate::engine::xor_first`].
        ///
        /// # Safety
        /// The CPU has the features that this module needs.
        #[inline(never)]
        #[target_feature(enable = $features)]
        unsafe fn xor_first_of_many(
            double_rounds: usize,
            width: CounterWidth,
            state: &mut State,
            first: &mut Block,
            buf: &mut XorBuf<'_>,
        ) -> usize {
            // SAFETY: the features are enabled here.
            unsafe {
                super::batches::xor_first::<$vector>(double_rounds, width, state, first, buf)
            }
        }
    };
}
pub(super) use first_entry_points;

/// The entry point for work beside the rounds. It is compiled where that work is known: in the crate
/// that has it.
macro_rules! beside_entry_point {
    ($features:literal, $vector:ty) => {
        use core::mem::ManuallyDrop;

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
            beside: B,
        ) -> B {
            // Not dropped if a kernel panics, which it does not: code for that would be in it.
            let mut beside = ManuallyDrop::new(beside);
            // SAFETY: the features are enabled here.
            unsafe {
                super::batches::xor::<$vector, B>(
                    double_rounds,
                    width,
                    state,
                    buf,
                    last,
                    &mut *beside,
                )
            }
            ManuallyDrop::into_inner(beside)
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
            beside: B,
        ) -> B {
            // Not dropped if a kernel panics, which it does not: code for that would be in it.
            let mut beside = ManuallyDrop::new(beside);
            // SAFETY: the features are enabled here, and `dst` is as the caller promises.
            unsafe {
                super::batches::keystream::<$vector, 2, B>(
                    double_rounds,
                    width,
                    state,
                    blocks,
                    dst,
                    &mut *beside,
                )
            }
            ManuallyDrop::into_inner(beside)
        }
    };
}
pub(super) use beside_entry_point;
