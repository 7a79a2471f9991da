//! `cipher` 0.5 (hybrid-array).

use cipher05::array::Array;
use cipher05::common::BlockSizeUser;
use cipher05::consts::{U8, U12, U24, U32, U64};
use cipher05::{
    InOutBuf, Iv, IvSizeUser, KeyIvInit, KeySizeUser, OverflowError, SeekNum, StreamCipher,
    StreamCipherError, StreamCipherSeek,
};

use crate::backend::Backend;
use crate::engine::XorBuf;
use crate::stream::ChaCha;
use crate::variants::{Ietf, Legacy, Rounds, Variant, X};

/// Blocks of keystream: all values of the counter but the last, as in RustCrypto. In this
/// generation the original layout counts 64 bits, there too.
const fn limit<V: Variant>() -> u64 {
    if size_of::<V::Counter>() == 8 { u64::MAX } else { u32::MAX as u64 }
}

impl<R: Rounds, V: Variant> KeySizeUser for ChaCha<R, V> {
    type KeySize = U32;
}

impl<R: Rounds, V: Variant> BlockSizeUser for ChaCha<R, V> {
    type BlockSize = U64;
}

macro_rules! impl_iv {
    ($($variant:ty, $size:ty;)*) => {$(
        impl<R: Rounds> IvSizeUser for ChaCha<R, $variant> {
            type IvSize = $size;
        }

        impl<R: Rounds> KeyIvInit for ChaCha<R, $variant> {
            #[inline]
            fn new(key: &Array<u8, U32>, iv: &Iv<Self>) -> Self {
                Self::with_backend(key.as_ref(), iv.as_ref(), Backend::detect())
            }
        }
    )*};
}

impl_iv! {
    Ietf, U12;
    X, U24;
    Legacy, U8;
}

impl<R: Rounds, V: Variant> StreamCipher for ChaCha<R, V> {
    #[inline]
    fn check_remaining(&self, data_len: usize) -> Result<(), StreamCipherError> {
        self.check(data_len, limit::<V>()).map_err(|_| StreamCipherError)
    }

    #[inline]
    fn unchecked_apply_keystream_inout(&mut self, buf: InOutBuf<'_, '_, u8>) {
        self.apply_unchecked(buf.into());
    }

    #[inline]
    fn unchecked_write_keystream(&mut self, buf: &mut [u8]) {
        buf.fill(0);
        self.apply_unchecked(XorBuf::in_place(buf));
    }
}

impl<R: Rounds, V: Variant> StreamCipherSeek for ChaCha<R, V> {
    fn try_current_pos<T: SeekNum>(&self) -> Result<T, OverflowError> {
        // This generation counts a used-up block as the partial one.
        let (block, byte) = self.position();
        T::from_block_byte(block, if byte == 0 { 64 } else { byte }, 64)
    }

    /// An error beyond the end of the keystream, and for negative positions, at which RustCrypto's
    /// types panic.
    fn try_seek<T: SeekNum>(&mut self, pos: T) -> Result<(), StreamCipherError> {
        // In "blocks" of one byte every position has a remainder of 0: the remainder of a negative
        // one would make `SeekNum` panic.
        let (pos, _) = pos.into_block_byte::<u128>(1).map_err(|_| StreamCipherError)?;
        let block = u64::try_from(pos / 64).map_err(|_| StreamCipherError)?;
        self.seek(block, (pos % 64) as u8, limit::<V>()).map_err(|_| StreamCipherError)
    }
}
