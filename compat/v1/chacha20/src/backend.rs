//! The backend that the build asks for in the terms of `chacha20` 0.9, or else the best.

use chacha20_simd::Backend;

/// Panics if the build asks for a backend that this CPU lacks; the original does not compile then.
#[inline]
pub(crate) fn backend() -> Backend {
    let forced = if cfg!(chacha20_force_soft) {
        "soft"
    } else if cfg!(chacha20_force_avx2) {
        "avx2"
    } else if cfg!(chacha20_force_sse2) {
        "sse2"
    } else {
        return Backend::detect();
    };
    Backend::by_name(forced).expect("the build forces a backend that this CPU lacks")
}
