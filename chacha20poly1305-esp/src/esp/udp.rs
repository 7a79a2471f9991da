//! ESP in UDP, on the port that it shares with IKE (RFC 3948).

use super::Error;

/// The port of both, on both sides, unless a NAT changes it.
pub const UDP_PORT: u16 = 4500;
/// Octets of a UDP header.
pub const UDP_HEADER_LEN: usize = 8;
/// What stands before an IKE message, in the place of an SPI (RFC 3948 section 2.2).
pub const NON_ESP_MARKER: [u8; 4] = [0; 4];
/// All of a keepalive packet (RFC 3948 section 2.3).
pub const KEEPALIVE: [u8; 1] = [0xff];

/// What a UDP datagram on port 4500 carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UdpPayload {
    /// An ESP packet, all of the datagram.
    Esp,
    /// An IKE message, behind the 4 octets of [`NON_ESP_MARKER`].
    Ike,
    /// One octet that keeps a NAT's mapping alive: ignore it.
    Keepalive,
}

/// Tells what the payload of a UDP datagram is.
///
/// ```
/// use chacha20poly1305_esp::esp::{Error, UdpPayload, classify};
/// assert_eq!(classify(&[0, 0, 0x10, 1, 0, 0, 0, 1]), Ok(UdpPayload::Esp));
/// assert_eq!(classify(&[0, 0, 0, 0, 0x11]), Ok(UdpPayload::Ike));
/// assert_eq!(classify(&[0xff]), Ok(UdpPayload::Keepalive));
/// assert_eq!(classify(&[0xff, 0xff]), Err(Error::Malformed));
/// ```
///
/// # Errors
/// [`Error::Malformed`] if it has fewer than 4 octets and is no keepalive.
pub fn classify(datagram: &[u8]) -> Result<UdpPayload, Error> {
    match datagram.first_chunk() {
        Some(&NON_ESP_MARKER) => Ok(UdpPayload::Ike),
        Some(_) => Ok(UdpPayload::Esp),
        None if datagram == KEEPALIVE => Ok(UdpPayload::Keepalive),
        None => Err(Error::Malformed),
    }
}

/// The UDP header before an ESP packet of `esp_len` octets.
///
/// The checksum is 0, that is none, as RFC 3948 section 2.1 asks for over IPv4. Over IPv6 only peers that
/// follow RFC 6936 take that.
///
/// ```
/// use chacha20poly1305_esp::esp::{UDP_PORT, udp_header};
/// assert_eq!(udp_header(UDP_PORT, UDP_PORT, 44)?, [0x11, 0x94, 0x11, 0x94, 0, 52, 0, 0]);
/// # Ok::<(), chacha20poly1305_esp::esp::Error>(())
/// ```
///
/// # Errors
/// [`Error::TooLong`] if the datagram would be longer than 65535 octets.
pub fn udp_header(
    source_port: u16,
    destination_port: u16,
    esp_len: usize,
) -> Result<[u8; UDP_HEADER_LEN], Error> {
    let len = esp_len.checked_add(UDP_HEADER_LEN).and_then(|len| u16::try_from(len).ok());
    let [s0, s1] = source_port.to_be_bytes();
    let [d0, d1] = destination_port.to_be_bytes();
    let [l0, l1] = len.ok_or(Error::TooLong)?.to_be_bytes();
    Ok([s0, s1, d0, d1, l0, l1, 0, 0])
}
