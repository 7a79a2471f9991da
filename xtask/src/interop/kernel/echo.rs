//! Echoes: what we seal the kernel opens, answers, and seals for us to open.

use std::time::Duration;

use anyhow::{Context, Result};
use chacha20poly1305_esp::esp::{self, NEXT_HEADER_IPV4, UDP_HEADER_LEN, UDP_PORT};

use super::Guest;
use super::guest::{GUEST, HOST, Sa};
use crate::interop::net::{
    self, ESP, FROM_PEER, ICMP, IPV4_HEADER_LEN, Receiver, Sender, TO_PEER, UDP,
};
use crate::interop::report::Report;

const SPI_TO: u32 = 0x1001;
const SPI_FROM: u32 = 0x2001;
const ICMPV6: u8 = 58;
/// Octets of ICMP data: all lengths of padding and of partial blocks, then up to a full frame.
const SIZES: [usize; 10] = [100, 127, 128, 255, 256, 511, 513, 1000, 1399, 1400];
const ANSWER: Duration = Duration::from_secs(3);
/// How long nothing has to come for it to be nothing.
const SILENCE: Duration = Duration::from_millis(300);
/// Where ESP in UDP comes from, as if a NAT had changed it.
const NAT_PORT: u16 = 4501;
/// Networks at the ends of a tunnel: the inner addresses are not the outer ones.
const INNER_HOST: [u8; 4] = [192, 168, 88, 5];
const INNER_GUEST: [u8; 4] = [192, 168, 77, 1];

pub(super) fn run(guest: &mut Guest, report: &mut Report) -> Result<()> {
    for mode in ["transport", "tunnel"] {
        for esn in [false, true] {
            modes(guest, report, mode, esn)?;
        }
    }
    across_the_half(guest, report)?;
    exhaustion(guest, report)?;
    ipv6(guest, report)?;
    encapsulated(guest, report)
}

/// Where a conversation's number stand, and what is around its packets.
struct Talk {
    sender: Sender,
    receiver: Receiver,
    tunnel: bool,
    udp: bool,
    count: u16,
}

impl Talk {
    /// Both sides have used numbers up to `highest`.
    fn new(esn: bool, tunnel: bool, udp: bool, highest: u64) -> Result<Self> {
        let sender = net::sender(SPI_TO, &TO_PEER, esn, highest + 1)?;
        let receiver = net::receiver(SPI_FROM, &FROM_PEER, esn, 64, highest)?;
        Ok(Self { sender, receiver, tunnel, udp, count: 0 })
    }

    fn inner(&self) -> [[u8; 4]; 2] {
        if self.udp { [INNER_HOST, INNER_GUEST] } else { [HOST, GUEST] }
    }

    /// The packet as it goes on the wire.
    fn request(&mut self, data: &[u8]) -> Result<(Vec<u8>, Vec<u8>)> {
        self.count += 1;
        let message = net::echo_request(self.count, data);
        let [from, to] = self.inner();
        let packet = match self.tunnel {
            true => {
                let ip = net::ipv4(from, to, ICMP, &message);
                net::seal(&mut self.sender, NEXT_HEADER_IPV4, &ip)?
            }
            false => net::seal(&mut self.sender, ICMP, &message)?,
        };
        Ok((message, self.outer(&packet)?))
    }

    fn outer(&self, packet: &[u8]) -> Result<Vec<u8>> {
        Ok(match self.udp {
            true => datagram(packet)?,
            false => net::ipv4(HOST, GUEST, ESP, packet),
        })
    }

    /// Whether the kernel's answer to the request comes, and opens.
    fn answered(&mut self, guest: &Guest, message: &[u8], patience: Duration) -> Result<bool> {
        let protocol = if self.udp { UDP } else { ESP };
        let Some(carried) = guest.receive(protocol, patience)? else { return Ok(false) };
        let from = if self.udp { UDP_HEADER_LEN } else { 0 };
        let packet = carried.get(from..).context("short UDP")?;
        // The kernel aligns its packets as RFC 4303, section 2.4, has it.
        let aligned = packet.len().is_multiple_of(4);
        let Ok(Some((next_header, payload))) = net::open(&mut self.receiver, packet) else {
            return Ok(false);
        };
        let (expected, from) =
            if self.tunnel { (NEXT_HEADER_IPV4, IPV4_HEADER_LEN) } else { (ICMP, 0) };
        let reply = payload.get(from..).context("short payload")?;
        Ok(aligned && next_header == expected && net::answers(reply, message))
    }

