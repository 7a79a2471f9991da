//! What the generators share: a core, and a buffer of its keystream.
//!
//! Not `rand_core`'s `BlockRng`, although the numbers are the same: its buffer is as long as what a
//! core makes at a time, which is too short for the kernels.

use chacha20_simd::engine::XorBuf;

use super::{BLOCK_WORDS, Seed, SerializedRngState};
use crate::core_type::ChaChaCore;
use crate::rounds::Rounds;
use crate::variants::Legacy;

/// Bytes of a word.
const WORD: usize = 4;
/// Bytes of the buffer: eight blocks, which take AVX2's column form hardly longer than four take its
/// row form.
const BUFFER: usize = 8 * BLOCK_WORDS * WORD;
/// Bytes of the buffer that the first blocks after a seed or a seek take, of which few may be asked
/// for: four blocks are made in less time.
const FIRST: usize = BUFFER / 2;

/// Keystream that has been made ahead.
#[repr(align(64))]
struct Buffer([u8; BUFFER]);

/// The numbers of a seed and a stream, from a position on.
pub(super) struct Stream<R: Rounds> {
    core: ChaChaCore<R, Legacy>,
    buffer: Buffer,
    /// Where the next word lies in the buffer; its end if none is left.
    next: usize,
    /// Whether the next blocks are the first after a seed or a seek.
    first: bool,
}

impl<R: Rounds> Stream<R> {
    #[inline]
    pub(super) fn new(seed: &Seed, stream: u64) -> Self {
        let nonce = [0, 0, stream as u32, (stream >> 32) as u32];
        let core = ChaChaCore::from_words(seed, nonce);
        Self { core, buffer: Buffer([0; BUFFER]), next: BUFFER, first: true }
    }

    /// Fills the empty buffer, or the end of it.
    #[cold]
    #[inline(never)]
    fn refill(&mut self) {
        self.next = if self.first { BUFFER - FIRST } else { 0 };
        self.first = false;
        self.core.keystream(XorBuf::in_place(&mut self.buffer.0[self.next..]));
    }

    #[inline]
    pub(super) fn next_u32(&mut self) -> u32 {
        if self.next == BUFFER {
            self.refill();
        }
        let next = self.next;
        self.next = next + WORD;
        let word = &self.buffer.0[next..next + WORD];
        u32::from_le_bytes(word.try_into().expect("4 bytes"))
    }

    /// Two words, the lower one first.
    #[inline]
    pub(super) fn next_u64(&mut self) -> u64 {
        if let Some(words) = self.buffer.0.get(self.next..self.next + 2 * WORD) {
            self.next += 2 * WORD;
            return u64::from_le_bytes(words.try_into().expect("8 bytes"));
        }
        let low = self.next_u32();
        u64::from(low) | u64::from(self.next_u32()) << 32
    }

    /// The bytes of as many words as it takes; what is left of the last one is lost.
    #[inline]
    pub(super) fn fill_bytes(&mut self, dest: &mut [u8]) {
        match self.buffer.0.get(self.next..self.next + dest.len()) {
            Some(ready) => {
                dest.copy_from_slice(ready);
                self.next += dest.len().next_multiple_of(WORD);
            }
            None => self.fill_beyond(dest),
        }
    }

    /// Fills what is longer than what is left in the buffer. As much as whole buffers is made in
    /// place.
    fn fill_beyond(&mut self, dest: &mut [u8]) {
        let (ready, dest) = dest.split_at_mut(BUFFER - self.next);
        ready.copy_from_slice(&self.buffer.0[self.next..]);
        self.next = BUFFER;
        let (buffers, mut tail) = dest.split_at_mut(dest.len() / BUFFER * BUFFER);
        if !buffers.is_empty() {
            self.core.keystream(XorBuf::in_place(buffers));
        }
        while !tail.is_empty() {
            self.refill();
            let (ready, rest) = tail.split_at_mut(tail.len().min(BUFFER - self.next));
            ready.copy_from_slice(&self.buffer.0[self.next..][..ready.len()]);
            self.next += ready.len().next_multiple_of(WORD);
            tail = rest;
        }
    }

    /// The position in words. It has 64 + 4 bits.
    pub(super) fn word_pos(&self) -> u128 {
        let made = u128::from(self.core.get_block_pos()) * BLOCK_WORDS as u128;
        let ahead = (BUFFER - self.next) / WORD;
        made.wrapping_sub(ahead as u128) & ((1 << 68) - 1)
    }

    pub(super) fn set_word_pos(&mut self, pos: u128) {
        self.set_block_pos((pos / BLOCK_WORDS as u128) as u64);
        let skipped = (pos % BLOCK_WORDS as u128) as usize;
        if skipped != 0 {
            self.refill();
            self.next += skipped * WORD;
        }
    }

    pub(super) fn block_pos(&self) -> u64 {
        (self.word_pos() / BLOCK_WORDS as u128) as u64
    }

    pub(super) fn set_block_pos(&mut self, pos: u64) {
        self.core.set_block_pos(pos);
        (self.next, self.first) = (BUFFER, true);
    }

    pub(super) fn stream(&self) -> u64 {
        let words = self.core.state.words();
        u64::from(words[14]) | u64::from(words[15]) << 32
    }

    pub(super) fn seed(&self) -> Seed {
        let mut seed = [0; 32];
        let words = &self.core.state.words()[4..12];
        for (bytes, word) in seed.chunks_exact_mut(WORD).zip(words) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
        seed
    }

    pub(super) fn serialize(&self) -> SerializedRngState {
        let mut state = [0; 49];
        state[..32].copy_from_slice(&self.seed());
        state[32..40].copy_from_slice(&self.stream().to_le_bytes());
        state[40..].copy_from_slice(&self.word_pos().to_le_bytes()[..9]);
        state
    }

    pub(super) fn deserialize(state: &SerializedRngState) -> Self {
        let seed = state.first_chunk().expect("32 of 49 bytes");
        let mut stream = [0; 8];
        stream.copy_from_slice(&state[32..40]);
        let mut pos = [0; 16];
        pos[..9].copy_from_slice(&state[40..]);
        let mut rng = Self::new(seed, u64::from_le_bytes(stream));
        rng.set_word_pos(u128::from_le_bytes(pos));
        rng
    }
}

impl<R: Rounds> PartialEq for Stream<R> {
    /// Whether both go on with the same numbers, whatever is in their buffers.
    fn eq(&self, other: &Self) -> bool {
        self.seed() == other.seed()
            && self.stream() == other.stream()
            && self.word_pos() == other.word_pos()
    }
}

#[cfg(feature = "zeroize")]
impl<R: Rounds> Drop for Stream<R> {
    fn drop(&mut self) {
        zeroize::Zeroize::zeroize(&mut self.buffer.0);
    }
}
