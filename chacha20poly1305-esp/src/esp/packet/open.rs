//! Opening: what a packet says in clear, then what it hides.

use super::{OpenOptions, Opened, refuse_zero};
use crate::esp::header::{Aad, HEADER_LEN, ICV_LEN};
use crate::esp::padding::{TRAILER_LEN, read_trailer};
use crate::esp::{Error, Header, Iv, PaddingPolicy, SequenceNumber};
use aead::consts::{U0, U8, U16};
use aead::generic_array::GenericArray;
use aead::{AeadInPlace, Tag};

/// The parts of a received packet, before it is authenticated.
#[derive(Clone, Copy, Debug)]
pub(in crate::esp) struct Parsed {
    pub(in crate::esp) header: Header,
    pub(super) iv: Iv,
    /// Start of the text.
    pub(in crate::esp) text: usize,
    /// Start of the ICV.
    pub(in crate::esp) icv: usize,
}

impl Parsed {
    #[inline]
    pub(in crate::esp) fn new(packet: &[u8], implicit_iv: bool) -> Result<Self, Error> {
        Self::of(packet, packet.len(), implicit_iv)
    }

    /// Of a packet of `len` octets that starts with `head`, which holds header and IV if it has them.
    #[inline]
    pub(in crate::esp) fn of(head: &[u8], len: usize, implicit_iv: bool) -> Result<Self, Error> {
        let header = Header::parse(head)?;
        let iv = match head[HEADER_LEN..].first_chunk() {
            _ if implicit_iv => Iv::Implicit,
            Some(octets) => Iv::Explicit(*octets),
            None => return Err(Error::Malformed),
        };
        let text = HEADER_LEN + iv.wire_len();
        match len.checked_sub(ICV_LEN) {
            Some(icv) if icv >= text + TRAILER_LEN => Ok(Self { header, iv, text, icv }),
            _ => Err(Error::Malformed),
        }
    }

    /// Decrypts `text` in place if `icv` is right for it.
    #[inline]
    pub(in crate::esp) fn decrypt<A>(
        &self,
        aead: &A,
        sequence: SequenceNumber,
        text: &mut [u8],
        icv: &[u8],
    ) -> Result<(), Error>
    where
        A: AeadInPlace<NonceSize = U8, TagSize = U16, CiphertextOverhead = U0>,
    {
        aead.decrypt_in_place_detached(
            GenericArray::from_slice(&self.iv.octets(sequence)),
            Aad::new(self.header.spi, sequence).as_slice(),
            text,
            Tag::<A>::from_slice(icv),
        )
        .map_err(|_| Error::AuthFailed)
    }
}

/// Length of the payload in a decrypted text, and the next header. If the padding is wrong, `text` is
/// wiped: nobody shall use what is no packet.
#[inline]
pub(in crate::esp) fn trailer_or_wipe(
    text: &mut [u8],
    policy: PaddingPolicy,
) -> Result<(usize, u8), Error> {
    read_trailer(text, policy).inspect_err(|_| text.fill(0))
}

impl OpenOptions {
    fn sequence(&self, low: u32) -> Result<SequenceNumber, Error> {
        let sequence = match self.sequence_high {
            None => SequenceNumber::Short(low),
            Some(high) => SequenceNumber::Extended(u64::from(high) << 32 | u64::from(low)),
        };
        refuse_zero(sequence)?;
        Ok(sequence)
    }
}

/// Opens `packet` in place and returns where its payload lies in it.
///
/// Header, IV and ICV stay as they are; padding and trailer stay behind the payload in clear. Checks, in
/// this order: length and SPI, sequence number 0, ICV, padding. Whether the number is new is for the
/// caller to know.
///
/// ```
/// # use chacha20poly1305_esp::aead::KeyInit;
/// # use chacha20poly1305_esp::esp::{self, OpenOptions, Rfc7539Esp};
/// # let aead = Rfc7539Esp::new_from_slice(&[0x42; 36]).unwrap();
/// let mut forged = [1; 44];
/// let result = esp::open_packet(&aead, &mut forged, &OpenOptions::default());
/// assert_eq!(result, Err(esp::Error::AuthFailed));
/// assert_eq!(forged, [1; 44]);
/// ```
///
/// # Errors
/// With `packet` unchanged: [`Error::Malformed`], [`Error::SequenceZero`], [`Error::AuthFailed`] (as far
/// as `A` keeps the ciphertext, which all AEADs named in this module do). [`Error::BadPadding`] leaves
/// header, IV and ICV, and zeros between them.
pub fn open_packet<A>(aead: &A, packet: &mut [u8], options: &OpenOptions) -> Result<Opened, Error>
where
    A: AeadInPlace<NonceSize = U8, TagSize = U16, CiphertextOverhead = U0>,
{
    let parsed = Parsed::new(packet, options.implicit_iv)?;
    let sequence = options.sequence(parsed.header.sequence)?;
    let (rest, icv) = packet.split_at_mut(parsed.icv);
    let text = &mut rest[parsed.text..];
    parsed.decrypt(aead, sequence, text, icv)?;
    let (len, next_header) = trailer_or_wipe(text, options.padding)?;
    let payload = parsed.text..parsed.text + len;
    Ok(Opened { spi: parsed.header.spi, sequence, payload, next_header })
}

/// Opens `packet` into the front of `out`; the payload's range is one of `out`.
///
/// `out` must have room for the whole text, that is the packet without header, IV and ICV; padding and
/// trailer stay behind the payload in clear.
///
/// # Errors
/// As [`open_packet`], and [`Error::BufferTooSmall`], with nothing written. After [`Error::AuthFailed`]
/// and [`Error::BadPadding`] the part of `out` that the text would have taken is zero.
pub fn open_packet_into<A>(
    aead: &A,
    packet: &[u8],
    options: &OpenOptions,
    out: &mut [u8],
) -> Result<Opened, Error>
where
    A: AeadInPlace<NonceSize = U8, TagSize = U16, CiphertextOverhead = U0>,
{
    let parsed = Parsed::new(packet, options.implicit_iv)?;
    let sequence = options.sequence(parsed.header.sequence)?;
    let (ciphertext, icv) = packet[parsed.text..].split_at(parsed.icv - parsed.text);
    let text = out.get_mut(..ciphertext.len()).ok_or(Error::BufferTooSmall)?;
    text.copy_from_slice(ciphertext);
    parsed.decrypt(aead, sequence, text, icv).inspect_err(|_| text.fill(0))?;
    let (len, next_header) = trailer_or_wipe(text, options.padding)?;
    Ok(Opened { spi: parsed.header.spi, sequence, payload: 0..len, next_header })
}
