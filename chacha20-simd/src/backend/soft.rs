//! Portable code: a block at a time in 32-bit words. Also the reference of the others.

use core::mem::MaybeUninit;

use crate::engine::{Block, CounterWidth, State, XorBuf};

#[inline(always)]
fn quarter_round(x: &mut [u32; 16], a: usize, b: usize, c: usize, d: usize) {
    x[a] = x[a].wrapping_add(x[b]);
    x[d] = (x[d] ^ x[a]).rotate_left(16);
    x[c] = x[c].wrapping_add(x[d]);
    x[b] = (x[b] ^ x[c]).rotate_left(12);
    x[a] = x[a].wrapping_add(x[b]);
    x[d] = (x[d] ^ x[a]).rotate_left(8);
    x[c] = x[c].wrapping_add(x[d]);
    x[b] = (x[b] ^ x[c]).rotate_left(7);
}

#[inline(always)]
pub(super) fn column_round(x: &mut [u32; 16]) {
    quarter_round(x, 0, 4, 8, 12);
    quarter_round(x, 1, 5, 9, 13);
    quarter_round(x, 2, 6, 10, 14);
    quarter_round(x, 3, 7, 11, 15);
}

#[inline(always)]
pub(super) fn diagonal_round(x: &mut [u32; 16]) {
    quarter_round(x, 0, 5, 10, 15);
    quarter_round(x, 1, 6, 11, 12);
    quarter_round(x, 2, 7, 8, 13);
    quarter_round(x, 3, 4, 9, 14);
}

/// The rounds alone, without the feed-forward (RFC 8439, section 2.3).
#[inline]
pub(crate) fn rounds(double_rounds: usize, x: &mut [u32; 16]) {
    for _ in 0..double_rounds {
        column_round(x);
        diagonal_round(x);
    }
}

/// One block of keystream into `out`.
#[inline]
fn block_into(double_rounds: usize, state: &State, out: &mut [u8; 64]) {
    let mut x = state.clone();
    rounds(double_rounds, &mut x.words);
    feed_forward(&x.words, state, out);
}

/// The block, of the words after the rounds.
#[inline(always)]
pub(super) fn feed_forward(x: &[u32; 16], state: &State, out: &mut [u8; 64]) {
    for ((bytes, x), word) in out.chunks_exact_mut(4).zip(x).zip(&state.words) {
        bytes.copy_from_slice(&x.wrapping_add(*word).to_le_bytes());
    }
}

/// `blocks` blocks of keystream to `dst`.
///
/// # Safety
/// `dst` is valid for writes of 64 times `blocks` bytes.
#[inline(never)]
pub(crate) unsafe fn keystream(
    double_rounds: usize,
    width: CounterWidth,
    state: &mut State,
    blocks: usize,
    dst: *mut u8,
) {
    for i in 0..blocks {
        // SAFETY: as the caller's promise: block `i` is within.
        let out = unsafe { &mut *dst.add(64 * i).cast::<MaybeUninit<[u8; 64]>>() };
        block_into(double_rounds, state, out.write([0; 64]));
        state.advance(width, 1);
    }
}

/// XORs keystream into `buf` and advances the block counter; see [`crate::engine::xor`].
#[inline(never)]
pub(crate) fn xor(
    double_rounds: usize,
    width: CounterWidth,
    state: &mut State,
    mut buf: XorBuf<'_>,
    last: &mut Block,
) {
    let mut keystream = Block::ZERO;
    while buf.len() >= 64 {
        block_into(double_rounds, state, &mut keystream.0);
        state.advance(width, 1);
        let (mut block, rest) = buf.split_at(64);
        block.xor(&keystream.0);
        buf = rest;
    }
    if !buf.is_empty() {
        block_into(double_rounds, state, &mut last.0);
        state.advance(width, 1);
        buf.xor(&last.0);
    }
}