    fn echo(&mut self, guest: &Guest, data: &[u8]) -> Result<bool> {
        let (message, packet) = self.request(data)?;
        guest.send(&packet)?;
        self.answered(guest, &message, ANSWER)
    }
}

/// ESP in UDP in IPv4, with no UDP checksum.
fn datagram(payload: &[u8]) -> Result<Vec<u8>> {
    let header = esp::udp_header(NAT_PORT, UDP_PORT, payload.len())?;
    Ok(net::ipv4(HOST, GUEST, UDP, &[&header[..], payload].concat()))
}

/// The two SAs of a conversation between the ends of the wire, and the policies that lead to them.
fn setup(
    guest: &mut Guest,
    mode: &str,
    esn: bool,
    [host, end]: [&str; 2],
    [to, from]: [&str; 2],
) -> Result<()> {
    let sa = |from, to, spi, keymat: &[u8], more| {
        Sa { from, to, spi, keymat, mode, window: 64, esn, more }.command()
    };
    let policy = |from, to, way| {
        let template = format!("tmpl src {from} dst {to} proto esp mode {mode}");
        format!("policy add src {from} dst {to} dir {way} {template}")
    };
    guest.configure(&[
        sa(host, end, SPI_TO, &TO_PEER, to),
        sa(end, host, SPI_FROM, &FROM_PEER, from),
        policy(end, host, "out"),
        policy(host, end, "in"),
    ])
}

const ENDS: [&str; 2] = ["10.9.0.1", "10.9.0.2"];

fn modes(guest: &mut Guest, report: &mut Report, mode: &str, esn: bool) -> Result<()> {
    let numbers = if esn { "ESN" } else { "32-bit numbers" };
    setup(guest, mode, esn, ENDS, [""; 2])?;
    let mut talk = Talk::new(esn, mode == "tunnel", false, 0)?;
    let sizes: Vec<usize> = (0..67).chain(SIZES).collect();
    let mut good = 0;
    for &size in &sizes {
        good += usize::from(talk.echo(guest, &net::pattern(size))?);
    }
    report.count(format_args!("{mode}, {numbers}: echoes of all sizes"), good, sizes.len());

    let (message, packet) = talk.request(b"twice")?;
    guest.send(&packet)?;
    let first = talk.answered(guest, &message, ANSWER)?;
    guest.send(&packet)?;
    let second = talk.answered(guest, &message, SILENCE)?;
    report.check(format_args!("{mode}, {numbers}: a replay is refused"), first && !second, "");
    Ok(())
}

/// Numbers beyond 2^32, of which only the low half is sent, in both directions.
fn across_the_half(guest: &mut Guest, report: &mut Report) -> Result<()> {
    let highest = u64::from(u32::MAX) - 3;
    setup(guest, "transport", true, ENDS, ["replay-seq 0xfffffffc", "replay-oseq 0xfffffffc"])?;
    let mut talk = Talk::new(true, false, false, highest)?;
    let mut good = 0;
    for n in 0..8u8 {
        good += usize::from(talk.echo(guest, &[n; 20])?);
    }
    report.count("ESN across 2^32: echoes", good, 8);
    let (sent, received) = (talk.sender.last(), talk.receiver.highest());
    let both = sent == highest + 8 && received == highest + 8;
    report.check("ESN across 2^32: numbers", both, format_args!("{sent:#x}, {received:#x}"));
    Ok(())
}

