//! The encrypted trailer: padding, pad length, next header (RFC 4303 sections 2.4 to 2.7).

use super::Error;
use poly1305_simd::engine::declassify;

/// Octets of pad length and next header.
pub(super) const TRAILER_LEN: usize = 2;
/// ICV and so text end on a 4-octet boundary (RFC 4303 section 2.4). Stream ciphers ask for no more.
const ALIGNMENT: usize = 4;

/// How much of the padding a receiver checks.
///
/// RFC 4303 section 2.4 says that senders MUST write 1, 2, 3, .. and that receivers SHOULD check it. An
/// AEAD has authenticated the octets already, so a mismatch means a sender that is at odds with the RFC.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PaddingPolicy {
    /// All octets must be 1, 2, 3, ..
    #[default]
    Strict,
    /// Any octets, as Linux takes them. The pad length must still fit the text.
    Lenient,
}

/// The fewest pad octets, 0 to 3, that align a payload with its trailer.
#[inline]
pub(super) const fn minimal_pad(payload_len: usize) -> usize {
    payload_len.wrapping_add(TRAILER_LEN).wrapping_neg() % ALIGNMENT
}

/// Fills everything of `text` behind the payload: `tfc` zeros, `pad` octets, pad length, next header.
#[inline]
pub(super) fn write_trailer(text: &mut [u8], payload_len: usize, tfc: usize, next_header: u8) {
    let (tfc_padding, trailer) = text[payload_len..].split_at_mut(tfc);
    tfc_padding.fill(0);
    let (padding, end) = trailer.split_at_mut(trailer.len() - TRAILER_LEN);
    for (octet, value) in padding.iter_mut().zip(1..) {
        *octet = value;
    }
    end.copy_from_slice(&[padding.len() as u8, next_header]);
}

/// Length of the payload (with any TFC padding) in a decrypted text, and the next header.
///
/// The text is authentic, so an early exit would tell an attacker nothing new; all octets are looked at
/// nevertheless, so that the time depends on the pad length alone.
#[inline]
pub(super) fn read_trailer(text: &[u8], policy: PaddingPolicy) -> Result<(usize, u8), Error> {
    let Some((rest, &[pad_len, next_header])) = text.split_last_chunk() else {
        return Err(Error::Malformed);
    };
    let (pad_len, next_header) = (declassify(pad_len), declassify(next_header));
    let Some(payload_len) = rest.len().checked_sub(usize::from(pad_len)) else {
        return Err(Error::BadPadding);
    };
    if policy == PaddingPolicy::Strict {
        let padding = &rest[payload_len..];
        let difference =
            padding.iter().zip(1u8..=u8::MAX).fold(0, |sum, (octet, value)| sum | (octet ^ value));
        if declassify(difference) != 0 {
            return Err(Error::BadPadding);
        }
    }
    Ok((payload_len, next_header))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_aligned_with_the_fewest_octets() {
        for payload in 0..100 {
            let pad = minimal_pad(payload);
            assert!(pad < 4);
            assert_eq!((payload + pad + 2) % 4, 0);
        }
    }

    #[test]
    fn trailer_reads_back_behind_tfc_padding() {
        for payload in 0..9 {
            for tfc in 0..9 {
                let pad = minimal_pad(payload + tfc);
                let mut text = [0xee; 32];
                let text = &mut text[..payload + tfc + pad + 2];
                write_trailer(text, payload, tfc, 41);
                assert!(text[..payload].iter().all(|&o| o == 0xee));
                assert!(text[payload..payload + tfc].iter().all(|&o| o == 0));
                assert_eq!(read_trailer(text, PaddingPolicy::Strict), Ok((payload + tfc, 41)));
            }
        }
    }
}
