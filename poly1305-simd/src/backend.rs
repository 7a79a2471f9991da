//! What runs where: the names of the backends, their detection, and the lengths from which each
//! pays. Nothing else decides.

mod soft;

#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod avx2;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod lanes;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod radix26;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod sse2;

use crate::polynomial::{Polynomial, Top};
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
use crate::{field::Element, key::Multiplier};
use core::fmt;

/// An implementation of Poly1305.
///
/// All give the same tags. The variants that need instructions beyond the compilation target's
/// hold a [`Proof`], so a value of this type can only name what this CPU can run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backend {
    /// Portable code: 2^64 limbs where pointers have 64 bits, 2^26 limbs elsewhere.
    Soft,
    /// x86-64: two blocks at a time in 2^26 limbs.
    Sse2(Proof),
    /// x86-64 with AVX2: four blocks at a time in 2^26 limbs.
    Avx2(Proof),
    /// x86-64 with AVX-512 F, VL, DQ and IFMA: eight blocks at a time in 2^44 limbs.
    Avx512(Proof),
}

/// Evidence that this CPU has the instructions of a backend. Only detection makes it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Proof(());

impl fmt::Debug for Proof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("detected")
    }
}

impl Backend {
    /// The names of all backends, from the least to the most demanding.
    pub const NAMES: [&str; 4] = ["soft", "sse2", "avx2", "avx512"];

    /// The best backend of this CPU, or the one that `--cfg poly1305_simd_backend="NAME"` asks for
    /// at build time (`ssse3`, which Poly1305 has no use for, stands for `sse2`).
    ///
    /// # Panics
    /// If the backend asked for at build time does not run on this CPU.
    ///
    /// ```
    /// use poly1305_simd::Backend;
    ///
    /// let best = Backend::detect();
    /// assert!(Backend::available().any(|backend| backend == best));
    /// ```
    #[inline]
    #[must_use]
    pub fn detect() -> Self {
        if cfg!(poly1305_simd_backend = "soft") {
            Self::Soft
        } else if cfg!(any(poly1305_simd_backend = "sse2", poly1305_simd_backend = "ssse3")) {
            Self::sse2().expect("built for poly1305_simd_backend=\"sse2\", but this CPU lacks it")
        } else if cfg!(poly1305_simd_backend = "avx2") {
            Self::avx2().expect("built for poly1305_simd_backend=\"avx2\", but this CPU lacks it")
        } else if cfg!(poly1305_simd_backend = "avx512") {
            Self::avx512()
                .expect("built for poly1305_simd_backend=\"avx512\", but this CPU lacks it")
        } else {
            Self::avx512().or(Self::avx2()).or(Self::sse2()).unwrap_or(Self::Soft)
        }
    }

    /// Every backend that this CPU can run, [`Soft`](Self::Soft) first and the best last.
    ///
    /// ```
    /// use poly1305_simd::Backend;
    ///
    /// assert_eq!(Backend::available().next(), Some(Backend::Soft));
    /// ```
    pub fn available() -> impl Iterator<Item = Self> {
        Self::NAMES.into_iter().filter_map(Self::by_name)
    }

    /// The backend called `name`; `None` if there is none such or this CPU cannot run it.
    ///
    /// ```
    /// use poly1305_simd::Backend;
    ///
    /// assert_eq!(Backend::by_name("soft"), Some(Backend::Soft));
    /// assert_eq!(Backend::by_name("abacus"), None);
    /// ```
    #[must_use]
    pub fn by_name(name: &str) -> Option<Self> {
        match name {
            "soft" => Some(Self::Soft),
            "sse2" => Self::sse2(),
            "avx2" => Self::avx2(),
            "avx512" => Self::avx512(),
            _ => None,
        }
    }

    /// The name, one of [`NAMES`](Self::NAMES).
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Soft => "soft",
            Self::Sse2(_) => "sse2",
            Self::Avx2(_) => "avx2",
            Self::Avx512(_) => "avx512",
        }
    }

    fn sse2() -> Option<Self> {
        cfg!(all(target_arch = "x86_64", target_feature = "sse2")).then_some(Self::Sse2(Proof(())))
    }

    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    fn avx2() -> Option<Self> {
        has_avx2::get().then_some(Self::Avx2(Proof(())))
    }

    #[cfg(not(all(target_arch = "x86_64", target_feature = "sse2")))]
    fn avx2() -> Option<Self> {
        None
    }

    fn avx512() -> Option<Self> {
        None
    }
}

