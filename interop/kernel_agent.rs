//! What runs in the kernel's guest: commands of its shell, AEADs through AF_ALG, and a socket whose ESP in UDP
//! the kernel takes out.
//!
//! TCP port 7000, one request a line; an answer is its length in decimal, a line feed, and so many octets:
//!
//! - `sh COMMANDS`: what they print
//! - `aead NAME KEY IV ASSOCIATED TEXT seal|open`, in hex, `-` for nothing: `ok HEX` or `error ERRNO`
//!
//! UDP port 4500 has the option UDP_ENCAP; what the kernel does not take is sent back.

use std::ffi::{c_int, c_void};
use std::io::{BufRead, BufReader, Error, Result, Write};
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::process::Command;
use std::thread;

/// Numbers of Linux's headers: socket.h, if_alg.h, in.h, udp.h.
const AF_ALG: c_int = 38;
const SOCK_SEQPACKET: c_int = 5;
const SOL_ALG: c_int = 279;
const ALG_SET_KEY: c_int = 1;
const ALG_SET_IV: c_int = 2;
const ALG_SET_OP: c_int = 3;
const ALG_SET_AEAD_ASSOCLEN: c_int = 4;
const ALG_SET_AEAD_AUTHSIZE: c_int = 5;
const IPPROTO_UDP: c_int = 17;
const UDP_ENCAP: c_int = 100;
const UDP_ENCAP_ESPINUDP: c_int = 2;

const ICV_LEN: usize = 16;

#[repr(C)]
struct IoVec {
    base: *const c_void,
    len: usize,
}

#[repr(C)]
struct MsgHdr {
    name: *const c_void,
    name_len: u32,
    iov: *const IoVec,
    iov_len: usize,
    control: *const c_void,
    control_len: usize,
    flags: c_int,
}

unsafe extern "C" {
    fn socket(domain: c_int, kind: c_int, protocol: c_int) -> c_int;
    fn bind(fd: c_int, address: *const c_void, len: u32) -> c_int;
    fn accept(fd: c_int, address: *mut c_void, len: *mut u32) -> c_int;
    fn setsockopt(fd: c_int, level: c_int, name: c_int, value: *const c_void, len: u32) -> c_int;
    fn sendmsg(fd: c_int, message: *const MsgHdr, flags: c_int) -> isize;
    fn read(fd: c_int, buffer: *mut c_void, len: usize) -> isize;
}

fn done(result: impl Into<i64>) -> Result<i64> {
    let result = result.into();
    if result < 0 { Err(Error::last_os_error()) } else { Ok(result) }
}

fn option(fd: &OwnedFd, name: c_int, value: *const c_void, len: usize) -> Result<()> {
    // SAFETY: the callers pass a value of that length, or a length alone where the option wants that.
    done(unsafe { setsockopt(fd.as_raw_fd(), SOL_ALG, name, value, len as u32) }).map(drop)
}

/// A control message of the level SOL_ALG: length, level and type, data, filled up to 8 octets.
fn control(messages: &mut Vec<u8>, kind: c_int, data: &[u8]) {
    messages.extend((16 + data.len()).to_ne_bytes());
    messages.extend(SOL_ALG.to_ne_bytes());
    messages.extend(kind.to_ne_bytes());
    messages.extend(data);
    messages.resize(messages.len().next_multiple_of(8), 0);
}

struct Aead<'a> {
    name: &'a str,
    key: Vec<u8>,
    iv: Vec<u8>,
    associated: Vec<u8>,
    text: Vec<u8>,
    seal: bool,
}

