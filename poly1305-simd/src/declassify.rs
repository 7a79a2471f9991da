//! Where a secret becomes public, for the check that follows secrets through the program.

#[cfg(chacha20poly1305_ct)]
unsafe extern "C" {
    /// Of the program that runs the check: `byte`, which it takes for a secret no longer.
    safe fn chacha20poly1305_ct_declassify(byte: u8) -> u8;
}

/// `byte`, which was computed from secrets and which anybody may know from here on, such as the
/// verdict on a tag.
///
/// `cargo xtask ct` reports every branch that depends on a secret, but for those on what has gone
/// through here. In any other build it does nothing.
#[inline(always)]
#[must_use]
pub fn declassify(byte: u8) -> u8 {
    #[cfg(chacha20poly1305_ct)]
    let byte = chacha20poly1305_ct_declassify(byte);
    byte
}
