//! Wiping of secrets; does nothing without the feature `zeroize`.

#[cfg(feature = "zeroize")]
use zeroize::Zeroize;

/// Wipes words.
#[inline]
pub(crate) fn words(words: &mut [u32; 16]) {
    #[cfg(feature = "zeroize")]
    words.zeroize();
    #[cfg(not(feature = "zeroize"))]
    let _ = words;
}

/// Wipes bytes eight at a time where they are aligned: a volatile write for each single byte would
/// cost more than the block that it wipes.
#[inline]
pub(crate) fn bytes(bytes: &mut [u8]) {
    #[cfg(feature = "zeroize")]
    {
        // SAFETY: every bit pattern is a valid u64, and the zeros written are valid bytes.
        let (head, middle, tail) = unsafe { bytes.align_to_mut::<u64>() };
        head.zeroize();
        middle.zeroize();
        tail.zeroize();
    }
    #[cfg(not(feature = "zeroize"))]
    let _ = bytes;
}
