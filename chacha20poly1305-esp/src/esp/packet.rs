//! One packet, sealed or opened, without the state of a security association.

use super::header::{Aad, HEADER_LEN, ICV_LEN, IV_LEN};
use super::padding::{TRAILER_LEN, minimal_pad, read_trailer, write_trailer};
use super::{Error, Header, Iv, PaddingPolicy, SequenceNumber, Spi};
use aead::consts::{U0, U8, U16};
use aead::generic_array::GenericArray;
use aead::{AeadInPlace, Tag};
use core::ops::Range;

/// Octets that [`seal_packet`] needs before the payload: header and explicit IV.
pub const HEADROOM: usize = HEADER_LEN + IV_LEN;
/// Octets that [`seal_packet`] needs behind a payload of any length, without TFC padding: 3 of padding,
/// pad length, next header, ICV.
pub const TAILROOM: usize = 3 + TRAILER_LEN + ICV_LEN;

/// Next header of an IPv4 packet in tunnel mode.
pub const NEXT_HEADER_IPV4: u8 = 4;
/// Next header of an IPv6 packet in tunnel mode.
pub const NEXT_HEADER_IPV6: u8 = 41;
/// Next header of a dummy packet, whose payload means nothing and which receivers discard without an
/// error (RFC 4303 section 2.6).
pub const NEXT_HEADER_DUMMY: u8 = 59;

/// Everything in a packet beside its payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fields {
    /// Which security association the packet belongs to.
    pub spi: Spi,
    /// The number of the packet; never 0.
    pub sequence: SequenceNumber,
    /// The IV; no two packets under one key may have the same.
    pub iv: Iv,
    /// Protocol of the payload: [`NEXT_HEADER_IPV4`], [`NEXT_HEADER_IPV6`], in transport mode TCP etc.
    pub next_header: u8,
    /// Zero octets between payload and padding, to hide the payload's length (RFC 4303 section 2.7).
    /// The payload must tell its own length, as IP packets do.
    pub tfc_padding: usize,
}

/// What [`open_packet`] cannot see from the packet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct OpenOptions {
    /// High half of the extended sequence number, or `None` without ESN.
    pub sequence_high: Option<u32>,
    /// The IV is not sent but is the sequence number (RFC 8750).
    pub implicit_iv: bool,
    /// How much of the padding is checked.
    pub padding: PaddingPolicy,
}

/// An opened packet.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Opened {
    /// The SPI.
    pub spi: Spi,
    /// The sequence number that the ICV was right for.
    pub sequence: SequenceNumber,
    /// Where the payload lies, with any TFC padding behind it.
    pub payload: Range<usize>,
    /// Protocol of the payload.
    pub next_header: u8,
}

impl Opened {
    /// Whether this is a dummy packet, to be discarded without an error.
    #[must_use]
    pub const fn is_dummy(&self) -> bool {
        self.next_header == NEXT_HEADER_DUMMY
    }
}

/// Length of a packet with an explicit IV, a payload of `payload_len` octets and no TFC padding:
/// 34 octets more, and up to 3 of padding. An implicit IV makes it 8 octets shorter.
///
/// Saturates at `usize::MAX`.
///
/// ```
/// use chacha20poly1305_esp::esp::sealed_len;
/// assert_eq!([0, 2, 3, 1446].map(sealed_len), [36, 36, 40, 1480]);
/// ```
#[must_use]
pub const fn sealed_len(payload_len: usize) -> usize {
    payload_len
        .saturating_add(HEADROOM + TRAILER_LEN + ICV_LEN)
        .saturating_add(minimal_pad(payload_len))
}

/// Where things lie in a packet that starts at 0.
struct Layout {
    /// Start of the text: behind header and IV.
    text: usize,
    /// Start of the ICV.
    icv: usize,
    /// End of the packet.
    end: usize,
}

impl Layout {
    fn new(fields: &Fields, payload_len: usize) -> Result<Self, Error> {
        if fields.sequence.value() == 0 {
            return Err(Error::SequenceZero);
        }
        let text = HEADER_LEN + fields.iv.wire_len();
        let padded = payload_len.saturating_add(fields.tfc_padding);
        let icv = padded.saturating_add(minimal_pad(padded)).saturating_add(text + TRAILER_LEN);
        let end = icv.saturating_add(ICV_LEN);
        // Also what the sums saturate to on 32-bit targets; a packet's length is even, so never equal.
        // Either AEAD can seal far more under one nonce, so that sealing itself cannot fail.
        if end >= u32::MAX as usize {
            return Err(Error::TooLong);
        }
        Ok(Self { text, icv, end })
    }
}

