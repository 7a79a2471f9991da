//! Whole runs, and the files that must not be taken for captures.

use super::*;
use clap::CommandFactory;
use std::path::Path;

const SAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/traffic.pcap");

/// A folder of its own for each test, gone afterwards.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("esp_pcap-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn file(&self, name: &str, octets: &[u8]) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, octets).unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn args(input: &Path, output: &Path) -> Args {
    let (input, output) = (input.into(), output.into());
    Args { input, output, sas: vec![], esn: None, open: false, imix: false, millis: 1 }
}

fn run_on(input: &Path, output: &Path) -> Result<(), Failure> {
    run(&args(input, output))
}

/// A pcap file with one frame.
fn pcap(link: u32, frame: &[u8]) -> Vec<u8> {
    let len = (frame.len() as u32).to_le_bytes();
    let header = [0xa1b2_c3d4u32.to_le_bytes(), [2, 0, 4, 0], [0; 4], [0; 4], [0xff, 0xff, 0, 0]];
    [&header.concat(), &link.to_le_bytes()[..], &[0; 8], &len, &len, frame].concat()
}

fn ipv4(payload: &[u8]) -> Vec<u8> {
    let len = payload.len() as u16;
    let mut header = etherparse::Ipv4Header::new(
        len,
        9,
        etherparse::IpNumber::UDP,
        [10, 0, 0, 1],
        [10, 0, 0, 2],
    )
    .unwrap();
    header.header_checksum = header.calc_header_checksum();
    [&header.to_bytes()[..], payload].concat()
}

#[test]
fn arguments() {
    Args::command().debug_assert();
}

#[test]
fn the_sample_passes() {
    let folder = Folder::new("sample");
    let output = folder.0.join("not/yet/there/esp.pcap");
    run_on(Path::new(SAMPLE), &output).unwrap();

    let (inner, outer) = (Capture::read(Path::new(SAMPLE)), Capture::read(&output));
    let (inner, outer) = (inner.unwrap(), outer.unwrap());
    assert_eq!(inner.packets.len(), outer.packets.len());
    assert!(inner.packets.len() > 200);
    assert_eq!(inner.skipped, 2, "two ARP frames");
    assert!(inner.packets.iter().any(|p| p.ip[0] >> 4 == 6));
    for (a, b) in inner.packets.iter().zip(&outer.packets) {
        assert_eq!(a.time, b.time);
        assert_eq!((b.ip[0], b.ip[9]), (0x45, 50));
        let sum: u32 =
            b.ip[..20].chunks(2).map(|w| u32::from(u16::from_be_bytes([w[0], w[1]]))).sum();
        assert_eq!((sum & 0xffff) + (sum >> 16), 0xffff, "checksum of the outer header");
    }
    // What comes out is a capture like any other: it can go through once more.
    run_on(&output, &folder.0.join("twice.pcap")).unwrap();
}

/// Wherever the file ends, unless between two packets, that is noticed before anything is written.
#[test]
fn truncated_files() {
    let folder = Folder::new("truncated");
    let sample = std::fs::read(SAMPLE).unwrap();
    let output = folder.0.join("out.pcap");
    for len in [0, 1, 23, 24, 25, 40, 41, 82, 1000, sample.len() - 1] {
        let input = folder.file("cut.pcap", &sample[..len]);
        let result = run_on(&input, &output);
        assert!(matches!(result, Err(Failure::File(_))), "{len} octets: {result:?}");
        assert!(!output.exists());
    }
}

#[test]
fn foreign_files() {
    let folder = Folder::new("foreign");
    let output = folder.0.join("out.pcap");
    let text = b"This is no capture, though it is long enough to be one.";
    let wifi = pcap(105, &[0; 60]);
    let arp = pcap(1, &[[0xff; 12].as_slice(), &[8, 6], &[0; 28]].concat());
    for octets in [&text[..], &[0; 100], &[0x0a, 0x0d, 0x0d, 0x0a, 0, 0, 0, 28], &wifi, &arp] {
        let result = run_on(&folder.file("in", octets), &output);
        assert!(matches!(result, Err(Failure::File(_))), "{result:?}");
        assert!(!output.exists());
    }
    let missing = run_on(&folder.0.join("missing.pcap"), &output);
    assert!(matches!(missing, Err(Failure::File(_))));
    let unwritable = run_on(Path::new(SAMPLE), &folder.0);
    assert!(matches!(unwritable, Err(Failure::File(_))));
}

