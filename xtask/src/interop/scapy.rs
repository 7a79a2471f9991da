//! scapy, through `interop/scapy_peer.py`: every mode, every kind of number, both directions.

use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context, Result, ensure};
use chacha20poly1305_esp::esp::{self, NEXT_HEADER_IPV4, UDP_HEADER_LEN, UDP_PORT};
use serde_json::{Value, json};

use super::net::{self, ICMP, IPV4_HEADER_LEN, TO_PEER};
use super::report::Report;
use super::{directory, script};
use crate::workspace;

/// High halves of the sequence number; `None`: without ESN.
const HIGH: [Option<u32>; 4] = [None, Some(0), Some(1), Some(u32::MAX)];
/// Octets of ICMP data: each length of padding, around the blocks of both primitives, a full packet.
const SIZES: [usize; 22] =
    [0, 1, 2, 3, 4, 5, 6, 7, 15, 16, 17, 31, 33, 47, 63, 64, 65, 127, 255, 576, 1000, 1400];
const SPI: u32 = 0x0102_0304;
const SOURCE: [u8; 4] = [10, 0, 0, 1];
const DESTINATION: [u8; 4] = [10, 0, 0, 2];

pub(super) fn run(report: &mut Report) -> Result<()> {
    let mut scapy = Scapy::start()?;
    vector(&mut scapy, report)?;
    for mode in ["transport", "tunnel", "udp"] {
        for high in HIGH {
            let numbers = high.map_or("32-bit numbers".into(), |h| format!("ESN, high half {h:x}"));
            let (sealed, opened) = both_ways(&mut scapy, mode, high)?;
            report.count(format_args!("{mode}, {numbers}: ours opened"), sealed, SIZES.len());
            report.count(format_args!("{mode}, {numbers}: scapy's opened"), opened, SIZES.len());
        }
    }
    forgeries(&mut scapy, report)
}

