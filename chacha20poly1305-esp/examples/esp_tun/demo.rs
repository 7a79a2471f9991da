//! The whole in one: two namespaces, a wire, a tunnel, traffic, and the accounts afterwards.

use super::faults::Rates;
use super::namespace::{Namespace, join};
use super::report::{Counts, Unaccounted, account};
use super::sys;
use anyhow::{Context, Result, bail, ensure};
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, ChildStdout, Stdio};
use std::str::FromStr;
use std::time::{Duration, Instant};

/// Two instances in two network namespaces, with a ping and a TCP stream between them.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Octets of TCP to carry; K, M, G and their powers of 1000 are understood.
    #[arg(long, default_value = "200M", value_parser = Amount::from_str)]
    bytes: Amount,
    /// How many pings.
    #[arg(long, default_value_t = 20)]
    pings: u16,
    #[command(flatten)]
    faults: Rates,
    /// Extended sequence numbers.
    #[arg(long)]
    esn: bool,
    /// After so many seconds it gives up.
    #[arg(long, default_value_t = 120)]
    limit: u64,
}

/// A number of octets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Amount(u64);

impl FromStr for Amount {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self> {
        let (digits, factor) = match text.char_indices().next_back() {
            Some((at, 'K' | 'k')) => (&text[..at], 1_000),
            Some((at, 'M')) => (&text[..at], 1_000_000),
            Some((at, 'G')) => (&text[..at], 1_000_000_000),
            _ => (text, 1),
        };
        let number: u64 = digits.parse().context("a number is wanted, and K, M or G")?;
        Ok(Self(number.checked_mul(factor).context("too many")?))
    }
}

/// A program that is killed when nobody waits for it any more.
struct Running {
    child: Child,
    output: BufReader<ChildStdout>,
}