#[test]
fn every_link_type() {
    let folder = Folder::new("links");
    let ip = ipv4(b"payload");
    let mac = [2; 12];
    let vlan = [&mac[..], &[0x88, 0xa8, 0, 1, 0x81, 0, 0, 2, 8, 0]].concat();
    let cooked = [&[0, 0, 0, 1, 0, 6][..], &[0; 8], &[8, 0]].concat();
    let cooked2 = [&[8, 0][..], &[0; 18]].concat();
    for (link, before) in [
        (0, vec![2, 0, 0, 0]),
        (108, vec![0, 0, 0, 2]),
        (1, [&mac[..], &[8, 0]].concat()),
        (1, vlan),
        (101, vec![]),
        (228, vec![]),
        (113, cooked),
        (276, cooked2),
    ] {
        // An Ethernet frame is padded to 60 octets: the tunnel carries the IP packet alone.
        let frame = [&before[..], &ip, &[0; 20]].concat();
        let input = folder.file("in.pcap", &pcap(link, &frame));
        let packets = Capture::read(&input).unwrap().packets;
        assert_eq!(packets.len(), 1, "link type {link}");
        assert_eq!(packets[0].ip, ip, "link type {link}");
        run_on(&input, &folder.0.join("out.pcap")).unwrap();
    }
}

#[test]
fn a_packet_too_long_for_the_tunnel_is_skipped() {
    let folder = Folder::new("long");
    for (len, kept) in [(tunnel::MAX_IP_LEN, 1), (tunnel::MAX_IP_LEN + 1, 0)] {
        let ip = ipv4(&vec![0; len - 20]);
        let file = [pcap(101, &ip), pcap(101, &ipv4(b"short"))[24..].to_vec()].concat();
        let output = folder.0.join("out.pcap");
        run_on(&folder.file("in.pcap", &file), &output).unwrap();
        assert_eq!(Capture::read(&output).unwrap().packets.len(), kept + 1);
    }
}

/// What went through the tunnel comes out of it, in another run, with the keys given.
#[test]
fn opened_by_key() {
    let folder = Folder::new("open");
    let (sealed, plain) = (folder.0.join("esp.pcap"), folder.0.join("plain.pcap"));
    let keymat = "ab".repeat(36);
    let sa = |spi: &str| format!("{spi}:{keymat}").parse::<Keys>().unwrap();
    for esn in [None, Some(0), Some(7), Some(u32::MAX)] {
        let to = Args { sas: vec![sa("77")], esn, ..args(Path::new(SAMPLE), &sealed) };
        run(&to).unwrap();
        let sas = vec![Keys::demo(), sa("0x4d")];
        run(&Args { sas, esn, open: true, ..args(&sealed, &plain) }).unwrap();
        let there = Capture::read(Path::new(SAMPLE)).unwrap();
        compare(&there, &Capture::read(&plain).unwrap()).unwrap();

        // The wrong half, or none: everything is refused, and said to be.
        let wrong = esn.map_or(Some(3), |half| half.checked_sub(1));
        let from = Args { sas: vec![sa("77")], esn: wrong, open: true, ..args(&sealed, &plain) };
        assert!(matches!(run(&from), Err(Failure::Tunnel(_))), "{esn:?} as {wrong:?}");
    }
    // Without the keys nothing is opened, and nothing is wrong.
    run(&Args { open: true, ..args(&sealed, &plain) }).unwrap();
    assert!(Capture::read(&plain).is_err(), "no packets");
}