/// Without ESN the numbers end; the kernel stops where we do.
fn exhaustion(guest: &mut Guest, report: &mut Report) -> Result<()> {
    let highest = u64::from(u32::MAX) - 2;
    setup(guest, "transport", false, ENDS, ["replay-seq 0xfffffffd", "replay-oseq 0xfffffffd"])?;
    let mut talk = Talk::new(false, false, false, highest)?;
    let good = [talk.echo(guest, b"last but one")?, talk.echo(guest, b"last")?];
    let refused = talk.request(b"one too many").is_err();
    report.check("the last two 32-bit numbers", good == [true; 2] && refused, "");
    // The kernel has used its last number, too: its answer to a new SA of ours does not come.
    let again = Sa {
        from: ENDS[0],
        to: ENDS[1],
        spi: 0x1002,
        keymat: &TO_PEER,
        mode: "transport",
        window: 64,
        esn: false,
        more: "",
    };
    let added = guest.shell(&[format!("netconf xfrm {}", again.command())])?;
    talk.sender = net::sender(0x1002, &TO_PEER, false, 1)?;
    let (message, packet) = talk.request(b"no answer")?;
    guest.send(&packet)?;
    let answered = talk.answered(guest, &message, SILENCE)?;
    let counted = guest.shell(&["grep XfrmOutStateSeqError /proc/net/xfrm_stat".into()])?;
    let one = counted.split_whitespace().nth(1).is_some_and(|count| count != "0");
    let stops = added.trim().is_empty() && !answered && one;
    report.check("the kernel stops at its last number as well", stops, counted.trim());
    Ok(())
}

fn ipv6(guest: &mut Guest, report: &mut Report) -> Result<()> {
    setup(guest, "transport", false, ["fd09::1", "fd09::2"], [""; 2])?;
    let mut talk = Talk::new(false, false, false, 0)?;
    let address = |last| {
        let mut address = [0; 16];
        address[..2].copy_from_slice(&[0xfd, 0x09]);
        address[15] = last;
        address
    };
    let (from, to) = (address(1), address(2));
    let message = net::echo_request_v6(from, to, b"six");
    let packet = net::seal(&mut talk.sender, ICMPV6, &message)?;
    let [l0, l1] = (packet.len() as u16).to_be_bytes();
    let header = [0x60, 0, 0, 0, l0, l1, ESP, 64];
    guest.send(&[&header[..], &from, &to, &packet].concat())?;
    let reply = guest.receive(ESP, ANSWER)?.unwrap_or_default();
    let good = matches!(net::open(&mut talk.receiver, &reply),
        Ok(Some((ICMPV6, reply))) if net::answers(&reply, &message));
    report.check("transport over IPv6", good, "");
    Ok(())
}

/// ESP in UDP, tunnel mode, ESN, as behind a NAT; beside it what else comes on that port.
fn encapsulated(guest: &mut Guest, report: &mut Report) -> Result<()> {
    let said = guest.shell(&[
        "netconf address replace 192.168.77.1/32 dev lo".into(),
        "netconf route replace 192.168.88.0/24 dev wire src 192.168.77.1".into(),
    ])?;
    report.check("inner addresses", said.trim().is_empty(), said.trim());
    let [host, end] = ENDS;
    let sa = |from, to, spi, keymat: &[u8], more| {
        Sa { from, to, spi, keymat, mode: "tunnel", window: 64, esn: true, more }.command()
    };
    let policy = |from, to, [outer_from, outer_to]: [&str; 2], way| {
        let template = format!("tmpl src {outer_from} dst {outer_to} proto esp mode tunnel");
        format!("policy add src {from}/24 dst {to}/24 dir {way} {template}")
    };
    let (here, there) = ("192.168.88.0", "192.168.77.0");
    guest.configure(&[
        sa(host, end, SPI_TO, &TO_PEER, "encap espinudp 4501 4500 0.0.0.0"),
        sa(end, host, SPI_FROM, &FROM_PEER, "encap espinudp 4500 4501 0.0.0.0"),
        policy(there, here, [end, host], "out"),
        policy(here, there, [host, end], "in"),
    ])?;
    let mut talk = Talk::new(true, true, true, 0)?;
    let mut good = 0;
    for size in SIZES {
        good += usize::from(talk.echo(guest, &net::pattern(size.min(1300)))?);
    }
    report.count("ESP in UDP, tunnel, ESN: echoes", good, SIZES.len());

    guest.send(&datagram(&esp::KEEPALIVE)?)?;
    let swallowed = guest.receive(UDP, SILENCE)?.is_none();
    report.check("ESP in UDP: a keepalive is swallowed", swallowed, "");
    let ike = [&esp::NON_ESP_MARKER[..], b"as IKE does"].concat();
    guest.send(&datagram(&ike)?)?;
    let reply = guest.receive(UDP, ANSWER)?.unwrap_or_default();
    let back = reply.get(UDP_HEADER_LEN..) == Some(&ike[..])
        && esp::classify(&ike) == Ok(esp::UdpPayload::Ike);
    report.check("ESP in UDP: IKE goes to its socket", back, "");
    Ok(())
}
