//! The trait-free engine: states and slices in, keystream out.
//!
//! **Unstable**: made for the crates of this workspace, exempt from semantic versioning. It has no
//! idea of positions and limits (the stream types own these): the block counter wraps, 32 bits
//! wide in word 12, or 64 bits wide in words 12 and 13 for the original layout.

use crate::backend::Backend;
pub use crate::beside::Beside;
pub use crate::buffer::XorBuf;
pub use crate::keystream::{Keystream, Scratch};
pub use crate::traces::{wipe_registers, wipe_stack};
use crate::{counter, wipe};

/// "expand 32-byte k" (RFC 8439, section 2.3).
pub(crate) const CONSTANTS: [u32; 4] = [0x6170_7865, 0x3320_646e, 0x7962_2d32, 0x6b20_6574];

/// A number of rounds that the kernels exist for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RoundCount {
    /// 8 rounds.
    R8,
    /// 12 rounds.
    R12,
    /// 20 rounds.
    R20,
}

impl RoundCount {
    /// Pairs of a column round and a diagonal round.
    pub(crate) const fn double_rounds(self) -> usize {
        match self {
            Self::R8 => 4,
            Self::R12 => 6,
            Self::R20 => 10,
        }
    }
}

/// How wide the block counter is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CounterWidth {
    /// 32 bits in word 12; never carried into word 13 (RFC 8439, section 2.3).
    W32,
    /// 64 bits in words 12 and 13 (the original layout).
    W64,
}

/// The sixteen words from which a block is made: constants, key, block counter and nonce.
///
/// 64 bytes, wiped on drop.
#[derive(Clone)]
#[repr(C, align(64))]
pub struct State {
    pub(crate) words: [u32; 16],
}

impl State {
    /// A state of a 32-byte key and words 12 to 15.
    #[inline]
    pub fn new(key: &[u8; 32], words_12_to_15: [u32; 4]) -> Self {
        let mut words = [0; 16];
        words[..4].copy_from_slice(&CONSTANTS);
        for (word, bytes) in words[4..12].iter_mut().zip(key.chunks_exact(4)) {
            *word = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        }
        let mut state = Self { words };
        counter::set(state.last_row(), words_12_to_15);
        state
    }

    /// The state of RFC 8439, section 2.3, with the given block counter.
    #[inline]
    pub fn ietf(key: &[u8; 32], nonce: &[u8; 12], counter: u32) -> Self {
        let word =
            |i: usize| u32::from_le_bytes([nonce[i], nonce[i + 1], nonce[i + 2], nonce[i + 3]]);
        Self::new(key, [counter, word(0), word(4), word(8)])
    }

    /// All words.
    #[inline]
    pub fn words(&self) -> &[u32; 16] {
        &self.words
    }

    /// The 32-bit block counter.
    #[inline]
    pub fn counter32(&self) -> u32 {
        self.words[12]
    }

    /// Sets the 32-bit block counter.
    #[inline]
    pub fn set_counter32(&mut self, counter: u32) {
        self.words[12] = counter;
    }

    /// The 64-bit block counter of the original layout.
    #[inline]
    pub fn counter64(&self) -> u64 {
        u64::from(self.words[12]) | u64::from(self.words[13]) << 32
    }

    /// Sets the 64-bit block counter of the original layout.
    #[inline]
    pub fn set_counter64(&mut self, counter: u64) {
        self.words[12] = counter as u32;
        self.words[13] = (counter >> 32) as u32;
    }

    #[inline]
    fn last_row(&mut self) -> &mut [u32; 4] {
        self.words.last_chunk_mut().expect("the last of four rows")
    }

    /// Adds to the block counter, modulo 2^32 or 2^64.
    #[inline]
    pub fn advance(&mut self, width: CounterWidth, blocks: u64) {
        counter::advance(self.last_row(), width, blocks);
    }
}

impl core::fmt::Debug for State {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("State").finish_non_exhaustive()
    }
}

impl Drop for State {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: the words are 64 bytes, aligned to 64.
        unsafe { wipe::aligned(self.words.as_mut_ptr().cast(), 64) };
    }
}

/// A block of keystream; 64 bytes, wiped on drop.
#[derive(Clone)]
#[repr(C, align(64))]
pub struct Block(pub [u8; 64]);

impl Block {
    /// A block of zeros.
    pub const ZERO: Self = Self([0; 64]);
}

impl core::fmt::Debug for Block {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Block").finish_non_exhaustive()
    }
}

impl Drop for Block {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: 64 bytes, aligned to 64.
        unsafe { wipe::aligned(self.0.as_mut_ptr(), 64) };
    }
}

