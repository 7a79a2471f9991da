//! One pass through the rounds, in the smallest shape that holds the blocks asked for.

use core::arch::asm;
use core::mem::MaybeUninit;

use super::lanes::Lanes;
use super::sink::Sink;
use super::{column, row};
use crate::beside::Beside;
use crate::engine::{CounterWidth, State};

/// What every pass needs to know.
#[derive(Clone, Copy)]
pub(super) struct Start<'a> {
    pub(super) double_rounds: usize,
    pub(super) width: CounterWidth,
    pub(super) state: &'a State,
    /// The first block, counted from the one that `state` points at.
    pub(super) skip: u32,
}

/// `SETS` * `PARTS` blocks in row form.
///
/// # Safety
/// As the methods of [`Lanes`] and of the sink.
#[inline(always)]
pub(super) unsafe fn rows<V: Lanes, const SETS: usize, B: Beside>(
    start: Start<'_>,
    sink: &mut impl Sink,
    beside: &mut B,
) {
    let size = size_of::<V>();
    // SAFETY: as the caller's promise.
    unsafe {
        let sets: [_; SETS] = row::rows::<V, SETS, B>(start, beside);
        for (i, rows) in sets.into_iter().enumerate() {
            for (j, part) in V::blocks(rows).into_iter().enumerate() {
                sink.put(part, (4 * i + j) * size);
            }
        }
    }
}

/// 4 * `PARTS` blocks in column form. `SITE` as for [`Lanes::column_rounds`].
///
/// # Safety
/// As the methods of [`Lanes`] and of the sink.
#[inline(always)]
pub(super) unsafe fn columns<V: Lanes, const SITE: u8, B: Beside>(
    start: Start<'_>,
    sink: &mut impl Sink,
    beside: &mut B,
) {
    // SAFETY: as the caller's promise.
    unsafe {
        let x = column::blocks::<V, SITE, B>(start, beside);
        put_columns(x, sink);
    }
}

/// Columns to a sink.
///
/// # Safety
/// As the methods of [`Lanes`] and of the sink.
#[inline(always)]
unsafe fn put_columns<V: Lanes>(x: [V; 16], sink: &mut impl Sink) {
    // SAFETY: as the caller's promise.
    unsafe {
        let ahead = sink.put_ahead(&x);
        V::blocks_of_columns(x, |part, at| {
            if !(ahead && at < 64) {
                sink.put(part, at);
            }
        });
    }
}

/// At least `blocks` blocks, up to [`Lanes::PASS`]: one to three sets of rows, or columns. Three sets
/// take hardly longer than one, since one is bound by latency; four are as many blocks as columns
/// hold, and do not fit sixteen registers beside each other.
///
/// Measured for AVX2 on Zen 3, in ticks of the time stamp counter: one set (2 blocks) 233, two 294,
/// three 340, the column form (8 blocks) 376.
///
/// # Safety
/// As the methods of [`Lanes`] and of the sink.
#[inline(always)]
pub(super) unsafe fn pass<V: Lanes, const SITE: u8, B: Beside>(
    start: Start<'_>,
    blocks: usize,
    sink: &mut impl Sink,
    beside: &mut B,
) {
    // SAFETY: as the caller's promise.
    unsafe {
        match blocks.div_ceil(V::PARTS) {
            1 => rows::<V, 1, B>(start, sink, beside),
            2 => rows::<V, 2, B>(start, sink, beside),
            3 => rows::<V, 3, B>(start, sink, beside),
            _ => columns::<V, SITE, B>(start, sink, beside),
        }
    }
}

/// Makes the frame of the function that this is inlined into start at a cache line: the ABI aligns it
/// to 16 bytes, so that most vectors spilled there would lie across two lines. It takes 3 % off a
/// pass of 32 blocks.
#[inline(always)]
pub(super) fn align_frame() {
    #[repr(align(64))]
    struct Line(MaybeUninit<[u8; 64]>);

    let line = Line(MaybeUninit::uninit());
    // MemorySanitizer takes all assembly for a use of its operands.
    if !cfg!(chacha20poly1305_ct) {
        // SAFETY: this is no instruction at all, only a use of the address.
        unsafe {
            asm!("/* {0} */", in(reg) &raw const line.0, options(readonly, nostack, preserves_flags));
        }
    }
}
