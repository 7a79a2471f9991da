//! ESP in a capture that somebody else made: found, opened, and turned into plain IP.

use super::capture::{Capture, Packet};
use super::keys::Keys;
use super::tunnel::receiver;
use anyhow::Result;
use chacha20poly1305_esp::esp::{
    self, Header, InboundSa, NEXT_HEADER_IPV4, NEXT_HEADER_IPV6, Opened, Received, Rfc7539Esp,
    UDP_HEADER_LEN, UDP_PORT, UdpPayload,
};
use etherparse::{IpNumber, Ipv4Header, Ipv4HeaderSlice, Ipv6Header, Ipv6HeaderSlice};

/// What came of a capture.
#[derive(Default)]
pub(crate) struct Findings {
    /// The packets inside, as they would leave the gateway.
    pub(crate) plain: Capture,
    /// Packets that are not ESP.
    pub(crate) other: usize,
    /// ESP packets of SAs that no keys were given for.
    pub(crate) unknown_spi: usize,
    /// Packets that their SA refused, and the first reason.
    pub(crate) refused: usize,
    pub(crate) first_refusal: Option<(usize, esp::Error)>,
    pub(crate) dummies: usize,
    /// SAs of which packets were seen.
    pub(crate) sas: Vec<InboundSa<Rfc7539Esp, Box<[u64]>>>,
}

/// Opens all ESP of `capture`, on IP or in UDP on port 4500, in tunnel or transport mode. With extended
/// sequence numbers, the first packet of each SA lies in the half `esn`.
pub(crate) fn open_all(capture: &Capture, keys: &[Keys], esn: Option<u32>) -> Result<Findings> {
    let mut found = Findings::default();
    for (n, Packet { time, ip }) in capture.packets.iter().enumerate() {
        let Some((outer_len, esp_packet)) = find_esp(ip) else {
            found.other += 1;
            continue;
        };
        let mut packet = esp_packet.to_vec();
        let header = Header::parse(&packet).ok();
        let known = |keys: &&Keys| header.is_some_and(|h| h.spi.get() == keys.spi);
        let (Some(keys), Some(header)) = (keys.iter().find(known), header) else {
            found.unknown_spi += 1;
            continue;
        };
        let seen = found.sas.iter().position(|sa| sa.spi() == header.spi);
        let index = seen.unwrap_or(found.sas.len());
        if seen.is_none() {
            found.sas.push(receiver(keys, esn, header.sequence)?);
        }
        match found.sas[index].open(&mut packet) {
            Ok(Received::Dummy(_)) => found.dummies += 1,
            Ok(Received::Payload(opened)) => match plain(&ip[..outer_len], &packet, &opened) {
                Some(ip) => found.plain.packets.push(Packet { time: *time, ip }),
                None => found.other += 1,
            },
            Err(error) => {
                found.refused += 1;
                found.first_refusal.get_or_insert((n + 1, error));
            }
        }
    }
    Ok(found)
}

/// Length of the IP header, and the ESP packet behind it or behind a UDP header.
fn find_esp(ip: &[u8]) -> Option<(usize, &[u8])> {
    let (protocol, len) = match ip.first()? >> 4 {
        4 => {
            let header = Ipv4HeaderSlice::from_slice(ip).ok()?;
            // A fragment is no packet; gateways put them together first.
            if header.is_fragmenting_payload() {
                return None;
            }
            (header.protocol(), header.slice().len())
        }
        6 => (Ipv6HeaderSlice::from_slice(ip).ok()?.next_header(), Ipv6Header::LEN),
        _ => return None,
    };
    let payload = ip.get(len..)?;
    match protocol {
        IpNumber::ENCAPSULATING_SECURITY_PAYLOAD => Some((len, payload)),
        IpNumber::UDP => {
            let (header, datagram) = payload.split_first_chunk::<UDP_HEADER_LEN>()?;
            let [s0, s1, d0, d1, ..] = *header;
            let ports = [[s0, s1], [d0, d1]].map(u16::from_be_bytes);
            let is_esp = esp::classify(datagram) == Ok(UdpPayload::Esp);
            (ports.contains(&UDP_PORT) && is_esp).then_some((len, datagram))
        }
        _ => None,
    }
}

/// The packet that a gateway or host would go on with: the inner one of tunnel mode, without TFC padding,
/// or the outer header put before the payload of transport mode. `None` if it is no IP packet.
fn plain(outer: &[u8], packet: &[u8], opened: &Opened) -> Option<Vec<u8>> {
    let payload = &packet[opened.payload.clone()];
    if matches!(opened.next_header, NEXT_HEADER_IPV4 | NEXT_HEADER_IPV6) {
        let len = esp::inner_len(payload, opened.next_header).ok()?;
        return Some(payload[..len].to_vec());
    }
    let protocol = IpNumber(opened.next_header);
    let header = if outer[0] >> 4 == 4 {
        let mut header = Ipv4Header::from_slice(outer).ok()?.0;
        header.protocol = protocol;
        header.set_payload_len(payload.len()).ok()?;
        header.header_checksum = header.calc_header_checksum();
        header.to_bytes().to_vec()
    } else {
        let mut header = Ipv6Header::from_slice(outer).ok()?.0;
        header.next_header = protocol;
        header.set_payload_length(payload.len()).ok()?;
        header.to_bytes().to_vec()
    };
    Some([&header, payload].concat())
}
