//! Random number generators: the keystream of a seed, in the original layout, whose nonce numbers
//! 2^64 streams.

mod stream;

use core::convert::Infallible;
use core::fmt;

use chacha20_simd::engine::XorBuf;
use rand_core::block::Generator;
use rand_core::{SeedableRng, TryCryptoRng, TryRng};

use crate::core_type::ChaChaCore;
use crate::rounds::{R8, R12, R20, Rounds};
use crate::variants::Variant;
use stream::Stream;

/// 32 bytes from which a generator starts.
pub type Seed = [u8; 32];

/// Seed, stream and position of a generator: 32, 8 and 9 bytes, the numbers little-endian.
pub type SerializedRngState = [u8; 49];

/// Words of 32 bits in a block.
const BLOCK_WORDS: usize = 16;
/// Words that a core makes at a time: four blocks, which the original has made part of its interface.
const CORE_WORDS: usize = 4 * BLOCK_WORDS;

impl<R: Rounds, V: Variant> SeedableRng for ChaChaCore<R, V> {
    type Seed = Seed;

    #[inline]
    fn from_seed(seed: Seed) -> Self {
        Self::from_words(&seed, [0; 4])
    }
}

impl<R: Rounds, V: Variant> Generator for ChaChaCore<R, V> {
    type Output = [u32; CORE_WORDS];

    #[inline]
    fn generate(&mut self, buffer: &mut [u32; CORE_WORDS]) {
        self.keystream(XorBuf::words(buffer));
        // Words of keystream are little-endian; nothing to do where the target is, too.
        buffer.iter_mut().for_each(|word| *word = u32::from_le(*word));
    }

    #[cfg(feature = "zeroize")]
    fn drop(&mut self, output: &mut Self::Output) {
        zeroize::Zeroize::zeroize(output);
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
                Ok(self.0.next_u32())
            }

            #[inline]
            fn try_next_u64(&mut self) -> Result<u64, Infallible> {
                Ok(self.0.next_u64())
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
