//! The original layout, with an 8-byte nonce. As in the original crate its counter has 32 bits in
//! this generation.

use cipher::consts::{U8, U10, U32, U64};
use cipher::generic_array::GenericArray;
use cipher::inout::{InOut, InOutBuf};
use cipher::{
    Block, BlockSizeUser, IvSizeUser, KeyIvInit, KeySizeUser, StreamCipherCore,
    StreamCipherCoreWrapper, StreamCipherSeekCore, StreamClosure,
};

use crate::Key;
use crate::cores::{ChaChaCore, impl_wrapped_core};

/// The 8-byte nonce of the original layout.
pub type LegacyNonce = GenericArray<u8, U8>;

/// ChaCha20 in the original layout.
pub type ChaCha20Legacy = StreamCipherCoreWrapper<ChaCha20LegacyCore>;

/// ChaCha20 in the original layout, block by block.
pub struct ChaCha20LegacyCore(ChaChaCore<U10>);

impl_wrapped_core!(ChaCha20LegacyCore, U8);

impl KeyIvInit for ChaCha20LegacyCore {
    #[inline]
    fn new(key: &Key, iv: &LegacyNonce) -> Self {
        Self(ChaChaCore::short_nonce(key, iv))
    }
}
