//! A message that lies in several slices, as chained network buffers do, sealed and opened in place.
//!
//! The slices count as one buffer, and the message is a range of it. Where one slice ends has no
//! bearing on the result: both primitives go on in the middle of a block.

use core::ops::Range;

use chacha20_simd::engine::{
    self, Block, CounterWidth, Keystream, RoundCount, Scratch, State, XorBuf,
};
use poly1305_simd::engine::{Mac, declassify};
use subtle::ConstantTimeEq;

use crate::backend::Backend;
use crate::error::MessageError;
use crate::message::{TAG_SIZE, check_len, wipe_traces};

/// Bytes of a block of keystream, and of Poly1305.
const BLOCK_SIZE: usize = 64;
const MAC_BLOCK: usize = 16;

/// Bytes in all slices.
#[inline]
pub(crate) fn total(segments: &[&mut [u8]]) -> usize {
    segments.iter().fold(0, |sum, segment| sum.saturating_add(segment.len()))
}

/// The part of each slice, which may be empty, that lies in `range` of the whole.
#[inline]
pub(crate) fn within<'a>(
    segments: &'a mut [&mut [u8]],
    range: Range<usize>,
) -> impl Iterator<Item = &'a mut [u8]> {
    let mut end = 0usize;
    segments.iter_mut().map(move |segment| {
        let (start, len) = (end, segment.len());
        end = start.saturating_add(len);
        let inner = |at: usize| at.clamp(start, end) - start;
        &mut segment[inner(range.start)..inner(range.end)]
    })
}

/// Copies from `start` of the whole on into `out`.
pub(crate) fn gather(segments: &mut [&mut [u8]], start: usize, out: &mut [u8]) {
    let mut rest = out;
    for part in within(segments, start..start + rest.len()) {
        let (front, back) = rest.split_at_mut(part.len());
        front.copy_from_slice(part);
        rest = back;
    }
}

/// Copies `data` to `start` of the whole.
pub(crate) fn scatter(segments: &mut [&mut [u8]], start: usize, data: &[u8]) {
    let mut rest = data;
    for part in within(segments, start..start + data.len()) {
        let (front, back) = rest.split_at(part.len());
        part.copy_from_slice(front);
        rest = back;
    }
}

/// ChaCha20 from block 1 on, in pieces of any length.
struct Cipher<'s> {
    /// The first pass through the rounds, and how much of it is used: block 0 to begin with.
    first: Keystream<'s>,
    used: usize,
    backend: Backend,
    rounds: RoundCount,
    state: &'s mut State,
    /// The last block begun after the first pass, and how much of it is left.
    last: Block,
    left: usize,
}

impl<'s> Cipher<'s> {
    /// Also makes the one-time key, in the same pass through the rounds.
    fn new(
        backend: Backend,
        rounds: RoundCount,
        state: &'s mut State,
        text_len: usize,
        scratch: &'s mut Scratch<1024>,
    ) -> (Self, Mac) {
        let blocks = text_len.div_ceil(BLOCK_SIZE) + 1;
        let width = CounterWidth::W32;
        let first = Keystream::new(scratch, backend.chacha20, rounds, width, state, blocks);
        let key = first.bytes().first_chunk().expect("a block holds a key");
        let mac = Mac::new(key, backend.poly1305);
        let last = Block::ZERO;
        (Self { first, used: BLOCK_SIZE, backend, rounds, state, last, left: 0 }, mac)
    }

    fn apply(&mut self, text: &mut [u8]) {
        let rest = self.first.xor(self.used, XorBuf::in_place(text)).len();
        let done = text.len() - rest;
        self.used += done;
        let text = &mut text[done..];

        let from_last = text.len().min(self.left);
        let (head, text) = text.split_at_mut(from_last);
        let keystream = &self.last.0[BLOCK_SIZE - self.left..];
        head.iter_mut().zip(keystream).for_each(|(byte, key)| *byte ^= key);
        self.left -= from_last;
        if !text.is_empty() {
            self.left = text.len().wrapping_neg() % BLOCK_SIZE;
            let buf = XorBuf::in_place(text);
            let (backend, width) = (self.backend.chacha20, CounterWidth::W32);
            engine::xor(backend, self.rounds, width, self.state, buf, &mut self.last);
        }
    }
}

/// Poly1305 over the ciphertext, in pieces of any length.
struct Authenticator {
    mac: Mac,
    /// The start of a block whose end is in a later piece.
    partial: [u8; MAC_BLOCK],
    filled: usize,
}

impl Authenticator {
    fn new(mut mac: Mac, aad: &[u8]) -> Self {
        mac.padded(aad);
        Self { mac, partial: [0; MAC_BLOCK], filled: 0 }
    }

