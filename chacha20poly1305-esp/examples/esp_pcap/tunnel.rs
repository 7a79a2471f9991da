//! Tunnel mode: an IP packet inside ESP inside an IPv4 packet (RFC 4303 section 3.1.2).

use super::capture::{Capture, Packet};
use anyhow::{Context, Result, bail, ensure};
use chacha20poly1305_esp::esp::{self, Fields, Iv, OpenOptions, Rfc7539Esp, SequenceNumber, Spi};
use etherparse::{IpNumber, Ipv4Header, Ipv4HeaderSlice};

/// Ends of the tunnel: addresses for documentation (RFC 5737).
const SOURCE: [u8; 4] = [192, 0, 2, 1];
const DESTINATION: [u8; 4] = [198, 51, 100, 1];
const TTL: u8 = 64;

/// Longest IP packet that fits: with 34 octets of ESP and 20 of IPv4 header, 65532.
pub(crate) const MAX_IP_LEN: usize = 65478;

/// Both ends of a tunnel in one direction.
pub(crate) struct Tunnel {
    aead: Rfc7539Esp,
    spi: Spi,
    /// Number of the packet that was sealed last.
    last: u32,
}

impl Tunnel {
    pub(crate) fn new(aead: Rfc7539Esp, spi: Spi) -> Self {
        Self { aead, spi, last: 0 }
    }

    /// The number of the packet that was sealed last.
    pub(crate) fn last(&self) -> u32 {
        self.last
    }

    /// Seals `ip` into the front of `out` as the packet with this number.
    pub(crate) fn seal(&self, number: u32, ip: &[u8], out: &mut [u8]) -> Result<usize, esp::Error> {
        let fields = Fields {
            spi: self.spi,
            sequence: SequenceNumber::Short(number),
            iv: Iv::Explicit(u64::from(number).to_be_bytes()),
            next_header: next_header(ip),
            tfc_padding: 0,
        };
        esp::seal_packet_into(&self.aead, &fields, ip, out)
    }

    /// Opens `packet` into the front of `out`; the length of the IP packet there.
    pub(crate) fn open(&self, packet: &[u8], out: &mut [u8]) -> Result<usize, esp::Error> {
        let opened = esp::open_packet_into(&self.aead, packet, &OpenOptions::default(), out)?;
        Ok(opened.payload.end)
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
        let mut outer = Ipv4Header::new(
            outer_payload,
            TTL,
            IpNumber::ENCAPSULATING_SECURITY_PAYLOAD,
            SOURCE,
            DESTINATION,
        )?;
        let number = self.last.checked_add(1).context("sequence numbers exhausted")?;
        outer.identification = number as u16;
        outer.header_checksum = outer.calc_header_checksum();

        let mut packet = outer.to_bytes().to_vec();
        let start = packet.len();
        packet.resize(start + len, 0);
        self.seal(number, ip, &mut packet[start..])?;
        self.last = number;
        Ok(packet)
    }

    /// The capture as it leaves the tunnel.
    pub(crate) fn unwrap_all(&self, capture: &Capture) -> Result<Capture> {
        let mut inner = Capture::default();
        for (n, Packet { time, ip }) in capture.packets.iter().enumerate() {
            let packet = self.unwrap(ip).with_context(|| format!("opening packet {}", n + 1))?;
            inner.packets.push(Packet { time: *time, ip: packet });
        }
        Ok(inner)
    }

    fn unwrap(&self, packet: &[u8]) -> Result<Vec<u8>> {
        let outer = Ipv4HeaderSlice::from_slice(packet)?;
        ensure!(outer.protocol() == IpNumber::ENCAPSULATING_SECURITY_PAYLOAD, "not ESP");
        let mut esp_packet = packet[outer.slice().len()..].to_vec();
        let opened = esp::open_packet(&self.aead, &mut esp_packet, &OpenOptions::default())?;
        if opened.spi != self.spi {
            bail!("SPI {} is not ours", opened.spi);
        }
        let ip = &esp_packet[opened.payload];
        ensure!(opened.next_header == next_header(ip), "next header {}", opened.next_header);
        Ok(ip.to_vec())
    }

    /// What Wireshark needs to know, in the form of its file `esp_sa`.
    pub(crate) fn wireshark_line(&self, keymat: &[u8]) -> String {
        let dotted = |address: [u8; 4]| std::net::Ipv4Addr::from(address).to_string();
        let (source, destination) = (dotted(SOURCE), dotted(DESTINATION));
        let (spi, key) = (self.spi, hex::encode(keymat));
        format!(
            r#""IPv4","{source}","{destination}","{spi}","ChaCha20 with Poly1305 [RFC7634]","0x{key}","NULL","","32-bit","0""#
        )
    }
}

/// IPv4 or IPv6, by the version in the packet.
fn next_header(ip: &[u8]) -> u8 {
    match ip.first() {
        Some(first) if first >> 4 == 6 => esp::NEXT_HEADER_IPV6,
        _ => esp::NEXT_HEADER_IPV4,
    }
}
