//! The two halves of a one-time key (RFC 8439, section 2.5.1).

/// The multiplier r, clamped.
///
/// Clamping clears the top four bits of each 32-bit word and the bottom two of all but the first.
/// So both limbs are below 2^60, and the upper one is a multiple of 4: a product with it that lands
/// on 2^128 comes back as five quarters of itself without a remainder, because
/// `4q * 2^128 = q * 2^130 = 5q` modulo p.
#[derive(Clone)]
pub(crate) struct Multiplier {
    pub(crate) limbs: [u64; 2],
}

impl Multiplier {
    #[inline(always)]
    pub(crate) const fn clamp(bytes: &[u8; 16]) -> Self {
        let r = u128::from_le_bytes(*bytes);
        Self::clamp_limbs([r as u64, (r >> 64) as u64])
    }

    #[inline(always)]
    pub(crate) const fn clamp_limbs([low, high]: [u64; 2]) -> Self {
        Self { limbs: [low & 0x0fff_fffc_0fff_ffff, high & 0x0fff_fffc_0fff_fffc] }
    }

    /// Five quarters of the upper limb.
    #[inline(always)]
    pub(crate) const fn folded(&self) -> u64 {
        self.limbs[1] + (self.limbs[1] >> 2)
    }
}

#[cfg(feature = "zeroize")]
impl zeroize::Zeroize for Multiplier {
    #[inline(always)]
    fn zeroize(&mut self) {
        self.limbs.zeroize();
    }
}

/// Splits a key into r, clamped, and s.
#[inline(always)]
pub(crate) fn split(key: &[u8; 32]) -> (Multiplier, u128) {
    let (halves, _) = key.as_chunks::<16>();
    (Multiplier::clamp(&halves[0]), u128::from_le_bytes(halves[1]))
}
