//! The row form: a vector holds one row of the state for each of `PARTS` blocks. `SETS` sets of
//! four rows go through the rounds side by side, since one alone waits for its own results.

use core::array::from_mut;

use super::lanes::Lanes;
use super::pass::Start;
use crate::beside::Beside;
use crate::engine::CounterWidth;

/// One round of one or two sets, which wait for their own results most of the time.
#[inline(always)]
unsafe fn round_of_few<V: Lanes>(x: &mut [[V; 4]]) {
    // SAFETY: the caller's promise is that of every method of `Lanes`.
    unsafe {
        for [a, b, _, d] in x.iter_mut() {
            *a = a.add(*b);
            *d = d.xor_rotl::<16>(*a);
        }
        for [_, b, c, d] in x.iter_mut() {
            *c = c.add(*d);
            *b = b.xor_rotl::<12>(*c);
        }
        for [a, b, _, d] in x.iter_mut() {
            *a = a.add(*b);
            *d = d.xor_rotl::<8>(*a);
        }
        for [_, b, c, d] in x.iter_mut() {
            *c = c.add(*d);
            *b = b.xor(*c).rotl7();
        }
    }
}

/// One round of all sets of a pass.
#[inline(always)]
unsafe fn round_of_pass<V: Lanes, const SETS: usize>(x: &mut [[V; 4]; SETS]) {
    // SAFETY: the caller's promise is that of every method of `Lanes`.
    unsafe { if SETS <= 2 { round_of_few(x) } else { round(x) } }
}

/// One round of all sets: four quarter-rounds in the words of each row.
#[inline(always)]
unsafe fn round<V: Lanes, const SETS: usize>(x: &mut [[V; 4]; SETS]) {
    // SAFETY: the caller's promise is that of every method of `Lanes`.
    unsafe {
        for [a, b, _, d] in x.iter_mut() {
            *a = a.add(*b);
            *d = d.xor(*a).rotl16();
        }
        for [_, b, c, d] in x.iter_mut() {
            *c = c.add(*d);
            *b = b.xor(*c).rotl12();
        }
        for [a, b, _, d] in x.iter_mut() {
            *a = a.add(*b);
            *d = d.xor(*a).rotl8();
        }
        for [_, b, c, d] in x.iter_mut() {
            *c = c.add(*d);
            *b = b.xor(*c).rotl7();
        }
    }
}

/// A column round of a set beside others, and what makes columns of its diagonals.
///
/// # Safety
/// As the methods of [`Lanes`].
#[inline(always)]
pub(super) unsafe fn column_round<V: Lanes>(x: &mut [V; 4]) {
    // SAFETY: as the caller's promise.
    unsafe {
        round(from_mut(x));
        to_diagonals(x);
    }
}

/// A diagonal round of a set beside others, and what makes columns of its columns again.
///
/// # Safety
/// As the methods of [`Lanes`].
#[inline(always)]
pub(super) unsafe fn diagonal_round<V: Lanes>(x: &mut [V; 4]) {
    // SAFETY: as the caller's promise.
    unsafe {
        round(from_mut(x));
        to_columns(x);
    }
}

/// Diagonals to columns. Of the four rows it moves a, c and d against b: b is the last result of a
/// round and the first operand of the next, the others have time.
#[inline(always)]
unsafe fn to_diagonals<V: Lanes>([a, _, c, d]: &mut [V; 4]) {
    // SAFETY: the caller's promise is that of every method of `Lanes`.
    unsafe { (*a, *c, *d) = (a.turn3(), c.turn1(), d.turn2()) }
}

/// And back.
#[inline(always)]
unsafe fn to_columns<V: Lanes>([a, _, c, d]: &mut [V; 4]) {
    // SAFETY: the caller's promise is that of every method of `Lanes`.
    unsafe { (*a, *c, *d) = (a.turn1(), c.turn3(), d.turn2()) }
}

/// The rows of `SETS` * `PARTS` states, whose block counters follow each other.
///
/// # Safety
/// As the methods of [`Lanes`].
#[inline(always)]
pub(super) unsafe fn states<V: Lanes, const SETS: usize>(start: Start<'_>) -> [[V; 4]; SETS] {
    let words = &start.state.words;
    let row = |i: usize| [words[i], words[i + 1], words[i + 2], words[i + 3]];
    // SAFETY: the caller's promise is that of every method of `Lanes`.
    unsafe {
        let rows = [V::row(&row(0)), V::row(&row(4)), V::row(&row(8)), V::row(&row(12))];
        let mut x = [rows; SETS];
        let mut number = V::row_iota().add(V::row(&[start.skip, 0, 0, 0]));
        for set in &mut x {
            set[3] = match start.width {
                CounterWidth::W32 => set[3].add(number),
                CounterWidth::W64 => set[3].add64(number),
            };
            number = number.add(V::row(&[V::PARTS as u32, 0, 0, 0]));
        }
        x
    }
}

/// The rows of `SETS` * `PARTS` blocks of keystream, for [`Lanes::blocks`].
///
/// # Safety
/// As the methods of [`Lanes`].
#[inline(always)]
pub(super) unsafe fn rows<V: Lanes, const SETS: usize, B: Beside>(
    start: Start<'_>,
    beside: &mut B,
) -> [[V; 4]; SETS] {
    // SAFETY: as the caller's promise.
    unsafe {
        let mut x = states::<V, SETS>(start);
        for _ in 0..start.double_rounds {
            round_of_pass(&mut x);
            beside.step();
            beside.column_round();
            for x in &mut x {
                to_diagonals(x);
            }
            round_of_pass(&mut x);
            beside.step();
            beside.diagonal_round();
            for x in &mut x {
                to_columns(x);
            }
        }
        beside.done();
        feed_forward(x, start)
    }
}

/// The rows of blocks, of the rows after the rounds.
///
/// # Safety
/// As the methods of [`Lanes`].
#[inline(always)]
pub(super) unsafe fn feed_forward<V: Lanes, const SETS: usize>(
    mut x: [[V; 4]; SETS],
    start: Start<'_>,
) -> [[V; 4]; SETS] {
    // SAFETY: as the caller's promise.
    unsafe {
        for (x, first) in x.iter_mut().zip(states::<V, SETS>(start)) {
            for (row, first) in x.iter_mut().zip(first) {
                *row = row.add(first);
            }
        }
        x
    }
}
