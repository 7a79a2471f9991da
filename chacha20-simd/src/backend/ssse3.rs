//! SSSE3: as SSE2, with rotations by 16 and 8 as one byte shuffle each.
//!
//! Needs: `ssse3`.

use super::pass;
use super::xmm::Xmm;

super::entry::entry_points!("ssse3", Xmm<true>);
super::entry::first_entry_points!(
    "ssse3",
    Xmm<true>,
    xor_first_2, keystream_2: 2 in pass::rows::<Xmm<true>, 2, _>,
    xor_first_3, keystream_3: 3 in pass::rows::<Xmm<true>, 3, _>
);
super::entry::beside_entry_point!("ssse3", Xmm<true>);
