//! Takes a capture of IP traffic through an ESP tunnel and back.
//!
//! ```text
//! cargo run --release -p chacha20poly1305-esp --example esp_pcap -- [IN.pcap] [OUT.pcap]
//! ```
//!
//! Every IP packet of IN.pcap (or pcapng) is sealed with ChaCha20-Poly1305 as RFC 7634 says, in tunnel
//! mode behind an IPv4 header, and written to OUT.pcap. That file is read again, opened and compared
//! with what went in. Then the same packets are sealed and opened over and over in memory, for the rate.
//!
//! Exit code 1: a packet did not survive the tunnel. Exit code 2: a file is none, foreign or cut off.

mod capture;
mod link;
mod rate;
mod tunnel;

use capture::Capture;
use chacha20poly1305_esp::Backend;
use chacha20poly1305_esp::aead::KeyInit;
use chacha20poly1305_esp::esp::{Rfc7539Esp, Spi};
use clap::Parser;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;
use tunnel::Tunnel;

/// The keying material of RFC 7634 appendix A: key, then salt. Known to everybody, as a demo's should be.
const KEYMAT: [u8; 36] = [
    0x80, 0x81, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88, 0x89, 0x8a, 0x8b, 0x8c, 0x8d, 0x8e, 0x8f,
    0x90, 0x91, 0x92, 0x93, 0x94, 0x95, 0x96, 0x97, 0x98, 0x99, 0x9a, 0x9b, 0x9c, 0x9d, 0x9e, 0x9f,
    0xa0, 0xa1, 0xa2, 0xa3,
];
const SPI: u32 = 0x1001;

/// Takes a capture of IP traffic through an ESP tunnel (RFC 7634) and back.
#[derive(Parser)]
struct Args {
    /// Capture to read, pcap or pcapng: Ethernet, raw IP, Linux cooked or loopback.
    #[arg(default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/traffic.pcap"))]
    input: PathBuf,
    /// Capture to write: raw IP, one ESP packet each.
    #[arg(default_value = "target/esp.pcap")]
    output: PathBuf,
    /// How long each direction is measured, in milliseconds.
    #[arg(long, default_value_t = 300)]
    millis: u64,
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
    let mut capture = Capture::read(&args.input).map_err(Failure::File)?;
    capture.keep_shorter_than(tunnel::MAX_IP_LEN + 1);
    let plain = capture.octets();
    print!("{}: {} IP packets, {plain} bytes", args.input.display(), capture.packets.len());
    match capture.skipped {
        0 => println!(),
        n => println!(" ({n} frames skipped: not IP, cut off by the capture, or too long)"),
    }

    let spi = Spi::new(SPI).expect("not 0");
    let mut tunnel = Tunnel::new(Rfc7539Esp::new(&KEYMAT.into()), spi);
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
    let rates = rate::measure(&tunnel, &capture, Duration::from_millis(args.millis))
        .map_err(Failure::Tunnel)?;
    println!("seal: {}", rates.seal);
    println!("open: {}", rates.open);

    println!("For Wireshark 4.6 or newer, as a line of the file esp_sa in its profile:");
    println!("{}", tunnel.wireshark_line(&KEYMAT));
    Ok(())
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
