//! The virtual machine: its process, its agent, and the wire to its network card.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddrV4, TcpListener, TcpStream, UdpSocket};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

use crate::interop::net::IPV4_HEADER_LEN;

/// Ends of the wire: those of `interop/kernel_guest.sh`.
pub(super) const HOST: [u8; 4] = [10, 9, 0, 1];
pub(super) const GUEST: [u8; 4] = [10, 9, 0, 2];
const HOST_MAC: [u8; 6] = [0x52, 0x54, 0, 0, 0, 0xfe];
const GUEST_MAC: [u8; 6] = [0x52, 0x54, 0, 0, 0, 2];
const ETHERTYPE_IPV4: [u8; 2] = [0x08, 0];
const ETHERTYPE_IPV6: [u8; 2] = [0x86, 0xdd];
const ETHERNET_HEADER_LEN: usize = 14;
const IPV6_HEADER_LEN: usize = 40;

const BOOT: Duration = Duration::from_secs(180);
const PATIENCE: Duration = Duration::from_secs(30);

pub(super) struct Guest {
    machine: Child,
    control: BufReader<TcpStream>,
    wire: UdpSocket,
    card: SocketAddrV4,
}

fn local(port: u16) -> SocketAddrV4 {
    SocketAddrV4::new(Ipv4Addr::LOCALHOST, port)
}

impl Guest {
    pub(super) fn boot(directory: &Path, cpu: &str) -> Result<Self> {
        let wire = UdpSocket::bind(local(0))?;
        let here = wire.local_addr()?.port();
        // Ports that were free a moment ago.
        let card = local(UdpSocket::bind(local(0))?.local_addr()?.port());
        let agent = local(TcpListener::bind(local(0))?.local_addr()?.port());

        let log = directory.join("serial.log");
        let _ = fs::remove_file(&log);
        let machine = Command::new("qemu-system-x86_64")
            .args(["-accel", "tcg", "-m", "512", "-smp", "1", "-cpu", cpu])
            .args(["-nodefaults", "-no-user-config", "-display", "none", "-no-reboot"])
            .arg("-kernel")
            .arg(directory.join("vmlinuz"))
            .arg("-initrd")
            .arg(directory.join("initrd.gz"))
            .args(["-append", "console=ttyS0 quiet panic=-1 tsc=reliable"])
            .arg("-serial")
            .arg(format!("file:{}", log.display()))
            .arg("-netdev")
            .arg(format!("user,id=control,net=10.0.2.0/24,hostfwd=tcp:{agent}-:7000"))
            .args(["-device", "virtio-net-pci,netdev=control,mac=52:54:00:00:00:01,romfile="])
            .arg("-netdev")
            .arg(format!(
                "dgram,id=wire,local.type=inet,local.host=127.0.0.1,local.port={},\
                 remote.type=inet,remote.host=127.0.0.1,remote.port={here}",
                card.port()
            ))
            .args(["-device", "virtio-net-pci,netdev=wire,mac=52:54:00:00:00:02,romfile="])
            .stdin(Stdio::null())
            .spawn()
            .context("qemu-system-x86_64")?;
        let mut machine = Machine(Some(machine));

        let start = Instant::now();
        let said = loop {
            // It may hold anything while the firmware writes.
            let said = String::from_utf8_lossy(&fs::read(&log).unwrap_or_default()).into_owned();
            if said.contains("agent is up") {
                break said;
            }
            let ended = machine.0.as_mut().expect("not taken yet").try_wait()?;
            ensure!(ended.is_none() && start.elapsed() < BOOT, "does not boot: {said}");
            sleep(Duration::from_millis(100));
        };
        for line in said.lines().filter(|l| l.starts_with("kernel ") || l.contains("failed")) {
            println!("{line}, booted in {:.0} s", start.elapsed().as_secs_f64());
        }
        let control = TcpStream::connect(agent).context("agent")?;
        control.set_read_timeout(Some(PATIENCE))?;
        control.set_nodelay(true)?;
        let machine = machine.0.take().expect("not taken yet");
        Ok(Self { machine, control: BufReader::new(control), wire, card })
    }

    fn ask(&mut self, request: &str) -> Result<String> {
        self.control.get_mut().write_all(format!("{request}\n").as_bytes())?;
        let mut length = String::new();
        self.control.read_line(&mut length).context("the agent's answer")?;
        let mut answer = vec![0; length.trim().parse().context("the agent's answer")?];
        self.control.read_exact(&mut answer)?;
        Ok(String::from_utf8(answer)?)
    }

    /// What commands of the guest's shell print.
    pub(super) fn shell(&mut self, commands: &[String]) -> Result<String> {
        self.ask(&format!("sh {}", commands.join("; ")))
    }

