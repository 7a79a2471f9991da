//! strongSwan's ESP in user space: a tunnel that IKE set up, taken over with one side's keys.

use std::fs;
use std::net::UdpSocket;
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use chacha20poly1305_esp::esp::{self, NEXT_HEADER_IPV4, UDP_PORT};
use serde::{Deserialize, Serialize};

use super::net::{self, ICMP, IPV4_HEADER_LEN, Receiver, Sender};
use super::report::Report;
use super::{directory, shell};
use crate::workspace;

/// Addresses of `interop/strongswan.sh`: on the wire, and behind it.
const HERE: &str = "10.77.0.1";
const THERE: &str = "10.77.0.2";
const INNER_HERE: [u8; 4] = [192, 168, 101, 1];
const INNER_THERE: [u8; 4] = [192, 168, 102, 1];

/// strongSwan's window, which has one size only.
const WINDOW: u32 = 128;
/// Far enough from the numbers that the daemon has used before it was killed.
const FIRST: u64 = 1000;
/// Octets of ICMP data, as for the other counterparts.
const SIZES: [usize; 6] = [100, 255, 256, 1000, 1300, 1372];
const ANSWER: Duration = Duration::from_secs(3);
const SILENCE: Duration = Duration::from_millis(300);

/// What IKE agreed on, seen from the side that is taken over.
#[derive(Serialize, Deserialize)]
struct Keys {
    spi_out: u32,
    spi_in: u32,
    keymat_out: String,
    keymat_in: String,
}

impl Keys {
    fn file() -> PathBuf {
        directory().join("strongswan/keys.json")
    }

    /// From the log and from the list of SAs of the initiator.
    fn parse(log: &str, sas: &str) -> Result<Self> {
        let keymat = |whose: &str| {
            dump(log, &format!("encryption {whose} key => 36 bytes"))
                .with_context(|| format!("the {whose}'s key is not in the log"))
        };
        let spi = |way: &str| -> Result<u32> {
            let line = sas.lines().find_map(|line| line.trim().strip_prefix(way));
            let digits = line.and_then(|line| line.trim().split([' ', ',']).next());
            let spi = u32::from_str_radix(digits.with_context(|| format!("no SPI {way}"))?, 16)?;
            Ok(spi)
        };
        Ok(Self {
            spi_out: spi("out ")?,
            spi_in: spi("in ")?,
            keymat_out: keymat("initiator")?,
            keymat_in: keymat("responder")?,
        })
    }
}

/// The octets, in hex, that a log shows in rows behind the last line with this title.
fn dump(log: &str, title: &str) -> Option<String> {
    let (_, rows) = log.rsplit_once(title)?;
    let mut digits = String::new();
    // "12[CHD]   16: 0A 1B .. 2C  text": an offset, then pairs of digits, then the same as text.
    for row in rows.lines().skip(1) {
        let (before, octets) = row.split_once(": ")?;
        if before.rsplit(' ').next()?.parse::<usize>().ok() != Some(digits.len() / 2) {
            break;
        }
        let pairs = octets.split(' ').take_while(|pair| pair.len() == 2).take(16);
        digits.extend(pairs);
        if digits.len() >= 72 {
            break;
        }
    }
    digits.truncate(72);
    (digits.len() == 72).then_some(digits)
}

/// Namespaces and daemons, gone when this is.
struct Tunnel;

impl Drop for Tunnel {
    fn drop(&mut self) {
        if let Err(error) = workspace::run(&mut shell("strongswan.sh", "down")) {
            eprintln!("{error:#}");
        }
    }
}

pub(super) fn run(report: &mut Report) -> Result<()> {
    let tunnel = Tunnel;
    workspace::run(&mut shell("strongswan.sh", "up"))?;
    let a = directory().join("strongswan/a");
    let keys =
        Keys::parse(&fs::read_to_string(a.join("log"))?, &fs::read_to_string(a.join("sas"))?)?;
    fs::write(Keys::file(), serde_json::to_string(&keys)?)?;
    let mut takeover = Command::new("ip");
    takeover.args(["netns", "exec", "swan-a"]).arg(std::env::current_exe()?);
    let output = takeover.args(["interop", "takeover"]).stderr(Stdio::inherit()).output()?;
    report.absorb(&String::from_utf8_lossy(&output.stdout));
    report.check("all of it, in the place of a daemon", output.status.success(), "");
    drop(tunnel);
    Ok(())
}

