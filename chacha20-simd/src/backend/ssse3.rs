//! SSSE3: as SSE2, with rotations by 16 and 8 as one byte shuffle each.
//!
//! Needs: `ssse3`.

use super::xmm::Xmm;

super::batches::entry_points!("ssse3", Xmm<true>);
super::batches::beside_entry_point!("ssse3", Xmm<true>);