/// XORs keystream into `buf`, from the start of the block that `state` points at, and advances the
/// block counter past the last block begun.
///
/// If the last block is used in part, its whole keystream is left in `last`; otherwise `last` is
/// unchanged.
///
/// ```
/// use chacha20_simd::{Backend, engine::*};
/// let mut state = State::ietf(&[0; 32], &[0; 12], 0);
/// let (mut data, mut last) = ([0u8; 100], Block::ZERO);
/// let buf = XorBuf::in_place(&mut data);
/// xor(Backend::detect(), RoundCount::R20, CounterWidth::W32, &mut state, buf, &mut last);
/// assert_eq!(data[..4], [0x76, 0xb8, 0xe0, 0xad]);
/// assert_eq!(data[64..], last.0[..36]);
/// assert_eq!(state.counter32(), 2);
/// ```
#[inline]
pub fn xor(
    backend: Backend,
    rounds: RoundCount,
    width: CounterWidth,
    state: &mut State,
    buf: XorBuf<'_>,
    last: &mut Block,
) {
    backend.xor(rounds, width, state, buf, last);
}

/// A message's first pass through the rounds: the block that `state` points at, which keys an
/// authenticator, to `first`, and as many of the blocks after it as come in the same pass, XORed into
/// the start of `buf`. Returns how many bytes that is: a short message as a whole.
///
/// As [`xor`] does, it advances the block counter past the last block begun. If that is used in part,
/// its keystream stays on the stack below the caller's frame, where that of the rounds may be, too:
/// see [`wipe_stack`].
///
/// A short message is bound by the latency of the rounds: going through them once more for the first
/// block would double its time.
///
/// ```
/// use chacha20_simd::{Backend, engine::*};
/// let mut state = State::ietf(&[0; 32], &[0; 12], 0);
/// let (mut data, mut first) = ([0u8; 1], Block::ZERO);
/// let (rounds, width, buf) = (RoundCount::R20, CounterWidth::W32, &mut XorBuf::in_place(&mut data));
/// let done = xor_first(Backend::detect(), rounds, width, &mut state, &mut first, buf);
/// assert_eq!(first.0[..4], [0x76, 0xb8, 0xe0, 0xad]);
/// assert_eq!(data, if done == 0 { [0] } else { [0x9f] });
/// ```
#[inline]
#[must_use]
pub fn xor_first(
    backend: Backend,
    rounds: RoundCount,
    width: CounterWidth,
    state: &mut State,
    first: &mut Block,
    buf: &mut XorBuf<'_>,
) -> usize {
    backend.xor_first(rounds, width, state, first, buf)
}

/// As [`xor`], with `beside` called in the shadow of the rounds, as often as there is room for it:
/// not at all on a backend for which [`has_beside`] says no. What is left to do then is left to the
/// caller, who gets it back. (By value, so that it can be in registers meanwhile.)
#[inline(always)]
pub fn xor_beside<B: Beside>(
    backend: Backend,
    rounds: RoundCount,
    width: CounterWidth,
    state: &mut State,
    buf: XorBuf<'_>,
    last: &mut Block,
    beside: B,
) -> B {
    backend.xor_beside(rounds, width, state, buf, last, beside)
}

/// Whether the backend does work beside the rounds: all do but the portable code.
#[inline]
pub fn has_beside(backend: Backend) -> bool {
    backend.has_beside()
}

/// How many bytes of keystream one pass through the rounds makes at the most, but for the first
/// block of a message, which AVX-512 can make beside it.
#[inline]
pub fn bytes_per_pass(backend: Backend) -> usize {
    64 * backend.blocks_per_pass()
}

/// Overwrites `buf` with keystream, from the start of the block that `state` points at, and advances
/// the block counter past it: for random numbers, which have no text to XOR it with.
///
/// ```
/// use chacha20_simd::{Backend, engine::*};
/// let mut state = State::ietf(&[0; 32], &[0; 12], 0);
/// let mut numbers = [1; 32];
/// let buf = XorBuf::words(&mut numbers);
/// keystream(Backend::detect(), RoundCount::R20, CounterWidth::W32, &mut state, buf);
/// assert_eq!(u32::from_le(numbers[0]), 0xade0_b876);
/// assert_eq!(state.counter32(), 2);
/// ```
///
/// # Panics
/// If `buf` is not whole blocks.
#[inline]
pub fn keystream(
    backend: Backend,
    rounds: RoundCount,
    width: CounterWidth,
    state: &mut State,
    mut buf: XorBuf<'_>,
) {
    let buf = buf.dst_mut();
    assert!(buf.len().is_multiple_of(64), "whole blocks");
    if !buf.is_empty() {
        // SAFETY: the buffer is valid for as many bytes, and these are whole blocks.
        unsafe { backend.keystream(rounds, width, state, buf.len() / 64, buf.as_mut_ptr()) };
    }
}

/// One block of keystream; the state is left as it is.
pub fn block(backend: Backend, rounds: RoundCount, state: &State) -> Block {
    // The width of the counter is of no consequence to a single block.
    let (mut state, mut block) = (state.clone(), Block::ZERO);
    keystream(backend, rounds, CounterWidth::W32, &mut state, XorBuf::in_place(&mut block.0));
    block
}