/// In the namespace of the daemon that is gone.
pub(super) fn takeover() -> Result<ExitCode> {
    let keys: Keys = serde_json::from_str(&fs::read_to_string(Keys::file())?)?;
    let mut report = Report::default();
    let mut talk = Talk::new(&keys)?;
    let sizes: Vec<usize> = (0..67).chain(SIZES).collect();
    let mut good = 0;
    for &size in &sizes {
        let (message, packet) = talk.request(&net::pattern(size))?;
        good += usize::from(talk.answered(&message, &packet, ANSWER)?);
    }
    report.count("sealed by us, answered by strongSwan", good, sizes.len());

    let (message, packet) = talk.request(b"twice")?;
    let first = talk.answered(&message, &packet, ANSWER)?;
    let second = talk.answered(&message, &packet, SILENCE)?;
    report.check("a replay is refused", first && !second, "");

    let (message, mut packet) = talk.request(b"forged")?;
    *packet.last_mut().context("a packet")? ^= 1;
    let forged = talk.answered(&message, &packet, SILENCE)?;
    *packet.last_mut().context("a packet")? ^= 1;
    let original = talk.answered(&message, &packet, ANSWER)?;
    report.check("a forged packet is refused, and does not move the window", !forged, "");
    report.check("its original is not", original, "");

    // The window ends where ours would: of two numbers side by side, one is in it.
    let late: Vec<_> = [talk.request(b"too late")?, talk.request(b"late")?].into();
    let mut passed = 0;
    for _ in 0..WINDOW - 1 {
        let (message, packet) = talk.request(b"on time")?;
        passed += usize::from(talk.answered(&message, &packet, ANSWER)?);
    }
    let inside = talk.answered(&late[1].0, &late[1].1, ANSWER)?;
    let outside = talk.answered(&late[0].0, &late[0].1, SILENCE)?;
    report.count("packets that overtake two", passed, WINDOW as usize - 1);
    report.check("the left end of the window", inside && !outside, "");
    let refused = talk.refused;
    report.check("nothing of strongSwan's was refused", refused == 0, refused);
    Ok(if report.all_passed() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

struct Talk {
    sender: Sender,
    receiver: Receiver,
    socket: UdpSocket,
    count: u16,
    refused: usize,
}

impl Talk {
    fn new(keys: &Keys) -> Result<Self> {
        let sender = net::sender(keys.spi_out, &hex::decode(&keys.keymat_out)?, false, FIRST)?;
        let keymat = hex::decode(&keys.keymat_in)?;
        let receiver = net::receiver(keys.spi_in, &keymat, false, WINDOW, 0)?;
        let socket = UdpSocket::bind((HERE, UDP_PORT))?;
        socket.connect((THERE, UDP_PORT))?;
        Ok(Self { sender, receiver, socket, count: 0, refused: 0 })
    }

    /// An echo request, and the packet that carries it.
    fn request(&mut self, data: &[u8]) -> Result<(Vec<u8>, Vec<u8>)> {
        self.count += 1;
        let message = net::echo_request(self.count, data);
        let ip = net::ipv4(INNER_HERE, INNER_THERE, ICMP, &message);
        Ok((message, net::seal(&mut self.sender, NEXT_HEADER_IPV4, &ip)?))
    }

    /// Sends the packet; whether strongSwan's answer to the message comes, and opens.
    fn answered(&mut self, message: &[u8], packet: &[u8], patience: Duration) -> Result<bool> {
        self.socket.send(packet)?;
        let end = Instant::now() + patience;
        let mut buffer = [0; 2048];
        loop {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(false);
            }
            self.socket.set_read_timeout(Some(left))?;
            let Ok(len) = self.socket.recv(&mut buffer) else { continue };
            let datagram = &buffer[..len];
            // Its IKE speaks on the same port, and keeps a NAT's mapping alive.
            if esp::classify(datagram) != Ok(esp::UdpPayload::Esp) {
                continue;
            }
            match net::open(&mut self.receiver, datagram) {
                Ok(Some((NEXT_HEADER_IPV4, ip))) => {
                    let reply = ip.get(IPV4_HEADER_LEN..).unwrap_or_default();
                    return Ok(net::answers(reply, message));
                }
                _ => self.refused += 1,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_found_in_a_log() {
        let rows = |first: u8| {
            let octets: Vec<String> = (first..).take(36).map(|o| format!("{o:02X}")).collect();
            let rows = octets.chunks(16).enumerate();
            let row = |(n, row): (usize, &[String])| {
                format!("05[CHD] {:4}: {}  text.\n", 16 * n, row.join(" "))
            };
            rows.map(row).collect::<String>()
        };
        let log = format!(
            "05[CHD] encryption initiator key => 36 bytes @ 0x7f\n{}\
             05[CHD] encryption responder key => 36 bytes @ 0x80\n{}05[CHD] done: 1\n",
            rows(0x10),
            rows(0x60),
        );
        let sas = "  tunnel: #1\n    in  c0ffee01,  252 bytes\n    out 0badcafe,  252 bytes\n";
        let keys = Keys::parse(&log, sas).unwrap();
        assert_eq!((keys.spi_in, keys.spi_out), (0xc0ff_ee01, 0x0bad_cafe));
        assert_eq!(hex::decode(keys.keymat_out).unwrap(), (0x10..0x34).collect::<Vec<u8>>());
        assert_eq!(hex::decode(keys.keymat_in).unwrap(), (0x60..0x84).collect::<Vec<u8>>());
    }
}
