//! Wiping of secrets; does nothing without the feature `zeroize`.

#[cfg(feature = "zeroize")]
use zeroize::Zeroize;

/// Wipes words.
#[inline]
pub(crate) fn words(words: &mut [u32; 16]) {
    // SAFETY: the words are 64 bytes, and any bytes are valid words.
    bytes(unsafe { core::slice::from_raw_parts_mut(words.as_mut_ptr().cast(), 64) });
}

/// The widest unit that every CPU of the target writes at once.
#[cfg(all(feature = "zeroize", target_arch = "x86_64", target_feature = "sse2"))]
type Unit = core::arch::x86_64::__m128i;
#[cfg(all(feature = "zeroize", not(all(target_arch = "x86_64", target_feature = "sse2"))))]
type Unit = usize;

/// Wipes bytes by the [`Unit`] where they are aligned: a volatile write for each single byte would
/// cost more than the block that it wipes.
#[inline]
pub(crate) fn bytes(bytes: &mut [u8]) {
    #[cfg(feature = "zeroize")]
    {
        // SAFETY: every bit pattern is a valid unit, and the zeros written are valid bytes.
        let (head, middle, tail) = unsafe { bytes.align_to_mut::<Unit>() };
        head.zeroize();
        middle.iter_mut().for_each(Zeroize::zeroize);
        tail.zeroize();
    }
    #[cfg(not(feature = "zeroize"))]
    let _ = bytes;
}
