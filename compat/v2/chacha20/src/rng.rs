//! Random number generators: the keystream of a seed, in the original layout, whose nonce numbers
//! 2^64 streams.

use core::convert::Infallible;
use core::fmt;

use chacha20_simd::engine::XorBuf;
use rand_core::block::{BlockRng, Generator};
use rand_core::{SeedableRng, TryCryptoRng, TryRng};

use crate::core_type::ChaChaCore;
use crate::rounds::{R8, R12, R20, Rounds};
use crate::variants::{Legacy, Variant};

/// 32 bytes from which a generator starts.
pub type Seed = [u8; 32];

/// Seed, stream and position of a generator: 32, 8 and 9 bytes, the numbers little-endian.
pub type SerializedRngState = [u8; 49];

/// Words of a block.
const BLOCK_WORDS: usize = 16;
/// Blocks in a generator's buffer. Fixed by the original: the size is part of `Generator::Output`.
const BUFFER_BLOCKS: usize = 4;
/// Words in a generator's buffer.
const BUFFER_WORDS: usize = BUFFER_BLOCKS * BLOCK_WORDS;
/// Bytes of a word.
const WORD_SIZE: usize = 4;
/// From how many bytes on it pays to go around the buffer: less than two buffers are as fast, and
/// short fills must not pay for the question. More than a buffer, so that none is left in it.
const LONG_FILL: usize = 2 * BUFFER_WORDS * WORD_SIZE;
/// Bytes that are zeroed, then XORed with keystream, at a time: they stay in the nearest cache.
const FILL_CHUNK: usize = 8 << 10;

impl<R: Rounds, V: Variant> SeedableRng for ChaChaCore<R, V> {
    type Seed = Seed;

    #[inline]
    fn from_seed(seed: Seed) -> Self {
        Self::from_words(&seed, [0; 4])
    }
}

impl<R: Rounds, V: Variant> Generator for ChaChaCore<R, V> {
    type Output = [u32; BUFFER_WORDS];

    #[inline]
    fn generate(&mut self, buffer: &mut [u32; BUFFER_WORDS]) {
        *buffer = [0; BUFFER_WORDS];
        self.apply(XorBuf::words(buffer));
        // Words of keystream are little-endian; nothing to do where the target is, too.
        buffer.iter_mut().for_each(|word| *word = u32::from_le(*word));
    }

    #[cfg(feature = "zeroize")]
    fn drop(&mut self, output: &mut Self::Output) {
        zeroize::Zeroize::zeroize(output);
    }
}

/// What the generators share.
struct Stream<R: Rounds>(BlockRng<ChaChaCore<R, Legacy>>);

impl<R: Rounds> Stream<R> {
    #[inline]
    fn new(seed: &Seed, stream: u64) -> Self {
        let nonce = [0, 0, stream as u32, (stream >> 32) as u32];
        Self(BlockRng::new(ChaChaCore::from_words(seed, nonce)))
    }

    /// Fills `dest` with the same bytes as `BlockRng` does and goes as far.
    #[inline]
    fn fill_bytes(&mut self, dest: &mut [u8]) {
        if dest.len() < LONG_FILL { self.0.fill_bytes(dest) } else { self.fill_long(dest) }
    }

    /// What is beyond the buffer is made in place, in whole blocks, at the full speed of the kernels.
    fn fill_long(&mut self, dest: &mut [u8]) {
        let buffered = match self.0.word_offset() {
            0 => 0,
            offset => (BUFFER_WORDS - offset) * WORD_SIZE,
        };
        let (head, rest) = dest.split_at_mut(buffered);
        self.0.fill_bytes(head);
        let (blocks, tail) = rest.split_at_mut(rest.len() & !(BLOCK_WORDS * WORD_SIZE - 1));
        for chunk in blocks.chunks_mut(FILL_CHUNK) {
            chunk.fill(0);
            self.0.core.apply(XorBuf::in_place(chunk));
        }
        self.0.fill_bytes(tail);
    }

    /// The number of the first block that is in the buffer, or that comes next.
    fn first_block(&self) -> u64 {
        let next = self.0.core.get_block_pos();
        if self.0.word_offset() == 0 { next } else { next.wrapping_sub(BUFFER_BLOCKS as u64) }
    }

    fn word_pos(&self) -> u128 {
        let words = u128::from(self.first_block()) * BLOCK_WORDS as u128;
        // A position has 64 + 4 bits.
        (words + self.0.word_offset() as u128) & ((1 << 68) - 1)
    }

