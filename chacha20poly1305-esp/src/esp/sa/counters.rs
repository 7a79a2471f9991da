//! What happened on an inbound SA, for the audit events of RFC 4303.

use crate::esp::Error;

/// How many packets met which fate on an inbound SA.
///
/// They wrap after 2^64 packets and are never reset; to watch an interval, take the difference.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct InboundCounters {
    /// Opened, with a payload.
    pub accepted: u64,
    /// Opened, and dummies.
    pub dummies: u64,
    /// Too short, unaligned where that is asked for, or not of this SA.
    pub malformed: u64,
    /// Number 0.
    pub sequence_zero: u64,
    /// Left of the window.
    pub too_old: u64,
    /// Number received before.
    pub replay: u64,
    /// ICV wrong.
    pub auth_failed: u64,
    /// Of those with a wrong ICV, how many were looked up in the half after the highest number's. Extended
    /// numbers make a packet that comes late by more than the window look like one from the far future, so
    /// when this grows, the window may be too small for the path's reordering.
    pub perhaps_too_old: u64,
    /// Authentic, with wrong padding.
    pub bad_padding: u64,
}

impl InboundCounters {
    pub(super) fn count(&mut self, error: Error) {
        let counter = match error {
            Error::SequenceZero => &mut self.sequence_zero,
            Error::TooOld => &mut self.too_old,
            Error::Replay => &mut self.replay,
            Error::AuthFailed => &mut self.auth_failed,
            Error::BadPadding => &mut self.bad_padding,
            // The caller's output buffer, not the packet.
            Error::BufferTooSmall => return,
            _ => &mut self.malformed,
        };
        *counter = counter.wrapping_add(1);
    }
}
