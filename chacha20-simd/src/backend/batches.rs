//! Any length as full batches in column form and one last batch of the smallest shape that fits.

use core::mem::MaybeUninit;

use super::lanes::Lanes;
use super::{column, row};
use crate::beside::Beside;
use crate::buffer::xor_bytes;
use crate::engine::{Block, CounterWidth, State, XorBuf};

/// From how many sets on the column form takes over: four sets in row form are as many blocks, and
/// do not fit the registers beside each other.
///
/// Measured for AVX2 on Zen 3, in ticks of the time stamp counter: one set (2 blocks) 233, two 294,
/// three 340, the column form (8 blocks) 376.
const COLUMN_SETS: usize = 4;

/// 1 to 3 * `PARTS` blocks of keystream to `dst`, in row form: three sets take hardly longer than
/// one, since one is bound by latency. Returns how many bytes it made.
///
/// # Safety
/// As the methods of [`Lanes`]; `dst` is valid for 192 * `PARTS` bytes, of which as many as the
/// shape makes are written.
#[inline(always)]
unsafe fn rows<V: Lanes, B: Beside>(
    double_rounds: usize,
    width: CounterWidth,
    state: &State,
    sets: usize,
    dst: *mut u8,
    beside: &mut B,
) -> usize {
    debug_assert!((1..COLUMN_SETS).contains(&sets));
    // SAFETY: as the caller's promise.
    unsafe {
        match sets {
            1 => row::blocks::<V, 1, B>(double_rounds, width, state, dst, beside),
            2 => row::blocks::<V, 2, B>(double_rounds, width, state, dst, beside),
            _ => row::blocks::<V, 3, B>(double_rounds, width, state, dst, beside),
        }
    }
    64 * sets * V::PARTS
}

/// `blocks` blocks of keystream to `dst`, at least one: full passes in column form and a last one of
/// the smallest shape that fits. Returns how many bytes it made. `SITE` as for
/// [`Lanes::column_rounds`].
///
/// # Safety
/// As the methods of [`Lanes`]; `dst` is valid for 64 times as many bytes as there are blocks,
/// rounded up to 4 * `PARTS`; of the last ones, as many as the shape makes are written.
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
            V::store_columns::<false>(x, dst, dst.add(made));
            made += 256 * V::PARTS;
            let pass = left.min(4 * V::PARTS);
            state.advance(width, pass as u64);
            left -= pass;
        }
        if left != 0 {
            let sets = left.div_ceil(V::PARTS);
            made += rows::<V, B>(double_rounds, width, state, sets, dst.add(made), beside);
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
    let mut scratch = MaybeUninit::<[V; 16]>::uninit();
    let scratch = scratch.as_mut_ptr().cast::<u8>();
    let mut made = 0;
    // Full batches, and a last one that is more than rows can take.
    while len > 64 * V::PARTS * (COLUMN_SETS - 1) {
        // SAFETY: as the caller's promise. `buf` has `len` bytes from `src` and `dst` on, which are
        // the same or disjoint; the scratch is `wide` bytes long.
        unsafe {
            let x = column::blocks::<V, 1, B>(double_rounds, width, state, beside);
            if len < wide {
                V::store_columns::<false>(x, scratch, scratch);
                made = wide;
                break;
            }
            V::store_columns::<true>(x, src, dst);
            (src, dst) = (src.add(wide), dst.add(wide));
        }
        len -= wide;
        state.advance(width, 4 * V::PARTS as u64);
    }
    if len == 0 {
        return;
    }

    let blocks = len.div_ceil(64);
    // SAFETY: as the caller's promise; at least `64 * blocks >= len` bytes of the scratch are
    // written. The buffers have `len` bytes left.
    unsafe {
        if made == 0 {
            let sets = blocks.div_ceil(V::PARTS);
            made = rows::<V, B>(double_rounds, width, state, sets, scratch, beside);
        }
        xor_scratch::<V>(src, dst, scratch, len);
        if !len.is_multiple_of(64) {
            last.0.copy_from_slice(core::slice::from_raw_parts(scratch.add(64 * (blocks - 1)), 64));
        }
        wipe::<V>(scratch, made);
    }
    state.advance(width, blocks as u64);
}

/// `dst = src ^ keystream`, all `len` bytes long, by the vector as far as that goes.
///
/// # Safety
/// As the methods of [`Lanes`], and as [`xor_bytes`].
#[inline(always)]
pub(super) unsafe fn xor_scratch<V: Lanes>(src: *const u8, dst: *mut u8, keystream: *const u8, len: usize) {
    let whole = len / size_of::<V>() * size_of::<V>();
    // SAFETY: as the caller's promise.
    unsafe {
        for at in (0..whole).step_by(size_of::<V>()) {
            V::load(keystream.add(at)).put::<true>(src.add(at), dst.add(at));
        }
        xor_bytes(src.add(whole), dst.add(whole), keystream.add(whole), len - whole);
    }
}

/// Wipes `len` bytes of keystream, by the vector.
///
/// # Safety
/// As the methods of [`Lanes`]; `scratch` is aligned as `V` and valid for `len` bytes, which is a
/// multiple of the size of `V`.
#[inline(always)]
unsafe fn wipe<V: Lanes>(scratch: *mut u8, len: usize) {
    if cfg!(feature = "zeroize") {
        for at in (0..len).step_by(size_of::<V>()) {
            // SAFETY: as the caller's promise. Volatile, or it would be left out as a dead store.
            unsafe { scratch.add(at).cast::<V>().write_volatile(V::splat(0)) };
        }
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
                super::batches::xor::<$vector, _>(
                    double_rounds, width, state, buf, last, &mut Idle,
                )
            }
        }

        /// See [`Backend::keystream`](super::Backend::keystream).
        ///
        /// # Safety
        /// The CPU has the features that this module needs; `dst` is valid for 64 times as many
        /// bytes as there are blocks, rounded up to a whole pass.
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
                    double_rounds, width, state, blocks, dst, &mut Idle,
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
                    double_rounds, width, state, buf, last, &mut beside,
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
                    double_rounds, width, state, blocks, dst, &mut beside,
                )
            };
            (made, beside)
        }
    };
}
pub(super) use beside_entry_point;
