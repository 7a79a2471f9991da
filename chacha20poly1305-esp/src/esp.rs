//! IPsec ESP over AEADs: keying material and packets in, packets and payloads out.
//!
//! Nothing here opens a socket, reads a clock or allocates. A packet is what IP protocol 50 carries,
//! without the IP header around it:
//!
//! ```text
//! SPI (4) | sequence number (4) | IV (8) | encrypted { payload | TFC padding | padding | pad length (1) | next header (1) } | ICV (16)
//! ```
//!
//! | part | rules of |
//! |---|---|
//! | [`SaltedAead`]: key and salt as one key, the 8-octet IV as the nonce | RFC 7634 section 2, RFC 4106 sections 4, 8.1 |
//! | [`seal_packet`], [`open_packet`] and the forms between two buffers | RFC 4303 section 2, RFC 8750 |
//! | [`Spi`], [`SequenceNumber`] and the associated data made from them | RFC 4303 sections 2.1, 2.2; RFC 7634 section 2.1 |
//! | [`PaddingPolicy`], [`NEXT_HEADER_DUMMY`] | RFC 4303 sections 2.4 to 2.7 |
//!
//! The packet functions keep no state: the caller owns the sequence numbers, and must never seal two
//! packets with one key and one IV.
//!
//! ```
//! use chacha20poly1305_esp::aead::KeyInit;
//! use chacha20poly1305_esp::esp::{self, Fields, Iv, OpenOptions, Rfc7539Esp, SequenceNumber, Spi};
//!
//! // 32 octets of key and 4 of salt, as IKEv2 derives them.
//! let aead = Rfc7539Esp::new_from_slice(&[0x42; 36]).map_err(|_| esp::Error::KeyLength)?;
//! let fields = Fields {
//!     spi: Spi::new(0x1001)?,
//!     sequence: SequenceNumber::Short(1),
//!     iv: Iv::Explicit(1u64.to_be_bytes()),
//!     next_header: esp::NEXT_HEADER_IPV4,
//!     tfc_padding: 0,
//! };
//!
//! let mut packet = [0; 64];
//! let payload = b"an IPv4 packet";
//! let n = esp::seal_packet_into(&aead, &fields, payload, &mut packet)?;
//! assert_eq!(n, esp::sealed_len(payload.len()));
//!
//! let opened = esp::open_packet(&aead, &mut packet[..n], &OpenOptions::default())?;
//! assert_eq!(&packet[opened.payload], payload);
//! assert_eq!(opened.next_header, esp::NEXT_HEADER_IPV4);
//! # Ok::<(), esp::Error>(())
//! ```

mod error;
mod header;
mod packet;
mod padding;
mod salted;

pub use error::Error;
pub use header::{HEADER_LEN, Header, ICV_LEN, IV_LEN, Iv, SequenceNumber, Spi};
pub use packet::{
    Fields, HEADROOM, NEXT_HEADER_DUMMY, NEXT_HEADER_IPV4, NEXT_HEADER_IPV6, OpenOptions, Opened,
    TAILROOM, open_packet, open_packet_into, seal_packet, seal_packet_into, sealed_len,
};
pub use padding::PaddingPolicy;
#[cfg(feature = "aes-gcm")]
pub use salted::{Rfc4106, Rfc4106Aes128Gcm, Rfc4106Aes192Gcm, Rfc4106Aes256Gcm};
pub use salted::{Rfc7539Esp, SALT_LEN, SaltedAead};
