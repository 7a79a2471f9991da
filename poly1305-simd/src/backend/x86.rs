//! Which vector kernel of x86-64 runs, and from how many blocks on.

mod avx2;
mod avx512;
mod bmi2;
mod lanes;
mod powers;
mod radix26;
mod radix44;
mod sse2;

pub(crate) use powers::Powers;

use super::Backend;
use crate::polynomial::Polynomial;

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

cpufeatures::new!(cpu_avx2, "avx2", "bmi2");
cpufeatures::new!(cpu_avx512, "avx512f", "avx512bw", "avx512vl", "avx512ifma", "bmi2");

/// Blocks from which a kernel beats scalar code, its powers and conversions included.
const SSE2_MIN: usize = 36;
const AVX2_MIN: usize = 22;
const AVX512_MIN: usize = 16;
/// From which its unfolded accumulator does: there is a fold at the end of each call.
const BMI2_MIN: usize = 3;

/// Takes in `blocks`, then `tail`, if the backend has a kernel for as many; returns whether it has.
#[inline(always)]
pub(super) fn absorb(
    backend: Backend,
    polynomial: &mut Polynomial,
    blocks: &[[u8; 16]],
    tail: &[[u8; 16]],
) -> bool {
    let len = blocks.len() + tail.len();
    match backend {
        Backend::Avx512(_) if len >= AVX512_MIN => {
            with_last_group(polynomial, blocks, tail, |p, blocks, last| {
                // SAFETY: a backend of this name exists, so there is AVX-512 with IFMA, and BMI2; the
                // last group comes after another.
                unsafe { avx512::absorb(&mut p.acc, &mut p.powers, &p.r, blocks, last) };
            });
        }
        Backend::Avx2(_) if len >= AVX2_MIN => {
            with_last_group(polynomial, blocks, tail, |p, blocks, last| {
                // SAFETY: a backend of this name exists, so there is AVX2; the last group
                // comes after another.
                unsafe { avx2::absorb(&mut p.acc, &mut p.powers, &p.r, blocks, last) };
            });
        }
        Backend::Sse2(_) if len >= SSE2_MIN => {
            with_last_group(polynomial, blocks, tail, |p, blocks, last| {
                // SAFETY: a backend of this name exists, so there is SSE2; the last group
                // comes after another.
                unsafe { sse2::absorb(&mut p.acc, &mut p.powers, &p.r, blocks, last) };
            });
        }
        Backend::Avx2(_) | Backend::Avx512(_) if len >= BMI2_MIN => {
            // SAFETY: backends of these names have BMI2.
            polynomial.acc = unsafe { bmi2::blocks(polynomial.acc, &polynomial.r, blocks, tail) };
        }
        _ => return false,
    }
    true
}

/// See [`Backend::aead_tag`].
#[inline(always)]
pub(super) fn aead_tag(
    backend: Backend,
    key: &[u8; 32],
    aad: &[u8],
    ciphertext: &[u8],
) -> Option<u128> {
    let min = match backend {
        Backend::Avx512(_) => AVX512_MIN,
        Backend::Avx2(_) => AVX2_MIN,
        _ => return None,
    };
    // Either with the lengths, which come after the ciphertext.
    let most = 16 * (min - 2);
    if aad.len() > most {
        return None;
    }
    // SAFETY: backends of these names have BMI2, and what the kernels of AVX-512 need.
    unsafe {
        if ciphertext.len() <= most {
            Some(bmi2::aead(key, aad, ciphertext))
        } else if matches!(backend, Backend::Avx512(_)) {
            avx512::aead(key, aad, ciphertext)
        } else {
            None
        }
    }
}

/// Calls a kernel with the last group apart, which is the one that may lie in two places, and with
/// the blocks before it, of which there is a group or more.
///
/// The kernel reads the accumulator from where it is and writes it back there: as an argument and a
/// result it would be copied with other widths than it is stored with, and such a load waits until
/// the store has left the store buffer: 36 cycles of a short message on Zen 4.
#[inline(always)]
fn with_last_group<const LANES: usize>(
    polynomial: &mut Polynomial,
    blocks: &[[u8; 16]],
    tail: &[[u8; 16]],
    kernel: impl Fn(&mut Polynomial, &[[u8; 16]], &[[u8; 16]; LANES]),
) {
    if tail.is_empty() {
        let (blocks, last) = blocks.split_last_chunk().expect("more than a group");
        assert!(blocks.len() >= LANES);
        kernel(polynomial, blocks, last);
    } else {
        with_tail(polynomial, blocks, tail, kernel);
    }
}

/// [`with_last_group`] where it does lie in two places.
#[inline(never)]
fn with_tail<const LANES: usize>(
    polynomial: &mut Polynomial,
    blocks: &[[u8; 16]],
    tail: &[[u8; 16]],
    kernel: impl Fn(&mut Polynomial, &[[u8; 16]], &[[u8; 16]; LANES]),
) {
    let mut last = [[0; 16]; LANES];
    let (blocks, end) = blocks.split_at(blocks.len() + tail.len() - LANES);
    assert!(blocks.len() >= LANES);
    // Block by block: a copy of variable length is a call.
    for (to, from) in last.iter_mut().zip(end.iter().chain(tail)) {
        *to = *from;
    }
    kernel(polynomial, blocks, &last);
}