impl Aead<'_> {
    fn run(&self) -> Result<Vec<u8>> {
        // struct sockaddr_alg: family, type, two feature masks, name.
        let mut address = [0u8; 88];
        address[..2].copy_from_slice(&(AF_ALG as u16).to_ne_bytes());
        address[2..6].copy_from_slice(b"aead");
        address[24..24 + self.name.len()].copy_from_slice(self.name.as_bytes());
        let fd = |result: c_int| -> Result<OwnedFd> {
            done(result)?;
            // SAFETY: a new descriptor, nobody else's.
            Ok(unsafe { OwnedFd::from_raw_fd(result) })
        };
        // SAFETY: no pointers.
        let algorithm = fd(unsafe { socket(AF_ALG, SOCK_SEQPACKET, 0) })?;
        // SAFETY: the address has the length that is told.
        done(unsafe {
            bind(algorithm.as_raw_fd(), address.as_ptr().cast(), address.len() as u32)
        })?;
        option(&algorithm, ALG_SET_KEY, self.key.as_ptr().cast(), self.key.len())?;
        option(&algorithm, ALG_SET_AEAD_AUTHSIZE, std::ptr::null(), ICV_LEN)?;
        // SAFETY: null for an address that nobody wants to know.
        let request = fd(unsafe {
            accept(algorithm.as_raw_fd(), std::ptr::null_mut(), std::ptr::null_mut())
        })?;

        let mut messages = Vec::new();
        control(&mut messages, ALG_SET_OP, &u32::from(self.seal).to_ne_bytes());
        let iv = [&(self.iv.len() as u32).to_ne_bytes()[..], &self.iv].concat();
        control(&mut messages, ALG_SET_IV, &iv);
        let associated = (self.associated.len() as u32).to_ne_bytes();
        control(&mut messages, ALG_SET_AEAD_ASSOCLEN, &associated);
        let input = [&self.associated[..], &self.text].concat();
        let iov = IoVec { base: input.as_ptr().cast(), len: input.len() };
        let message = MsgHdr {
            name: std::ptr::null(),
            name_len: 0,
            iov: &iov,
            iov_len: 1,
            control: messages.as_ptr().cast(),
            control_len: messages.len(),
            flags: 0,
        };
        // SAFETY: everything that the message points at lives through the call.
        done(unsafe { sendmsg(request.as_raw_fd(), &message, 0) } as i64)?;
        let len = match self.seal {
            true => input.len() + ICV_LEN,
            false => input.len().saturating_sub(ICV_LEN),
        };
        // The kernel wants room for one octet at least, to say that the tag is wrong.
        let mut output = vec![0; len.max(1)];
        // SAFETY: the buffer has the length that is told.
        let got =
            done(unsafe { read(request.as_raw_fd(), output.as_mut_ptr().cast(), output.len()) }
                as i64)?;
        output.truncate(got as usize);
        Ok(output.split_off(self.associated.len()))
    }
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    let digits = if text == "-" { "" } else { text };
    (0..digits.len())
        .step_by(2)
        .map(|i| u8::from_str_radix(digits.get(i..i + 2)?, 16).ok())
        .collect()
}

fn aead(arguments: &str) -> Option<String> {
    let words: Vec<&str> = arguments.split(' ').collect();
    let [name, key, iv, associated, text, way] = words[..] else { return None };
    let aead = Aead {
        name,
        key: unhex(key)?,
        iv: unhex(iv)?,
        associated: unhex(associated)?,
        text: unhex(text)?,
        seal: way == "seal",
    };
    Some(match aead.run() {
        Ok(octets) => {
            let digits: String = octets.iter().map(|octet| format!("{octet:02x}")).collect();
            format!("ok {digits}")
        }
        Err(error) => format!("error {}", error.raw_os_error().unwrap_or(0)),
    })
}

fn shell(commands: &str) -> String {
    match Command::new("/bin/sh").args(["-c", commands]).output() {
        Ok(output) => [output.stdout, output.stderr]
            .map(|o| String::from_utf8_lossy(&o).into_owned())
            .concat(),
        Err(error) => error.to_string(),
    }
}

fn serve(mut peer: TcpStream) -> Result<()> {
    for line in BufReader::new(peer.try_clone()?).lines() {
        let line = line?;
        let answer = match line.split_once(' ') {
            Some(("sh", commands)) => Some(shell(commands)),
            Some(("aead", arguments)) => aead(arguments),
            _ => None,
        };
        let answer = answer.unwrap_or_else(|| "no such request".to_owned());
        peer.write_all(format!("{}\n{answer}", answer.len()).as_bytes())?;
    }
    Ok(())
}

fn main() -> Result<()> {
    let encapsulated = UdpSocket::bind("0.0.0.0:4500")?;
    let value: *const c_int = &UDP_ENCAP_ESPINUDP;
    // SAFETY: the value is a `c_int`, as long as is told.
    done(unsafe { setsockopt(encapsulated.as_raw_fd(), IPPROTO_UDP, UDP_ENCAP, value.cast(), 4) })?;
    thread::spawn(move || {
        let mut buffer = [0; 65536];
        while let Ok((len, peer)) = encapsulated.recv_from(&mut buffer) {
            let _ = encapsulated.send_to(&buffer[..len], peer);
        }
    });
    let listener = TcpListener::bind("0.0.0.0:7000")?;
    println!("agent is up");
    for peer in listener.incoming() {
        let peer = peer?;
        thread::spawn(move || serve(peer));
    }
    Ok(())
}
