//! Oracles, guarded buffers and generators for the tests of this workspace.
//!
//! Nothing here is fast or constant-time, and nothing here shares a line with the crates under
//! test: [`oracle`] restates RFC 8439 in the plainest arithmetic there is, so that an agreement
//! means something.

pub mod backends;
pub mod guard;
pub mod lengths;
pub mod oracle;
#[cfg(all(target_arch = "x86_64", unix))]
pub mod painted;
pub mod rng;
pub mod terms;

pub use guard::Guarded;
pub use rng::Rng;
