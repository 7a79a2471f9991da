//! What runs where: the names of the backends, their detection and, with what `simd` adds for the
//! target, the lengths from which each pays. Nothing else decides.

mod soft;

#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
#[path = "backend/x86.rs"]
mod simd;
#[cfg(not(all(target_arch = "x86_64", target_feature = "sse2")))]
#[path = "backend/none.rs"]
mod simd;

pub(crate) use simd::Powers;

use crate::polynomial::{Polynomial, Top};
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
    /// x86-64 with AVX2 and BMI2: four blocks at a time in 2^26 limbs.
    Avx2(Proof),
    /// x86-64 with AVX-512 F, BW, VL and IFMA, and BMI2: eight blocks at a time in 2^44 limbs.
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
            Self::avx512().or_else(Self::avx2).or_else(Self::sse2).unwrap_or(Self::Soft)
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
        simd::has_sse2().then_some(Self::Sse2(Proof(())))
    }

    fn avx2() -> Option<Self> {
        simd::has_avx2().then_some(Self::Avx2(Proof(())))
    }

    fn avx512() -> Option<Self> {
        simd::has_avx512().then_some(Self::Avx512(Proof(())))
    }
}

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
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
    pub(crate) fn absorb(
        self,
        polynomial: &mut Polynomial,
        blocks: &[[u8; 16]],
        tail: &[[u8; 16]],
    ) {
        debug_assert!(tail.len() <= MAX_TAIL);
        if simd::absorb(self, polynomial, blocks, tail) {
            return;
        }
        polynomial.acc = soft::blocks(polynomial.acc, &polynomial.r, blocks);
        polynomial.acc = soft::blocks(polynomial.acc, &polynomial.r, tail);
    }

    /// See [`engine::aead_tag`](crate::engine::aead_tag); of messages for which there is a way of its
    /// own: packets, with short associated data.
    #[inline(always)]
    pub(crate) fn aead_tag(self, key: &[u8; 32], aad: &[u8], ciphertext: &[u8]) -> Option<u128> {
        simd::aead_tag(self, key, aad, ciphertext)
    }
}

/// The most blocks in the tail of [`Backend::absorb`]: the padded end of a ciphertext and the
/// lengths. No group of a vector kernel is shorter.
pub(crate) const MAX_TAIL: usize = 2;
