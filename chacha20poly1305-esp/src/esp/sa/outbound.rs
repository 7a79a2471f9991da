//! The sending side.

#[cfg(target_has_atomic = "64")]
use crate::esp::SharedSequence;
use crate::esp::packet::Layout;
use crate::esp::{Error, IV_LEN, Iv, NEXT_HEADER_DUMMY, Numbers, Sequence, SequenceNumber, Spi};
use aead::consts::{U0, U8, U16};
use aead::{AeadInPlace, KeyInit};
use core::fmt;
use core::ops::Range;

/// Where the IVs of an outbound SA come from. None of them repeats an IV under one key, as long as the
/// numbers do not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum IvSource {
    /// The sequence number in 64 bits, sent with each packet (RFC 7634 section 2 recommends a counter).
    #[default]
    Sequence,
    /// The sequence number XOR these octets, which may be random: then an observer of one IV cannot tell
    /// that it is a counter.
    Masked([u8; IV_LEN]),
    /// Whoever seals gives an IV with each packet, and answers for it that none repeats.
    Caller,
    /// The sequence number in 64 bits, not sent (RFC 8750). The peer must have agreed.
    Implicit,
}

impl IvSource {
    /// The IV for a number. `given` must be there for the caller's own IVs, and for no others.
    #[inline]
    fn iv(self, sequence: SequenceNumber, given: Option<[u8; IV_LEN]>) -> Iv {
        let number = sequence.value();
        match (self, given) {
            (Self::Implicit, _) => Iv::Implicit,
            (Self::Masked(mask), _) => {
                Iv::Explicit((number ^ u64::from_be_bytes(mask)).to_be_bytes())
            }
            (_, Some(iv)) => Iv::Explicit(iv),
            (_, None) => Iv::Explicit(number.to_be_bytes()),
        }
    }

    #[inline]
    const fn wire_len(self) -> usize {
        match self {
            Self::Implicit => 0,
            _ => IV_LEN,
        }
    }
}

/// What may differ from packet to packet. A plain next header is enough for most: it converts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SealOptions {
    next_header: u8,
    min_payload_len: usize,
    iv: Option<[u8; IV_LEN]>,
}

impl SealOptions {
    /// A payload of this protocol.
    #[must_use]
    pub const fn new(next_header: u8) -> Self {
        Self { next_header, min_payload_len: 0, iv: None }
    }

    /// A dummy packet (RFC 4303 section 2.6) with `len` octets of nothing, to be sealed with an empty
    /// payload.
    #[must_use]
    pub const fn dummy(len: usize) -> Self {
        Self { next_header: NEXT_HEADER_DUMMY, min_payload_len: len, iv: None }
    }

    /// With TFC padding that makes a shorter payload look `len` octets long (RFC 4303 section 2.7). Only
    /// for payloads that tell their own length, as IP packets do: see [`inner_len`](crate::esp::inner_len).
    #[must_use]
    pub const fn padded_to(self, len: usize) -> Self {
        Self { min_payload_len: len, ..self }
    }

    /// With this IV, for an SA with [`IvSource::Caller`].
    #[must_use]
    pub const fn with_iv(self, iv: [u8; IV_LEN]) -> Self {
        Self { iv: Some(iv), ..self }
    }
}

impl From<u8> for SealOptions {
    fn from(next_header: u8) -> Self {
        Self::new(next_header)
    }
}

/// The sending side of a security association: a key and the numbers that are left for it.
///
/// `A` is [`Rfc7539Esp`](crate::esp::Rfc7539Esp) or another [`SaltedAead`](crate::esp::SaltedAead). `N` counts: [`Sequence`] for one
/// owner, or [`SharedSequence`](crate::esp::SharedSequence) for several threads that seal on one SA through a shared reference.
///
/// There is no way to copy one, since two copies would seal two packets with the same number.
///
/// ```
/// use chacha20poly1305_esp::esp::{self, Error, HEADROOM, OutboundSa, Rfc7539Esp, TAILROOM};
///
/// let mut sa = OutboundSa::<Rfc7539Esp>::builder(0x1001, &[0x42; 36])?.esn(true).build()?;
/// // In place: the payload with room before and behind it.
/// let mut buffer = [0; HEADROOM + 100 + TAILROOM];
/// let packet = sa.seal(esp::NEXT_HEADER_IPV4, &mut buffer, HEADROOM..HEADROOM + 100)?;
/// assert_eq!(buffer[packet][..8], [0, 0, 0x10, 1, 0, 0, 0, 1]);
/// // From one buffer to another.
/// let len = sa.seal_into(esp::NEXT_HEADER_IPV4, &[0x45; 20], &mut buffer)?;
/// assert_eq!((len, sa.last()), (56, 2));
/// # Ok::<(), Error>(())
/// ```
///
/// ```compile_fail,E0277
/// fn copied<T: Clone>() {}
/// copied::<chacha20poly1305_esp::esp::OutboundSa<chacha20poly1305_esp::esp::Rfc7539Esp>>();
/// ```
pub struct OutboundSa<A, N = Sequence> {
    pub(super) sealer: Sealer<A>,
    pub(super) numbers: N,
    soft_limit: u64,
}

