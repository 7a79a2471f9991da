//! The row form: a vector holds one row of the state for each of `PARTS` blocks. `SETS` sets of
//! four rows go through the rounds side by side, since one alone waits for its own results.

use super::lanes::Lanes;
use super::pass::Start;
use crate::beside::Beside;
use crate::engine::CounterWidth;

/// One round of a set, which has nothing to do while it waits for a result.
#[inline(always)]
unsafe fn round_alone<V: Lanes>([a, b, c, d]: &mut [V; 4]) {
    // SAFETY: the caller's promise is that of every method of `Lanes`.
    unsafe {
        *a = a.add(*b);
        *d = d.xor_rotl::<16>(*a);
        *c = c.add(*d);
        *b = b.xor_rotl::<12>(*c);
        *a = a.add(*b);
        *d = d.xor_rotl::<8>(*a);
        *c = c.add(*d);
        *b = b.xor(*c).rotl7();
    }
}

/// One round of all sets: four quarter-rounds in the words of each row.
#[inline(always)]
unsafe fn round<V: Lanes, const SETS: usize>(x: &mut [[V; 4]; SETS]) {
    // SAFETY: the caller's promise is that of every method of `Lanes`.
    unsafe {
        if let [alone] = &mut x[..] {
            return round_alone(alone);
        }
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

/// The rows of `SETS` * `PARTS` states, whose block counters follow each other.
#[inline(always)]
unsafe fn states<V: Lanes, const SETS: usize>(start: Start<'_>) -> [[V; 4]; SETS] {
    let words = &start.state.words;
    let row = |i: usize| [words[i], words[i + 1], words[i + 2], words[i + 3]];
    // SAFETY: the caller's promise is that of every method of `Lanes`.
    unsafe {
        let rows = [V::row(&row(0)), V::row(&row(4)), V::row(&row(8)), V::row(&row(12))];
        let mut x = [rows; SETS];
        let mut number = V::row_iota();
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
        let first = states::<V, SETS>(start);
        let mut x = first;
        for _ in 0..start.double_rounds {
            round(&mut x);
            beside.step();
            // Diagonals to columns. Of the four rows it moves a, c and d against b: b is the last
            // result of a round and the first operand of the next, the others have time.
            for [a, _, c, d] in &mut x {
                (*a, *c, *d) = (a.turn3(), c.turn1(), d.turn2());
            }
            round(&mut x);
            beside.step();
            for [a, _, c, d] in &mut x {
                (*a, *c, *d) = (a.turn1(), c.turn3(), d.turn2());
            }
        }
        for (x, first) in x.iter_mut().zip(first) {
            for (row, first) in x.iter_mut().zip(first) {
                *row = row.add(first);
            }
        }
        x
    }
}
