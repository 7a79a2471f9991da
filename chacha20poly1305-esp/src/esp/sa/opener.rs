//! Verifying and decrypting, apart from the numbers: what may run on several threads at once.

use crate::esp::packet::{Parsed, trailer_or_wipe};
use crate::esp::{Error, ICV_LEN, Opened, PaddingPolicy, SequenceNumber, Spi};
use aead::AeadInPlace;
use aead::consts::{U0, U8, U16};
use core::fmt;

/// A packet that may be verified: it is whole, of this SA, and new as far as one can tell.
#[derive(Clone, Copy, Debug)]
pub struct Checked {
    pub(super) parsed: Parsed,
    pub(super) number: u64,
    pub(super) extended: bool,
}

impl Checked {
    /// The number that the packet claims, its high half inferred.
    #[must_use]
    pub fn sequence(&self) -> SequenceNumber {
        SequenceNumber::new(self.number, self.extended)
    }
}

/// An authentic packet whose number is not yet marked as received.
#[derive(Clone, Debug)]
pub struct Verified {
    pub(super) spi: Spi,
    pub(super) number: u64,
    extended: bool,
    good_padding: bool,
    next_header: u8,
    payload_start: usize,
    payload_len: usize,
}

impl Verified {
    /// What there is to tell about the packet once its number is marked.
    #[inline]
    pub(super) fn opened(self) -> Result<Opened, Error> {
        if !self.good_padding {
            return Err(Error::BadPadding);
        }
        Ok(Opened {
            spi: self.spi,
            sequence: SequenceNumber::new(self.number, self.extended),
            payload: self.payload_start..self.payload_start + self.payload_len,
            next_header: self.next_header,
        })
    }
}

/// The part of an inbound SA that verifies and decrypts. It never changes, so several threads can use one.
pub struct Opener<A> {
    pub(super) aead: A,
    pub(super) spi: Spi,
    pub(super) extended: bool,
    pub(super) implicit_iv: bool,
    pub(super) aligned: bool,
    pub(super) padding: PaddingPolicy,
}

impl<A> Opener<A>
where
    A: AeadInPlace<NonceSize = U8, TagSize = U16, CiphertextOverhead = U0>,
{
    /// Second step: verifies and decrypts the packet that was checked, in place.
    ///
    /// # Errors
    /// [`Error::AuthFailed`] with `packet` unchanged; [`Error::Malformed`] if `packet` has not the length
    /// of the one that was checked. Wrong padding comes to light when the result is committed.
    #[inline]
    pub fn open(&self, checked: &Checked, packet: &mut [u8]) -> Result<Verified, Error> {
        let Parsed { text, icv, .. } = checked.parsed;
        let Some((rest, icv)) = packet.split_at_mut_checked(icv) else {
            return Err(Error::Malformed);
        };
        self.verify(checked, &mut rest[text..], icv, text)
    }

    /// The same between two buffers, as [`InboundSa::open_into`](crate::esp::InboundSa::open_into).
    ///
    /// # Errors
    /// As [`open`](Self::open); [`Error::BufferTooSmall`].
    #[inline]
    pub fn open_into(
        &self,
        checked: &Checked,
        packet: &[u8],
        out: &mut [u8],
    ) -> Result<Verified, Error> {
        let Parsed { text, icv, .. } = checked.parsed;
        let Some((rest, icv)) = packet.split_at_checked(icv) else {
            return Err(Error::Malformed);
        };
        let ciphertext = &rest[text..];
        let text = out.get_mut(..ciphertext.len()).ok_or(Error::BufferTooSmall)?;
        text.copy_from_slice(ciphertext);
        self.verify(checked, text, icv, 0).inspect_err(|_| text.fill(0))
    }

    #[inline]
    fn verify(
        &self,
        checked: &Checked,
        text: &mut [u8],
        icv: &[u8],
        payload_start: usize,
    ) -> Result<Verified, Error> {
        if icv.len() != ICV_LEN {
            return Err(Error::Malformed);
        }
        checked.parsed.decrypt(&self.aead, checked.sequence(), text, icv)?;
        Ok(self.verified(checked, payload_start, trailer_or_wipe(text, self.padding)))
    }
}

impl<A> Opener<A> {
    /// A packet whose ICV was right, with what its trailer says.
    #[inline]
    pub(super) fn verified(
        &self,
        checked: &Checked,
        payload_start: usize,
        trailer: Result<(usize, u8), Error>,
    ) -> Verified {
        let Checked { number, extended, .. } = *checked;
        let (good_padding, (payload_len, next_header)) =
            (trailer.is_ok(), trailer.unwrap_or_default());
        let spi = self.spi;
        Verified { spi, number, extended, good_padding, next_header, payload_start, payload_len }
    }
}

impl<A: Clone> Clone for Opener<A> {
    fn clone(&self) -> Self {
        Self { aead: self.aead.clone(), ..*self }
    }
}

impl<A> fmt::Debug for Opener<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Opener")
            .field("spi", &self.spi)
            .field("extended", &self.extended)
            .field("implicit_iv", &self.implicit_iv)
            .field("padding", &self.padding)
            .finish_non_exhaustive()
    }
}
