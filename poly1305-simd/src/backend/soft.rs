//! Portable code: the radix that suits the target's multiplier.

mod soft32;
mod soft64;

#[cfg(not(target_pointer_width = "64"))]
pub(crate) use soft32::{block, blocks};
#[cfg(target_pointer_width = "64")]
pub(crate) use soft64::{block, blocks};
