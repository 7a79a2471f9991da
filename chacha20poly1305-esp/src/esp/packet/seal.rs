//! Sealing: where things lie in a packet, and how they get there.

use super::{Fields, refuse_zero};
use crate::esp::header::{Aad, HEADER_LEN, ICV_LEN};
use crate::esp::padding::{TRAILER_LEN, minimal_pad, write_trailer};
use crate::esp::{Error, Header, Iv, SequenceNumber, Spi};
use aead::AeadInPlace;
use aead::consts::{U0, U8, U16};
use aead::generic_array::GenericArray;
use core::ops::Range;

/// Where things lie in a packet that starts at 0.
#[derive(Clone, Copy)]
pub(in crate::esp) struct Layout {
    pub(super) payload_len: usize,
    pub(super) tfc_padding: usize,
    /// Start of the text: behind header and IV.
    pub(super) text: usize,
    /// Start of the ICV.
    pub(super) icv: usize,
    /// End of the packet.
    pub(in crate::esp) end: usize,
}

impl Layout {
    /// For an IV that takes `iv_len` octets on the wire.
    #[inline]
    pub(in crate::esp) fn new(
        iv_len: usize,
        payload_len: usize,
        tfc_padding: usize,
    ) -> Result<Self, Error> {
        let text = HEADER_LEN + iv_len;
        let padded = payload_len.saturating_add(tfc_padding);
        let icv = padded.saturating_add(minimal_pad(padded)).saturating_add(text + TRAILER_LEN);
        let end = icv.saturating_add(ICV_LEN);
        // Also what the sums saturate to on 32-bit targets; a packet's length is even, so never equal.
        // Either AEAD can seal far more under one nonce, so that sealing itself cannot fail.
        if end >= u32::MAX as usize {
            return Err(Error::TooLong);
        }
        Ok(Self { payload_len, tfc_padding, text, icv, end })
    }

    /// Where the packet lies in a buffer of that length if its payload starts at `payload_start` there.
    #[inline]
    pub(in crate::esp) fn around(
        &self,
        buffer_len: usize,
        payload_start: usize,
    ) -> Result<Range<usize>, Error> {
        let start = payload_start.checked_sub(self.text).ok_or(Error::BufferTooSmall)?;
        match buffer_len.checked_sub(start) {
            Some(room) if room >= self.end => Ok(start..start + self.end),
            _ => Err(Error::BufferTooSmall),
        }
    }

    /// The packet at the front of `out`, with its payload in place.
    #[inline]
    pub(in crate::esp) fn filled<'a>(
        &self,
        payload: &[u8],
        out: &'a mut [u8],
    ) -> Result<&'a mut [u8], Error> {
        let packet = out.get_mut(..self.end).ok_or(Error::BufferTooSmall)?;
        packet[self.text..][..payload.len()].copy_from_slice(payload);
        Ok(packet)
    }

    /// Seals `packet`, which is as long as this layout says and has its payload in place.
    #[inline]
    pub(in crate::esp) fn seal<A>(
        &self,
        aead: &A,
        spi: Spi,
        sequence: SequenceNumber,
        iv: Iv,
        next_header: u8,
        packet: &mut [u8],
    ) -> Result<(), Error>
    where
        A: AeadInPlace<NonceSize = U8, TagSize = U16, CiphertextOverhead = U0>,
    {
        let (head, rest) = packet.split_at_mut(self.text);
        let (text, icv) = rest.split_at_mut(self.icv - self.text);
        write_trailer(text, self.payload_len, self.tfc_padding, next_header);
        let octets = iv.octets(sequence);
        let tag = aead
            .encrypt_in_place_detached(
                GenericArray::from_slice(&octets),
                Aad::new(spi, sequence).as_slice(),
                text,
            )
            .map_err(|_| Error::TooLong)?;
        icv.copy_from_slice(&tag);
        let header = Header { spi, sequence: sequence.low() };
        head[..HEADER_LEN].copy_from_slice(&header.to_octets());
        head[HEADER_LEN..].copy_from_slice(&octets[..iv.wire_len()]);
        Ok(())
    }
}

/// Seals the payload at `payload` in `buffer`, in place, and returns where the packet lies.
///
/// The packet starts [`HEADROOM`](crate::esp::HEADROOM) octets before the payload (8 with an implicit IV) and ends
/// [`sealed_len`](crate::esp::sealed_len) octets later, TFC padding apart. The rest of `buffer` is not touched.
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
    let Fields { spi, sequence, iv, next_header, tfc_padding } = *fields;
    let payload_len = payload.end.checked_sub(payload.start).ok_or(Error::BufferTooSmall)?;
    let layout = Layout::new(iv.wire_len(), payload_len, tfc_padding)?;
    refuse_zero(sequence)?;
    let range = layout.around(buffer.len(), payload.start)?;
    layout.seal(aead, spi, sequence, iv, next_header, &mut buffer[range.clone()])?;
    Ok(range)
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
    let Fields { spi, sequence, iv, next_header, tfc_padding } = *fields;
    let layout = Layout::new(iv.wire_len(), payload.len(), tfc_padding)?;
    refuse_zero(sequence)?;
    let packet = layout.filled(payload, out)?;
    layout.seal(aead, spi, sequence, iv, next_header, packet)?;
    Ok(layout.end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::esp::{IV_LEN, sealed_len};

    #[test]
    fn lengths_at_the_limit() {
        let longest = u32::MAX as usize - 3 - 34;
        assert_eq!(Layout::new(IV_LEN, longest, 0).unwrap().end, sealed_len(longest));
        for (payload, tfc) in [(longest + 1, 0), (longest, 1), (usize::MAX, 0), (1, usize::MAX)] {
            assert_eq!(Layout::new(IV_LEN, payload, tfc).err(), Some(Error::TooLong));
        }
        assert_eq!(sealed_len(usize::MAX), usize::MAX);
    }
}