impl Running {
    /// The rest of what it prints, once it has ended well.
    fn finish(mut self, deadline: Instant) -> Result<String> {
        // What it waits for.
        drop(self.child.stdin.take());
        loop {
            match self.child.try_wait()? {
                Some(status) if status.success() => break,
                Some(status) => bail!("an instance ended: {status}"),
                None if sys::interrupted() => bail!("interrupted"),
                None if Instant::now() > deadline => bail!("the time is over"),
                None => std::thread::sleep(Duration::from_millis(10)),
            }
        }
        let mut rest = String::new();
        self.output.read_to_string(&mut rest)?;
        Ok(rest)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The ends: namespace, wire, TUN device, peer's first.
const OUTER: [&str; 2] = ["10.99.0.1", "10.99.0.2"];
const INNER: [&str; 2] = ["10.98.0.1", "10.98.0.2"];
const SPI: [u32; 2] = [0x1001, 0x2002];
const PORT: u16 = chacha20poly1305_esp::esp::UDP_PORT;
const TCP_PORT: u16 = 5001;

pub(crate) fn run(args: &Args) -> Result<()> {
    sys::defer_interrupts();
    let deadline = Instant::now() + Duration::from_secs(args.limit);
    let keys = [key(SPI[0])?, key(SPI[1])?];
    // Dropped in reverse: first what runs in them, then the namespaces.
    let ends = [Namespace::new("esptun-a")?, Namespace::new("esptun-b")?];
    join((&ends[0], "wire"), (&ends[1], "wire"))?;
    for (end, outer) in ends.iter().zip(OUTER) {
        end.link("wire", &format!("{outer}/24"))?;
    }

    let mut gateways = Vec::new();
    for (n, end) in ends.iter().enumerate() {
        let other = 1 - n;
        let mut arguments: Vec<String> = vec!["run".into()];
        let mut option = |name: &str, value: String| arguments.extend([format!("--{name}"), value]);
        option("address", format!("{}/24", INNER[n]));
        option("bind", format!("{}:{PORT}", OUTER[n]));
        option("peer", format!("{}:{PORT}", OUTER[other]));
        option("out", keys[n].clone());
        option("in", keys[other].clone());
        option("seed", (n + 1).to_string());
        option("reorder", args.faults.reorder.to_string());
        option("duplicate", args.faults.duplicate.to_string());
        option("drop", args.faults.drop.to_string());
        if args.esn {
            arguments.push("--esn".into());
        }
        gateways.push(start(end, &arguments)?);
    }
    for gateway in &mut gateways {
        let mut line = String::new();
        gateway.output.read_line(&mut line)?;
        ensure!(line == "up\n", "an instance did not come up");
    }

    let ping = ["ping", INNER[1], &args.pings.to_string()].map(str::to_owned);
    let ping = start(&ends[0], &traffic(&ping))?.finish(deadline)?;
    let (answered, micros) = ping.trim().split_once(' ').context("ping")?;
    println!("ping: {answered} of {} answered, {micros} µs each", args.pings);

    let address = format!("{}:{TCP_PORT}", INNER[1]);
    let receive = start(&ends[1], &traffic(&["receive".to_owned(), address.clone()]))?;
    let send = start(&ends[0], &traffic(&["send".to_owned(), address, args.bytes.0.to_string()]))?;
    let sent = send.finish(deadline)?;
    let received = receive.finish(deadline)?;
    let (sent, seconds) = sent.trim().rsplit_once(' ').context("send")?;
    let seconds: f64 = seconds.parse()?;
    let megabytes = args.bytes.0 as f64 * 1e-6;
    println!(
        "TCP: {megabytes} MB in {seconds:.2} s, {:.0} Mbit/s; digest {}",
        megabytes * 8.0 / seconds,
        sent.rsplit(' ').next().unwrap_or_default()
    );
    if sent != received.trim() {
        bail!(Unaccounted(format!("sent {sent}, received {}", received.trim())));
    }

    // TCP's last words, and packets held back, are under way for a moment.
    std::thread::sleep(Duration::from_millis(200));
    for gateway in &mut gateways {
        drop(gateway.child.stdin.take());
    }
    let counts = gateways
        .into_iter()
        .map(|gateway| Counts::parse(&gateway.finish(deadline)?))
        .collect::<Result<Vec<_>>>()?;
    println!("{:<18}{:>12}{:>12}", "", "a", "b");
    for ((name, a), (_, b)) in counts[0].all().zip(counts[1].all()) {
        println!("{:<18}{a:>12}{b:>12}", name.replace('_', " "));
    }
    for (way, [a, b]) in [("a to b", [0, 1]), ("b to a", [1, 0])] {
        account(&counts[a], &counts[b]).map_err(|e| Unaccounted(format!("{way}: {e}")))?;
    }
    println!("every packet is accounted for, in both directions");
    Ok(())
}

fn traffic(arguments: &[String]) -> Vec<String> {
    [&["traffic".to_owned()], arguments].concat()
}

/// This program once more, in a namespace.
fn start(namespace: &Namespace, arguments: &[String]) -> Result<Running> {
    let program = std::env::current_exe()?;
    let mut command = namespace.command(&program);
    let mut child = command.args(arguments).stdout(Stdio::piped()).spawn().context("ip(8)")?;
    let output = BufReader::new(child.stdout.take().expect("piped above"));
    Ok(Running { child, output })
}

/// Fresh keying material for an SPI, as `run` takes it.
fn key(spi: u32) -> Result<String> {
    let mut keymat = [0; 36];
    File::open("/dev/urandom")?.read_exact(&mut keymat)?;
    Ok(format!("{spi:#x}:{}", hex::encode(keymat)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts() {
        for (text, number) in [("0", 0), ("17", 17), ("3K", 3000), ("200M", 200_000_000)] {
            assert_eq!(text.parse::<Amount>().unwrap(), Amount(number));
        }
        for text in ["", "M", "-1", "2T", "99999999999G"] {
            assert!(text.parse::<Amount>().is_err(), "{text}");
        }
    }
}
