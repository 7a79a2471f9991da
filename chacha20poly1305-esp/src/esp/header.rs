//! The clear part of a packet: SPI, sequence number, IV, and the associated data that binds them.

use super::{Error, SequenceNumber};
use core::fmt;
use core::num::NonZeroU32;

/// Octets of SPI and sequence number.
pub const HEADER_LEN: usize = 8;
/// Octets of an explicit IV.
pub const IV_LEN: usize = 8;
/// Octets of the ICV. RFC 7634 section 2 and RFC 4106 section 6 in this form know no other length.
pub const ICV_LEN: usize = 16;

/// A security parameters index: which security association a packet belongs to.
///
/// Never 0. The numbers 1 to 255 are reserved by IANA (RFC 4303 section 2.1), but a peer may have been
/// configured with one, so they are allowed here.
///
/// ```
/// use chacha20poly1305_esp::esp::{Error, Spi};
/// assert_eq!(Spi::new(0x1001)?.to_string(), "0x00001001");
/// assert_eq!(Spi::new(0), Err(Error::SpiZero));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Spi(NonZeroU32);

impl Spi {
    /// The SPI with this number.
    ///
    /// # Errors
    /// [`Error::SpiZero`] for 0.
    pub const fn new(number: u32) -> Result<Self, Error> {
        match NonZeroU32::new(number) {
            Some(n) => Ok(Self(n)),
            None => Err(Error::SpiZero),
        }
    }

    /// The number.
    #[must_use]
    pub const fn get(self) -> u32 {
        self.0.get()
    }
}

impl fmt::Display for Spi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#010x}", self.0)
    }
}

/// The nonce's share of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Iv {
    /// 8 octets on the wire. They may be anything that never repeats under one key; a counter is
    /// recommended (RFC 7634 section 2).
    Explicit([u8; IV_LEN]),
    /// No octets on the wire: the IV is the sequence number in 64 bits (RFC 8750 section 4). Only for
    /// an SA that was negotiated so.
    Implicit,
}

impl Iv {
    /// The 8 octets that follow the salt in the nonce.
    #[inline]
    pub(super) const fn octets(&self, sequence: SequenceNumber) -> [u8; IV_LEN] {
        match self {
            Self::Explicit(octets) => *octets,
            Self::Implicit => sequence.value().to_be_bytes(),
        }
    }

    /// Octets on the wire.
    #[inline]
    pub(super) const fn wire_len(&self) -> usize {
        match self {
            Self::Explicit(_) => IV_LEN,
            Self::Implicit => 0,
        }
    }
}

/// The first 8 octets of a packet, before anything is authenticated: enough to find the SA.
///
/// ```
/// use chacha20poly1305_esp::esp::Header;
/// let header = Header::parse(&[0, 0, 0x10, 1, 0, 0, 0, 5, 0xee])?;
/// assert_eq!((header.spi.get(), header.sequence), (0x1001, 5));
/// # Ok::<(), chacha20poly1305_esp::esp::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Header {
    /// The SPI.
    pub spi: Spi,
    /// The sequence number's low 32 bits.
    pub sequence: u32,
}

impl Header {
    /// Reads the header of `packet`.
    ///
    /// # Errors
    /// [`Error::Malformed`] if there are fewer than 8 octets or the SPI is 0.
    #[inline]
    pub fn parse(packet: &[u8]) -> Result<Self, Error> {
        let Some(octets) = packet.first_chunk() else {
            return Err(Error::Malformed);
        };
        let both = u64::from_be_bytes(*octets);
        match Spi::new((both >> 32) as u32) {
            Ok(spi) => Ok(Self { spi, sequence: both as u32 }),
            Err(_) => Err(Error::Malformed),
        }
    }

    #[inline]
    pub(super) fn to_octets(self) -> [u8; HEADER_LEN] {
        (u64::from(self.spi.get()) << 32 | u64::from(self.sequence)).to_be_bytes()
    }
}

/// Associated data: SPI and sequence number, the latter in 4 or 8 octets (RFC 7634 section 2.1). The IV
/// is no part of it, since the nonce binds it.
pub(super) struct Aad {
    octets: [u8; 12],
    len: usize,
}

impl Aad {
    // The first 8 octets are stored as one word, since the MAC loads them as one: a load that spans two
    // stores waits until both have left the store buffer.
    #[inline]
    pub(super) fn new(spi: Spi, sequence: SequenceNumber) -> Self {
        let spi = u64::from(spi.get()) << 32;
        let (first, last, len) = match sequence {
            SequenceNumber::Short(low) => (spi | u64::from(low), 0, 8),
            SequenceNumber::Extended(number) => (spi | number >> 32, number as u32, 12),
        };
        let mut octets = [0; 12];
        octets[..8].copy_from_slice(&first.to_be_bytes());
        octets[8..].copy_from_slice(&last.to_be_bytes());
        Self { octets, len }
    }

    #[inline]
    pub(super) fn as_slice(&self) -> &[u8] {
        &self.octets[..self.len]
    }
}
