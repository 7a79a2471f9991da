//! RustCrypto's traits, one file a generation. No algorithm lives here.

mod flatten;
mod uhash05;
#[cfg(feature = "universal-hash06")]
mod uhash06;
