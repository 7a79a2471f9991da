//! The published walks through an anti-replay window, packet by packet, on the kernel and on ours.
//!
//! The kernel only tells accepted from dropped. Where it is known to differ from RFC 4303, the case
//! says so in its member `linux`.

use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use chacha20poly1305_esp::esp::{InboundSa, PaddingPolicy, Received, Rfc7539Esp, Window};
use serde::Deserialize;

use super::Guest;
use super::guest::{GUEST, HOST, Sa};
use crate::interop::net::{self, ESP, Receiver, TO_PEER, UDP};
use crate::interop::report::Report;

const SPI: u32 = 0x1001;
/// How long a packet without any effect may be under way.
const PATIENCE: Duration = Duration::from_millis(400);

#[derive(Deserialize)]
struct File {
    cases: Vec<serde_json::Value>,
}

#[derive(Deserialize)]
struct Walk {
    id: String,
    #[serde(default)]
    linux: Option<String>,
    window: u32,
    esn: bool,
    #[serde(default)]
    padding: Option<String>,
    #[serde(rename = "start_T")]
    start: u64,
    #[serde(default)]
    warmup: Vec<Sent>,
    #[serde(default)]
    packets: Vec<Packet>,
    /// Number, verdict, highest number afterwards.
    #[serde(default)]
    steps: Vec<(u64, serde_json::Value, u64)>,
}

/// A packet, or the number of one that carries the usual text.
#[derive(Deserialize)]
#[serde(untagged)]
enum Sent {
    Number(u64),
    Packet(String),
}

#[derive(Deserialize)]
struct Packet {
    packet: String,
    expect: serde_json::Value,
    #[serde(default)]
    linux: Option<String>,
}

/// A packet and whether it is expected to be accepted.
struct Trial {
    packet: Vec<u8>,
    ours: bool,
    kernel: bool,
    /// Whether the kernel is known to differ.
    known: bool,
}

pub(super) fn run(guest: &mut Guest, report: &mut Report) -> Result<()> {
    let File { cases } = serde_json::from_str(include_str!("../../../../vectors/esp.json"))?;
    let mut known = 0;
    for case in cases {
        if !matches!(case["kind"].as_str(), Some("inbound" | "numbers")) {
            continue;
        }
        let walk: Walk = serde_json::from_value(case)?;
        if walk.linux.as_ref().is_some_and(|why| why.starts_with("skip")) {
            continue;
        }
        known += walk.run(guest, report).with_context(|| walk.id.clone())?;
    }
    for window in [32, 128, 1024, 4096] {
        for esn in [false, true] {
            Walk::at_the_edge(window, esn).run(guest, report)?;
        }
    }
    println!("{known} packets where Linux is known to differ from RFC 4303");
    Ok(())
}

impl Walk {
    /// The leftmost number of a window, and the one left of it.
    fn at_the_edge(window: u32, esn: bool) -> Self {
        let highest = 1000 + u64::from(window);
        let leftmost = highest + 1 - u64::from(window);
        let step = |number, expect: &str| (number, expect.into(), highest);
        let steps = [
            step(highest, "accept"),
            step(leftmost, "accept"),
            step(leftmost - 1, "reject"),
            step(leftmost, "reject"),
        ];
        let numbers = if esn { "ESN" } else { "32-bit numbers" };
        Self {
            id: format!("edge of a window of {window}, {numbers}"),
            linux: None,
            window,
            esn,
            padding: None,
            start: 0,
            warmup: Vec::new(),
            packets: Vec::new(),
            steps: steps.into(),
        }
    }

    fn octets(&self, sent: &Sent) -> Result<Vec<u8>> {
        match sent {
            Sent::Packet(packet) => Ok(hex::decode(packet)?),
            Sent::Number(number) => {
                let mut sender = net::sender(SPI, &TO_PEER, self.esn, *number)?;
                net::seal(&mut sender, UDP, b"hello esp")
            }
        }
    }