/// The peer's process.
struct Scapy {
    child: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Scapy {
    fn start() -> Result<Self> {
        let mut child = Command::new(python()?)
            .arg(script("scapy_peer.py"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("cannot start scapy")?;
        let requests = child.stdin.take().expect("piped above");
        let answers = BufReader::new(child.stdout.take().expect("piped above"));
        Ok(Self { child, requests, answers })
    }

    /// `fields` are added to what every request has.
    fn ask(&mut self, mode: &str, high: Option<u32>, fields: Value) -> Result<Value> {
        let mut request = json!({
            "spi": SPI, "keymat": hex::encode(TO_PEER), "mode": mode, "high": high,
        });
        let all = request.as_object_mut().expect("made as one");
        all.extend(fields.as_object().cloned().unwrap_or_default());
        writeln!(self.requests, "{request}")?;
        let mut answer = String::new();
        self.answers.read_line(&mut answer)?;
        serde_json::from_str(&answer).context("scapy's answer")
    }

    /// What scapy makes of an IP packet.
    fn seal(&mut self, mode: &str, high: Option<u32>, number: u32, ip: &[u8]) -> Result<Vec<u8>> {
        let fields = json!({"do": "seal", "number": number, "ip": hex::encode(ip), "iv": null});
        octets(&self.ask(mode, high, fields)?["packet"])
    }

    /// The IP packet that scapy makes of it; `None` if it refuses.
    fn open(&mut self, mode: &str, high: Option<u32>, packet: &[u8]) -> Result<Option<Vec<u8>>> {
        let answer = self.ask(mode, high, json!({"do": "open", "packet": hex::encode(packet)}))?;
        if answer["error"].is_string() { Ok(None) } else { octets(&answer["ip"]).map(Some) }
    }
}

impl Drop for Scapy {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn octets(value: &Value) -> Result<Vec<u8>> {
    Ok(hex::decode(value.as_str().context("octets expected")?)?)
}

/// A Python that has scapy: the system's, with Debian's package, or that of a virtual environment,
/// made on the first run.
fn python() -> Result<PathBuf> {
    let environment = directory().join("venv");
    let own = environment.join("bin/python");
    let has_scapy = |python: &PathBuf| {
        let test = "import scapy.layers.ipsec as i; assert 'CHACHA20-POLY1305' in i.CRYPT_ALGOS";
        let mut command = Command::new(python);
        command.args(["-c", test]).stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    };
    let found = [own.clone(), "python3".into(), "/usr/bin/python3".into()];
    if let Some(python) = found.into_iter().find(has_scapy) {
        return Ok(python);
    }
    workspace::run(Command::new("python3").args(["-m", "venv"]).arg(&environment))?;
    let install = ["-m", "pip", "install", "--quiet", "cryptography", "scapy>=2.5"];
    workspace::run(Command::new(&own).args(install))?;
    Ok(own)
}

/// RFC 7634, appendix A, by scapy: so the two sides do not only agree with each other.
fn vector(scapy: &mut Scapy, report: &mut Report) -> Result<()> {
    let text = include_str!("../../../vectors/rfc7634.json");
    let file: Value = serde_json::from_str(text)?;
    let runs = file["cases"].as_array().context("cases")?.iter();
    let packet = runs
        .flat_map(|case| case["runs"].as_array().into_iter().flatten())
        .find(|run| run["packet"].is_string() && run["esn"] == false)
        .context("the packet of appendix A")?;
    let fields = json!({
        "do": "seal", "number": packet["seq"], "ip": packet["payload"], "iv": "1011121314151617",
    });
    let made = scapy.ask("tunnel", None, fields)?;
    report.check("RFC 7634, appendix A", made["packet"] == packet["packet"], "");
    Ok(())
}

/// How many packets scapy opened, and how many of scapy's were opened.
fn both_ways(scapy: &mut Scapy, mode: &str, high: Option<u32>) -> Result<(usize, usize)> {
    let first = u64::from(high.unwrap_or(0)) << 32 | 1;
    let mut sender = net::sender(SPI, &TO_PEER, high.is_some(), first)?;
    let mut receiver = net::receiver(SPI, &TO_PEER, high.is_some(), 64, first - 1)?;
    let (mut sealed, mut opened) = (0, 0);
    for (number, &size) in (1..).zip(&SIZES) {
        let message = net::echo_request(number as u16, &net::pattern(size));
        let ip = net::ipv4(SOURCE, DESTINATION, ICMP, &message);
        let (next_header, payload) = match mode {
            "transport" => (ICMP, &message),
            _ => (NEXT_HEADER_IPV4, &ip),
        };
        let mut packet = net::seal(&mut sender, next_header, payload)?;
        if mode == "udp" {
            let header = esp::udp_header(UDP_PORT, UDP_PORT, packet.len())?;
            packet.splice(..0, header);
        }
        let theirs = scapy.open(mode, high, &packet)?;
        // In transport mode the header around it is the outer one, which scapy keeps.
        let from = if mode == "transport" { IPV4_HEADER_LEN } else { 0 };
        sealed += usize::from(theirs.is_some_and(|ip| ip[from..] == payload[..]));

        let packet = scapy.seal(mode, high, number, &ip)?;
        let packet = match mode {
            "udp" => packet.get(UDP_HEADER_LEN..).context("no UDP")?,
            _ => &packet[..],
        };
        let ours = net::open(&mut receiver, packet);
        opened += usize::from(ours == Ok(Some((next_header, payload.clone()))));
    }
    Ok((sealed, opened))
}

/// Both refuse what is not authentic.
fn forgeries(scapy: &mut Scapy, report: &mut Report) -> Result<()> {
    let message = net::echo_request(1, b"forged");
    let ip = net::ipv4(SOURCE, DESTINATION, ICMP, &message);
    let high = Some(1);
    let theirs = scapy.seal("transport", high, 1, &ip)?;
    let first = 1 << 32 | 1;
    let ours = net::seal(&mut net::sender(SPI, &TO_PEER, true, first)?, ICMP, &message)?;
    ensure!(scapy.open("transport", high, &ours)?.is_some(), "refuses the original");

    // One bit of each octet, the SPI apart: another SPI is another SA's.
    let (mut by_scapy, mut by_us, mut all) = (0, 0, 0);
    for at in 4..ours.len() {
        let (mut ours, mut theirs) = (ours.clone(), theirs.clone());
        ours[at] ^= 1 << (at % 8);
        theirs[at] ^= 1 << (at % 8);
        by_scapy += usize::from(scapy.open("transport", high, &ours)?.is_none());
        let mut receiver = net::receiver(SPI, &TO_PEER, true, 64, first - 1)?;
        by_us += usize::from(net::open(&mut receiver, &theirs).is_err());
        all += 1;
    }
    report.count("flipped bits refused by scapy", by_scapy, all);
    report.count("flipped bits refused by us", by_us, all);

    for (sealed_with, opened_with) in [(Some(0u32), Some(1)), (Some(1), Some(2)), (None, Some(0))] {
        let number = u64::from(sealed_with.unwrap_or(0)) << 32 | 1;
        let esn = sealed_with.is_some();
        let packet = net::seal(&mut net::sender(SPI, &TO_PEER, esn, number)?, ICMP, &message)?;
        let refused = scapy.open("transport", opened_with, &packet)?.is_none();
        report.check(format_args!("high half {sealed_with:?} for {opened_with:?}"), refused, "");
    }
    Ok(())
}
