//! One end of the tunnel: IP packets from a TUN device become ESP in UDP, and back.

use super::faults::{Faults, Rates};
use super::keys::Keys;
use super::report::Counts;
use super::{namespace, sys};
use anyhow::{Context, Result};
use chacha20poly1305_esp::esp::{
    self, HEADROOM, InboundSa, OutboundSa, Received, Rfc7539Esp, SaTable, TAILROOM, UdpPayload,
    Window,
};
use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddrV4, UdpSocket};
use std::os::fd::AsRawFd;
use std::time::{Duration, Instant};

/// One end of a tunnel, until standard input ends; then it prints its counters.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Name of the TUN device to make.
    #[arg(long, default_value = "esptun0")]
    tun: String,
    /// Address of the TUN device and its network, as ip(8) takes it.
    #[arg(long, value_name = "ADDRESS/LEN")]
    address: String,
    /// Octets of the longest IP packet in the tunnel: 1500 less 65 of IP, UDP and ESP.
    #[arg(long, default_value_t = 1400)]
    mtu: u16,
    /// Where the tunnel is bound, and where it leads.
    #[arg(long, value_name = "ADDRESS:PORT")]
    bind: SocketAddrV4,
    #[arg(long, value_name = "ADDRESS:PORT")]
    peer: SocketAddrV4,
    /// SPI and keying material of the two security associations.
    #[arg(long = "out", value_name = "SPI:KEYMAT")]
    outbound: Keys,
    #[arg(long = "in", value_name = "SPI:KEYMAT")]
    inbound: Keys,
    /// Numbers of the anti-replay window.
    #[arg(long, default_value_t = 1024)]
    window: u32,
    /// Extended sequence numbers.
    #[arg(long)]
    esn: bool,
    #[command(flatten)]
    faults: Rates,
    /// Another seed makes other faults.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// How long packets are held back if none comes to overtake them.
const IDLE: Duration = Duration::from_millis(2);
/// How long an instance goes on receiving at its end, so that nothing is under way when it counts.
const LINGER: Duration = Duration::from_millis(300);
/// Packets read from one side before the other has its turn.
const BURST: usize = 64;
/// The longest IP packet; no MTU is longer.
const MAX_IP_LEN: usize = u16::MAX as usize;
const SOCKET_BUFFER: i32 = 8 << 20;

pub(crate) fn run(args: &Args) -> Result<()> {
    let mut gateway = Gateway::new(args)?;
    println!("up");
    gateway.serve()?;
    print!("{}", gateway.counts(args)?);
    Ok(())
}

struct Gateway {
    tun: File,
    socket: UdpSocket,
    sender: OutboundSa<Rfc7539Esp>,
    receivers: SaTable<Rfc7539Esp, Box<[u64]>>,
    faults: Faults,
    counts: Counts,
    buffer: Vec<u8>,
}

impl Gateway {
    fn new(args: &Args) -> Result<Self> {
        let Keys { spi, keymat } = &args.outbound;
        let sender = OutboundSa::builder(*spi, keymat)?.esn(args.esn).build()?;
        let Keys { spi, keymat } = &args.inbound;
        let receiver = InboundSa::<Rfc7539Esp>::builder(*spi, keymat)?
            .esn(args.esn)
            .build_with(Window::boxed(args.window)?)?;
        let mut receivers = SaTable::new();
        receivers.insert(receiver);

        let socket = UdpSocket::bind(args.bind).with_context(|| format!("bind {}", args.bind))?;
        sys::large_buffer(&socket, SOCKET_BUFFER);
        // Connected, so that it takes datagrams of the peer only.
        socket.connect(args.peer).with_context(|| format!("connect {}", args.peer))?;
        socket.set_nonblocking(true)?;
        let tun = sys::tun(&args.tun)?;
        namespace::configure(&args.tun, &args.address, args.mtu)?;
        Ok(Self {
            tun,
            socket,
            sender,
            receivers,
            faults: Faults::new(args.faults, args.seed),
            counts: Counts::default(),
            buffer: vec![0; HEADROOM + MAX_IP_LEN + TAILROOM],
        })
    }

