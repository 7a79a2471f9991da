//! A receiver's inbound SAs, found by SPI.

extern crate alloc;

use super::{Error, Header, InboundSa, Received, Spi};
use aead::AeadInPlace;
use aead::consts::{U0, U8, U16};
use alloc::vec::Vec;
use core::fmt;

/// Inbound SAs, at most one for each SPI.
///
/// A sorted list: a receiver chooses its SPIs itself and has few of them, compared with how often it looks
/// one up.
///
/// ```
/// use chacha20poly1305_esp::esp::{Error, InboundSa, OutboundSa, Rfc7539Esp, SaTable};
///
/// let mut table = SaTable::new();
/// for spi in [0x1001, 0x1002] {
///     assert!(table.insert(InboundSa::<Rfc7539Esp>::new(spi, &[spi as u8; 36])?).is_none());
/// }
/// let mut packet = [0; 36];
/// OutboundSa::<Rfc7539Esp>::new(0x1002, &[2; 36])?.seal_into(17, b"", &mut packet)?;
/// assert!(table.open(&mut packet).is_ok());
///
/// packet[3] = 3;
/// assert_eq!(table.open(&mut packet), Err(Error::UnknownSpi));
/// assert_eq!(table.unknown_spi(), 1);
/// # Ok::<(), Error>(())
/// ```
pub struct SaTable<A, S = [u64; 2]> {
    /// In the order of their SPIs.
    sas: Vec<InboundSa<A, S>>,
    unknown_spi: u64,
    malformed: u64,
}

impl<A, S> SaTable<A, S> {
    /// An empty table.
    #[must_use]
    pub const fn new() -> Self {
        Self { sas: Vec::new(), unknown_spi: 0, malformed: 0 }
    }

    fn find(&self, spi: Spi) -> Result<usize, usize> {
        self.sas.binary_search_by_key(&spi, InboundSa::spi)
    }

    /// Puts an SA in; returns the one with the same SPI that it replaces.
    pub fn insert(&mut self, sa: InboundSa<A, S>) -> Option<InboundSa<A, S>> {
        match self.find(sa.spi()) {
            Ok(index) => Some(core::mem::replace(&mut self.sas[index], sa)),
            Err(index) => {
                self.sas.insert(index, sa);
                None
            }
        }
    }

    /// Takes an SA out.
    pub fn remove(&mut self, spi: Spi) -> Option<InboundSa<A, S>> {
        self.find(spi).ok().map(|index| self.sas.remove(index))
    }

    /// The SA with this SPI.
    #[must_use]
    pub fn get(&self, spi: Spi) -> Option<&InboundSa<A, S>> {
        self.find(spi).ok().map(|index| &self.sas[index])
    }

    /// The SA with this SPI.
    #[must_use]
    pub fn get_mut(&mut self, spi: Spi) -> Option<&mut InboundSa<A, S>> {
        self.find(spi).ok().map(|index| &mut self.sas[index])
    }

    /// All SAs, in the order of their SPIs.
    #[must_use]
    pub fn as_slice(&self) -> &[InboundSa<A, S>] {
        &self.sas
    }

    /// All SAs, in the order of their SPIs: for [`open_batch`](super::open_batch), with the indices that
    /// [`index_for`](Self::index_for) tells.
    #[must_use]
    pub fn as_mut_slice(&mut self) -> &mut [InboundSa<A, S>] {
        &mut self.sas
    }

    /// Index of the SA that a packet is for. Good until the table changes.
    ///
    /// # Errors
    /// [`Error::Malformed`] if the packet has no header; [`Error::UnknownSpi`]. Both are counted.
    pub fn index_for(&mut self, packet: &[u8]) -> Result<usize, Error> {
        let header = Header::parse(packet)
            .inspect_err(|_| self.malformed = self.malformed.wrapping_add(1))?;
        self.find(header.spi).map_err(|_| {
            self.unknown_spi = self.unknown_spi.wrapping_add(1);
            Error::UnknownSpi
        })
    }

    /// How many packets had an SPI that no SA has.
    #[must_use]
    pub const fn unknown_spi(&self) -> u64 {
        self.unknown_spi
    }

    /// How many packets had no header, or SPI 0.
    #[must_use]
    pub const fn malformed(&self) -> u64 {
        self.malformed
    }
}

impl<A, S> SaTable<A, S>
where
    A: AeadInPlace<NonceSize = U8, TagSize = U16, CiphertextOverhead = U0>,
    S: AsRef<[u64]> + AsMut<[u64]>,
{
    /// Opens `packet` in place with the SA that it is for.
    ///
    /// # Errors
    /// As [`index_for`](Self::index_for) and [`InboundSa::open`].
    pub fn open(&mut self, packet: &mut [u8]) -> Result<Received, Error> {
        let index = self.index_for(packet)?;
        self.sas[index].open(packet)
    }
}

impl<A, S> Default for SaTable<A, S> {
    fn default() -> Self {
        Self::new()
    }
}

impl<A, S> fmt::Debug for SaTable<A, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SaTable")
            .field("sas", &self.sas)
            .field("unknown_spi", &self.unknown_spi)
            .field("malformed", &self.malformed)
            .finish()
    }
}