    fn set_word_pos(&mut self, pos: u128) {
        self.0.core.set_block_pos((pos / BLOCK_WORDS as u128) as u64);
        self.0.reset_and_skip((pos % BLOCK_WORDS as u128) as usize);
    }

    fn block_pos(&self) -> u64 {
        self.first_block().wrapping_add((self.0.word_offset() / BLOCK_WORDS) as u64)
    }

    fn set_block_pos(&mut self, pos: u64) {
        self.0.reset_and_skip(0);
        self.0.core.set_block_pos(pos);
    }

    fn stream(&self) -> u64 {
        let words = self.0.core.state.words();
        u64::from(words[14]) | u64::from(words[15]) << 32
    }

    fn seed(&self) -> Seed {
        let mut seed = [0; 32];
        let words = &self.0.core.state.words()[4..12];
        for (bytes, word) in seed.chunks_exact_mut(WORD_SIZE).zip(words) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
        seed
    }

    fn serialize(&self) -> SerializedRngState {
        let mut state = [0; 49];
        state[..32].copy_from_slice(&self.seed());
        state[32..40].copy_from_slice(&self.stream().to_le_bytes());
        state[40..].copy_from_slice(&self.word_pos().to_le_bytes()[..9]);
        state
    }

    fn deserialize(state: &SerializedRngState) -> Self {
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

macro_rules! rng {
    ($($name:ident, $rounds:ident, $doc:literal;)*) => {$(
        #[doc = concat!("A random number generator: the keystream of ", $doc, " for a seed.")]
        ///
        /// Seeds have 2^64 streams of 2^70 bytes each; after the last byte comes the first.
        pub struct $name(Stream<$rounds>);

        impl $name {
            /// The position in the stream, in words of 32 bits; 68 bits wide.
            #[inline]
            #[must_use]
            pub fn get_word_pos(&self) -> u128 {
                self.0.word_pos()
            }

            /// Sets the position in the stream, in words of 32 bits. The upper 60 bits are ignored.
            #[inline]
            pub fn set_word_pos(&mut self, word_offset: u128) {
                self.0.set_word_pos(word_offset);
            }

            /// Goes to the start of a block of 16 words.
            #[inline]
            pub fn set_block_pos(&mut self, block_pos: u64) {
                self.0.set_block_pos(block_pos);
            }

            /// The block of 16 words that the position is in.
            #[inline]
            #[must_use]
            pub fn get_block_pos(&self) -> u64 {
                self.0.block_pos()
            }

            /// Goes to the start of another stream.
            #[inline]
            pub fn set_stream(&mut self, stream: u64) {
                self.0 = Stream::new(&self.0.seed(), stream);
            }

            /// The number of the stream.
            #[inline]
            #[must_use]
            pub fn get_stream(&self) -> u64 {
                self.0.stream()
            }

            /// The seed.
            #[inline]
            #[must_use]
            pub fn get_seed(&self) -> [u8; 32] {
                self.0.seed()
            }

            /// Seed, stream and position. As secret as the seed.
            #[inline]
            pub fn serialize_state(&self) -> SerializedRngState {
                self.0.serialize()
            }

            /// The generator that [`serialize_state`](Self::serialize_state) was called on.
            #[inline]
            pub fn deserialize_state(state: &SerializedRngState) -> Self {
                Self(Stream::deserialize(state))
            }
        }

        impl SeedableRng for $name {
            type Seed = Seed;

            #[inline]
            fn from_seed(seed: Seed) -> Self {
                Self(Stream::new(&seed, 0))
            }
        }

        impl TryRng for $name {
            type Error = Infallible;

            #[inline]
            fn try_next_u32(&mut self) -> Result<u32, Infallible> {
                Ok(self.0.0.next_word())
            }

            #[inline]
            fn try_next_u64(&mut self) -> Result<u64, Infallible> {
                Ok(self.0.0.next_u64_from_u32())
            }

            #[inline]
            fn try_fill_bytes(&mut self, dest: &mut [u8]) -> Result<(), Infallible> {
                self.0.fill_bytes(dest);
                Ok(())
            }
        }

        impl TryCryptoRng for $name {}

        impl PartialEq for $name {
            fn eq(&self, other: &Self) -> bool {
                self.0 == other.0
            }
        }

        impl Eq for $name {}

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(concat!(stringify!($name), " { ... }"))
            }
        }

        #[cfg(feature = "zeroize")]
        impl zeroize::ZeroizeOnDrop for $name {}
    )*};
}

rng! {
    ChaCha8Rng, R8, "ChaCha8";
    ChaCha12Rng, R12, "ChaCha12";
    ChaCha20Rng, R20, "ChaCha20";
}