    fn serve(&mut self) -> Result<()> {
        let stdin = std::io::stdin();
        let mut end = None;
        loop {
            let files = [self.socket.as_raw_fd(), self.tun.as_raw_fd(), stdin.as_raw_fd()];
            let Some(end) = end else {
                let timeout = self.faults.holds_back().then_some(IDLE);
                let [from_network, from_tun, ending] = sys::wait(files, timeout)?;
                if from_network {
                    self.receive()?;
                }
                if from_tun {
                    self.send()?;
                } else if !from_network {
                    self.flush();
                }
                if ending && stdin.lock().read(&mut [0; 64])? == 0 {
                    self.flush();
                    end = Some(Instant::now() + LINGER);
                }
                continue;
            };
            let Some(left) = Instant::checked_duration_since(&end, Instant::now()) else {
                return Ok(());
            };
            // At least a millisecond: less would be none, and the loop would spin.
            let left = left.max(Duration::from_millis(1));
            if let [true] = sys::wait([self.socket.as_raw_fd()], Some(left))? {
                self.receive()?;
            }
        }
    }

    /// From the TUN device to the network.
    fn send(&mut self) -> Result<()> {
        for _ in 0..BURST {
            let room = HEADROOM..HEADROOM + MAX_IP_LEN;
            let len = match self.tun.read(&mut self.buffer[room]) {
                Ok(len) => len,
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) => return Err(error).context("reading from the TUN device"),
            };
            self.counts.tun_read += 1;
            let next_header = match self.buffer[HEADROOM] >> 4 {
                4 => esp::NEXT_HEADER_IPV4,
                6 => esp::NEXT_HEADER_IPV6,
                _ => {
                    self.counts.not_sealed += 1;
                    continue;
                }
            };
            let payload = HEADROOM..HEADROOM + len;
            match self.sender.seal(next_header, &mut self.buffer, payload) {
                Ok(packet) => {
                    self.counts.sealed += 1;
                    let (socket, counts) = (&self.socket, &mut self.counts);
                    self.faults.push(&self.buffer[packet], |packet| emit(socket, packet, counts));
                }
                Err(_) => self.counts.not_sealed += 1,
            }
        }
        Ok(())
    }

    fn flush(&mut self) {
        let (socket, counts) = (&self.socket, &mut self.counts);
        self.faults.flush(|packet| emit(socket, packet, counts));
    }

    /// From the network to the TUN device.
    fn receive(&mut self) -> Result<()> {
        for _ in 0..BURST {
            let len = match self.socket.recv(&mut self.buffer) {
                Ok(len) => len,
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                // The peer is not there yet, or not any more.
                Err(error) if error.kind() == ErrorKind::ConnectionRefused => continue,
                Err(error) => return Err(error).context("receiving"),
            };
            self.counts.received += 1;
            let packet = &mut self.buffer[..len];
            if esp::classify(packet) != Ok(UdpPayload::Esp) {
                self.counts.not_esp += 1;
                continue;
            }
            // The table and its SA count what they refuse; a dummy is no payload.
            let Ok(Received::Payload(opened)) = self.receivers.open(packet) else { continue };
            let payload = &packet[opened.payload];
            let written = esp::inner_len(payload, opened.next_header)
                .ok()
                .filter(|_| matches!(opened.next_header, 4 | 41))
                .is_some_and(|len| self.tun.write(&payload[..len]).is_ok());
            let counter =
                if written { &mut self.counts.tun_written } else { &mut self.counts.not_written };
            *counter += 1;
        }
        Ok(())
    }

    /// All counters, those of the SAs and of the kernel included.
    fn counts(&self, args: &Args) -> Result<Counts> {
        let mut counts = self.counts.clone();
        counts.fault_drops = self.faults.dropped;
        counts.fault_duplicates = self.faults.duplicated;
        counts.fault_reorders = self.faults.reordered;
        counts.tun_queue_drops = namespace::queue_drops(&args.tun)?;
        counts.socket_drops = namespace::socket_drops(args.bind.port())?;
        counts.unknown = self.receivers.unknown_spi() + self.receivers.malformed();
        for sa in self.receivers.as_slice() {
            let sa = sa.counters();
            counts.accepted += sa.accepted;
            counts.dummies += sa.dummies;
            counts.malformed += sa.malformed;
            counts.sequence_zero += sa.sequence_zero;
            counts.too_old += sa.too_old;
            counts.replay += sa.replay;
            counts.auth_failed += sa.auth_failed;
            counts.bad_padding += sa.bad_padding;
        }
        Ok(counts)
    }
}

fn emit(socket: &UdpSocket, packet: &[u8], counts: &mut Counts) {
    let counter = match socket.send(packet) {
        Ok(_) => &mut counts.sent,
        Err(_) => &mut counts.send_errors,
    };
    *counter += 1;
}
