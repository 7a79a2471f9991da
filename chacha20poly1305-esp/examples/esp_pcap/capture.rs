//! Capture files: every whole IP packet of one, and raw IP captures written.

use super::link;
use anyhow::{Context, Result, bail};
use pcap_file::pcap::{PcapHeader, PcapPacket, PcapParser, PcapWriter};
use pcap_file::pcapng::{Block, PcapNgParser};
use pcap_file::{DataLink, PcapError};
use std::io::BufWriter;
use std::path::Path;
use std::time::Duration;

/// First octets of a pcapng file: the type of its section header block, a palindrome.
const PCAPNG_MAGIC: &[u8] = &[0x0a, 0x0d, 0x0d, 0x0a];

/// One IP packet, from its own header to its own end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Packet {
    /// Time of capture since 1970.
    pub(crate) time: Duration,
    pub(crate) ip: Vec<u8>,
}

/// The IP packets of a capture.
#[derive(Debug, Default)]
pub(crate) struct Capture {
    pub(crate) packets: Vec<Packet>,
    /// Frames that carry no IP packet, or not all of it.
    pub(crate) skipped: usize,
}

impl Capture {
    pub(crate) fn octets(&self) -> usize {
        self.packets.iter().map(|p| p.ip.len()).sum()
    }

    /// Reads a pcap or pcapng file.
    ///
    /// Errors if there is no such file, it is neither, it ends in the middle of something, or it has no
    /// IP packet at all.
    pub(crate) fn read(path: &Path) -> Result<Self> {
        let name = || path.display().to_string();
        let octets = std::fs::read(path).with_context(name)?;
        let capture = Self::parse(&octets).with_context(name)?;
        if capture.packets.is_empty() {
            bail!("{}: no whole IP packet among {} frames", path.display(), capture.skipped);
        }
        Ok(capture)
    }

    /// Skips packets of `len` octets and more, which segmentation in hardware leaves in captures.
    pub(crate) fn keep_shorter_than(&mut self, len: usize) {
        let before = self.packets.len();
        self.packets.retain(|p| p.ip.len() < len);
        self.skipped += before - self.packets.len();
    }

    fn parse(octets: &[u8]) -> Result<Self> {
        let mut capture = Self::default();
        match octets {
            [] => bail!("the file is empty"),
            _ if octets.starts_with(PCAPNG_MAGIC) => capture.parse_pcapng(octets)?,
            _ => capture.parse_pcap(octets)?,
        }
        Ok(capture)
    }

    fn parse_pcap(&mut self, octets: &[u8]) -> Result<()> {
        let (mut rest, parser) = PcapParser::new(octets).map_err(|error| match error {
            PcapError::IncompleteBuffer => anyhow::anyhow!("too short for a capture's header"),
            error => anyhow::anyhow!("not a capture, neither pcap nor pcapng: {error}"),
        })?;
        let link = known_link(parser.header().datalink)?;
        let nanos = match parser.header().ts_resolution {
            pcap_file::TsResolution::MicroSecond => 1000,
            pcap_file::TsResolution::NanoSecond => 1,
        };
        let mut frame = 0;
        while !rest.is_empty() {
            frame += 1;
            // The raw form: the other refuses packets longer than the snapshot length, which are what a
            // snapshot length makes.
            let (behind, packet) = parser.next_raw_packet(rest).map_err(|e| cut_off(e, frame))?;
            let time = Duration::from_secs(packet.ts_sec.into())
                + Duration::from_nanos(u64::from(packet.ts_frac) * nanos);
            self.push(time, link, &packet.data);
            rest = behind;
        }
        Ok(())
    }

    fn parse_pcapng(&mut self, octets: &[u8]) -> Result<()> {
        let (mut rest, mut parser) = PcapNgParser::new(octets).map_err(|e| cut_off(e, 0))?;
        let mut frame = 0;
        while !rest.is_empty() {
            let (behind, block) = parser.next_block(rest).map_err(|e| cut_off(e, frame + 1))?;
            if let Block::EnhancedPacket(packet) = block {
                frame += 1;
                let interface = parser
                    .packet_interface(&packet)
                    .with_context(|| format!("packet {frame} names no interface"))?;
                let link = known_link(interface.linktype)?;
                self.push(packet.timestamp, link, &packet.data);
            } else if let Block::SimplePacket(packet) = block {
                frame += 1;
                let interface =
                    parser.interfaces().first().context("a packet before any interface")?;
                self.push(Duration::ZERO, known_link(interface.linktype)?, &packet.data);
            }
            rest = behind;
        }
        Ok(())
    }

    fn push(&mut self, time: Duration, link: link::Type, frame: &[u8]) {
        match link::ip_packet(link, frame) {
            Some(ip) => self.packets.push(Packet { time, ip: ip.to_vec() }),
            None => self.skipped += 1,
        }
    }

    /// Writes a pcap file of link type 101, raw IP; makes its folder if there is none.
    pub(crate) fn write(&self, path: &Path) -> Result<()> {
        let name = || path.display().to_string();
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).with_context(name)?;
        }
        let file = std::fs::File::create(path).with_context(name)?;
        let header = PcapHeader { datalink: DataLink::RAW, ..PcapHeader::default() };
        let mut writer =
            PcapWriter::with_header(BufWriter::new(file), header).with_context(name)?;
        for Packet { time, ip } in &self.packets {
            let packet = PcapPacket::new(*time, ip.len() as u32, ip);
            writer.write_packet(&packet).with_context(name)?;
        }
        writer.into_writer().into_inner().with_context(name)?;
        Ok(())
    }
}

fn known_link(link: DataLink) -> Result<link::Type> {
    let number = u32::from(link);
    link::Type::from_number(number).with_context(|| {
        format!("link type {number} ({link:?}); known: Ethernet, raw IP, Linux cooked, loopback")
    })
}

fn cut_off(error: PcapError, frame: usize) -> anyhow::Error {
    match error {
        PcapError::IncompleteBuffer => anyhow::anyhow!("the file ends within packet {frame}"),
        error => anyhow::anyhow!("damaged at packet {frame}: {error}"),
    }
}
