//! Errors of the AEAD.

use core::fmt;

use crate::message::MAX_MESSAGE_LEN;

/// Why a message was not sealed or opened. Nothing has been written then.
///
/// It converts into [`aead::Error`], which tells nothing, for use beside the traits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MessageError {
    /// The tag is not that of the message, nonce, associated data and key.
    Authentication,
    /// The output slice is shorter than what is to be written.
    BufferTooSmall {
        /// Bytes needed.
        needed: usize,
    },
    /// The message is longer than [`MAX_MESSAGE_LEN`].
    MessageTooLong,
}

impl fmt::Display for MessageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Authentication => f.write_str("the message is not authentic"),
            Self::BufferTooSmall { needed } => {
                write!(f, "the output buffer is too small: {needed} bytes are needed")
            }
            Self::MessageTooLong => {
                write!(f, "the message is longer than {MAX_MESSAGE_LEN} bytes")
            }
        }
    }
}

impl core::error::Error for MessageError {}

impl From<MessageError> for aead::Error {
    fn from(_: MessageError) -> Self {
        Self
    }
}

#[cfg(feature = "aead06")]
impl From<MessageError> for aead06::Error {
    fn from(_: MessageError) -> Self {
        Self
    }
}
