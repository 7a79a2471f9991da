//! Tunnel mode: an IP packet inside ESP inside an IPv4 packet (RFC 4303 section 3.1.2).

use super::capture::{Capture, Packet};
use super::keys::Keys;
use anyhow::{Context, Result, ensure};
use chacha20poly1305_esp::esp::{self, InboundSa, OutboundSa, Received, Rfc7539Esp, Window};
use etherparse::{IpNumber, Ipv4Header, Ipv4HeaderSlice};

/// Ends of the tunnel: addresses for documentation (RFC 5737).
const SOURCE: [u8; 4] = [192, 0, 2, 1];
const DESTINATION: [u8; 4] = [198, 51, 100, 1];
const TTL: u8 = 64;

/// Longest IP packet that fits: with 34 octets of ESP and 20 of IPv4 header, 65532.
pub(crate) const MAX_IP_LEN: usize = 65478;

/// Both ends of a tunnel in one direction.
pub(crate) struct Tunnel {
    sender: OutboundSa<Rfc7539Esp>,
    receiver: InboundSa<Rfc7539Esp, Box<[u64]>>,
}

impl Tunnel {
    /// With extended sequence numbers that start in this half, if any.
    pub(crate) fn new(keys: &Keys, esn: Option<u32>) -> Result<Self> {
        let first = u64::from(esn.unwrap_or(0)) << 32 | 1;
        let sender = OutboundSa::builder(keys.spi, &keys.keymat)?
            .esn(esn.is_some())
            .first_number(first)
            .build()?;
        Ok(Self { sender, receiver: receiver(keys, esn, 1)? })
    }

    /// Seals `ip` into the front of `out`; the length of the ESP packet there.
    pub(crate) fn seal(&mut self, ip: &[u8], out: &mut [u8]) -> Result<usize, esp::Error> {
        self.sender.seal_into(next_header(ip), ip, out)
    }

    /// Opens `packet` into the front of `out`; the length of the IP packet there.
    pub(crate) fn open(&mut self, packet: &[u8], out: &mut [u8]) -> Result<usize, esp::Error> {
        let received = self.receiver.open_into(packet, out)?;
        Ok(received.payload().map_or(0, |opened| opened.payload.len()))
    }

    /// The capture as it looks between the tunnel's ends.
    pub(crate) fn wrap_all(&mut self, capture: &Capture) -> Result<Capture> {
        let mut wrapped = Capture::default();
        for (n, Packet { time, ip }) in capture.packets.iter().enumerate() {
            let packet = self.wrap(ip).with_context(|| format!("sealing packet {}", n + 1))?;
            wrapped.packets.push(Packet { time: *time, ip: packet });
        }
        Ok(wrapped)
    }

    fn wrap(&mut self, ip: &[u8]) -> Result<Vec<u8>> {
        let len = esp::sealed_len(ip.len());
        let outer_payload = u16::try_from(len).context("too long for an IPv4 packet around it")?;
        let protocol = IpNumber::ENCAPSULATING_SECURITY_PAYLOAD;
        let mut outer = Ipv4Header::new(outer_payload, TTL, protocol, SOURCE, DESTINATION)?;
        outer.identification = self.sender.last() as u16;
        outer.header_checksum = outer.calc_header_checksum();

        let mut packet = outer.to_bytes().to_vec();
        let start = packet.len();
        packet.resize(start + len, 0);
        self.seal(ip, &mut packet[start..])?;
        Ok(packet)
    }

    /// The capture as it leaves the tunnel.
    pub(crate) fn unwrap_all(&mut self, capture: &Capture) -> Result<Capture> {
        let mut inner = Capture::default();
        for (n, Packet { time, ip }) in capture.packets.iter().enumerate() {
            let packet = self.unwrap(ip).with_context(|| format!("opening packet {}", n + 1))?;
            inner.packets.push(Packet { time: *time, ip: packet });
        }
        Ok(inner)
    }

    fn unwrap(&mut self, packet: &[u8]) -> Result<Vec<u8>> {
        let outer = Ipv4HeaderSlice::from_slice(packet)?;
        ensure!(outer.protocol() == IpNumber::ENCAPSULATING_SECURITY_PAYLOAD, "not ESP");
        let mut packet = packet[outer.slice().len()..].to_vec();
        let Received::Payload(opened) = self.receiver.open(&mut packet)? else {
            anyhow::bail!("a dummy packet, which nobody sent");
        };
        let ip = &packet[opened.payload];
        ensure!(opened.next_header == next_header(ip), "next header {}", opened.next_header);
        Ok(ip.to_vec())
    }
}

/// An inbound SA that has received nothing yet and waits for number `low`, in this half if numbers are
/// extended. A capture can start anywhere.
pub(crate) fn receiver(
    keys: &Keys,
    esn: Option<u32>,
    low: u32,
) -> Result<InboundSa<Rfc7539Esp, Box<[u64]>>> {
    // Wide, since captures are out of order where several queues wrote them.
    let mut window = Window::boxed(1024)?;
    if let Some(half) = esn {
        let next = u64::from(half) << 32 | u64::from(low);
        // Those before it may still come.
        if next > 1 {
            window.commit(next - 1)?;
        }
    }
    let builder = InboundSa::<Rfc7539Esp>::builder(keys.spi, &keys.keymat)?.esn(esn.is_some());
    Ok(builder.build_with(window)?)
}

/// IPv4 or IPv6, by the version in the packet.
fn next_header(ip: &[u8]) -> u8 {
    match ip.first() {
        Some(first) if first >> 4 == 6 => esp::NEXT_HEADER_IPV6,
        _ => esp::NEXT_HEADER_IPV4,
    }
}

/// What Wireshark needs to know, in the form of its file `esp_sa`.
pub(crate) fn wireshark_line(keys: &Keys, esn: Option<u32>) -> String {
    let dotted = |address: [u8; 4]| std::net::Ipv4Addr::from(address).to_string();
    let (source, destination) = (dotted(SOURCE), dotted(DESTINATION));
    let (spi, key) = (keys.spi, hex::encode(keys.keymat));
    let (bits, half) = esn.map_or((32, 0), |half| (64, half));
    format!(
        r#""IPv4","{source}","{destination}","{spi:#010x}","ChaCha20 with Poly1305 [RFC7634]","0x{key}","NULL","","{bits}-bit","{half}""#
    )
}
