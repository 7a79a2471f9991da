//! Any length as full batches in column form and one last batch of the smallest shape that fits.

use super::lanes::Lanes;
use super::text::Text;
use super::{column, row};
use crate::beside::{Beside, Idle};
use crate::buffer::xor_bytes;
use crate::engine::{Block, CounterWidth, State, XorBuf};

/// From how many sets on the column form takes over: four sets in row form are as many blocks, and
/// do not fit the registers beside each other.
///
/// Measured for AVX2 on Zen 3, in ticks of the time stamp counter: one set (2 blocks) 233, two 294,
/// three 340, the column form (8 blocks) 376.
const COLUMN_SETS: usize = 4;

/// `$then` for 1 to 3 sets of rows: three take hardly longer than one, since one is bound by latency.
macro_rules! with_rows {
    ($v:ident, $b:ident, $count:expr, ($($argument:expr),*), |$sets:ident| $then:expr) => {
        match $count {
            1 => {
                let $sets = &row::rows::<$v, 1, $b>($($argument),*);
                $then
            }
            2 => {
                let $sets = &row::rows::<$v, 2, $b>($($argument),*);
                $then
            }
            _ => {
                let $sets = &row::rows::<$v, 3, $b>($($argument),*);
                $then
            }
        }
    };
}

/// `blocks` blocks of keystream to `dst`, at least one: full passes in column form and a last one of
/// the smallest shape that fits. Returns how many bytes it made. `SITE` as for
/// [`Lanes::column_rounds`].
///
/// # Safety
/// As the methods of [`Lanes`]; `dst` is valid for 64 times as many bytes as there are blocks,
/// rounded up to `PARTS`.
#[inline(always)]
pub(super) unsafe fn keystream<V: Lanes, const SITE: u8, B: Beside>(
    double_rounds: usize,
    width: CounterWidth,
    state: &mut State,
    blocks: usize,
    dst: *mut u8,
    beside: &mut B,
) -> usize {
    let mut left = blocks;
    let mut made = 0;
    // SAFETY: as the caller's promise.
    unsafe {
        while left > V::PARTS * (COLUMN_SETS - 1) {
            let x = column::blocks::<V, SITE, B>(double_rounds, width, state, beside);
            let dst = dst.add(made);
            V::blocks_of_columns(x, |part, at| part.store(dst.add(at)));
            made += 256 * V::PARTS;
            let pass = left.min(4 * V::PARTS);
            state.advance(width, pass as u64);
            left -= pass;
        }
        if left != 0 {
            let sets = left.div_ceil(V::PARTS);
            with_rows!(V, B, sets, (double_rounds, width, state, beside), |sets| {
                store_sets(sets, dst.add(made))
            });
            made += 64 * V::PARTS * sets;
            state.advance(width, left as u64);
        }
    }
    made
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
    let wide = 256 * V::PARTS;
    let (mut src, mut dst) = buf.as_ptrs();
    let mut len = buf.len();
    // Full batches, and a last one that is more than rows can take.
    while len > 64 * V::PARTS * (COLUMN_SETS - 1) {
        // SAFETY: as the caller's promise. `buf` has `len` bytes from `src` and `dst` on, which are
        // the same or disjoint.
        unsafe {
            let x = column::blocks::<V, 1, B>(double_rounds, width, state, beside);
            if len < wide {
                let mut text = Text { src, dst, len, last };
                V::blocks_of_columns(x, |part, at| text.put(part, at));
                text.finish::<V>();
                state.advance(width, len.div_ceil(64) as u64);
                return;
            }
            V::blocks_of_columns(x, |part, at| part.xor_into(src.add(at), dst.add(at)));
            (src, dst) = (src.add(wide), dst.add(wide));
        }
        len -= wide;
        state.advance(width, 4 * V::PARTS as u64);
    }
    if len != 0 {
        let blocks = len.div_ceil(64);
        // SAFETY: as above.
        unsafe {
            let sets = blocks.div_ceil(V::PARTS);
            with_rows!(V, B, sets, (double_rounds, width, state, beside), |sets| {
                xor_sets(sets, Text { src, dst, len, last })
            });
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
    let len = buf.len().min(64 * (4 * V::PARTS - 1));
    let blocks = 1 + len.div_ceil(64);
    let mut text = Text { src, dst, len, last };
    let mut put = |part: V, at: usize| {
        // SAFETY: as the caller's promise; `buf` has `len` bytes. Vectors are no larger than a
        // block, and their sizes divide its.
        unsafe {
            match at.checked_sub(64) {
                None => part.store(first.0.as_mut_ptr().add(at)),
                Some(at) => text.put(part, at),
            }
        }
    };
    let beside = &mut Idle;
    // SAFETY: as the caller's promise.
    unsafe {
        if blocks > V::PARTS * (COLUMN_SETS - 1) {
            let x = column::blocks::<V, 3, Idle>(double_rounds, width, state, beside);
            V::blocks_of_columns(x, put);
        } else {
            let sets = blocks.div_ceil(V::PARTS);
            with_rows!(V, Idle, sets, (double_rounds, width, state, beside), |sets| {
                for (i, rows) in sets.iter().enumerate() {
                    for (j, part) in V::blocks(*rows).into_iter().enumerate() {
                        put(part, (4 * i + j) * size_of::<V>());
                    }
                }
            });
        }
        text.finish::<V>();
    }
    state.advance(width, blocks as u64);
    len
}

/// Stores the blocks of `sets` at `dst`.
///
/// # Safety
/// As the methods of [`Lanes`]; `dst` is valid for 64 * `PARTS` bytes a set.
#[inline(always)]
unsafe fn store_sets<V: Lanes>(sets: &[[V; 4]], dst: *mut u8) {
    for (i, rows) in sets.iter().enumerate() {
        // SAFETY: as the caller's promise.
        unsafe {
            for (j, part) in V::blocks(*rows).into_iter().enumerate() {
                part.store(dst.add(64 * V::PARTS * i + size_of::<V>() * j));
            }
        }
    }
}

/// XORs the blocks of `sets` into a text, of which all sets but the last make a whole part.
///
/// # Safety
/// As [`Text::put`] and [`Text::finish`].
#[inline(always)]
unsafe fn xor_sets<V: Lanes>(sets: &[[V; 4]], mut text: Text<'_>) {
    let size = size_of::<V>();
    for (i, rows) in sets.iter().enumerate() {
        // SAFETY: as the caller's promise.
        unsafe {
            for (j, part) in V::blocks(*rows).into_iter().enumerate() {
                let at = (4 * i + j) * size;
                if i + 1 < sets.len() {
                    part.xor_into(text.src.add(at), text.dst.add(at));
                } else {
                    text.put(part, at);
                }
            }
        }
    }
    // SAFETY: as the caller's promise.
    unsafe { text.finish::<V>() };
}

/// `dst = src ^ keystream`, all `len` bytes long, by the vector as far as that goes.
///
/// # Safety
/// As the methods of [`Lanes`], and as [`xor_bytes`].
#[inline(always)]
pub(super) unsafe fn xor_scratch<V: Lanes>(
    src: *const u8,
    dst: *mut u8,
    keystream: *const u8,
    len: usize,
) {
    let whole = len / size_of::<V>() * size_of::<V>();
    // SAFETY: as the caller's promise.
    unsafe {
        for at in (0..whole).step_by(size_of::<V>()) {
            V::load(keystream.add(at)).xor_into(src.add(at), dst.add(at));
        }
        xor_bytes(src.add(whole), dst.add(whole), keystream.add(whole), len - whole);
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
        /// bytes as there are blocks, rounded up to a whole set.
        #[inline(never)]
        #[target_feature(enable = $features)]
        pub(super) unsafe fn keystream(
            double_rounds: usize,
            width: CounterWidth,
            state: &mut State,
            blocks: usize,
            dst: *mut u8,
        ) -> usize {
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
            unsafe { super::batches::xor_scratch::<$vector>(src, dst, keystream, buf.len()) }
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
        ) -> (usize, B) {
            // SAFETY: the features are enabled here, and `dst` is as the caller promises.
            let made = unsafe {
                super::batches::keystream::<$vector, 2, B>(
                    double_rounds,
                    width,
                    state,
                    blocks,
                    dst,
                    &mut beside,
                )
            };
            (made, beside)
        }
    };
}
pub(super) use beside_entry_point;
