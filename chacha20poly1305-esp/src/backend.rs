//! Which backends a message runs on.

use core::fmt;

/// A backend for each half of the AEAD.
///
/// ```
/// use chacha20poly1305_esp::Backend;
/// println!("messages run on {}", Backend::detect());
/// assert!(Backend::available().any(|backend| backend.name() == "soft"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backend {
    /// That of the cipher.
    pub chacha20: chacha20_simd::Backend,
    /// That of the authenticator.
    pub poly1305: poly1305_simd::Backend,
}

impl Backend {
    /// The names of all backends, worst to best: those of the cipher.
    pub const NAMES: [&'static str; 5] = chacha20_simd::Backend::NAMES;

    /// The best backends that this CPU can run, or those that `--cfg
    /// chacha20_simd_backend="NAME"` and `--cfg poly1305_simd_backend="NAME"` ask for.
    #[inline]
    pub fn detect() -> Self {
        Self {
            chacha20: chacha20_simd::Backend::detect(),
            poly1305: poly1305_simd::Backend::detect(),
        }
    }

    /// All backends that this CPU can run, worst to best.
    pub fn available() -> impl Iterator<Item = Self> {
        Self::NAMES.into_iter().filter_map(Self::by_name)
    }

    /// The backend of that name; `None` if there is none or if this CPU can't run it. Poly1305 has
    /// no use for SSSE3: beside `ssse3` it runs `sse2`.
    ///
    /// **Unstable**: for tests, benches and tools; exempt from semantic versioning.
    pub fn by_name(name: &str) -> Option<Self> {
        let poly1305 = if name == "ssse3" { "sse2" } else { name };
        Some(Self {
            chacha20: chacha20_simd::Backend::by_name(name)?,
            poly1305: poly1305_simd::Backend::by_name(poly1305)?,
        })
    }

    /// The cipher's backend's name, which is the one that [`by_name`](Self::by_name) takes.
    pub const fn name(self) -> &'static str {
        self.chacha20.name()
    }
}

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ChaCha20 {}, Poly1305 {}", self.chacha20, self.poly1305)
    }
}
