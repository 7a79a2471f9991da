//! The original layout: an 8-byte nonce and a 64-bit counter.

use cipher::array::Array;
use cipher::consts::{U8, U32};
use cipher::{IvSizeUser, KeyIvInit, KeySizeUser, StreamCipherCoreWrapper};

use crate::chacha::{Key, words};
use crate::core_type::ChaChaCore;
use crate::rounds::R20;
use crate::variants::Legacy;

/// The 8-byte nonce of the original layout.
pub type LegacyNonce = Array<u8, U8>;

/// ChaCha20 in the original layout.
pub type ChaCha20Legacy = StreamCipherCoreWrapper<ChaCha20LegacyCore>;

/// ChaCha20 in the original layout, block by block.
pub type ChaCha20LegacyCore = ChaChaCore<R20, Legacy>;

impl KeySizeUser for ChaCha20LegacyCore {
    type KeySize = U32;
}

impl IvSizeUser for ChaCha20LegacyCore {
    type IvSize = U8;
}

impl KeyIvInit for ChaCha20LegacyCore {
    #[inline]
    fn new(key: &Key, iv: &LegacyNonce) -> Self {
        let [a, b] = words(iv);
        Self::from_words(key.as_ref(), [0, 0, a, b])
    }
}
