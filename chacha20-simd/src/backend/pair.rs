//! AVX-512, the column form twice: sixteen blocks in half of the 32 registers beside sixteen more in
//! the others, or beside eight in their lower halves.
//!
//! A column form has four quarter-rounds to choose from, and that is too few where a rotation takes
//! two cycles: on Zen 4 a double round takes 62 cycles that has work for 48. Two together take 106
//! in place of 124, and sixteen blocks beside eight 83 in place of 62 and 43.

use core::arch::asm;

use super::avx2::Ymm;
use super::avx512::Zmm;
use super::lanes::Lanes;
use super::pass::{self, Start};
use super::sink::Sink;
use super::column;
use crate::beside::Beside;
use crate::engine::State;

/// An instruction for several pairs of words, `$size` being `z` or `y`.
macro_rules! each {
    ($op:literal $size:literal $($x:literal $y:literal),*) => {
        concat!($($op, " {w", $x, ":", $size, "}, {w", $x, ":", $size, "}, {w", $y, ":", $size, "}\n"),*)
    };
}

/// A rotation of several words.
macro_rules! rotate {
    ($size:literal $by:literal $($x:literal)*) => {
        concat!($("vprold {w", $x, ":", $size, "}, {w", $x, ":", $size, "}, ", $by, "\n"),*)
    };
}

/// Half of eight quarter-rounds, the last four an instruction behind the first.
macro_rules! half {
    ($second:literal $left1:literal $left2:literal;
     $($a:literal $b:literal $c:literal $d:literal),*;
     $($e:literal $f:literal $g:literal $h:literal),*) => {
        concat!(
            each!("vpaddd" "z" $($a $b),*),
            each!("vpxord" "z" $($d $a),*),
            each!("vpaddd" $second $($e $f),*),
            rotate!("z" $left1 $($d)*),
            each!("vpxord" $second $($h $e),*),
            rotate!($second $left1 $($h)*),
            each!("vpaddd" "z" $($c $d),*),
            each!("vpxord" "z" $($b $c),*),
            each!("vpaddd" $second $($g $h),*),
            rotate!("z" $left2 $($b)*),
            each!("vpxord" $second $($f $g),*),
            rotate!($second $left2 $($f)*),
        )
    };
}

/// Assembly on all 32 words, in whatever registers the compiler has them: where they had to be in
/// given ones, LLVM 22 lost one of them in some contexts, between the assembly and its copy.
macro_rules! run {
    ($x:ident $y:ident $template:expr) => {
        // SAFETY: the operands are as declared, and no memory is accessed.
        unsafe {
            asm!(
                $template,
                w0 = inout(zmm_reg) $x[0].0, w1 = inout(zmm_reg) $x[1].0,
                w2 = inout(zmm_reg) $x[2].0, w3 = inout(zmm_reg) $x[3].0,
                w4 = inout(zmm_reg) $x[4].0, w5 = inout(zmm_reg) $x[5].0,
                w6 = inout(zmm_reg) $x[6].0, w7 = inout(zmm_reg) $x[7].0,
                w8 = inout(zmm_reg) $x[8].0, w9 = inout(zmm_reg) $x[9].0,
                w10 = inout(zmm_reg) $x[10].0, w11 = inout(zmm_reg) $x[11].0,
                w12 = inout(zmm_reg) $x[12].0, w13 = inout(zmm_reg) $x[13].0,
                w14 = inout(zmm_reg) $x[14].0, w15 = inout(zmm_reg) $x[15].0,
                w16 = inout(zmm_reg) $y[0].0, w17 = inout(zmm_reg) $y[1].0,
                w18 = inout(zmm_reg) $y[2].0, w19 = inout(zmm_reg) $y[3].0,
                w20 = inout(zmm_reg) $y[4].0, w21 = inout(zmm_reg) $y[5].0,
                w22 = inout(zmm_reg) $y[6].0, w23 = inout(zmm_reg) $y[7].0,
                w24 = inout(zmm_reg) $y[8].0, w25 = inout(zmm_reg) $y[9].0,
                w26 = inout(zmm_reg) $y[10].0, w27 = inout(zmm_reg) $y[11].0,
                w28 = inout(zmm_reg) $y[12].0, w29 = inout(zmm_reg) $y[13].0,
                w30 = inout(zmm_reg) $y[14].0, w31 = inout(zmm_reg) $y[15].0,
                options(nomem, nostack, preserves_flags),
            );
        }
    };
}

