//! Secrets for MemorySanitizer: bytes that it takes for uninitialised, whatever they hold.
//!
//! It follows such bytes through memory, registers and vectors, and reports each branch and each
//! address that depends on one. That is what code without secret-dependent timing must not have.
//! A. Langley had the idea with Valgrind (ctgrind, 2010), which stops at AVX2.

mod runtime {
    unsafe extern "C" {
        pub(super) fn __msan_poison(at: *const u8, len: usize);
        pub(super) fn __msan_unpoison(at: *const u8, len: usize);
        pub(super) fn __msan_test_shadow(at: *const u8, len: usize) -> isize;
    }
}

/// Makes secrets of `bytes`.
pub(crate) fn classify(bytes: &mut [u8]) {
    // SAFETY: the range is that of a slice; its contents stay as they are.
    unsafe { runtime::__msan_poison(bytes.as_ptr(), bytes.len()) }
}

/// Makes `bytes` public.
pub(crate) fn declassify(bytes: &mut [u8]) {
    // SAFETY: as above.
    unsafe { runtime::__msan_unpoison(bytes.as_ptr(), bytes.len()) }
}

/// Whether no byte of `bytes` depends on a secret or on uninitialised memory.
pub(crate) fn is_public(bytes: &[u8]) -> bool {
    // SAFETY: the range is that of a slice.
    unsafe { runtime::__msan_test_shadow(bytes.as_ptr(), bytes.len()) == -1 }
}

/// Whether each byte of `bytes` depends on a secret.
pub(crate) fn is_secret(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| !is_public(core::slice::from_ref(byte)))
}

/// The point at which the crates give up a secret: the verdict on a tag, the trailer of an authentic
/// packet. They call it in builds with `--cfg chacha20poly1305_ct`.
#[unsafe(no_mangle)]
extern "C" fn chacha20poly1305_ct_declassify(mut byte: u8) -> u8 {
    declassify(core::slice::from_mut(&mut byte));
    byte
}