/// An outbound SA without its numbers.
pub(super) struct Sealer<A> {
    pub(super) aead: A,
    spi: Spi,
    iv: IvSource,
}

/// Options of an outbound SA.
pub struct OutboundBuilder<A> {
    sealer: Sealer<A>,
    extended: bool,
    first: u64,
    soft_limit: u64,
}

impl<A: KeyInit> OutboundSa<A> {
    /// A new SA without extended sequence numbers: those of the builder that nothing was asked of.
    ///
    /// # Errors
    /// As [`builder`](Self::builder).
    pub fn new(spi: u32, keymat: &[u8]) -> Result<Self, Error> {
        Self::builder(spi, keymat)?.build()
    }

    /// Starts an SA with this keying material: key and salt, 36 octets for RFC 7634.
    ///
    /// # Errors
    /// [`Error::SpiZero`] for SPI 0; [`Error::KeyLength`] if `keymat` has any other length than `A`'s key.
    pub fn builder(spi: u32, keymat: &[u8]) -> Result<OutboundBuilder<A>, Error> {
        let spi = Spi::new(spi)?;
        let aead = A::new_from_slice(keymat).map_err(|_| Error::KeyLength)?;
        let sealer = Sealer { aead, spi, iv: IvSource::default() };
        Ok(OutboundBuilder { sealer, extended: false, first: 1, soft_limit: u64::MAX })
    }
}

impl<A> OutboundBuilder<A> {
    /// Whether sequence numbers are extended to 64 bits (ESN). No, if nothing is said.
    #[must_use]
    pub fn esn(mut self, extended: bool) -> Self {
        self.extended = extended;
        self
    }

    /// Where IVs come from.
    #[must_use]
    pub fn iv(mut self, source: IvSource) -> Self {
        self.sealer.iv = source;
        self
    }

    /// The first number to be used, for an SA whose key has been in use before: one more than the last
    /// number that may have been sent. 1, if nothing is said.
    #[must_use]
    pub fn first_number(mut self, first: u64) -> Self {
        self.first = first;
        self
    }

    /// From which number on [`OutboundSa::wants_rekey`] says yes.
    #[must_use]
    pub fn soft_limit(mut self, number: u64) -> Self {
        self.soft_limit = number;
        self
    }

    /// The SA.
    ///
    /// # Errors
    /// [`Error::SequenceZero`] if the first number is 0; [`Error::SequenceExhausted`] if it exceeds 32
    /// bits without ESN.
    pub fn build(self) -> Result<OutboundSa<A>, Error> {
        let numbers = Sequence::new(self.first, self.extended)?;
        Ok(OutboundSa { sealer: self.sealer, numbers, soft_limit: self.soft_limit })
    }

    /// The SA, for several threads.
    ///
    /// # Errors
    /// As [`build`](Self::build).
    #[cfg(target_has_atomic = "64")]
    pub fn build_shared(self) -> Result<OutboundSa<A, SharedSequence>, Error> {
        let numbers = SharedSequence::new(self.first, self.extended)?;
        Ok(OutboundSa { sealer: self.sealer, numbers, soft_limit: self.soft_limit })
    }
}

impl<A, N: Numbers> OutboundSa<A, N> {
    /// The SPI.
    #[must_use]
    pub fn spi(&self) -> Spi {
        self.sealer.spi
    }

    /// How many packets can still be sealed.
    #[must_use]
    pub fn remaining(&self) -> u64 {
        self.numbers.remaining()
    }

    /// The number that was used last. An SA resumed later with this key must start above it.
    #[must_use]
    pub fn last(&self) -> u64 {
        self.numbers.last()
    }

    /// How many packets were refused for want of numbers, an audit event of RFC 4303 section 3.3.3.
    #[must_use]
    pub fn refused(&self) -> u64 {
        self.numbers.refused()
    }

    /// Whether the soft limit is reached, or the last number used: time to ask IKE for a new SA.
    #[must_use]
    pub fn wants_rekey(&self) -> bool {
        self.last() >= self.soft_limit || self.remaining() == 0
    }
}

