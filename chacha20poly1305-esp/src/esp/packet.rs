//! One packet, sealed or opened, without the state of a security association.

mod open;
mod seal;
mod segments;

pub(super) use open::{Parsed, trailer_or_wipe};
pub use open::{open_packet, open_packet_into};
pub(super) use seal::Layout;
pub use seal::{seal_packet, seal_packet_into};
pub(super) use segments::SegmentedTrailer;

use super::header::{HEADER_LEN, ICV_LEN, IV_LEN};
use super::padding::{TRAILER_LEN, minimal_pad};
use super::{Error, Iv, PaddingPolicy, SequenceNumber, Spi};
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

fn refuse_zero(sequence: SequenceNumber) -> Result<(), Error> {
    if sequence.value() == 0 { Err(Error::SequenceZero) } else { Ok(()) }
}
