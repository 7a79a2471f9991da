//! IPsec ESP over AEADs: keying material and packets in, packets and payloads out.
//!
//! Nothing here opens a socket or reads a clock, and nothing on a packet's way allocates. A packet is what
//! IP protocol 50 carries, without the IP header around it:
//!
//! ```text
//! SPI (4) | sequence number (4) | IV (8) | encrypted { payload | TFC padding | padding | pad length (1) | next header (1) } | ICV (16)
//! ```
//!
//! | part | rules of |
//! |---|---|
//! | [`OutboundSa`], [`InboundSa`]: keys with their sequence numbers, each side its own type | RFC 4303 section 3 |
//! | [`Sequence`], [`SharedSequence`]: numbers handed out once | RFC 4303 section 3.3.3 |
//! | [`Window`]: the anti-replay window, of any size; extended numbers are inferred by it | RFC 4303 section 3.4.3, appendix A; RFC 6479 |
//! | [`IvSource`], [`Iv`]: explicit IVs, and none on the wire | RFC 7634 section 2, RFC 8750 |
//! | [`SaltedAead`]: key and salt as one key, the 8-octet IV as the nonce | RFC 7634 section 2, RFC 4106 sections 4, 8.1 |
//! | [`PaddingPolicy`], [`SealOptions`], [`inner_len`]: padding, TFC padding, dummy packets | RFC 4303 sections 2.4 to 2.7 |
//! | [`classify`], [`udp_header`]: ESP in UDP, beside IKE | RFC 3948 |
//! | [`seal_batch`], [`open_batch`]: many packets in one call | |
//! | [`OutboundSa::seal_segments`], [`InboundSa::open_segments`]: packets in several slices, as they are in a chain of buffers | |
//! | [`seal_packet`], [`open_packet`]: one packet without state, for tools and tests | RFC 4303 section 2 |
//!
//! ```
//! use chacha20poly1305_esp::esp::{self, HEADROOM, InboundSa, OutboundSa, Rfc7539Esp, TAILROOM};
//!
//! // 32 octets of key and 4 of salt, as IKEv2 derives them for each direction.
//! let keymat = [0x42; 36];
//! let mut sender = OutboundSa::<Rfc7539Esp>::builder(0x1001, &keymat)?.esn(true).build()?;
//! let mut receiver = InboundSa::<Rfc7539Esp>::builder(0x1001, &keymat)?.esn(true).build()?;
//!
//! // An IP packet with room around it becomes an ESP packet.
//! let mut buffer = [0; HEADROOM + 20 + TAILROOM];
//! buffer[HEADROOM] = 0x45;
//! let packet = sender.seal(esp::NEXT_HEADER_IPV4, &mut buffer, HEADROOM..HEADROOM + 20)?;
//! assert_eq!(packet.len(), esp::sealed_len(20));
//!
//! // And back.
//! let packet = &mut buffer[packet];
//! let opened = receiver.open(packet)?.payload().expect("not a dummy");
//! assert_eq!(opened.next_header, esp::NEXT_HEADER_IPV4);
//! assert_eq!(packet[opened.payload][0], 0x45);
//! # Ok::<(), esp::Error>(())
//! ```

mod batch;
mod error;
mod header;
mod packet;
mod padding;
mod sa;
mod salted;
mod sequence;
#[cfg(feature = "alloc")]
mod table;
mod tunnel;
mod udp;
mod window;

pub use batch::{OpenJob, SealJob, open_batch, seal_batch};
pub use error::Error;
pub use header::{HEADER_LEN, Header, ICV_LEN, IV_LEN, Iv, Spi};
pub use packet::{
    Fields, HEADROOM, NEXT_HEADER_DUMMY, NEXT_HEADER_IPV4, NEXT_HEADER_IPV6, OpenOptions, Opened,
    TAILROOM, open_packet, open_packet_into, seal_packet, seal_packet_into, sealed_len,
};
pub use padding::PaddingPolicy;
pub use sa::{
    Checked, InboundBuilder, InboundCounters, InboundSa, IvSource, Opener, OutboundBuilder,
    OutboundSa, Received, Resync, SealOptions, Verified,
};
#[cfg(feature = "aes-gcm")]
pub use salted::{Rfc4106, Rfc4106Aes128Gcm, Rfc4106Aes192Gcm, Rfc4106Aes256Gcm};
pub use salted::{Rfc7539Esp, SALT_LEN, SaltedAead};
#[cfg(target_has_atomic = "64")]
pub use sequence::SharedSequence;
pub use sequence::{Numbers, Sequence, SequenceNumber};
#[cfg(feature = "alloc")]
pub use table::SaTable;
pub use tunnel::inner_len;
pub use udp::{
    KEEPALIVE, NON_ESP_MARKER, UDP_HEADER_LEN, UDP_PORT, UdpPayload, classify, udp_header,
};
pub use window::{WINDOW_DEFAULT, WINDOW_MIN, Window, window_words};
