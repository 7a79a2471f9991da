//! Wiping of secrets; does nothing without the feature `zeroize`.

use core::sync::atomic::{Ordering, compiler_fence};

/// The widest unit that every CPU of the target writes at once.
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
type Unit = core::arch::x86_64::__m128i;
#[cfg(not(all(target_arch = "x86_64", target_feature = "sse2")))]
type Unit = u32;

/// Wipes `len` bytes at `at` by the [`Unit`]. `zeroize` of a slice of bytes is a call to `memset`,
/// or a volatile write for each byte: either takes longer than a short message has.
///
/// # Safety
/// `at` is valid for writes of `len` bytes, which may become zeros; both are multiples of 16.
#[inline(always)]
pub(crate) unsafe fn aligned(at: *mut u8, len: usize) {
    if !cfg!(feature = "zeroize") {
        return;
    }
    debug_assert!(at.addr().is_multiple_of(16) && len.is_multiple_of(16));
    let at = at.cast::<Unit>();
    for i in 0..len / size_of::<Unit>() {
        // SAFETY: within the `len` bytes and aligned. Volatile, so that it isn't left out as a dead
        // store.
        unsafe { at.add(i).write_volatile(core::mem::zeroed()) };
    }
    // As in `zeroize`: what comes later is not moved before the writes.
    compiler_fence(Ordering::SeqCst);
}

/// Wipes a scratch of `len` bytes at `at`, as [`aligned`] does, but with the widest vectors of the
/// CPU: stores of this many bytes are a cost that nothing hides, by the store.
///
/// # Safety
/// `at` is valid for writes of `len` bytes, which may become zeros; both are multiples of 64.
#[inline(always)]
pub(crate) unsafe fn scratch(at: *mut u8, len: usize) {
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    if cfg!(feature = "zeroize") && !cfg!(miri) && len != 0 && crate::backend::cpu::avx2() {
        debug_assert!(at.addr().is_multiple_of(64) && len.is_multiple_of(64));
        // SAFETY: detection has found the registers; from `len` bytes before its end on, the scratch
        // is the caller's to wipe.
        unsafe {
            core::arch::asm!(
                "vpxor xmm0, xmm0, xmm0",
                "2:",
                "vmovdqa [{end} + {at}], ymm0; vmovdqa [{end} + {at} + 32], ymm0",
                "add {at}, 64",
                "jne 2b",
                end = in(reg) at.add(len),
                at = inout(reg) len.wrapping_neg() => _,
                out("xmm0") _,
                options(nostack),
            );
        }
        return;
    }
    // SAFETY: as the caller's promise.
    unsafe { aligned(at, len) };
}

/// Wipes a subkey.
#[inline]
pub(crate) fn subkey(subkey: &mut [u8; 32]) {
    #[cfg(feature = "zeroize")]
    zeroize::Zeroize::zeroize(subkey);
    #[cfg(not(feature = "zeroize"))]
    let _ = subkey;
}
