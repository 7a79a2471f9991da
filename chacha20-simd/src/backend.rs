//! Which kernel runs where: names, detection, availability, length thresholds, dispatch. Nothing
//! else decides.

use core::fmt;

use crate::engine::{Block, CounterWidth, RoundCount, State, XorBuf};

pub(crate) mod soft;

/// Proof that a check has found a backend's instructions on this CPU. Only this module makes one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Proof(());

/// The implementations of the kernels, worst to best.
///
/// The SIMD variants hold a [`Proof`]: they can only be had from [`detect`](Self::detect),
/// [`available`](Self::available) or [`by_name`](Self::by_name), so whoever holds one may run it.
///
/// ```
/// use chacha20_simd::Backend;
/// assert!(Backend::available().any(|backend| backend == Backend::Soft));
/// assert_eq!(Backend::by_name("soft"), Some(Backend::Soft));
/// println!("ChaCha20 runs on {}", Backend::detect());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backend {
    /// Portable code, a block at a time.
    Soft,
    /// x86-64 without more.
    Sse2(Proof),
    /// x86-64 with SSSE3: byte shuffles for rotations by 16 and 8.
    Ssse3(Proof),
    /// x86-64 with AVX2.
    Avx2(Proof),
    /// x86-64 with AVX-512 F, BW, VL and IFMA. ChaCha20 has no use for IFMA, but CPUs without it
    /// slow down in 512-bit code, so they run AVX2.
    Avx512(Proof),
}

impl Backend {
    /// The names of all backends, worst to best.
    pub const NAMES: [&'static str; 5] = ["soft", "sse2", "ssse3", "avx2", "avx512"];

    /// The best backend that this CPU can run, or the one that `--cfg
    /// chacha20_simd_backend="NAME"` asks for.
    ///
    /// The CPU is asked once in a process; afterwards this costs a load.
    ///
    /// # Panics
    /// If the build asks for a backend that this CPU can't run.
    #[inline]
    pub fn detect() -> Self {
        Self::Soft
    }

    /// All backends that this CPU can run, worst to best.
    pub fn available() -> impl Iterator<Item = Self> {
        Self::NAMES.into_iter().filter_map(Self::by_name)
    }

    /// The backend of that name; `None` if there is none or if this CPU can't run it.
    ///
    /// **Unstable**: for tests, benches and tools; exempt from semantic versioning.
    pub fn by_name(name: &str) -> Option<Self> {
        match name {
            "soft" => Some(Self::Soft),
            _ => None,
        }
    }

    /// Its name, as in [`NAMES`](Self::NAMES).
    pub const fn name(self) -> &'static str {
        match self {
            Self::Soft => "soft",
            Self::Sse2(_) => "sse2",
            Self::Ssse3(_) => "ssse3",
            Self::Avx2(_) => "avx2",
            Self::Avx512(_) => "avx512",
        }
    }

    /// See [`crate::engine::xor`]; leaves the block counter as it is.
    #[inline]
    pub(crate) fn xor(
        self,
        rounds: RoundCount,
        width: CounterWidth,
        state: &State,
        buf: XorBuf<'_>,
        last: &mut Block,
    ) {
        soft::xor(rounds, width, state, buf, last);
    }

    /// See [`crate::engine::block`].
    pub(crate) fn block(self, rounds: RoundCount, state: &State) -> Block {
        soft::block(rounds, state)
    }
}

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
