//! The backend that the build asks for in the terms of `chacha20` 0.10, or else the best.

use chacha20_simd::Backend;

/// Panics if the build asks for a backend that this CPU lacks; the original does not compile then.
#[inline]
pub(crate) fn backend() -> Backend {
    let forced = if cfg!(chacha20_backend = "soft") {
        "soft"
    } else if cfg!(chacha20_backend = "sse2") {
        "sse2"
    } else if cfg!(chacha20_backend = "avx2") {
        "avx2"
    } else if cfg!(chacha20_backend = "avx512") {
        "avx512"
    } else {
        return Backend::detect();
    };
    Backend::by_name(forced).expect("the build forces a backend that this CPU lacks")
}
