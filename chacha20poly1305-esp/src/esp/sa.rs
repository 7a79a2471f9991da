//! Security associations: keys together with the numbers that make them safe to use.

mod counters;
mod inbound;
mod opener;
mod outbound;
mod segments;

pub use counters::InboundCounters;
pub use inbound::{InboundBuilder, InboundSa, Received, Resync};
pub use opener::{Checked, Opener, Verified};
pub use outbound::{IvSource, OutboundBuilder, OutboundSa, SealOptions};
