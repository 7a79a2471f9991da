//! The backends that the build asks for in the terms of `chacha20` 0.10 and `poly1305` 0.9, or else
//! the best.

use chacha20poly1305_esp::Backend;

/// Panics if the build asks for a backend that this CPU lacks; the original does not compile then.
#[inline]
pub(crate) fn backend() -> Backend {
    let mut backend = Backend::detect();
    let forced = if cfg!(chacha20_backend = "soft") {
        Some("soft")
    } else if cfg!(chacha20_backend = "avx2") {
        Some("avx2")
    } else if cfg!(chacha20_backend = "sse2") {
        Some("sse2")
    } else if cfg!(chacha20_backend = "avx512") {
        Some("avx512")
    } else {
        None
    };
    if let Some(name) = forced {
        backend.chacha20 = chacha20_simd::Backend::by_name(name)
            .expect("the build forces a backend that this CPU lacks");
    }
    if cfg!(poly1305_backend = "soft") {
        backend.poly1305 = poly1305_simd::Backend::Soft;
    }
    backend
}
