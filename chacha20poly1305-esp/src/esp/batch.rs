//! Many packets in one call, of one SA or of several.
//!
//! The outcome is that of sealing or opening the packets one after the other. Callers hand over all that
//! there is to do at once, so that packets can share the work of the kernels.

use super::{Error, InboundSa, OutboundSa, Received, SealOptions};
use aead::AeadInPlace;
use aead::consts::{U0, U8, U16};
use core::ops::Range;

/// A packet to be sealed in place.
#[derive(Debug)]
pub struct SealJob<'a> {
    /// Index of its SA.
    pub sa: usize,
    /// Next header and the like.
    pub options: SealOptions,
    /// Where the payload lies, with room around it.
    pub buffer: &'a mut [u8],
    /// Where in `buffer`.
    pub payload: Range<usize>,
    /// Where the packet lies in `buffer`, or why there is none. `None` before the batch is sealed.
    pub result: Option<Result<Range<usize>, Error>>,
}

impl<'a> SealJob<'a> {
    /// A packet of the first SA.
    #[must_use]
    pub fn new(
        options: impl Into<SealOptions>,
        buffer: &'a mut [u8],
        payload: Range<usize>,
    ) -> Self {
        Self { sa: 0, options: options.into(), buffer, payload, result: None }
    }
}

/// A packet to be opened in place.
#[derive(Debug)]
pub struct OpenJob<'a> {
    /// Index of its SA.
    pub sa: usize,
    /// The packet.
    pub packet: &'a mut [u8],
    /// What it was. `None` before the batch is opened.
    pub result: Option<Result<Received, Error>>,
}

impl<'a> OpenJob<'a> {
    /// A packet of the first SA.
    #[must_use]
    pub fn new(packet: &'a mut [u8]) -> Self {
        Self { sa: 0, packet, result: None }
    }
}

/// Seals all packets, as [`OutboundSa::seal`] would one after the other; returns how many it sealed.
///
/// The result of each is in its job: the errors are those of [`OutboundSa::seal`], and
/// [`Error::UnknownSpi`] if there is no SA with the job's index.
///
/// ```
/// use chacha20poly1305_esp::esp::{self, Error, HEADROOM, OutboundSa, Rfc7539Esp, SealJob};
///
/// let mut sa = [OutboundSa::<Rfc7539Esp>::new(0x1001, &[0x42; 36])?];
/// let mut buffers = [[0; 128]; 3];
/// let mut jobs = buffers
///     .each_mut()
///     .map(|buffer| SealJob::new(esp::NEXT_HEADER_IPV4, buffer, HEADROOM..HEADROOM + 64));
/// assert_eq!(esp::seal_batch(&mut sa, &mut jobs), 3);
/// assert_eq!(jobs[2].result, Some(Ok(0..esp::sealed_len(64))));
/// # Ok::<(), Error>(())
/// ```
pub fn seal_batch<A>(sas: &mut [OutboundSa<A>], jobs: &mut [SealJob<'_>]) -> usize
where
    A: AeadInPlace<NonceSize = U8, TagSize = U16, CiphertextOverhead = U0> + 'static,
{
    let mut sealed = 0;
    for job in jobs {
        let result = match sas.get_mut(job.sa) {
            Some(sa) => sa.seal(job.options, job.buffer, job.payload.clone()),
            None => Err(Error::UnknownSpi),
        };
        sealed += usize::from(result.is_ok());
        job.result = Some(result);
    }
    sealed
}

/// Opens all packets, as [`InboundSa::open`] would one after the other; returns how many it opened, dummies
/// included.
///
/// The result of each is in its job: the errors are those of [`InboundSa::open`], and
/// [`Error::UnknownSpi`] if there is no SA with the job's index. Of two packets with the same number the
/// second is a replay.
pub fn open_batch<A, S>(sas: &mut [InboundSa<A, S>], jobs: &mut [OpenJob<'_>]) -> usize
where
    A: AeadInPlace<NonceSize = U8, TagSize = U16, CiphertextOverhead = U0> + 'static,
    S: AsRef<[u64]> + AsMut<[u64]>,
{
    let mut opened = 0;
    for job in jobs {
        let result = match sas.get_mut(job.sa) {
            Some(sa) => sa.open(job.packet),
            None => Err(Error::UnknownSpi),
        };
        opened += usize::from(result.is_ok());
        job.result = Some(result);
    }
    opened
}