    fn trials(&self) -> Result<Vec<Trial>> {
        let packets = self.packets.iter().map(|packet| {
            let ours = packet.expect == "accept";
            let linux = packet.linux.as_ref().map(|linux| linux == "accept");
            let (kernel, known) = (linux.unwrap_or(ours), linux.is_some());
            Ok(Trial { packet: hex::decode(&packet.packet)?, ours, kernel, known })
        });
        let steps = self.steps.iter().map(|(number, expect, _)| {
            let ours = expect == "accept";
            let packet = self.octets(&Sent::Number(*number))?;
            Ok(Trial { packet, ours, kernel: ours, known: false })
        });
        packets.chain(steps).collect()
    }

    /// Ours, in the state that the case starts from.
    fn receiver(&self) -> Result<Receiver> {
        let mut window = Window::boxed(self.window)?;
        if self.start > 0 {
            window.commit(self.start)?;
        }
        let padding = match self.padding.as_deref() {
            Some("lax") => PaddingPolicy::Lenient,
            _ => PaddingPolicy::Strict,
        };
        let builder = InboundSa::<Rfc7539Esp>::builder(SPI, &TO_PEER)?;
        Ok(builder.esn(self.esn).padding(padding).build_with(window)?)
    }

    /// The number of packets where a difference is known.
    fn run(&self, guest: &mut Guest, report: &mut Report) -> Result<usize> {
        // A preset says nothing about the numbers left of the highest; packets do.
        let preset = match self.warmup.is_empty() && self.start > 0 {
            true => format!("replay-seq {} {}", self.start as u32, self.half()),
            false => String::new(),
        };
        let sa = Sa {
            from: "10.9.0.1",
            to: "10.9.0.2",
            spi: SPI,
            keymat: &TO_PEER,
            mode: "transport",
            window: self.window,
            esn: self.esn,
            more: &preset,
        };
        guest.configure(&[sa.command()])?;
        let mut receiver = self.receiver()?;
        let mut kernel = Counters::read(guest)?;
        for sent in &self.warmup {
            let accepted = kernel.accepts(guest, &self.octets(sent)?)?;
            anyhow::ensure!(accepted, "the kernel refuses a packet before the case starts");
        }
        let trials = self.trials()?;
        let (mut good, mut known) = (0, 0);
        for (n, trial) in trials.iter().enumerate() {
            let kernel = kernel.accepts(guest, &trial.packet)?;
            let received = receiver.open(&mut trial.packet.clone());
            let ours = matches!(received, Ok(Received::Payload(_)));
            let right = kernel == trial.kernel && ours == trial.ours;
            good += usize::from(right);
            known += usize::from(trial.known);
            if !right {
                println!("     packet {n}: the kernel accepts: {kernel}; we do: {ours}");
            }
        }
        report.count(&self.id, good, trials.len());
        Ok(known)
    }

    fn half(&self) -> String {
        if self.esn { format!("replay-seq-hi {}", self.start >> 32) } else { String::new() }
    }
}

/// The kernel's counters: packets of the SA, and all kinds of drops.
#[derive(PartialEq)]
struct Counters {
    packets: u64,
    drops: String,
}

impl Counters {
    fn read(guest: &mut Guest) -> Result<Self> {
        let state = format!("netconf -s xfrm state list spi {SPI:#x}");
        let text = guest.shell(&[state, "cat /proc/net/xfrm_stat".into()])?;
        // The lifetime so far: "84(bytes), 1(packets)". Limits have other words on their lines.
        let lifetime = |line: &str| {
            line.trim().split_once("(bytes), ")?.1.strip_suffix("(packets)")?.parse().ok()
        };
        let packets = text.lines().find_map(lifetime).context("no SA")?;
        let drops = text.lines().filter(|line| line.starts_with("Xfrm")).collect();
        Ok(Self { packets, drops })
    }

    /// Whether the kernel takes an ESP packet.
    fn accepts(&mut self, guest: &mut Guest, packet: &[u8]) -> Result<bool> {
        guest.send(&net::ipv4(HOST, GUEST, ESP, packet))?;
        let start = Instant::now();
        loop {
            let now = Self::read(guest)?;
            if now != *self || start.elapsed() > PATIENCE {
                let accepted = now.packets > self.packets;
                *self = now;
                return Ok(accepted);
            }
        }
    }
}
