//! Which kernel runs where: names, detection, availability, length thresholds, dispatch. Nothing
//! else decides.

use core::fmt;

use crate::beside::Beside;
use crate::engine::{Block, CounterWidth, RoundCount, State, XorBuf};

pub(crate) mod soft;

// The SIMD backends are not compiled where the target has no vector registers to use, as in
// operating-system kernels and UEFI.
macro_rules! x86_64_modules {
    ($($name:ident)*) => {$(
        #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
        mod $name;
    )*};
}
x86_64_modules! { batches column entry key_block lanes pair pass row sink xmm sse2 ssse3 avx2 avx512 }

/// Whether this CPU has, and its operating system saves the registers of, what a backend needs:
/// the one place that detects CPU features. Each is asked once in a process.
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
pub(crate) mod cpu {
    macro_rules! detect {
        ($($name:ident [$($feature:tt)*])*) => {$(
            #[inline]
            pub(crate) fn $name() -> bool {
                cpufeatures::new!(cached, $($feature),*);
                cached::get()
            }
        )*};
    }
    detect! {
        ssse3 ["ssse3"]
        avx2 ["avx2" "bmi2"]
        avx512 ["avx512f" "avx512bw" "avx512vl" "avx512ifma" "bmi2"]
    }
}

/// The backend that the build asks for, if it does.
const FORCED: Option<&str> = if cfg!(chacha20_simd_backend = "soft") {
    Some("soft")
} else if cfg!(chacha20_simd_backend = "sse2") {
    Some("sse2")
} else if cfg!(chacha20_simd_backend = "ssse3") {
    Some("ssse3")
} else if cfg!(chacha20_simd_backend = "avx2") {
    Some("avx2")
} else if cfg!(chacha20_simd_backend = "avx512") {
    Some("avx512")
} else {
    None
};

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
    /// x86-64 with AVX2 and BMI2.
    Avx2(Proof),
    /// x86-64 with AVX-512 F, BW, VL and IFMA, and BMI2. ChaCha20 has no use for IFMA, but CPUs
    /// without it slow down in 512-bit code, so they run AVX2.
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
        if let Some(name) = FORCED {
            return Self::by_name(name).expect("the build forces a backend that this CPU lacks");
        }
        #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
        {
            let proof = Proof(());
            if cpu::avx512() {
                Self::Avx512(proof)
            } else if cpu::avx2() {
                Self::Avx2(proof)
            } else if cpu::ssse3() {
                Self::Ssse3(proof)
            } else {
                Self::Sse2(proof)
            }
        }
        #[cfg(not(all(target_arch = "x86_64", target_feature = "sse2")))]
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
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            "sse2" => Some(Self::Sse2(Proof(()))),
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            "ssse3" if cpu::ssse3() => Some(Self::Ssse3(Proof(()))),
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            "avx2" if cpu::avx2() => Some(Self::Avx2(Proof(()))),
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            "avx512" if cpu::avx512() => Some(Self::Avx512(Proof(()))),
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

    /// How many blocks one pass through the rounds makes at the most.
    pub(crate) const fn blocks_per_pass(self) -> usize {
        match self {
            Self::Soft => 1,
            Self::Sse2(_) | Self::Ssse3(_) => 4,
            Self::Avx2(_) => 8,
            Self::Avx512(_) => 32,
        }
    }

    /// How many blocks the first pass of a message makes at the most, of `wanted` ones: AVX-512 makes
    /// its first block beside it, AVX2 if that saves a pass.
    pub(crate) const fn blocks_of_first_pass(self, wanted: usize) -> usize {
        match self {
            Self::Avx2(_) if wanted % 8 == 1 => 9,
            Self::Avx512(_) => 33,
            _ => self.blocks_per_pass(),
        }
    }

    /// See [`crate::engine::xor`].
    pub(crate) fn xor(
        self,
        rounds: RoundCount,
        width: CounterWidth,
        state: &mut State,
        buf: XorBuf<'_>,
        last: &mut Block,
    ) {
        let n = rounds.double_rounds();
        // SAFETY: a SIMD variant holds the proof that this CPU has what its module needs.
        #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
        unsafe {
            match self {
                Self::Soft => soft::xor(n, width, state, buf, last),
                Self::Sse2(_) => sse2::xor(n, width, state, buf, last),
                Self::Ssse3(_) => ssse3::xor(n, width, state, buf, last),
                Self::Avx2(_) => avx2::xor(n, width, state, buf, last),
                Self::Avx512(_) => avx512::xor(n, width, state, buf, last),
            }
        }
        #[cfg(not(all(target_arch = "x86_64", target_feature = "sse2")))]
        soft::xor(n, width, state, buf, last);
    }

    /// See [`crate::engine::xor_first`].
    #[inline(always)]
    pub(crate) fn xor_first(
        self,
        rounds: RoundCount,
        width: CounterWidth,
        state: &mut State,
        first: &mut Block,
        buf: &mut XorBuf<'_>,
    ) -> usize {
        // SAFETY: a SIMD variant holds the proof that this CPU has what its module needs.
        #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
        unsafe {
            let n = rounds.double_rounds();
            match self {
                Self::Sse2(_) => return sse2::xor_first(n, width, state, first, buf),
                Self::Ssse3(_) => return ssse3::xor_first(n, width, state, first, buf),
                Self::Avx2(_) => return avx2::xor_first(n, width, state, first, buf),
                Self::Avx512(_) => return avx512::xor_first(n, width, state, first, buf),
                Self::Soft => {}
            }
        }
        // A block is all that a pass makes.
        let _ = buf;
        // SAFETY: a block has room for a block.
        unsafe { self.keystream(rounds, width, state, 1, first.0.as_mut_ptr()) };
        0
    }

    /// See [`crate::engine::xor_beside`].
    #[inline(always)]
    pub(crate) fn xor_beside<B: Beside>(
        self,
        rounds: RoundCount,
        width: CounterWidth,
        state: &mut State,
        buf: XorBuf<'_>,
        last: &mut Block,
        beside: B,
    ) -> B {
        // SAFETY: a SIMD variant holds the proof that this CPU has what its module needs.
        #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
        unsafe {
            let n = rounds.double_rounds();
            match self {
                Self::Sse2(_) => return sse2::xor_beside(n, width, state, buf, last, beside),
                Self::Ssse3(_) => return ssse3::xor_beside(n, width, state, buf, last, beside),
                Self::Avx2(_) => return avx2::xor_beside(n, width, state, buf, last, beside),
                Self::Avx512(_) => return avx512::xor_beside(n, width, state, buf, last, beside),
                Self::Soft => {}
            }
        }
        self.xor(rounds, width, state, buf, last);
        beside
    }

    /// Whether it does work beside the rounds.
    pub(crate) const fn has_beside(self) -> bool {
        !matches!(self, Self::Soft)
    }

    /// Writes `blocks` blocks of keystream, at least one, and advances the block counter.
    ///
    /// # Safety
    /// `dst` is valid for writes of 64 times `blocks` bytes.
    #[inline(always)]
    pub(crate) unsafe fn keystream(
        self,
        rounds: RoundCount,
        width: CounterWidth,
        state: &mut State,
        blocks: usize,
        dst: *mut u8,
    ) {
        let n = rounds.double_rounds();
        // SAFETY: a SIMD variant holds the proof that this CPU has what its module needs; `dst` is
        // as the caller promises.
        #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
        unsafe {
            match self {
                Self::Soft => soft::keystream(n, width, state, blocks, dst),
                Self::Sse2(_) => sse2::keystream(n, width, state, blocks, dst),
                Self::Ssse3(_) => ssse3::keystream(n, width, state, blocks, dst),
                Self::Avx2(_) => avx2::keystream(n, width, state, blocks, dst),
                Self::Avx512(_) => avx512::keystream(n, width, state, blocks, dst),
            }
        }
        #[cfg(not(all(target_arch = "x86_64", target_feature = "sse2")))]
        // SAFETY: `dst` is as the caller promises.
        unsafe {
            soft::keystream(n, width, state, blocks, dst)
        }
    }

    /// As [`keystream`](Self::keystream), with work beside as in [`xor_beside`](Self::xor_beside).
    ///
    /// # Safety
    /// As [`keystream`](Self::keystream).
    #[inline(always)]
    pub(crate) unsafe fn keystream_beside<B: Beside>(
        self,
        rounds: RoundCount,
        width: CounterWidth,
        state: &mut State,
        blocks: usize,
        dst: *mut u8,
        beside: B,
    ) -> B {
        // SAFETY: a SIMD variant holds the proof that this CPU has what its module needs; `dst` is
        // as the caller promises.
        unsafe {
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            {
                let n = rounds.double_rounds();
                match self {
                    Self::Sse2(_) => {
                        return sse2::keystream_beside(n, width, state, blocks, dst, beside);
                    }
                    Self::Ssse3(_) => {
                        return ssse3::keystream_beside(n, width, state, blocks, dst, beside);
                    }
                    Self::Avx2(_) => {
                        return avx2::keystream_beside(n, width, state, blocks, dst, beside);
                    }
                    Self::Avx512(_) => {
                        return avx512::keystream_beside(n, width, state, blocks, dst, beside);
                    }
                    Self::Soft => {}
                }
            }
            self.keystream(rounds, width, state, blocks, dst);
        }
        beside
    }

    /// XORs `keystream`, which is at least as long, into `buf`.
    #[inline(always)]
    pub(crate) fn xor_keystream(self, mut buf: XorBuf<'_>, keystream: &[u8]) {
        assert!(keystream.len() >= buf.len(), "too little keystream");
        #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
        // SAFETY: a SIMD variant holds the proof that this CPU has what its module needs; the
        // keystream is long enough.
        unsafe {
            match self {
                Self::Sse2(_) => return sse2::xor_keystream(buf, keystream.as_ptr()),
                Self::Ssse3(_) => return ssse3::xor_keystream(buf, keystream.as_ptr()),
                Self::Avx2(_) => return avx2::xor_keystream(buf, keystream.as_ptr()),
                Self::Avx512(_) => return avx512::xor_keystream(buf, keystream.as_ptr()),
                Self::Soft => {}
            }
        }
        buf.xor(keystream);
    }
}

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
