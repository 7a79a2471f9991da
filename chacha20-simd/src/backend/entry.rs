//! The entry points of an ISA, as macros: functions with its target features around the shared code.

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
    ($features:literal, $vector:ty, $($name:ident, $stream:ident: $blocks:literal in $shape:expr),+) => {
        /// Blocks of the largest of these shapes: other code need not have them.
        const LARGEST: usize = {
            let blocks = [$($blocks),+];
            blocks[blocks.len() - 1]
        };

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

        /// See [`Backend::keystream`](super::Backend::keystream).
        ///
        /// # Safety
        /// The CPU has the features that this module needs; `dst` is valid for 64 times as many
        /// bytes as there are blocks.
        #[inline(always)]
        pub(super) unsafe fn keystream(
            double_rounds: usize,
            width: CounterWidth,
            state: &mut State,
            blocks: usize,
            dst: *mut u8,
        ) {
            // SAFETY: as the caller's promise; the shape has as many blocks.
            unsafe {
                $(
                    if blocks <= $blocks {
                        return $stream(double_rounds, width, state, blocks, dst);
                    }
                )+
                keystream_of_many(double_rounds, width, state, blocks, dst)
            }
        }

        $(
            /// See [`Backend::keystream`](super::Backend::keystream).
            ///
            /// # Safety
            /// As [`keystream`]; the shape has as many blocks.
            #[inline(never)]
            #[target_feature(enable = $features)]
            unsafe fn $stream(
                double_rounds: usize,
                width: CounterWidth,
                state: &mut State,
                blocks: usize,
                dst: *mut u8,
            ) {
                // SAFETY: the features are enabled here, and the rest is as the caller promises.
                unsafe {
                    super::batches::keystream_in(
                        |start, sink, idle| $shape(start, sink, idle),
                        double_rounds,
                        width,
                        state,
                        blocks,
                        dst,
                    )
                }
            }

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
                    )
                }
            }
        )+

        /// See [`Backend::keystream`](super::Backend::keystream).
        ///
        /// # Safety
        /// As [`keystream`].
        #[inline(never)]
        #[target_feature(enable = $features)]
        unsafe fn keystream_of_many(
            double_rounds: usize,
            width: CounterWidth,
            state: &mut State,
            blocks: usize,
            dst: *mut u8,
        ) {
            // SAFETY: the features are enabled here, and `dst` is as the caller promises; fewer blocks
            // have gone to the shapes.
            unsafe {
                core::hint::assert_unchecked(blocks > LARGEST);
                super::batches::keystream_from_first::<$vector>(
                    double_rounds,
                    width,
                    state,
                    blocks,
                    dst,
                )
            }
        }

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
            // SAFETY: the features are enabled here; shorter texts have gone to the shapes.
            unsafe {
                core::hint::assert_unchecked(buf.len() > 64 * (LARGEST - 1));
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
