//! RustCrypto's traits, one file a generation. No algorithm lives here.

mod flatten;
mod uhash05;
