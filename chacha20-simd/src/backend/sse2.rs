//! SSE2, which every x86-64 CPU has: 128-bit vectors; rows of 1, 2 and 3 blocks, columns of 4.
//!
//! Needs: `sse2`.

use super::pass;
use super::xmm::Xmm;

super::entry::entry_points!("sse2", Xmm<false>);
super::entry::first_entry_points!(
    "sse2",
    Xmm<false>,
    xor_first_2, keystream_2: 2 in pass::rows::<Xmm<false>, 2, _>,
    xor_first_3, keystream_3: 3 in pass::rows::<Xmm<false>, 3, _>
);
super::entry::beside_entry_point!("sse2", Xmm<false>);