#[test]
fn keys_on_the_command_line() {
    let parse = |s: &str| s.parse::<Keys>().map(|k| (k.spi, k.keymat[35])).ok();
    assert_eq!(parse(&format!("0xff:{}", "0a".repeat(36))), Some((255, 10)));
    assert_eq!(parse(&format!("9:0x{}", "0a".repeat(36))), Some((9, 10)));
    for bad in ["", "1", "1:", "0:", "x:00"] {
        assert_eq!(parse(bad), None);
        assert_eq!(parse(&format!("{bad}{}", "00".repeat(35))), None);
    }
    assert_eq!(parse(&format!("0:{}", "00".repeat(36))), None);
}

/// ESP as others send it: in transport mode, in UDP, with TFC padding, over IPv6, and what is not ESP.
#[test]
fn foreign_esp() {
    use chacha20poly1305_esp::esp::{OutboundSa, Rfc7539Esp, SealOptions, UDP_PORT, udp_header};
    use etherparse::{IpNumber, Ipv4Header, Ipv6Header};

    let keys = Keys::demo();
    let mut sa = OutboundSa::<Rfc7539Esp>::new(keys.spi, &keys.keymat).unwrap();
    let mut seal = |options: SealOptions, payload: &[u8]| {
        let mut packet = vec![0; 400];
        let len = sa.seal_into(options, payload, &mut packet).unwrap();
        packet.truncate(len);
        packet
    };
    let over_ipv4 = |protocol, payload: &[u8]| {
        let len = payload.len() as u16;
        let mut header = Ipv4Header::new(len, 9, protocol, [10, 0, 0, 1], [10, 0, 0, 2]).unwrap();
        header.header_checksum = header.calc_header_checksum();
        [&header.to_bytes()[..], payload].concat()
    };
    let in_udp = |esp: &[u8]| {
        let header = udp_header(UDP_PORT, 33000, esp.len()).unwrap();
        over_ipv4(IpNumber::UDP, &[&header, esp].concat())
    };
    let over_ipv6 = |next_header, payload: &[u8]| {
        let mut header = Ipv6Header { next_header, hop_limit: 3, ..Ipv6Header::default() };
        header.set_payload_length(payload.len()).unwrap();
        [&header.to_bytes()[..], payload].concat()
    };
    let esp = IpNumber::ENCAPSULATING_SECURITY_PAYLOAD;
    let inner = ipv4(b"inner");
    let padded = SealOptions::new(4).padded_to(300);
    let packets = [
        over_ipv4(esp, &seal(padded, &inner)),
        in_udp(&seal(4.into(), &inner)),
        over_ipv4(esp, &seal(17.into(), b"datagram")),
        over_ipv6(esp, &seal(6.into(), b"segment")),
        over_ipv4(esp, &seal(SealOptions::dummy(40), &[])),
        in_udp(&[0xff]),
        in_udp(&[0, 0, 0, 0, 1, 2, 3, 4]),
        over_ipv4(IpNumber::TCP, b"not ESP"),
        over_ipv4(esp, &[0, 0, 0, 9, 0, 0, 0, 1]),
    ];
    let packets = packets.map(|ip| capture::Packet { time: Duration::from_secs(1), ip });
    let there = Capture { packets: packets.to_vec(), skipped: 0 };
    let found = foreign::open_all(&there, &[keys], None).unwrap();
    let opened: Vec<_> = found.plain.packets.iter().map(|p| p.ip.clone()).collect();
    let transport = over_ipv4(IpNumber::UDP, b"datagram");
    assert_eq!(
        opened,
        [&inner, &inner, &transport, &over_ipv6(IpNumber::TCP, b"segment")].map(Clone::clone)
    );
    assert_eq!((found.dummies, found.refused, found.unknown_spi, found.other), (1, 0, 1, 3));
    assert_eq!(found.sas[0].counters().accepted, 4);

    // The same once more: all replays.
    let twice = Capture { packets: [packets.to_vec(), packets.to_vec()].concat(), skipped: 0 };
    let found = foreign::open_all(&twice, &[Keys::demo()], None).unwrap();
    assert_eq!((found.plain.packets.len(), found.refused), (4, 5));
    assert_eq!(found.first_refusal, Some((10, chacha20poly1305_esp::esp::Error::Replay)));
}
