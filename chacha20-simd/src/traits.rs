//! RustCrypto's traits, a file a generation. They know no algorithm.

pub(crate) mod cipher04;
#[cfg(feature = "cipher05")]
mod cipher05;
