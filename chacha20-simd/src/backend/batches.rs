//! Any length as full passes and one last pass of the smallest shape that fits.

use core::mem::MaybeUninit;

use super::key_block::{KeyBlock, Rows, Scalar};
use super::lanes::{KeyPlace, Lanes};
use super::pass::Start;
use super::sink::{First, FromFirst, Sink, Store, Text, Whole};
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
            let n = double_rounds;
            match key_place {
                KeyPlace::Rows => {
                    beside_key::<V, Rows<'_, V::Row>, 6>(n, width, state, blocks, &mut text, key);
                }
                _ => beside_key::<V, Scalar<'_>, 5>(n, width, state, blocks, &mut text, key),
            }
            text.finish::<V>();
            state.advance(width, 1 + blocks as u64);
            return len;
        }
    }
    let len = len.min(64 * (V::PASS - 1));
    let blocks = 1 + len.div_ceil(64);
    let mut last = MaybeUninit::<[u8; 64]>::uninit();
    let text = Text { src, dst, len, last: last.as_mut_ptr().cast() };
    // In one piece: what is moved into it waits until it has left the store buffer.
    let mut sink = First { first, text };
    // SAFETY: as the caller's promise.
    unsafe {
        let start = Start { double_rounds, width, state, skip: 0 };
        V::pass::<3, _>(start, blocks, &mut sink, &mut Idle);
        sink.text.finish::<V>();
    }
    state.advance(width, blocks as u64);
    len
}

/// [`xor_first`] of a text that one shape, `pass`, has room for with the first block.
///
/// # Safety
/// As there.
#[inline(always)]
pub(super) unsafe fn xor_first_in<V: Lanes>(
    pass: impl FnOnce(Start<'_>, &mut First<'_>, &mut Idle),
    double_rounds: usize,
    width: CounterWidth,
    state: &mut State,
    first: &mut Block,
    buf: &mut XorBuf<'_>,
) -> usize {
    let ((src, dst), len) = (buf.as_ptrs(), buf.len());
    let mut last = MaybeUninit::<[u8; 64]>::uninit();
    let text = Text { src, dst, len, last: last.as_mut_ptr().cast() };
    // In one piece, as above.
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
unsafe fn beside_key<'a, V: Lanes, K: KeyBlock<'a>, const SITE: u8>(
    double_rounds: usize,
    width: CounterWidth,
    state: &'a State,
    blocks: usize,
    sink: &mut impl Sink,
    key: *mut u8,
) {
    // One state for both: a copy of it would have to wait until what it was made of is stored.
    let of_key = Start { double_rounds, width, state, skip: 0 };
    // SAFETY: as the caller's promise.
    unsafe {
        let mut beside = K::new(of_key, key);
        V::pass::<SITE, _>(Start { skip: 1, ..of_key }, blocks, sink, &mut beside);
    }
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
    let n = double_rounds;
    // SAFETY: as the caller's promise.
    unsafe {
        let made = match V::key_place(blocks - 1) {
            KeyPlace::Within => {
                let made = blocks.min(V::PASS);
                let start = Start { double_rounds, width, state, skip: 0 };
                let mut sink = FromFirst(Store { dst, len: 64 * made });
                V::pass::<9, _>(start, made, &mut sink, &mut Idle);
                made
            }
            place => {
                let rest = (blocks - 1).min(V::PASS);
                let mut sink = Store { dst: dst.add(64), len: 64 * rest };
                if matches!(place, KeyPlace::Rows) {
                    beside_key::<V, Rows<'_, V::Row>, 8>(n, width, state, rest, &mut sink, dst);
                } else {
                    beside_key::<V, Scalar<'_>, 7>(n, width, state, rest, &mut sink, dst);
                }
                1 + rest
            }
        };
        state.advance(width, made as u64);
        let (left, dst) = (blocks - made, dst.add(64 * made));
        keystream::<V, 0, _>(double_rounds, width, state, left, dst, &mut Idle);
    }
}

/// [`keystream_from_first`] with a shape that has as many blocks.
///
/// # Safety
/// As there; `pass` is that shape.
#[inline(always)]
pub(super) unsafe fn keystream_in(
    pass: impl FnOnce(Start<'_>, &mut FromFirst, &mut Idle),
    double_rounds: usize,
    width: CounterWidth,
    state: &mut State,
    blocks: usize,
    dst: *mut u8,
) {
    let mut sink = FromFirst(Store { dst, len: 64 * blocks });
    pass(Start { double_rounds, width, state, skip: 0 }, &mut sink, &mut Idle);
    state.advance(width, blocks as u64);
}
