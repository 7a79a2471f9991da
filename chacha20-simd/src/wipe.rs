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

/// Wipes a subkey.
#[inline]
pub(crate) fn subkey(subkey: &mut [u8; 32]) {
    #[cfg(feature = "zeroize")]
    zeroize::Zeroize::zeroize(subkey);
    #[cfg(not(feature = "zeroize"))]
    let _ = subkey;
}
