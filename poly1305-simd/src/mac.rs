//! The public type: an [`engine::Mac`] in the clothes of RustCrypto's `poly1305`.

use crate::{Backend, Key, Tag, engine};
use core::fmt;

/// The Poly1305 universal hash function and one-time authenticator (RFC 8439, section 2.5).
///
/// Its interface is that of `poly1305::Poly1305`: [`KeyInit`](universal_hash::KeyInit),
/// [`UniversalHash`](universal_hash::UniversalHash) and
/// [`compute_unpadded`](Self::compute_unpadded). A key authenticates one message only, which is why
/// there is no `Mac` implementation.
///
/// The state is at most 512 bytes. With the feature `zeroize` it is wiped when it is dropped.
#[derive(Clone)]
pub struct Poly1305 {
    pub(crate) mac: engine::Mac,
}

impl Poly1305 {
    /// Like [`KeyInit::new`](universal_hash::KeyInit::new), on a backend of one's own choice.
    ///
    /// **Unstable**: meant for tests and benchmarks, and outside of semantic versioning.
    ///
    /// ```
    /// use poly1305_simd::{Backend, Key, Poly1305};
    ///
    /// let key = Key::from([0x42; 32]);
    /// let tag = Poly1305::with_backend(&key, Backend::Soft).compute_unpadded(b"message");
    /// for backend in Backend::available() {
    ///     assert_eq!(Poly1305::with_backend(&key, backend).compute_unpadded(b"message"), tag);
    /// }
    /// ```
    #[inline]
    pub fn with_backend(key: &Key, backend: Backend) -> Self {
        Self { mac: engine::Mac::new(key.as_ref(), backend) }
    }

    /// The tag of a message that ends with `data`, a last partial block ended by a one instead of
    /// filled up with zeros: plain Poly1305, as in RFC 8439 and in `crypto_secretbox`.
    ///
    /// ```
    /// use poly1305_simd::{Key, Poly1305, universal_hash::KeyInit};
    ///
    /// let tag = Poly1305::new(&Key::from([0x42; 32])).compute_unpadded(b"any length");
    /// assert_eq!(tag.len(), 16);
    /// ```
    #[inline]
    #[must_use]
    pub fn compute_unpadded(mut self, data: &[u8]) -> Tag {
        let (whole, rest) = data.split_at(data.len() & !15);
        self.mac.blocks(whole);
        if !rest.is_empty() {
            self.mac.partial(rest);
        }
        self.mac.finish().into()
    }
}

impl fmt::Debug for Poly1305 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Poly1305").finish_non_exhaustive()
    }
}
