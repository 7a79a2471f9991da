//! The buffers of the trait crates, bytes and whole blocks, as [`XorBuf`]s.

use core::marker::PhantomData;

use super::XorBuf;

/// `$buf` of `$item`s, each of which is `$size` bytes and nothing else.
macro_rules! impl_from {
    ($($(#[$meta:meta])* $buf:ty, $item:ty, $size:literal;)*) => {$(
        $(#[$meta])*
        impl<'a> From<$buf> for XorBuf<'a> {
            #[inline]
            fn from(buf: $buf) -> Self {
                const { assert!(size_of::<$item>() == $size && align_of::<$item>() == 1) }
                let len = $size * buf.len();
                // `InOutBuf` promises what is promised here: both pointers valid for its length,
                // to the same memory or to disjoint memory.
                let (src, dst) = buf.into_raw();
                Self { src: src.cast(), dst: dst.cast(), len, lifetimes: PhantomData }
            }
        }
    )*};
}

type Block04 = cipher::generic_array::GenericArray<u8, cipher::consts::U64>;
#[cfg(feature = "cipher05")]
type Block05 = cipher05::array::Array<u8, cipher05::consts::U64>;

impl_from! {
    /// The bytes of `cipher` 0.4.
    cipher::inout::InOutBuf<'a, 'a, u8>, u8, 1;
    /// The blocks of `cipher` 0.4.
    cipher::inout::InOutBuf<'a, 'a, Block04>, Block04, 64;
    /// The bytes of `cipher` 0.5 and `aead` 0.6.
    #[cfg(feature = "cipher05")]
    cipher05::InOutBuf<'a, 'a, u8>, u8, 1;
    /// The blocks of `cipher` 0.5.
    #[cfg(feature = "cipher05")]
    cipher05::InOutBuf<'a, 'a, Block05>, Block05, 64;
}