#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
cpufeatures::new!(has_avx2, "avx2");

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Powers of r in the form that a kernel wants them, as many as messages have been long enough to
/// repay so far.
#[derive(Clone)]
pub(crate) enum Powers {
    /// None yet. Writing this costs a tag, not a table of zeros.
    None,
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    Radix26(radix26::Powers),
}

#[cfg(feature = "zeroize")]
impl zeroize::Zeroize for Powers {
    #[inline]
    fn zeroize(&mut self) {
        match self {
            Self::None => {}
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            Self::Radix26(powers) => powers.zeroize(),
        }
    }
}

impl Backend {
    /// Takes in one block. No vector helps there.
    #[inline(always)]
    pub(crate) fn absorb_block(self, polynomial: &mut Polynomial, block: u128, top: Top) {
        polynomial.acc = soft::block(polynomial.acc, &polynomial.r, block, top);
    }

    /// Takes in whole blocks, then up to [`MAX_TAIL`] more from elsewhere.
    #[inline(always)]
    pub(crate) fn absorb(self, p: &mut Polynomial, blocks: &[[u8; 16]], tail: &[[u8; 16]]) {
        debug_assert!(tail.len() <= MAX_TAIL);
        #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
        {
            let len = blocks.len() + tail.len();
            match self {
                Self::Avx2(_) if len >= AVX2_MIN => return absorb_avx2(p, blocks, tail),
                Self::Sse2(_) if len >= SSE2_MIN => return absorb_sse2(p, blocks, tail),
                _ => {}
            }
        }
        p.acc = soft::blocks(p.acc, &p.r, blocks);
        p.acc = soft::blocks(p.acc, &p.r, tail);
    }
}

/// The most blocks in the tail of [`Backend::absorb`]: the padded end of a ciphertext and the
/// lengths. No group of a vector kernel is shorter.
pub(crate) const MAX_TAIL: usize = 2;

/// Blocks from which SSE2 repays its powers and conversions.
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
const SSE2_MIN: usize = 12;

/// Blocks from which AVX2 repays its powers and conversions.
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
const AVX2_MIN: usize = 10;

/// Blocks from which taking groups in pairs repays twice as many powers.
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
const PAIRS_MIN: usize = 32;

#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
fn absorb_avx2(p: &mut Polynomial, blocks: &[[u8; 16]], tail: &[[u8; 16]]) {
    let lanes = avx2::LANES;
    let count = if blocks.len() + tail.len() >= PAIRS_MIN { 2 * lanes } else { lanes };
    let powers = p.powers.radix26(&p.r, count);
    let absorb = |blocks: &[_], last: &[_]| {
        // SAFETY: a backend of this name exists, so there is AVX2.
        unsafe { avx2::absorb(p.acc, powers, blocks, last) }
    };
    p.acc = with_last_group::<{ avx2::LANES }>(blocks, tail, absorb);
}

#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
fn absorb_sse2(p: &mut Polynomial, blocks: &[[u8; 16]], tail: &[[u8; 16]]) {
    let powers = p.powers.radix26(&p.r, 2 * sse2::LANES);
    let absorb = |blocks: &[_], last: &[_]| sse2::absorb(p.acc, powers, blocks, last);
    p.acc = with_last_group::<{ sse2::LANES }>(blocks, tail, absorb);
}

/// Calls a kernel with the last group apart: it is the one that may lie in two places.
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
#[inline(always)]
fn with_last_group<const LANES: usize>(
    blocks: &[[u8; 16]],
    tail: &[[u8; 16]],
    kernel: impl FnOnce(&[[u8; 16]], &[[u8; 16]]) -> Element,
) -> Element {
    let (blocks, end) = blocks.split_at(blocks.len() + tail.len() - LANES);
    if tail.is_empty() {
        return kernel(blocks, end);
    }
    let mut last = [[0; 16]; LANES];
    let (first, second) = last.split_at_mut(end.len());
    first.copy_from_slice(end);
    second.copy_from_slice(tail);
    kernel(blocks, &last)
}

#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
impl Powers {
    /// The powers up to r^`count` in radix 2^26.
    #[inline]
    fn radix26(&mut self, r: &Multiplier, count: usize) -> &radix26::Powers {
        if !matches!(self, Self::Radix26(_)) {
            *self = Self::Radix26(radix26::Powers::new());
        }
        match self {
            Self::Radix26(powers) => {
                powers.reach(r, count);
                powers
            }
            _ => unreachable!("set just now"),
        }
    }
}