    fn update(&mut self, mut text: &[u8]) {
        if self.filled != 0 {
            let (head, rest) = text.split_at(text.len().min(MAC_BLOCK - self.filled));
            self.partial[self.filled..][..head.len()].copy_from_slice(head);
            self.filled += head.len();
            if self.filled < MAC_BLOCK {
                return;
            }
            self.mac.blocks(&self.partial);
            text = rest;
        }
        let (blocks, rest) = text.split_at(text.len() / MAC_BLOCK * MAC_BLOCK);
        self.mac.blocks(blocks);
        self.partial[..rest.len()].copy_from_slice(rest);
        self.filled = rest.len();
    }

    fn finish(mut self, aad_len: usize, text_len: usize) -> [u8; TAG_SIZE] {
        self.mac.aead_end(&self.partial[..self.filled], aad_len, text_len);
        self.mac.finish()
    }
}

/// How much of the stack below its caller the work on a message leaves traces on, in bytes; with room
/// to spare, since the scratch lies between the traces of a call and those of the next.
const TRACES: usize = 3840;

/// Refuses a range that is none of the whole, or too long for a message.
fn check(segments: &[&mut [u8]], text: &Range<usize>) -> Result<(), MessageError> {
    if text.start > text.end || text.end > total(segments) {
        return Err(MessageError::BufferTooSmall { needed: text.end });
    }
    check_len(text.len() as u64)
}

/// Encrypts the range; the tag of the result and the associated data. `state` has block counter 0.
pub(crate) fn seal(
    backend: Backend,
    rounds: RoundCount,
    state: &mut State,
    aad: &[u8],
    segments: &mut [&mut [u8]],
    text: Range<usize>,
) -> Result<[u8; TAG_SIZE], MessageError> {
    check(segments, &text)?;
    let tag = seal_checked(backend, rounds, state, aad, segments, text);
    wipe_traces(TRACES);
    Ok(tag)
}

#[inline(never)]
fn seal_checked(
    backend: Backend,
    rounds: RoundCount,
    state: &mut State,
    aad: &[u8],
    segments: &mut [&mut [u8]],
    text: Range<usize>,
) -> [u8; TAG_SIZE] {
    let (len, mut scratch) = (text.len(), Scratch::uninit());
    let (mut cipher, mac) = Cipher::new(backend, rounds, state, len, &mut scratch);
    let mut authenticator = Authenticator::new(mac, aad);
    for part in within(segments, text) {
        cipher.apply(part);
        authenticator.update(part);
    }
    authenticator.finish(aad.len(), len)
}

/// Verifies, then decrypts the range. `state` has block counter 0.
pub(crate) fn open(
    backend: Backend,
    rounds: RoundCount,
    state: &mut State,
    aad: &[u8],
    segments: &mut [&mut [u8]],
    text: Range<usize>,
    tag: &[u8; TAG_SIZE],
) -> Result<(), MessageError> {
    check(segments, &text)?;
    let result = open_checked(backend, rounds, state, aad, segments, text, tag);
    wipe_traces(TRACES);
    result
}

#[inline(never)]
fn open_checked(
    backend: Backend,
    rounds: RoundCount,
    state: &mut State,
    aad: &[u8],
    segments: &mut [&mut [u8]],
    text: Range<usize>,
    tag: &[u8; TAG_SIZE],
) -> Result<(), MessageError> {
    let (len, mut scratch) = (text.len(), Scratch::uninit());
    let (mut cipher, mac) = Cipher::new(backend, rounds, state, len, &mut scratch);
    let mut authenticator = Authenticator::new(mac, aad);
    for part in within(segments, text.clone()) {
        authenticator.update(part);
    }
    let expected = authenticator.finish(aad.len(), len);
    let authentic = u128::from_ne_bytes(expected).ct_eq(&u128::from_ne_bytes(*tag));
    if declassify(authentic.unwrap_u8()) != 1 {
        return Err(MessageError::Authentication);
    }
    for part in within(segments, text) {
        cipher.apply(part);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_meet_slices_anywhere() {
        let cut = [0usize, 3, 0, 1, 5, 0];
        let whole: [u8; 9] = core::array::from_fn(|i| i as u8);
        for start in 0..=9 {
            for end in start..=9 {
                let mut copy = whole;
                let (a, rest) = copy.split_at_mut(3);
                let (b, c) = rest.split_at_mut(1);
                let mut segments: [&mut [u8]; 6] = [&mut [], a, &mut [], b, c, &mut []];
                assert!(segments.iter().map(|s| s.len()).eq(cut));
                assert_eq!(total(&segments), 9);
                let mut out = [0xee; 9];
                gather(&mut segments, start, &mut out[..end - start]);
                assert_eq!(out[..end - start], whole[start..end]);
                scatter(&mut segments, start, &[0xff; 9][..end - start]);
                for (i, &byte) in copy.iter().enumerate() {
                    let inside = (start..end).contains(&i);
                    assert_eq!(byte, if inside { 0xff } else { i as u8 });
                }
            }
        }
    }
}
