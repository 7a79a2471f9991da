//! Packets around and inside of ESP: IPv4, ICMP, and the security associations that all share.

use anyhow::Result;
use chacha20poly1305_esp::esp::{self, InboundSa, OutboundSa, Rfc7539Esp, Window};

/// Keying material towards the peer: that of RFC 7634, appendix A.
pub(crate) const TO_PEER: [u8; 36] = counting(0x80, [0xa0, 0xa1, 0xa2, 0xa3]);
/// Keying material from the peer.
pub(crate) const FROM_PEER: [u8; 36] = counting(0x40, [0xb0, 0xb1, 0xb2, 0xb3]);

/// Protocol numbers of IANA.
pub(crate) const ICMP: u8 = 1;
pub(crate) const UDP: u8 = 17;
pub(crate) const ESP: u8 = 50;

pub(crate) const IPV4_HEADER_LEN: usize = 20;

const fn counting(first: u8, salt: [u8; 4]) -> [u8; 36] {
    let mut keymat = [0; 36];
    let mut i = 0;
    while i < 32 {
        keymat[i] = first + i as u8;
        i += 1;
    }
    while i < 36 {
        keymat[i] = salt[i - 32];
        i += 1;
    }
    keymat
}

pub(crate) type Sender = OutboundSa<Rfc7539Esp>;
pub(crate) type Receiver = InboundSa<Rfc7539Esp, Box<[u64]>>;

/// Numbers from `first` on.
pub(crate) fn sender(spi: u32, keymat: &[u8], esn: bool, first: u64) -> Result<Sender> {
    Ok(OutboundSa::builder(spi, keymat)?.esn(esn).first_number(first).build()?)
}

/// With number `highest`, and only that, received; 0 is none.
pub(crate) fn receiver(
    spi: u32,
    keymat: &[u8],
    esn: bool,
    window: u32,
    highest: u64,
) -> Result<Receiver> {
    let mut window = Window::boxed(window)?;
    if highest > 0 {
        window.commit(highest)?;
    }
    Ok(InboundSa::<Rfc7539Esp>::builder(spi, keymat)?.esn(esn).build_with(window)?)
}

pub(crate) fn seal(sender: &mut Sender, next_header: u8, payload: &[u8]) -> Result<Vec<u8>> {
    let mut packet = vec![0; esp::sealed_len(payload.len())];
    let len = sender.seal_into(next_header, payload, &mut packet)?;
    packet.truncate(len);
    Ok(packet)
}

/// Next header and payload; `None` for a dummy.
pub(crate) fn open(
    receiver: &mut Receiver,
    packet: &[u8],
) -> Result<Option<(u8, Vec<u8>)>, esp::Error> {
    let mut packet = packet.to_vec();
    let received = receiver.open(&mut packet)?.payload();
    Ok(received.map(|opened| (opened.next_header, packet[opened.payload].to_vec())))
}

/// The sum of RFC 1071 over the parts, of which all but the last have an even length.
fn checksum(parts: &[&[u8]]) -> [u8; 2] {
    let word = |pair: &[u8]| u32::from(pair[0]) << 8 | u32::from(*pair.get(1).unwrap_or(&0));
    let sum: u32 = parts.iter().flat_map(|part| part.chunks(2)).map(word).sum();
    let sum = (sum & 0xffff) + (sum >> 16);
    (!(sum + (sum >> 16)) as u16).to_be_bytes()
}

/// A whole IPv4 packet.
pub(crate) fn ipv4(source: [u8; 4], destination: [u8; 4], protocol: u8, payload: &[u8]) -> Vec<u8> {
    let len = (IPV4_HEADER_LEN + payload.len()) as u16;
    let [l0, l1] = len.to_be_bytes();
    let mut packet = vec![0x45, 0, l0, l1, 0, 1, 0, 0, 64, protocol, 0, 0];
    packet.extend([source, destination].as_flattened());
    let sum = checksum(&[&packet]);
    packet[10..12].copy_from_slice(&sum);
    packet.extend(payload);
    packet
}

/// An ICMP echo request (RFC 792).
pub(crate) fn echo_request(number: u16, data: &[u8]) -> Vec<u8> {
    const REQUEST: u8 = 8;
    let [n0, n1] = number.to_be_bytes();
    let mut message = vec![REQUEST, 0, 0, 0, 0x76, 0x34, n0, n1];
    message.extend(data);
    let sum = checksum(&[&message]);
    message[2..4].copy_from_slice(&sum);
    message
}

/// An ICMPv6 echo request (RFC 4443), whose sum covers the addresses.
pub(crate) fn echo_request_v6(source: [u8; 16], destination: [u8; 16], data: &[u8]) -> Vec<u8> {
    const REQUEST: u8 = 128;
    const NEXT_HEADER: u8 = 58;
    let mut message = vec![REQUEST, 0, 0, 0, 0x76, 0x34, 0, 1];
    message.extend(data);
    let [l0, l1] = (message.len() as u16).to_be_bytes();
    let pseudo = [0, 0, l0, l1, 0, 0, 0, NEXT_HEADER];
    let sum = checksum(&[&source, &destination, &pseudo, &message]);
    message[2..4].copy_from_slice(&sum);
    message
}

/// Whether `reply` answers an echo request of IPv4 or IPv6: same data and number, a reply's type.
pub(crate) fn answers(reply: &[u8], request: &[u8]) -> bool {
    let kind = match request[0] {
        8 => 0,
        _ => 129,
    };
    reply.first() == Some(&kind) && reply.get(4..) == Some(&request[4..])
}

/// `len` octets that differ from their neighbours.
pub(crate) fn pattern(len: usize) -> Vec<u8> {
    (0..len).map(|i| (7 * i + 3) as u8).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_make_ones() {
        for len in [0, 1, 2, 63, 64] {
            let message = echo_request(3, &pattern(len));
            let mut reply = message.clone();
            reply[0] = 0;
            assert!(answers(&reply, &message) && !answers(&message, &message));
            assert_eq!(checksum(&[&message]), [0, 0]);
            let packet = ipv4([10, 0, 0, 1], [10, 0, 0, 2], ICMP, &message);
            assert_eq!(checksum(&[&packet[..IPV4_HEADER_LEN]]), [0, 0]);
        }
    }

    #[test]
    fn keys_are_those_of_the_rfc() {
        assert_eq!((TO_PEER[0], TO_PEER[31], TO_PEER[35]), (0x80, 0x9f, 0xa3));
    }
}
