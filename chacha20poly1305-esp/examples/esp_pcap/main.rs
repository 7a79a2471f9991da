//! Takes a capture of IP traffic through an ESP tunnel and back; or opens a capture of somebody else's ESP.
//!
//! ```text
//! cargo run --release -p chacha20poly1305-esp --example esp_pcap -- [IN.pcap] [OUT.pcap]
//! cargo run --release -p chacha20poly1305-esp --example esp_pcap -- --open --sa SPI:KEYMAT ESP.pcap PLAIN.pcap
//! cargo run --release -p chacha20poly1305-esp --example esp_pcap -- --imix --millis 5000
//! ```
//!
//! Every IP packet of IN.pcap (or pcapng) is sealed with ChaCha20-Poly1305 as RFC 7634 says, in tunnel
//! mode behind an IPv4 header, and written to OUT.pcap. That file is read again, opened and compared
//! with what went in. Then the same packets are sealed and opened over and over in memory, for the rate.
//!
//! Exit code 1: a packet did not survive the tunnel, or was refused. Exit code 2: a file is none, foreign
//! or cut off.

mod capture;
mod foreign;
mod imix;
mod keys;
mod link;
mod rate;
mod tunnel;

use capture::Capture;
use chacha20poly1305_esp::Backend;
use clap::Parser;
use keys::Keys;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;
use tunnel::Tunnel;

/// Takes a capture of IP traffic through an ESP tunnel (RFC 7634) and back.
#[derive(Parser)]
struct Args {
    /// Capture to read, pcap or pcapng: Ethernet, raw IP, Linux cooked or loopback.
    #[arg(default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/traffic.pcap"))]
    input: PathBuf,
    /// Capture to write: raw IP.
    #[arg(default_value = "target/esp.pcap")]
    output: PathBuf,
    /// SPI (decimal, or 0x and hex digits) and keying material (72 hex digits, key and salt) of a security
    /// association; with --open there may be several. Without, SPI 0x1001 and the key of RFC 7634's example.
    #[arg(long = "sa", value_name = "SPI:KEYMAT")]
    sas: Vec<Keys>,
    /// Extended sequence numbers, the first of them with this high half.
    #[arg(long, value_name = "HIGH")]
    esn: Option<u32>,
    /// Open the ESP in the input, on IP or in UDP on port 4500, in place of making some.
    #[arg(long)]
    open: bool,
    /// No capture at all: packets per second of the Internet mix, next to other AEADs.
    #[arg(long, conflicts_with = "open")]
    imix: bool,
    /// How long each direction is measured, in milliseconds.
    #[arg(long, default_value_t = 300)]
    millis: u64,
}

impl Keys {
    /// The keying material of RFC 7634 appendix A: known to everybody, as a demo's should be.
    pub(crate) fn demo() -> Self {
        let mut keymat = [0; 36];
        for (octet, value) in keymat.iter_mut().zip(0x80..) {
            *octet = value;
        }
        Self { spi: 0x1001, keymat }
    }
}

/// Why the program ends early, as its exit code tells.
#[derive(Debug)]
enum Failure {
    /// A file, or the lack of one.
    File(anyhow::Error),
    /// The tunnel did not give back what went in.
    Tunnel(anyhow::Error),
}

fn main() -> ExitCode {
    match run(&Args::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            let (code, error) = match failure {
                Failure::Tunnel(error) => (1, error),
                Failure::File(error) => (2, error),
            };
            eprintln!("esp_pcap: {error:#}");
            ExitCode::from(code)
        }
    }
}

fn run(args: &Args) -> Result<(), Failure> {
    if args.imix {
        return imix::run(Duration::from_millis(args.millis)).map_err(Failure::Tunnel);
    }
    let demo = [Keys::demo()];
    let sas = if args.sas.is_empty() { &demo[..] } else { &args.sas };
    let capture = Capture::read(&args.input).map_err(Failure::File)?;
    match args.open {
        true => open(args, sas, &capture),
        false => there_and_back(args, &sas[0], capture),
    }
}

fn there_and_back(args: &Args, keys: &Keys, mut capture: Capture) -> Result<(), Failure> {
    capture.keep_shorter_than(tunnel::MAX_IP_LEN + 1);
    let plain = capture.octets();
    print!("{}: {} IP packets, {plain} bytes", args.input.display(), capture.packets.len());
    match capture.skipped {
        0 => println!(),
        n => println!(" ({n} frames skipped: not IP, cut off by the capture, or too long)"),
    }

    let mut tunnel = Tunnel::new(keys, args.esn).map_err(Failure::Tunnel)?;
    let sealed = tunnel.wrap_all(&capture).map_err(Failure::Tunnel)?;
    sealed.write(&args.output).map_err(Failure::File)?;

    let read = Capture::read(&args.output).map_err(Failure::File)?;
    let opened = tunnel.unwrap_all(&read).map_err(Failure::Tunnel)?;
    compare(&capture, &opened).map_err(Failure::Tunnel)?;
    let (packets, octets) = (read.packets.len(), read.octets());
    println!(
        "{}: {packets} ESP packets, {octets} bytes; read again, opened, all equal",
        args.output.display()
    );

    println!("backend: {}", Backend::detect());
    let rates = rate::measure(&mut tunnel, &capture, Duration::from_millis(args.millis))
        .map_err(Failure::Tunnel)?;
    println!("seal: {}", rates.seal);
    println!("open: {}", rates.open);

    println!("For Wireshark 4.6 or newer, as a line of the file esp_sa in its profile:");
    println!("{}", tunnel::wireshark_line(keys, args.esn));
    Ok(())
}

fn open(args: &Args, sas: &[Keys], capture: &Capture) -> Result<(), Failure> {
    let found = foreign::open_all(capture, sas, args.esn).map_err(Failure::Tunnel)?;
    let (packets, octets) = (found.plain.packets.len(), found.plain.octets());
    found.plain.write(&args.output).map_err(Failure::File)?;
    println!("{}: {} IP packets", args.input.display(), capture.packets.len());
    println!("{}: {packets} packets opened, {octets} bytes", args.output.display());
    println!(
        "{} dummies, {} refused, {} of unknown SPI, {} not ESP",
        found.dummies, found.refused, found.unknown_spi, found.other
    );
    for sa in &found.sas {
        println!("SPI {}: highest number {:#x}, {:?}", sa.spi(), sa.highest(), sa.counters());
    }
    match found.first_refusal {
        Some((n, error)) => Err(Failure::Tunnel(anyhow::anyhow!("packet {n}: {error}"))),
        None => Ok(()),
    }
}

/// The packets that came out must be those that went in, in order.
fn compare(sent: &Capture, received: &Capture) -> anyhow::Result<()> {
    let (a, b) = (sent.packets.len(), received.packets.len());
    anyhow::ensure!(a == b, "{a} packets went in, {b} came out");
    for (n, (a, b)) in sent.packets.iter().zip(&received.packets).enumerate() {
        let differs = a.ip.iter().zip(&b.ip).position(|(x, y)| x != y);
        let at = differs.or((a.ip.len() != b.ip.len()).then(|| a.ip.len().min(b.ip.len())));
        match at {
            None => {}
            Some(at) => anyhow::bail!("packet {} differs from octet {at} on", n + 1),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
