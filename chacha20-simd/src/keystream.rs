//! Keystream for its own sake: the one-time key of an authenticator, and text that is decrypted once
//! it has been verified.

use core::mem::MaybeUninit;

use crate::backend::Backend;
use crate::beside::Beside;
use crate::buffer::XorBuf;
use crate::engine::{CounterWidth, RoundCount, State};
use crate::wipe;

/// Room for a [`Keystream`]: `SIZE` bytes of whole blocks, not initialised.
///
/// Apart from it because a struct of uninitialised bytes and a length would be set to zero as a
/// whole, which takes as long as a tenth of a short message.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct Scratch<const SIZE: usize>(MaybeUninit<[u8; SIZE]>);

impl<const SIZE: usize> Scratch<SIZE> {
    /// Costs nothing.
    #[inline(always)]
    pub fn uninit() -> Self {
        const { assert!(SIZE != 0 && SIZE.is_multiple_of(64)) }
        Self(MaybeUninit::uninit())
    }
}

/// The keystream of a message from its first block on.
///
/// The first pass through the rounds makes the one-time key and as much of what follows as comes
/// with it: a short message is bound by the latency of the rounds, so going through them once more
/// for the one-time key would double its time. What has been written to the scratch is wiped on
/// drop.
///
/// ```
/// use chacha20_simd::{Backend, engine::*};
/// let mut scratch = Scratch::<1024>::uninit();
/// let mut state = State::ietf(&[0; 32], &[0; 12], 0);
/// let (rounds, width) = (RoundCount::R20, CounterWidth::W32);
/// let first = Keystream::new(&mut scratch, Backend::detect(), rounds, width, &mut state, 1);
/// assert_eq!(first.bytes()[..4], [0x76, 0xb8, 0xe0, 0xad]);
/// assert_eq!(state.counter32(), 1);
/// ```
pub struct Keystream<'s> {
    room: &'s mut [MaybeUninit<u8>],
    backend: Backend,
    /// Bytes written.
    len: usize,
}

impl<'s> Keystream<'s> {
    /// Makes `blocks` blocks in one pass through the rounds, but at most as many as a pass has and
    /// the scratch has room for, and at least one. `state` is left at the first block not made.
    #[inline(always)]
    pub fn new<const SIZE: usize>(
        scratch: &'s mut Scratch<SIZE>,
        backend: Backend,
        rounds: RoundCount,
        width: CounterWidth,
        state: &mut State,
        blocks: usize,
    ) -> Self {
        let blocks = blocks.clamp(1, backend.blocks_of_first_pass(blocks).min(SIZE / 64));
        let dst = scratch.0.as_mut_ptr().cast::<u8>();
        // SAFETY: the scratch has room for as many.
        unsafe { backend.keystream(rounds, width, state, blocks, dst) };
        // SAFETY: the scratch is `SIZE` bytes, borrowed for 's.
        let room = unsafe { core::slice::from_raw_parts_mut(dst.cast(), SIZE) };
        Self { room, backend, len: 64 * blocks }
    }

    /// Makes `blocks` blocks more, with work beside the rounds as in
    /// [`xor_beside`](crate::engine::xor_beside).
    ///
    /// # Panics
    /// If they do not fit the scratch.
    #[inline]
    pub fn extend<B: Beside>(
        &mut self,
        rounds: RoundCount,
        width: CounterWidth,
        state: &mut State,
        blocks: usize,
        beside: B,
    ) -> B {
        let room = &mut self.room[self.len..];
        assert!(64 * blocks <= room.len(), "room in the scratch");
        let dst = room.as_mut_ptr().cast();
        // SAFETY: there is room for as many blocks.
        let beside =
            unsafe { self.backend.keystream_beside(rounds, width, state, blocks, dst, beside) };
        self.len += 64 * blocks;
        beside
    }

    /// The keystream.
    #[inline]
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: `len` bytes have been written.
        unsafe { core::slice::from_raw_parts(self.room.as_ptr().cast(), self.len) }
    }

    /// XORs the keystream from byte `from` on into the start of `buf`; what of `buf` it does not
    /// reach.
    ///
    /// # Panics
    /// If `from` is greater than the length of the keystream.
    #[inline(always)]
    pub fn xor<'b>(&self, from: usize, buf: XorBuf<'b>) -> XorBuf<'b> {
        let keystream = &self.bytes()[from..];
        let reached = buf.len().min(keystream.len());
        let (head, rest) = buf.split_at(reached);
        self.backend.xor_keystream(head, keystream);
        rest
    }
}

impl Drop for Keystream<'_> {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: `len` is within the scratch, which is aligned to 64, and counts whole blocks.
        unsafe { wipe::scratch(self.room.as_mut_ptr().cast(), self.len) };
    }
}

impl core::fmt::Debug for Keystream<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Keystream").field("len", &self.len).finish_non_exhaustive()
    }
}