    /// Replaces all that xfrm has. The commands come without `netconf xfrm`, and print nothing.
    pub(super) fn configure(&mut self, commands: &[String]) -> Result<()> {
        let flush = ["state flush", "policy flush"].map(str::to_owned);
        let all = flush.iter().chain(commands);
        let said = self.shell(&all.map(|c| format!("netconf xfrm {c}")).collect::<Vec<_>>())?;
        ensure!(said.trim().is_empty(), "ip: {said}");
        self.drain()
    }

    /// The kernel's `rfc7539esp`; `Err` holds an error number.
    pub(super) fn aead(
        &mut self,
        way: &str,
        keymat: &[u8],
        iv: &[u8],
        aad: &[u8],
        text: &[u8],
    ) -> Result<Result<Vec<u8>, i32>> {
        // Its associated data ends in a copy of the IV.
        let associated = [aad, iv].concat();
        let words = [keymat, iv, &associated, text]
            .map(|octets| if octets.is_empty() { "-".into() } else { hex::encode(octets) });
        let name = "rfc7539esp(chacha20,poly1305)";
        let answer = self.ask(&format!("aead {name} {} {way}", words.join(" ")))?;
        Ok(match answer.split_once(' ') {
            Some(("ok", octets)) => Ok(hex::decode(octets)?),
            Some(("error", number)) => Err(number.parse()?),
            _ => bail!("the agent says {answer}"),
        })
    }

    /// Puts an IP packet on the wire.
    pub(super) fn send(&self, packet: &[u8]) -> Result<()> {
        let kind = if packet[0] >> 4 == 6 { ETHERTYPE_IPV6 } else { ETHERTYPE_IPV4 };
        let frame = [&GUEST_MAC[..], &HOST_MAC, &kind, packet].concat();
        self.wire.send_to(&frame, self.card)?;
        Ok(())
    }

    /// What the next IP packet of this protocol from the wire carries, if there is one in time.
    pub(super) fn receive(&self, protocol: u8, patience: Duration) -> Result<Option<Vec<u8>>> {
        let end = Instant::now() + patience;
        let mut frame = [0; 2048];
        loop {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(None);
            }
            self.wire.set_read_timeout(Some(left))?;
            let Ok(len) = self.wire.recv(&mut frame) else { continue };
            let Some(packet) = frame[..len].get(ETHERNET_HEADER_LEN..) else { continue };
            // The length is that of the IP header: short frames are filled up.
            let word = |at| usize::from(u16::from_be_bytes([packet[at], packet[at + 1]]));
            let carried = match packet {
                [0x45, ..] if len > ETHERNET_HEADER_LEN + IPV4_HEADER_LEN => {
                    (packet[9] == protocol).then(|| packet.get(IPV4_HEADER_LEN..word(2)))
                }
                [0x60..0x70, ..] if len > ETHERNET_HEADER_LEN + IPV6_HEADER_LEN => {
                    let end = IPV6_HEADER_LEN + word(4);
                    (packet[6] == protocol).then(|| packet.get(IPV6_HEADER_LEN..end))
                }
                _ => None,
            };
            if let Some(Some(carried)) = carried {
                return Ok(Some(carried.to_vec()));
            }
        }
    }

    /// Forgets what is on the wire.
    pub(super) fn drain(&self) -> Result<()> {
        self.wire.set_read_timeout(Some(Duration::from_millis(20)))?;
        while self.wire.recv(&mut [0; 2048]).is_ok() {}
        Ok(())
    }
}

/// An SA of the guest, for [`Guest::configure`].
pub(super) struct Sa<'a> {
    pub(super) from: &'a str,
    pub(super) to: &'a str,
    pub(super) spi: u32,
    pub(super) keymat: &'a [u8],
    pub(super) mode: &'a str,
    pub(super) window: u32,
    pub(super) esn: bool,
    /// Further words of ip-xfrm(8).
    pub(super) more: &'a str,
}

impl Sa<'_> {
    pub(super) fn command(&self) -> String {
        let Self { from, to, spi, keymat, mode, window, esn, more } = self;
        let (esn, key) = (if *esn { "flag esn" } else { "" }, hex::encode(keymat));
        format!(
            "state add src {from} dst {to} proto esp spi {spi:#x} mode {mode} \
             replay-window {window} {esn} {more} aead 'rfc7539esp(chacha20,poly1305)' 0x{key} 128"
        )
    }
}

/// A machine that stops if it does not come up.
struct Machine(Option<Child>);

impl Drop for Machine {
    fn drop(&mut self) {
        if let Some(child) = &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

impl Drop for Guest {
    fn drop(&mut self) {
        let _ = self.machine.kill();
        let _ = self.machine.wait();
    }
}
