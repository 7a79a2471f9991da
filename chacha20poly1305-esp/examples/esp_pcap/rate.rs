//! How fast packets pass, in memory, over and over.

use super::capture::Capture;
use super::tunnel::Tunnel;
use anyhow::{Result, ensure};
use chacha20poly1305_esp::esp;
use std::fmt;
use std::time::{Duration, Instant};

/// Work done in one direction.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Rate {
    packets: usize,
    /// Octets of IP inside the tunnel.
    octets: usize,
    time: Duration,
}

/// Both directions.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Rates {
    pub(crate) seal: Rate,
    pub(crate) open: Rate,
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.time.as_secs_f64();
        let gigabits = self.octets as f64 * 8e-9 / seconds;
        let million = self.packets as f64 * 1e-6 / seconds;
        write!(f, "{gigabits:.2} Gbit/s of IP, {million:.2} million packets/s")
    }
}

/// Seals all packets, then opens them, from one buffer to another, until each has taken `least`. These are
/// further packets of the tunnel, so no number is used twice.
pub(crate) fn measure(tunnel: &mut Tunnel, capture: &Capture, least: Duration) -> Result<Rates> {
    let plain: Vec<&[u8]> = capture.packets.iter().map(|p| &p.ip[..]).collect();
    let (packets, octets) = (plain.len(), capture.octets());
    let longest = plain.iter().map(|ip| esp::sealed_len(ip.len())).max().unwrap_or(0);
    let mut sealed: Vec<Vec<u8>> =
        plain.iter().map(|ip| vec![0; esp::sealed_len(ip.len())]).collect();
    let mut out = vec![0; longest];
    let mut rates = Rates::default();
    while rates.seal.time.min(rates.open.time) < least {
        let start = Instant::now();
        for (ip, packet) in plain.iter().zip(&mut sealed) {
            tunnel.seal(ip, packet)?;
        }
        rates.seal.add(packets, octets, start);

        let start = Instant::now();
        let mut received = 0;
        for packet in &sealed {
            received += tunnel.open(packet, &mut out)?;
        }
        rates.open.add(packets, octets, start);
        ensure!(received == octets, "{octets} octets went in, {received} came out");
    }
    Ok(rates)
}

impl Rate {
    fn add(&mut self, packets: usize, octets: usize, start: Instant) {
        self.time += start.elapsed();
        self.packets += packets;
        self.octets += octets;
    }
}
