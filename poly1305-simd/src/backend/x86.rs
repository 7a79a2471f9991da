//! Which vector kernel of x86-64 runs, and from how many blocks on.

mod avx2;
mod avx512;
mod lanes;
mod powers;
mod radix26;
mod radix44;
mod sse2;

pub(crate) use powers::Powers;

use super::Backend;
use crate::{field::Element, polynomial::Polynomial};

/// Part of x86-64, and of the target or this file would not be compiled.
pub(super) const fn has_sse2() -> bool {
    true
}

pub(super) fn has_avx2() -> bool {
    cpu_avx2::get()
}

pub(super) fn has_avx512() -> bool {
    cpu_avx512::get()
}

cpufeatures::new!(cpu_avx2, "avx2");
cpufeatures::new!(cpu_avx512, "avx512f", "avx512bw", "avx512vl", "avx512ifma", "bmi2");

/// Blocks from which a kernel beats scalar code, its powers and conversions included.
const SSE2_MIN: usize = 36;
const AVX2_MIN: usize = 22;
const AVX512_MIN: usize = 18;

/// Takes in `blocks`, then `tail`, if there are enough of them for a vector kernel; returns whether
/// there were.
#[inline(always)]
pub(super) fn absorb(
    backend: Backend,
    polynomial: &mut Polynomial,
    blocks: &[[u8; 16]],
    tail: &[[u8; 16]],
) -> bool {
    let len = blocks.len() + tail.len();
    match backend {
        Backend::Avx512(_) if len >= AVX512_MIN => absorb_avx512(polynomial, blocks, tail),
        Backend::Avx2(_) if len >= AVX2_MIN => absorb_avx2(polynomial, blocks, tail),
        Backend::Sse2(_) if len >= SSE2_MIN => absorb_sse2(polynomial, blocks, tail),
        _ => return false,
    }
    true
}

fn absorb_avx512(p: &mut Polynomial, blocks: &[[u8; 16]], tail: &[[u8; 16]]) {
    p.acc =
        with_last_group::<{ avx512::LANES }, { avx512::LANES }>(blocks, tail, |blocks, last| {
            // SAFETY: a backend of this name exists, so there is AVX-512 with IFMA; `with_last_group`
            // promises the rest.
            unsafe { avx512::absorb(&p.acc, &mut p.powers, &p.r, blocks, last) }
        });
}

fn absorb_avx2(p: &mut Polynomial, blocks: &[[u8; 16]], tail: &[[u8; 16]]) {
    p.acc = with_last_group::<{ avx2::LANES }, 1>(blocks, tail, |blocks, last| {
        // SAFETY: a backend of this name exists, so there is AVX2; `with_last_group` promises the
        // rest.
        unsafe { avx2::absorb(&p.acc, &mut p.powers, &p.r, blocks, last) }
    });
}

fn absorb_sse2(p: &mut Polynomial, blocks: &[[u8; 16]], tail: &[[u8; 16]]) {
    p.acc = with_last_group::<{ sse2::LANES }, 1>(blocks, tail, |blocks, last| {
        // SAFETY: `with_last_group` promises it.
        unsafe { sse2::absorb(&p.acc, &mut p.powers, &p.r, blocks, last) }
    });
}

/// Calls a kernel with the last group apart, which is the one that may lie in two places, and with
/// the blocks before it, of which there are `LEAST` or more.
#[inline(always)]
fn with_last_group<const LANES: usize, const LEAST: usize>(
    blocks: &[[u8; 16]],
    tail: &[[u8; 16]],
    kernel: impl FnOnce(&[[u8; 16]], &[[u8; 16]]) -> Element,
) -> Element {
    let (blocks, end) = blocks.split_at(blocks.len() + tail.len() - LANES);
    assert!(blocks.len() >= LEAST && end.len() + tail.len() == LANES);
    if tail.is_empty() {
        return kernel(blocks, end);
    }
    let mut last = [[0; 16]; LANES];
    // Block by block: a copy of variable length is a call.
    for (to, from) in last.iter_mut().zip(end.iter().chain(tail)) {
        *to = *from;
    }
    kernel(blocks, &last)
}
