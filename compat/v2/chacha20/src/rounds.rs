//! Numbers of rounds, as types.

use chacha20_simd::engine::RoundCount;

/// A number of rounds, as a type.
pub trait Rounds: Copy {
    /// Double rounds: 4, 6 or 10. Others do not compile where they are used: there are no kernels
    /// for them.
    const COUNT: usize;
}

macro_rules! rounds {
    ($($name:ident, $doc:literal, $count:literal;)*) => {$(
        #[doc = $doc]
        #[derive(Clone, Copy, Debug)]
        pub struct $name;

        impl Rounds for $name {
            const COUNT: usize = $count;
        }
    )*};
}

rounds! {
    R8, "8 rounds.", 4;
    R12, "12 rounds.", 6;
    R20, "20 rounds.", 10;
}

/// `R`, as the kernels count them.
#[cfg_attr(not(any(feature = "cipher", feature = "rng")), allow(dead_code))]
pub(crate) const fn round_count<R: Rounds>() -> RoundCount {
    match R::COUNT {
        4 => RoundCount::R8,
        6 => RoundCount::R12,
        10 => RoundCount::R20,
        _ => panic!("ChaCha has 4, 6 or 10 double rounds"),
    }
}
