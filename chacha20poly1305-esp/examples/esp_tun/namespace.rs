//! Network namespaces, and what the kernel says about devices and sockets in them.

use anyhow::{Context, Result, ensure};
use std::fs;
use std::process::{Command, Stdio};

fn ip(arguments: &[&str]) -> Result<()> {
    let output = Command::new("ip").args(arguments).output().context("ip(8) of iproute2")?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "ip {}: {}", arguments.join(" "), said.trim());
    Ok(())
}

/// Gives a TUN device its address and brings it up.
pub(crate) fn configure(tun: &str, address: &str, mtu: u16) -> Result<()> {
    // Without it, the kernel sends router solicitations through the tunnel. There may be no IPv6.
    let _ = fs::write(format!("/proc/sys/net/ipv6/conf/{tun}/disable_ipv6"), "1");
    ip(&["addr", "add", address, "dev", tun])?;
    ip(&["link", "set", tun, "mtu", &mtu.to_string(), "up"])
}

/// How many packets the kernel could not queue for the one who reads from a TUN device.
pub(crate) fn queue_drops(tun: &str) -> Result<u64> {
    // Not from /sys, which may show the devices of another namespace.
    let devices = fs::read_to_string("/proc/self/net/dev")?;
    let numbers = devices
        .lines()
        .find_map(|line| line.trim_start().strip_prefix(tun)?.strip_prefix(':'))
        .with_context(|| format!("no device {tun}"))?;
    // Eight numbers of what is received; then octets, packets, errors, drops of what is sent.
    numbers.split_whitespace().nth(11).context("a line too short")?.parse().context("drops")
}

/// How many datagrams the kernel could not put into the buffer of the UDP socket with this port.
pub(crate) fn socket_drops(port: u16) -> Result<u64> {
    let sockets = fs::read_to_string("/proc/self/net/udp")?;
    let port = format!(":{port:04X}");
    let socket = sockets
        .lines()
        .find(|line| line.split_whitespace().nth(1).is_some_and(|local| local.ends_with(&port)))
        .context("the socket is gone")?;
    // The last column.
    socket.split_whitespace().next_back().context("no columns")?.parse().context("drops")
}

/// A network namespace. It goes with this.
pub(crate) struct Namespace(String);

impl Namespace {
    /// A new one. One that was left behind with the same name is removed.
    pub(crate) fn new(name: &str) -> Result<Self> {
        let _ = ip(&["netns", "del", name]);
        ip(&["netns", "add", name])?;
        let namespace = Self(name.to_owned());
        ip(&["-n", name, "link", "set", "lo", "up"])?;
        Ok(namespace)
    }

    /// A command that runs in it.
    pub(crate) fn command(&self, program: &std::path::Path) -> Command {
        let mut command = Command::new("ip");
        command.args(["netns", "exec", &self.0]).arg(program).stdin(Stdio::piped());
        command
    }

    /// Gives a device in it an address and brings it up.
    pub(crate) fn link(&self, device: &str, address: &str) -> Result<()> {
        ip(&["-n", &self.0, "addr", "add", address, "dev", device])?;
        ip(&["-n", &self.0, "link", "set", device, "up"])
    }
}

/// A wire from one namespace to the other.
pub(crate) fn join(a: (&Namespace, &str), b: (&Namespace, &str)) -> Result<()> {
    let peer = ["peer", "name", b.1, "netns", &b.0.0];
    ip(&[&["link", "add", a.1, "netns", &a.0.0, "type", "veth"][..], &peer].concat())
}

impl Drop for Namespace {
    fn drop(&mut self) {
        if let Err(error) = ip(&["netns", "del", &self.0]) {
            eprintln!("esp_tun: {error:#}");
        }
    }
}
