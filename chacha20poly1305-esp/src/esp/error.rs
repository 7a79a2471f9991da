//! What can go wrong with a packet, told apart as RFC 4303 asks for its audit events.

use core::fmt;

/// Why a packet was not sealed or not opened.
///
/// A packet that gives an error is dropped. Receivers should count the kinds apart (RFC 4303
/// sections 3.4.2 to 3.4.4), and should not tell the sender which one it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Error {
    /// Too short for header, IV, trailer and ICV, or its SPI is 0.
    Malformed,
    /// No security association has this SPI.
    UnknownSpi,
    /// The sequence number is 0, which no sender uses (the 64-bit number 0 if it is extended).
    SequenceZero,
    /// The sequence number lies left of the anti-replay window.
    TooOld,
    /// The sequence number was received before.
    Replay,
    /// The ICV is wrong: damaged, forged, sealed with another key, or with another high half.
    AuthFailed,
    /// The ICV is right, but the pad length exceeds the text or the pad octets are not 1, 2, 3, ..
    BadPadding,
    /// All sequence numbers are used up: the key must be replaced.
    SequenceExhausted,
    /// The buffer has too little room before or after the payload, or the output is too short.
    BufferTooSmall,
    /// The packet would be longer than 2^32 - 1 octets, the length of the longest IPv6 jumbogram.
    TooLong,
    /// 0 is not an SPI that can be sent (RFC 4303 section 2.1).
    SpiZero,
    /// The keying material has another length than key and salt together.
    KeyLength,
    /// The anti-replay window is smaller than 32, larger than 2^31, or larger than its memory.
    WindowSize,
    /// Extended sequence numbers without an anti-replay window: a receiver could not tell the half that
    /// is not sent (RFC 4303 section 2.2.1).
    EsnWithoutWindow,
    /// The SA takes each IV from its caller and got none, or it makes its own and got one.
    IvSource,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Malformed => "not an ESP packet: too short, or SPI 0",
            Self::UnknownSpi => "no security association has this SPI",
            Self::SequenceZero => "sequence number 0",
            Self::TooOld => "sequence number left of the anti-replay window",
            Self::Replay => "sequence number received before",
            Self::AuthFailed => "integrity check failed",
            Self::BadPadding => "padding is wrong",
            Self::SequenceExhausted => "sequence numbers exhausted",
            Self::BufferTooSmall => "buffer too small",
            Self::TooLong => "packet too long",
            Self::SpiZero => "SPI is 0",
            Self::KeyLength => "keying material has the wrong length",
            Self::WindowSize => "anti-replay window too small, or too large",
            Self::EsnWithoutWindow => "extended sequence numbers without an anti-replay window",
            Self::IvSource => "IV missing, or not the caller's to choose",
        })
    }
}

impl core::error::Error for Error {}
