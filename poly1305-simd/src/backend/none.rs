//! Targets without vector kernels.

use super::Backend;
use crate::polynomial::Polynomial;

pub(super) const fn has_sse2() -> bool {
    false
}

pub(super) const fn has_avx2() -> bool {
    false
}

pub(super) const fn has_avx512() -> bool {
    false
}

/// Nothing here wants powers of r.
#[derive(Clone)]
pub(crate) enum Powers {
    None,
}

#[cfg(feature = "zeroize")]
impl zeroize::Zeroize for Powers {
    fn zeroize(&mut self) {}
}

#[inline(always)]
pub(super) fn absorb(_: Backend, _: &mut Polynomial, _: &[[u8; 16]], _: &[[u8; 16]]) -> bool {
    false
}

#[inline(always)]
pub(super) fn aead_tag(_: Backend, _: &[u8; 32], _: &[u8], _: &[u8]) -> Option<u128> {
    None
}
