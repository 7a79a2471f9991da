//! What is sent through the tunnel: pings, and a TCP stream of which both ends make a digest.

use super::sys;
use anyhow::{Context, Result, bail, ensure};
use chacha20_simd::ChaCha20;
use chacha20_simd::cipher::{KeyIvInit, StreamCipher};
use poly1305_simd::engine::Mac;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddrV4, TcpListener, TcpStream};
use std::time::{Duration, Instant};

/// Traffic for the demo; each kind prints one line.
#[derive(clap::Subcommand)]
pub(crate) enum Kind {
    /// Echo requests, one after the other; prints how many were answered and the mean time in µs.
    Ping { to: Ipv4Addr, count: u16 },
    /// Takes a TCP stream to its end; prints octets and digest.
    Receive { at: SocketAddrV4 },
    /// Sends a TCP stream; prints octets, digest and seconds.
    Send { to: SocketAddrV4, bytes: u64 },
}

/// Traffic of one kind.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    kind: Kind,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    match args.kind {
        Kind::Ping { to, count } => ping(to, count),
        Kind::Receive { at } => receive(at),
        Kind::Send { to, bytes } => send(to, bytes),
    }
}

/// How long an answer may take, of whatever kind.
const PATIENCE: Duration = Duration::from_secs(20);
/// The same for a ping, which may be lost.
const PING_PATIENCE: Duration = Duration::from_millis(200);
/// Octets of IPv4 header before ICMP in what a raw socket gives.
const IPV4_HEADER_LEN: usize = 20;
const ECHO_REQUEST: u8 = 8;
const PING_LEN: usize = 64;
const CHUNK: usize = 64 * 1024;

fn ping(to: Ipv4Addr, count: u16) -> Result<()> {
    let socket = sys::icmp_socket().context("a raw socket")?;
    socket.connect((to, 0))?;
    socket.set_read_timeout(Some(PING_PATIENCE))?;
    let identifier = std::process::id() as u16;
    let (mut answered, mut time) = (0, Duration::ZERO);
    for number in 0..count {
        let start = Instant::now();
        socket.send(&echo_request(identifier, number))?;
        let mut buffer = [0; 256];
        while let Ok(len) = socket.recv(&mut buffer) {
            let reply = buffer[..len].get(IPV4_HEADER_LEN..).unwrap_or_default();
            if is_answer(reply, &echo_request(identifier, number)) {
                answered += 1;
                time += start.elapsed();
                break;
            }
            if start.elapsed() > PING_PATIENCE {
                break;
            }
        }
    }
    println!("{answered} {}", (time / answered.max(1)).as_micros());
    Ok(())
}

/// An ICMP echo request (RFC 792) whose data tells where it is.
fn echo_request(identifier: u16, number: u16) -> [u8; PING_LEN] {
    let mut message = [0; PING_LEN];
    message[0] = ECHO_REQUEST;
    message[4..6].copy_from_slice(&identifier.to_be_bytes());
    message[6..8].copy_from_slice(&number.to_be_bytes());
    for (octet, value) in message[8..].iter_mut().zip(8..) {
        *octet = value;
    }
    // The sum of 16-bit words in ones' complement (RFC 1071).
    let words = message.chunks(2).map(|w| u32::from(u16::from_be_bytes([w[0], w[1]])));
    let sum: u32 = words.sum();
    let sum = (sum & 0xffff) + (sum >> 16);
    message[2..4].copy_from_slice(&(!(sum + (sum >> 16)) as u16).to_be_bytes());
    message
}

/// Whether `reply` is the reply to this request: type 0, and all behind the checksum the same.
fn is_answer(reply: &[u8], request: &[u8]) -> bool {
    reply.len() == request.len() && reply[0] == 0 && reply[4..] == request[4..]
}

/// Octets of a stream that never repeats, and the digest so far. Both are this workspace's: ChaCha20's
/// keystream, and Poly1305 under a key that is known to both ends.
struct Digest(Mac);

impl Digest {
    fn new() -> Self {
        Self(Mac::new(&[0x5a; 32], poly1305_simd::Backend::detect()))
    }

    /// All chunks but the last have to have the same whole number of blocks.
    fn add(&mut self, chunk: &[u8]) {
        self.0.padded(chunk);
    }

    fn finish(self) -> String {
        hex::encode(self.0.finish())
    }
}

fn send(to: SocketAddrV4, bytes: u64) -> Result<()> {
    let start = Instant::now();
    let mut stream = loop {
        match TcpStream::connect(to) {
            Ok(stream) => break stream,
            // Its listener may not be there yet.
            Err(error) if start.elapsed() > PATIENCE => return Err(error).context("connect"),
            Err(_) => std::thread::sleep(Duration::from_millis(50)),
        }
    };
    stream.set_write_timeout(Some(PATIENCE))?;
    stream.set_read_timeout(Some(PATIENCE))?;
    let mut cipher = ChaCha20::new(&[0x42; 32].into(), &[0; 12].into());
    let (mut digest, mut chunk) = (Digest::new(), vec![0; CHUNK]);
    let start = Instant::now();
    let mut left = bytes;
    while left > 0 {
        let len = usize::try_from(left).unwrap_or(CHUNK).min(CHUNK);
        chunk.fill(0);
        cipher.apply_keystream(&mut chunk[..len]);
        digest.add(&chunk[..len]);
        stream.write_all(&chunk[..len])?;
        left -= len as u64;
    }
    stream.shutdown(std::net::Shutdown::Write)?;
    // The receiver closes when it has seen the end: only then is all of it there.
    ensure!(stream.read(&mut [0])? == 0, "the receiver has something to say");
    println!("{bytes} {} {}", digest.finish(), start.elapsed().as_secs_f64());
    Ok(())
}

fn receive(at: SocketAddrV4) -> Result<()> {
    let listener = TcpListener::bind(at)?;
    let (mut stream, _) = listener.accept()?;
    stream.set_read_timeout(Some(PATIENCE))?;
    let (mut digest, mut chunk, mut bytes) = (Digest::new(), vec![0; CHUNK], 0);
    loop {
        // Whole chunks, since what is not whole is padded in the digest.
        let mut filled = 0;
        while filled < CHUNK {
            match stream.read(&mut chunk[filled..]) {
                Ok(0) => break,
                Ok(len) => filled += len,
                Err(error) => bail!("after {} octets: {error}", bytes + filled as u64),
            }
        }
        digest.add(&chunk[..filled]);
        bytes += filled as u64;
        if filled < CHUNK {
            break;
        }
    }
    println!("{bytes} {}", digest.finish());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ping_is_summed_up() {
        let request = echo_request(0x1234, 7);
        let words = request.chunks(2).map(|w| u32::from(u16::from_be_bytes([w[0], w[1]])));
        let sum: u32 = words.sum();
        assert_eq!((sum & 0xffff) + (sum >> 16), 0xffff, "RFC 1071: all ones");
        let mut reply = request;
        reply[0] = 0;
        assert!(is_answer(&reply, &request) && !is_answer(&request, &request));
    }
}
