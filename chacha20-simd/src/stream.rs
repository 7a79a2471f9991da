//! The stream cipher: position, partial block, end of the keystream. The only owner of the counter
//! rules; it knows no traits.

use core::marker::PhantomData;

use crate::backend::Backend;
use crate::engine::{self, Block, CounterWidth, State, XorBuf};
use crate::variants::{Rounds, Variant};

/// A ChaCha stream cipher: `R` rounds, layout `V`. Use it through its aliases, such as
/// [`ChaCha20`](crate::ChaCha20).
///
/// It implements [`cipher`]'s `KeyIvInit`, `StreamCipher` and `StreamCipherSeek`. As with
/// RustCrypto's types, there is no `Clone`: two copies would give the same keystream twice.
/// `Debug` shows no secret, and the key and the buffered keystream are wiped on drop (feature
/// `zeroize`, on by default).
///
/// The keystream is (2^32 - 1) * 64 bytes long, as in RustCrypto's `StreamCipher`. What would go
/// beyond is an error, before anything is written, and leaves the position as it was.
pub struct ChaCha<R: Rounds, V: Variant> {
    /// Its block counter is the number of the next block to make.
    state: State,
    /// The block before that one, while a part of it is unused.
    last: Block,
    /// Bytes of `last` that have been used: 1..=63, or 0 if there is no partial block.
    used: u8,
    backend: Backend,
    variant: PhantomData<fn() -> (R, V)>,
}

/// The request goes beyond the end of the keystream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EndOfKeystream;

impl<R: Rounds, V: Variant> ChaCha<R, V> {
    const WIDTH: CounterWidth =
        if size_of::<V::Counter>() == 8 { CounterWidth::W64 } else { CounterWidth::W32 };

    /// As `new`, on a backend of the caller's choice.
    ///
    /// **Unstable**: for tests, benches and tools; exempt from semantic versioning.
    ///
    /// ```
    /// use chacha20_simd::{Backend, ChaCha20, cipher::StreamCipher};
    /// for backend in Backend::available() {
    ///     let mut data = [0u8; 3];
    ///     ChaCha20::with_backend(&[0; 32], &[0; 12], backend).apply_keystream(&mut data);
    ///     assert_eq!(data, [0x76, 0xb8, 0xe0]);
    /// }
    /// ```
    #[inline]
    pub fn with_backend(key: &[u8; 32], nonce: &V::Nonce, backend: Backend) -> Self {
        Self {
            state: V::state::<R>(key, nonce),
            last: Block::ZERO,
            used: 0,
            backend,
            variant: PhantomData,
        }
    }

    /// The block of keystream with the given number, whatever the position, which stays the same.
    ///
    /// All numbers are allowed, also 2^32 - 1, which `StreamCipher` never reaches: QUIC header
    /// protection (RFC 9001, section 5.4.4) takes its block counter from the packet. Take care
    /// not to use one block for two purposes.
    ///
    /// ```
    /// use chacha20_simd::{ChaCha20, cipher::KeyIvInit};
    /// let cipher = ChaCha20::new(&[0; 32].into(), &[0; 12].into());
    /// assert_eq!(cipher.block(0)[..3], [0x76, 0xb8, 0xe0]);
    /// assert_eq!(cipher.block(u32::MAX)[..3], [0xac, 0xe4, 0xcd]);
    /// ```
    pub fn block(&self, counter: V::Counter) -> [u8; 64] {
        let mut state = self.state.clone();
        V::set_counter(&mut state, counter.into());
        engine::block(self.backend, R::ROUNDS, &state).0
    }

    /// The number of the next block to make and the bytes used of the one before it.
    #[inline]
    pub(crate) fn position(&self) -> (u64, u8) {
        (V::counter(&self.state), self.used)
    }

    /// Goes to byte `byte` of block `block` of a keystream of `limit` blocks.
    #[inline]
    pub(crate) fn seek(&mut self, block: u64, byte: u8, limit: u64) -> Result<(), EndOfKeystream> {
        if byte >= 64 || block > limit || (block == limit && byte != 0) {
            return Err(EndOfKeystream);
        }
        V::set_counter(&mut self.state, block);
        self.used = byte;
        if byte != 0 {
            self.last = engine::block(self.backend, R::ROUNDS, &self.state);
            self.state.advance(Self::WIDTH, 1);
        }
        Ok(())
    }

    /// Bytes of the partial block that are left to use.
    #[inline]
    fn buffered(&self) -> usize {
        if self.used == 0 { 0 } else { 64 - usize::from(self.used) }
    }

    /// Whether `len` more bytes are there in a keystream of `limit` blocks.
    #[inline]
    pub(crate) fn check(&self, len: usize, limit: u64) -> Result<(), EndOfKeystream> {
        let blocks = len.saturating_sub(self.buffered()).div_ceil(64) as u64;
        if blocks > limit.saturating_sub(V::counter(&self.state)) {
            return Err(EndOfKeystream);
        }
        Ok(())
    }

    /// XORs the next bytes of a keystream of `limit` blocks into `buf`.
    #[inline]
    pub(crate) fn apply(&mut self, buf: XorBuf<'_>, limit: u64) -> Result<(), EndOfKeystream> {
        self.check(buf.len(), limit)?;
        self.apply_unchecked(buf);
        Ok(())
    }

    /// XORs the next bytes of keystream into `buf`. Beyond the last block comes the first one: the
    /// caller has checked, or has to answer for it.
    #[inline]
    pub(crate) fn apply_unchecked(&mut self, buf: XorBuf<'_>) {
        let head_len = self.buffered().min(buf.len());
        let (mut head, rest) = buf.split_at(head_len);
        if head_len != 0 {
            head.xor(&self.last.0[usize::from(self.used)..]);
            self.used = (self.used + head_len as u8) % 64;
        }
        if !rest.is_empty() {
            self.used = (rest.len() % 64) as u8;
            let (state, last) = (&mut self.state, &mut self.last);
            engine::xor(self.backend, R::ROUNDS, Self::WIDTH, state, rest, last);
        }
    }
}

impl<R: Rounds, V: Variant> core::fmt::Debug for ChaCha<R, V> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("ChaCha").field("backend", &self.backend).finish_non_exhaustive()
    }
}
