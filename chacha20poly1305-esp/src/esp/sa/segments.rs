//! Packets that lie in several slices, such as a chain of network buffers.

use super::{Checked, InboundSa, OutboundSa, Received, SealOptions, Verified};
use crate::SegmentedAead;
#[cfg(target_has_atomic = "64")]
use crate::esp::SharedSequence;
use crate::esp::packet::{Layout, Parsed, SegmentedTrailer};
use crate::esp::{Error, Fields, HEADROOM, ICV_LEN, Sequence, SequenceNumber};
use crate::segments;
use aead::consts::{U0, U8, U16};
use core::ops::Range;

impl<A> OutboundSa<A, Sequence>
where
    A: SegmentedAead<NonceSize = U8, TagSize = U16, CiphertextOverhead = U0>,
{
    /// As [`seal`](Self::seal), with a buffer that lies in several slices.
    ///
    /// They count as one buffer, one behind the other, and both ranges are ranges of that: header,
    /// payload, trailer and ICV may each begin and end in any of them.
    ///
    /// ```
    /// use chacha20poly1305_esp::esp::{self, Error, HEADROOM, OutboundSa, Rfc7539Esp, TAILROOM};
    ///
    /// let mut sa = OutboundSa::<Rfc7539Esp>::new(0x1001, &[0x42; 36])?;
    /// let (mut head, mut payload, mut tail) = ([0; HEADROOM], [0x45; 100], [0; TAILROOM]);
    /// let mut segments = [&mut head[..], &mut payload[..60], &mut tail];
    /// let packet = sa.seal_segments(esp::NEXT_HEADER_IPV4, &mut segments, HEADROOM..HEADROOM + 60)?;
    /// assert_eq!(packet, 0..esp::sealed_len(60));
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`seal`](Self::seal), with nothing written and no number used.
    pub fn seal_segments(
        &mut self,
        options: impl Into<SealOptions>,
        segments: &mut [&mut [u8]],
        payload: Range<usize>,
    ) -> Result<Range<usize>, Error> {
        let Self { sealer, numbers, .. } = self;
        seal(sealer, options.into(), || numbers.take(), segments, payload)
    }
}

#[cfg(target_has_atomic = "64")]
impl<A> OutboundSa<A, SharedSequence>
where
    A: SegmentedAead<NonceSize = U8, TagSize = U16, CiphertextOverhead = U0>,
{
    /// As [`seal`](Self::seal), with a buffer that lies in several slices.
    ///
    /// # Errors
    /// As for an SA with one owner.
    pub fn seal_segments(
        &self,
        options: impl Into<SealOptions>,
        segments: &mut [&mut [u8]],
        payload: Range<usize>,
    ) -> Result<Range<usize>, Error> {
        seal(&self.sealer, options.into(), || self.numbers.take(), segments, payload)
    }
}

fn seal<A>(
    sealer: &super::outbound::Sealer<A>,
    options: SealOptions,
    take: impl FnOnce() -> Result<SequenceNumber, Error>,
    segments: &mut [&mut [u8]],
    payload: Range<usize>,
) -> Result<Range<usize>, Error>
where
    A: SegmentedAead<NonceSize = U8, TagSize = U16, CiphertextOverhead = U0>,
{
    let len = payload.end.checked_sub(payload.start).ok_or(Error::BufferTooSmall)?;
    let layout: Layout = sealer.layout(&options, len)?;
    let range = layout.around(segments::total(segments), payload.start)?;
    let sequence = take()?;
    let (spi, iv, next_header) = sealer.parts(&options, sequence);
    let fields = Fields { spi, sequence, iv, next_header, tfc_padding: 0 };
    layout.seal_segments(&sealer.aead, &fields, segments, range.start)?;
    Ok(range)
}

impl<A, S> InboundSa<A, S>
where
    A: SegmentedAead<NonceSize = U8, TagSize = U16, CiphertextOverhead = U0>,
    S: AsRef<[u64]> + AsMut<[u64]>,
{
    /// As [`open`](Self::open), with a packet that lies in several slices: all of them, one behind
    /// the other. The payload's range is one of the whole.
    ///
    /// ```
    /// use chacha20poly1305_esp::esp::{Error, InboundSa, OutboundSa, Rfc7539Esp};
    ///
    /// let mut packet = [0; 44];
    /// OutboundSa::<Rfc7539Esp>::new(0x1001, &[0x42; 36])?.seal_into(17, b"datagram", &mut packet)?;
    /// let mut sa = InboundSa::<Rfc7539Esp>::new(0x1001, &[0x42; 36])?;
    /// let (a, b) = packet.split_at_mut(20);
    /// let opened = sa.open_segments(&mut [a, b])?.payload().expect("no dummy");
    /// assert_eq!(&packet[opened.payload], b"datagram");
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn open_segments(&mut self, segments: &mut [&mut [u8]]) -> Result<Received, Error> {
        let len = segments::total(segments);
        let mut head = [0; HEADROOM];
        let head = &mut head[..len.min(HEADROOM)];
        segments::gather(segments, 0, head);
        let checked = Parsed::of(head, len, self.opener.implicit_iv)
            .and_then(|parsed| self.check_parsed(parsed, len));
        let outcome = checked.and_then(|checked| {
            verify(&self.opener, &checked, segments)
                .or_else(|error| self.retry(error, &checked, |o, c| verify(o, c, segments)))
        });
        self.commit(outcome)
    }
}

fn verify<A>(
    opener: &super::Opener<A>,
    checked: &Checked,
    segments: &mut [&mut [u8]],
) -> Result<Verified, Error>
where
    A: SegmentedAead<NonceSize = U8, TagSize = U16, CiphertextOverhead = U0>,
{
    let Parsed { text, icv, .. } = checked.parsed;
    let mut tag = [0; ICV_LEN];
    segments::gather(segments, icv, &mut tag);
    checked.parsed.decrypt_segments(&opener.aead, checked.sequence(), segments, &tag)?;
    let trailer = SegmentedTrailer { text: text..icv, policy: opener.padding };
    Ok(opener.verified(checked, text, trailer.read_or_wipe(segments)))
}