/// A pass of sixteen blocks and those of `$W`, with `$second` for the names of its registers.
/// `$steps` are the pieces of other work for which each half of a round has room: a piece waits 15
/// cycles for its own results.
///
/// A function of its own, not inlined: the compiler would put the rounds out of line, and all the
/// words in memory for that.
macro_rules! pass {
    ($name:ident, $W:ty, $second:literal, [$($steps:literal),*]) => {
        /// See [`pass!`].
        ///
        /// # Safety
        /// As the methods of [`Lanes`] and of the sink.
        #[inline(never)]
        #[target_feature(enable = "avx512f,avx512vl,bmi2")]
        pub(super) unsafe fn $name<B: Beside, S: Sink>(
            start: Start<'_>,
            sink: &mut S,
            beside: &mut B,
        ) {
            pass::align_frame();
            let second = Start { skip: start.skip + 16, ..start };
            // SAFETY: the features are enabled here.
            let mut x = unsafe { column::states::<Zmm>(start) };
            // SAFETY: likewise.
            let mut y = unsafe { column::states::<$W>(second) };
            if cfg!(chacha20poly1305_ct) {
                // MemorySanitizer takes all assembly for a use of its operands.
                // SAFETY: as above.
                unsafe {
                    column::double_rounds(&mut x, start.double_rounds, beside);
                    column::double_rounds(&mut y, start.double_rounds, beside);
                }
            } else {
                let steps = [$($steps),*];
                for _ in 0..start.double_rounds {
                    run!(x y half!($second 16 12;
                        0 4 8 12, 1 5 9 13, 2 6 10 14, 3 7 11 15;
                        16 20 24 28, 17 21 25 29, 18 22 26 30, 19 23 27 31));
                    step(beside, steps[0]);
                    run!(x y half!($second 8 7;
                        0 4 8 12, 1 5 9 13, 2 6 10 14, 3 7 11 15;
                        16 20 24 28, 17 21 25 29, 18 22 26 30, 19 23 27 31));
                    step(beside, steps[1]);
                    beside.column_round();
                    run!(x y half!($second 16 12;
                        0 5 10 15, 1 6 11 12, 2 7 8 13, 3 4 9 14;
                        16 21 26 31, 17 22 27 28, 18 23 24 29, 19 20 25 30));
                    step(beside, steps[2]);
                    run!(x y half!($second 8 7;
                        0 5 10 15, 1 6 11 12, 2 7 8 13, 3 4 9 14;
                        16 21 26 31, 17 22 27 28, 18 23 24 29, 19 20 25 30));
                    step(beside, steps[3]);
                    beside.diagonal_round();
                }
            }
            beside.done();
            let state = anew(start.state);
            // SAFETY: the features are enabled here; the rest is the caller's promise.
            let ahead = unsafe {
                column::feed_forward(&mut x, Start { state, ..start });
                sink.put_ahead(&x)
            };
            // SAFETY: the features are enabled here.
            x = unsafe { Zmm::quads(x) };
            if !cfg!(chacha20poly1305_ct) {
                // All of them by now: later, they would need as many registers more.
                for word in &mut x {
                    // SAFETY: no instruction.
                    unsafe {
                        asm!("/* {0} */", inout(zmm_reg) word.0,
                            options(nomem, nostack, preserves_flags));
                    }
                }
            }
            // SAFETY: as the caller's promise.
            unsafe {
                Zmm::blocks_of_quads(x, |part, at| {
                    if !(ahead && at == 0) {
                        sink.put(part, at);
                    }
                });
                column::feed_forward(&mut y, Start { state, ..second });
                <$W>::blocks_of_columns(y, |part, at| sink.put(part, 16 * 64 + at));
            }
        }
    };
}

/// The same state, read again: the compiler would keep the sixteen vectors of before the rounds on
/// the stack. (Not `pure`, or it would be moved to before the rounds.)
#[inline(always)]
fn anew(state: &State) -> &State {
    let mut state: *const State = state;
    // SAFETY: no instruction, and the same reference.
    unsafe {
        asm!("/* {0} */", inout(reg) state, options(readonly, nostack, preserves_flags));
        &*state
    }
}

/// One or two pieces of other work.
#[inline(always)]
fn step(beside: &mut impl Beside, count: u8) {
    beside.step();
    if count == 2 {
        beside.step();
    }
}

pass!(sixteen_and_sixteen, Zmm, "z", [2, 1, 2, 1]);
pass!(sixteen_and_eight, Ymm<true>, "y", [1, 2, 1, 1]);