/// Seals the payload at `payload` in `buffer`, in place, and returns where the packet lies.
///
/// The packet starts [`HEADROOM`] octets before the payload (8 with an implicit IV) and ends
/// [`sealed_len`] octets later, TFC padding apart. The rest of `buffer` is not touched.
///
/// ```
/// # use chacha20poly1305_esp::aead::KeyInit;
/// # use chacha20poly1305_esp::esp::{self, Fields, HEADROOM, Iv, Rfc7539Esp, SequenceNumber, Spi, TAILROOM};
/// # let aead = Rfc7539Esp::new_from_slice(&[0x42; 36]).unwrap();
/// # let fields = Fields { spi: Spi::new(7)?, sequence: SequenceNumber::Extended(1 << 32), iv: Iv::Explicit([0; 8]),
/// #     next_header: esp::NEXT_HEADER_IPV6, tfc_padding: 0 };
/// let payload = b"a packet";
/// let mut buffer = [0; HEADROOM + 8 + TAILROOM];
/// buffer[HEADROOM..][..8].copy_from_slice(payload);
/// let packet = esp::seal_packet(&aead, &fields, &mut buffer, HEADROOM..HEADROOM + 8)?;
/// assert_eq!(packet, 0..esp::sealed_len(8));
/// # Ok::<(), esp::Error>(())
/// ```
///
/// # Errors
/// With nothing written: [`Error::SequenceZero`]; [`Error::BufferTooSmall`] if the packet does not fit
/// around the payload, or the range is none of `buffer`'s; [`Error::TooLong`] beyond 2^32 - 1 octets.
pub fn seal_packet<A>(
    aead: &A,
    fields: &Fields,
    buffer: &mut [u8],
    payload: Range<usize>,
) -> Result<Range<usize>, Error>
where
    A: AeadInPlace<NonceSize = U8, TagSize = U16, CiphertextOverhead = U0>,
{
    let Some(payload_len) = payload.end.checked_sub(payload.start) else {
        return Err(Error::BufferTooSmall);
    };
    let layout = Layout::new(fields, payload_len)?;
    let start = payload.start.checked_sub(layout.text).ok_or(Error::BufferTooSmall)?;
    let packet = buffer.get_mut(start..).and_then(|b| b.get_mut(..layout.end));
    seal_at(aead, fields, packet.ok_or(Error::BufferTooSmall)?, payload_len, &layout)?;
    Ok(start..start + layout.end)
}

/// Seals `payload` into the front of `out` and returns the length of the packet.
///
/// # Errors
/// As [`seal_packet`], with nothing written.
pub fn seal_packet_into<A>(
    aead: &A,
    fields: &Fields,
    payload: &[u8],
    out: &mut [u8],
) -> Result<usize, Error>
where
    A: AeadInPlace<NonceSize = U8, TagSize = U16, CiphertextOverhead = U0>,
{
    let layout = Layout::new(fields, payload.len())?;
    let packet = out.get_mut(..layout.end).ok_or(Error::BufferTooSmall)?;
    packet[layout.text..][..payload.len()].copy_from_slice(payload);
    seal_at(aead, fields, packet, payload.len(), &layout)?;
    Ok(layout.end)
}

/// Seals a packet that is exactly `packet`, with its payload in place.
fn seal_at<A>(
    aead: &A,
    fields: &Fields,
    packet: &mut [u8],
    payload_len: usize,
    layout: &Layout,
) -> Result<(), Error>
where
    A: AeadInPlace<NonceSize = U8, TagSize = U16, CiphertextOverhead = U0>,
{
    let (head, rest) = packet.split_at_mut(layout.text);
    let (text, icv) = rest.split_at_mut(layout.icv - layout.text);
    write_trailer(text, payload_len, fields.tfc_padding, fields.next_header);
    let iv = fields.iv.octets(fields.sequence);
    let tag = aead
        .encrypt_in_place_detached(
            GenericArray::from_slice(&iv),
            Aad::new(fields.spi, fields.sequence).as_slice(),
            text,
        )
        .map_err(|_| Error::TooLong)?;
    icv.copy_from_slice(&tag);
    let header = Header { spi: fields.spi, sequence: fields.sequence.low() };
    head[..HEADER_LEN].copy_from_slice(&header.to_octets());
    head[HEADER_LEN..].copy_from_slice(&iv[..fields.iv.wire_len()]);
    Ok(())
}

