//! An extension of `aead` 0.5 for messages that lie in several slices.

use core::ops::Range;

use aead::{AeadCore, Nonce, Result, Tag};
use chacha20_simd::{Ietf, Rounds, X};

use crate::chachapoly::ChaChaPoly1305;

/// An AEAD that seals and opens a message that lies in several slices, without copying it into one.
///
/// The slices count as one buffer, one behind the other; any of them may be empty. The message is
/// the range `text` of that buffer, whatever slices it begins and ends in; what is around it stays
/// as it is.
///
/// ```
/// use chacha20poly1305_esp::{ChaCha20Poly1305, SegmentedAead, aead::{AeadInPlace, KeyInit}};
///
/// let aead = ChaCha20Poly1305::new(&[0x42; 32].into());
/// let nonce = [7; 12].into();
/// let (mut a, mut b) = (*b"header | hel", *b"lo | trailer");
/// let mut segments = [&mut a[..], &mut b[..]];
/// let tag = aead.encrypt_segments_detached(&nonce, b"", &mut segments, 9..14)?;
///
/// let mut whole = *b"hello";
/// assert_eq!(aead.encrypt_in_place_detached(&nonce, b"", &mut whole)?, tag);
///
/// aead.decrypt_segments_detached(&nonce, b"", &mut segments, 9..14, &tag)?;
/// assert_eq!(a, *b"header | hel");
/// assert_eq!(b, *b"lo | trailer");
/// # Ok::<(), chacha20poly1305_esp::aead::Error>(())
/// ```
pub trait SegmentedAead: AeadCore {
    /// Encrypts the range in place; the tag.
    ///
    /// # Errors
    /// With nothing written: the range is none of the slices', or the message is too long.
    fn encrypt_segments_detached(
        &self,
        nonce: &Nonce<Self>,
        associated_data: &[u8],
        segments: &mut [&mut [u8]],
        text: Range<usize>,
    ) -> Result<Tag<Self>>;

    /// Decrypts the range in place, if the tag is right.
    ///
    /// # Errors
    /// With nothing written: the tag is wrong, the range is none of the slices', or the message is
    /// too long.
    fn decrypt_segments_detached(
        &self,
        nonce: &Nonce<Self>,
        associated_data: &[u8],
        segments: &mut [&mut [u8]],
        text: Range<usize>,
        tag: &Tag<Self>,
    ) -> Result<()>;
}

macro_rules! impl_segmented {
    ($($variant:ty),*) => {$(
        impl<R: Rounds> SegmentedAead for ChaChaPoly1305<R, $variant> {
            fn encrypt_segments_detached(
                &self,
                nonce: &Nonce<Self>,
                associated_data: &[u8],
                segments: &mut [&mut [u8]],
                text: Range<usize>,
            ) -> Result<Tag<Self>> {
                let nonce = nonce.as_ref();
                Ok(self.seal_segments(nonce, associated_data, segments, text)?.into())
            }

            fn decrypt_segments_detached(
                &self,
                nonce: &Nonce<Self>,
                associated_data: &[u8],
                segments: &mut [&mut [u8]],
                text: Range<usize>,
                tag: &Tag<Self>,
            ) -> Result<()> {
                let (nonce, tag) = (nonce.as_ref(), tag.as_ref());
                Ok(self.open_segments(nonce, associated_data, segments, text, tag)?)
            }
        }
    )*};
}

impl_segmented!(Ietf, X);
