//! The same packet in several slices: fields are written to and read from wherever they lie.

use super::seal::Layout;
use super::{Fields, Parsed};
use crate::SegmentedAead;
use crate::esp::header::{Aad, HEADER_LEN, ICV_LEN};
use crate::esp::padding::{TRAILER_LEN, minimal_pad, read_trailer, write_trailer};
use crate::esp::{Error, Header, PaddingPolicy, SequenceNumber};
use crate::segments;
use aead::Tag;
use aead::consts::{U0, U8, U16};
use aead::generic_array::GenericArray;
use core::ops::Range;

impl Layout {
    /// Seals the packet that starts at `start` of the whole and has its payload in place. TFC
    /// padding is this layout's.
    pub(in crate::esp) fn seal_segments<A>(
        &self,
        aead: &A,
        fields: &Fields,
        segments: &mut [&mut [u8]],
        start: usize,
    ) -> Result<(), Error>
    where
        A: SegmentedAead<NonceSize = U8, TagSize = U16, CiphertextOverhead = U0>,
    {
        let Fields { spi, sequence, iv, next_header, .. } = *fields;
        let payload_end = start + self.text + self.payload_len;
        let padding = payload_end + self.tfc_padding;
        for part in segments::within(segments, payload_end..padding) {
            part.fill(0);
        }
        let mut trailer = [0; 3 + TRAILER_LEN];
        let pad = minimal_pad(self.payload_len + self.tfc_padding);
        let trailer = &mut trailer[..pad + TRAILER_LEN];
        write_trailer(trailer, 0, 0, next_header);
        segments::scatter(segments, padding, trailer);

        let octets = iv.octets(sequence);
        let tag = aead
            .encrypt_segments_detached(
                GenericArray::from_slice(&octets),
                Aad::new(spi, sequence).as_slice(),
                segments,
                start + self.text..start + self.icv,
            )
            .map_err(|_| Error::TooLong)?;
        segments::scatter(segments, start + self.icv, &tag);
        let header = Header { spi, sequence: sequence.low() };
        segments::scatter(segments, start, &header.to_octets());
        segments::scatter(segments, start + HEADER_LEN, &octets[..iv.wire_len()]);
        Ok(())
    }
}

impl Parsed {
    /// Decrypts the text in place if `icv` is right for it.
    pub(in crate::esp) fn decrypt_segments<A>(
        &self,
        aead: &A,
        sequence: SequenceNumber,
        segments: &mut [&mut [u8]],
        icv: &[u8; ICV_LEN],
    ) -> Result<(), Error>
    where
        A: SegmentedAead<NonceSize = U8, TagSize = U16, CiphertextOverhead = U0>,
    {
        aead.decrypt_segments_detached(
            GenericArray::from_slice(&self.iv.octets(sequence)),
            Aad::new(self.header.spi, sequence).as_slice(),
            segments,
            self.text..self.icv,
            Tag::<A>::from_slice(icv),
        )
        .map_err(|_| Error::AuthFailed)
    }
}

/// The longest padding with its trailer.
const LONGEST: usize = u8::MAX as usize + TRAILER_LEN;

/// The end of a decrypted text in several slices.
pub(in crate::esp) struct SegmentedTrailer {
    pub(in crate::esp) text: Range<usize>,
    pub(in crate::esp) policy: PaddingPolicy,
}

impl SegmentedTrailer {
    /// Length of the payload, and the next header. If the padding is wrong, the text is wiped.
    pub(in crate::esp) fn read_or_wipe(
        self,
        segments: &mut [&mut [u8]],
    ) -> Result<(usize, u8), Error> {
        // The longest padding fits, so only a text as short as this can be too short for it.
        let mut end = [0; LONGEST];
        let end = &mut end[..self.text.len().min(LONGEST)];
        segments::gather(segments, self.text.end - end.len(), end);
        let before = self.text.len() - end.len();
        match read_trailer(end, self.policy) {
            Ok((len, next_header)) => Ok((before + len, next_header)),
            Err(error) => {
                segments::within(segments, self.text).for_each(|part| part.fill(0));
                Err(error)
            }
        }
    }
}