/// The parts of a received packet, before it is authenticated.
struct Received {
    spi: Spi,
    sequence: SequenceNumber,
    iv: [u8; IV_LEN],
    /// Start of the text.
    text: usize,
    /// Start of the ICV.
    icv: usize,
}

impl Received {
    fn parse(packet: &[u8], options: &OpenOptions) -> Result<Self, Error> {
        let Header { spi, sequence: low } = Header::parse(packet)?;
        let sequence = match options.sequence_high {
            None => SequenceNumber::Short(low),
            Some(high) => SequenceNumber::Extended(u64::from(high) << 32 | u64::from(low)),
        };
        let iv = match options.implicit_iv {
            true => Iv::Implicit,
            false => {
                Iv::Explicit(packet[HEADER_LEN..].first_chunk().copied().ok_or(Error::Malformed)?)
            }
        };
        let text = HEADER_LEN + iv.wire_len();
        let icv = packet.len().checked_sub(ICV_LEN).ok_or(Error::Malformed)?;
        if icv < text + TRAILER_LEN {
            return Err(Error::Malformed);
        }
        if sequence.value() == 0 {
            return Err(Error::SequenceZero);
        }
        Ok(Self { spi, sequence, iv: iv.octets(sequence), text, icv })
    }

    /// Decrypts `text` in place; says how long its payload is, and the next header. If the padding is
    /// wrong, `text` is wiped: nobody shall use what is no packet.
    fn open<A>(
        &self,
        aead: &A,
        text: &mut [u8],
        icv: &[u8],
        policy: PaddingPolicy,
    ) -> Result<(usize, u8), Error>
    where
        A: AeadInPlace<NonceSize = U8, TagSize = U16, CiphertextOverhead = U0>,
    {
        aead.decrypt_in_place_detached(
            GenericArray::from_slice(&self.iv),
            Aad::new(self.spi, self.sequence).as_slice(),
            text,
            Tag::<A>::from_slice(icv),
        )
        .map_err(|_| Error::AuthFailed)?;
        read_trailer(text, policy).inspect_err(|_| text.fill(0))
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
    let received = Received::parse(packet, options)?;
    let (rest, icv) = packet.split_at_mut(received.icv);
    let (len, next_header) =
        received.open(aead, &mut rest[received.text..], icv, options.padding)?;
    let Received { spi, sequence, text, .. } = received;
    Ok(Opened { spi, sequence, payload: text..text + len, next_header })
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
    let received = Received::parse(packet, options)?;
    let (ciphertext, icv) = packet[received.text..].split_at(received.icv - received.text);
    let text = out.get_mut(..ciphertext.len()).ok_or(Error::BufferTooSmall)?;
    text.copy_from_slice(ciphertext);
    let (len, next_header) =
        received.open(aead, text, icv, options.padding).inspect_err(|_| text.fill(0))?;
    let Received { spi, sequence, .. } = received;
    Ok(Opened { spi, sequence, payload: 0..len, next_header })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_at_the_limit() {
        let fields = |tfc_padding| Fields {
            spi: Spi::new(1).unwrap(),
            sequence: SequenceNumber::Short(1),
            iv: Iv::Explicit([0; IV_LEN]),
            next_header: NEXT_HEADER_IPV4,
            tfc_padding,
        };
        let longest = u32::MAX as usize - 3 - 34;
        assert_eq!(Layout::new(&fields(0), longest).unwrap().end, sealed_len(longest));
        for (payload, tfc) in [(longest + 1, 0), (longest, 1), (usize::MAX, 0), (1, usize::MAX)] {
            assert_eq!(Layout::new(&fields(tfc), payload).err(), Some(Error::TooLong));
        }
        assert_eq!(sealed_len(usize::MAX), usize::MAX);
    }
}
