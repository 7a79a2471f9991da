//! The core: a state whose blocks the kernels make. The traits of the ciphers and of the random
//! number generators stand on it.

use core::fmt;
use core::marker::PhantomData;
#[cfg(feature = "cipher")]
use core::mem::ManuallyDrop;

use chacha20_simd::engine::State;
#[cfg(any(feature = "cipher", feature = "rng"))]
use chacha20_simd::engine::{self, CounterWidth, RoundCount, XorBuf};

use crate::rounds::Rounds;
use crate::variants::Variant;

/// ChaCha block by block: `R` rounds, layout `V`. 64 bytes.
pub struct ChaChaCore<R: Rounds, V: Variant> {
    pub(crate) state: State,
    pub(crate) types: PhantomData<(R, V)>,
}

impl<R: Rounds, V: Variant> ChaChaCore<R, V> {
    /// The number of the next block.
    #[inline(always)]
    #[must_use]
    pub fn get_block_pos(&self) -> V::Counter {
        V::get_block_pos(&self.state.words()[12..])
    }

    /// Sets the number of the next block.
    #[inline(always)]
    pub fn set_block_pos(&mut self, pos: V::Counter) {
        // A narrow counter leaves word 13, which is the nonce's, as it is.
        let mut row = [self.state.words()[12], self.state.words()[13]];
        V::set_block_pos(&mut row, pos);
        self.state.set_counter64(u64::from(row[0]) | u64::from(row[1]) << 32);
    }
}

#[cfg(any(feature = "cipher", feature = "rng"))]
impl<R: Rounds, V: Variant> ChaChaCore<R, V> {
    const ROUNDS: RoundCount = crate::rounds::round_count::<R>();

    const WIDTH: CounterWidth =
        if size_of::<V::Counter>() == 8 { CounterWidth::W64 } else { CounterWidth::W32 };

    #[inline]
    pub(crate) fn from_words(key: &[u8; 32], words_12_to_15: [u32; 4]) -> Self {
        Self { state: State::new(key, words_12_to_15), types: PhantomData }
    }

    /// Overwrites whole blocks with keystream.
    #[cfg(feature = "rng")]
    #[inline]
    pub(crate) fn keystream(&mut self, buf: XorBuf<'_>) {
        let backend = crate::backend::backend();
        engine::keystream(backend, Self::ROUNDS, Self::WIDTH, &mut self.state, buf);
    }

    /// XORs whole blocks of keystream.
    #[cfg(feature = "cipher")]
    #[inline]
    pub(crate) fn apply(&mut self, buf: XorBuf<'_>) {
        if buf.is_empty() {
            return;
        }
        let backend = crate::backend::backend();
        // Whole blocks leave nothing in it that would have to be wiped.
        let mut unused = ManuallyDrop::new(engine::Block::ZERO);
        engine::xor(backend, Self::ROUNDS, Self::WIDTH, &mut self.state, buf, &mut unused);
    }
}

impl<R: Rounds, V: Variant> fmt::Debug for ChaChaCore<R, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bits = 8 * size_of::<V::Counter>();
        write!(f, "ChaChaCore<R: {}, V: {bits}-bit)> {{ ... }}", R::COUNT)
    }
}

#[cfg(feature = "zeroize")]
impl<R: Rounds, V: Variant> zeroize::ZeroizeOnDrop for ChaChaCore<R, V> {}