impl<A> OutboundSa<A>
where
    A: AeadInPlace<NonceSize = U8, TagSize = U16, CiphertextOverhead = U0>,
{
    /// Seals the payload at `payload` in `buffer`, in place; returns where the packet lies.
    ///
    /// It needs room as [`seal_packet`](crate::esp::seal_packet) does: [`HEADROOM`](crate::esp::HEADROOM) octets before the payload (8
    /// are enough for an implicit IV), [`TAILROOM`](crate::esp::TAILROOM) behind it and behind any TFC padding.
    ///
    /// # Errors
    /// With nothing written and no number used: [`Error::BufferTooSmall`], [`Error::TooLong`],
    /// [`Error::IvSource`], [`Error::SequenceExhausted`].
    #[inline]
    pub fn seal(
        &mut self,
        options: impl Into<SealOptions>,
        buffer: &mut [u8],
        payload: Range<usize>,
    ) -> Result<Range<usize>, Error> {
        self.sealer.seal(options.into(), || self.numbers.take(), buffer, payload)
    }

    /// Seals `payload` into the front of `out`; returns the length of the packet.
    ///
    /// # Errors
    /// As [`seal`](Self::seal).
    #[inline]
    pub fn seal_into(
        &mut self,
        options: impl Into<SealOptions>,
        payload: &[u8],
        out: &mut [u8],
    ) -> Result<usize, Error> {
        self.sealer.seal_into(options.into(), || self.numbers.take(), payload, out)
    }
}

#[cfg(target_has_atomic = "64")]
impl<A> OutboundSa<A, SharedSequence>
where
    A: AeadInPlace<NonceSize = U8, TagSize = U16, CiphertextOverhead = U0>,
{
    /// Seals the payload at `payload` in `buffer`, in place; returns where the packet lies.
    ///
    /// # Errors
    /// As for an SA with one owner.
    #[inline]
    pub fn seal(
        &self,
        options: impl Into<SealOptions>,
        buffer: &mut [u8],
        payload: Range<usize>,
    ) -> Result<Range<usize>, Error> {
        self.sealer.seal(options.into(), || self.numbers.take(), buffer, payload)
    }

    /// Seals `payload` into the front of `out`; returns the length of the packet.
    ///
    /// # Errors
    /// As for an SA with one owner.
    #[inline]
    pub fn seal_into(
        &self,
        options: impl Into<SealOptions>,
        payload: &[u8],
        out: &mut [u8],
    ) -> Result<usize, Error> {
        self.sealer.seal_into(options.into(), || self.numbers.take(), payload, out)
    }
}

impl<A> Sealer<A> {
    #[inline]
    pub(super) fn layout(
        &self,
        options: &SealOptions,
        payload_len: usize,
    ) -> Result<Layout, Error> {
        if options.iv.is_some() != (self.iv == IvSource::Caller) {
            return Err(Error::IvSource);
        }
        let tfc_padding = options.min_payload_len.saturating_sub(payload_len);
        Layout::new(self.iv.wire_len(), payload_len, tfc_padding)
    }

    /// SPI, IV and next header of a packet with this number.
    #[inline]
    pub(super) fn parts(&self, options: &SealOptions, sequence: SequenceNumber) -> (Spi, Iv, u8) {
        (self.spi, self.iv.iv(sequence, options.iv), options.next_header)
    }
}

// A number is taken last of all, when nothing can go wrong any more.
impl<A> Sealer<A>
where
    A: AeadInPlace<NonceSize = U8, TagSize = U16, CiphertextOverhead = U0>,
{
    #[inline]
    fn seal(
        &self,
        options: SealOptions,
        take: impl FnOnce() -> Result<SequenceNumber, Error>,
        buffer: &mut [u8],
        payload: Range<usize>,
    ) -> Result<Range<usize>, Error> {
        let len = payload.end.checked_sub(payload.start).ok_or(Error::BufferTooSmall)?;
        let layout = self.layout(&options, len)?;
        let range = layout.around(buffer.len(), payload.start)?;
        self.finish(&options, &layout, take()?, &mut buffer[range.clone()])?;
        Ok(range)
    }

    #[inline]
    fn seal_into(
        &self,
        options: SealOptions,
        take: impl FnOnce() -> Result<SequenceNumber, Error>,
        payload: &[u8],
        out: &mut [u8],
    ) -> Result<usize, Error> {
        let layout = self.layout(&options, payload.len())?;
        if out.len() < layout.end {
            return Err(Error::BufferTooSmall);
        }
        let sequence = take()?;
        self.finish(&options, &layout, sequence, layout.filled(payload, out)?)?;
        Ok(layout.end)
    }

    #[inline]
    fn finish(
        &self,
        options: &SealOptions,
        layout: &Layout,
        sequence: SequenceNumber,
        packet: &mut [u8],
    ) -> Result<(), Error> {
        let (spi, iv, next_header) = self.parts(options, sequence);
        layout.seal(&self.aead, spi, sequence, iv, next_header, packet)
    }
}

impl<A, N: fmt::Debug> fmt::Debug for OutboundSa<A, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OutboundSa")
            .field("spi", &self.sealer.spi)
            .field("numbers", &self.numbers)
            .finish_non_exhaustive()
    }
}

impl<A> fmt::Debug for OutboundBuilder<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OutboundBuilder").field("spi", &self.sealer.spi).finish_non_exhaustive()
    }
}
