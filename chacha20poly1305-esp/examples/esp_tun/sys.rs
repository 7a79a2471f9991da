//! The system calls that `std` has no name for.

use anyhow::{Context, Result, ensure};
use std::fs::{File, OpenOptions};
use std::io;
use std::net::UdpSocket;
use std::os::fd::{AsRawFd, FromRawFd, RawFd};
use std::os::unix::fs::OpenOptionsExt;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

fn done(result: libc::c_int) -> io::Result<libc::c_int> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}

/// A new TUN device: each read gives an IP packet, each write takes one. It lives as long as the file.
pub(crate) fn tun(name: &str) -> Result<File> {
    let path = "/dev/net/tun";
    let file = OpenOptions::new()
        .read(true)
        .write(true)
        .custom_flags(libc::O_NONBLOCK)
        .open(path)
        .with_context(|| format!("{path} (root?)"))?;
    // SAFETY: `ifreq` is plain data, for which zeros are a value.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    // One octet is left for the terminating zero.
    ensure!(name.len() < request.ifr_name.len(), "{name} is too long for a device");
    for (to, from) in request.ifr_name.iter_mut().zip(name.bytes()) {
        *to = from as libc::c_char;
    }
    request.ifr_ifru.ifru_flags = (libc::IFF_TUN | libc::IFF_NO_PI) as libc::c_short;
    // SAFETY: the request is an `ifreq`, as this call wants it, and lives through it.
    done(unsafe { libc::ioctl(file.as_raw_fd(), libc::TUNSETIFF, &raw mut request) })
        .with_context(|| format!("making the TUN device {name}"))?;
    Ok(file)
}

/// Waits until one of the files can be read, or the time is over; which of them can be.
pub(crate) fn wait<const N: usize>(
    files: [RawFd; N],
    timeout: Option<Duration>,
) -> io::Result<[bool; N]> {
    let mut polled = files.map(|fd| libc::pollfd { fd, events: libc::POLLIN, revents: 0 });
    let millis = timeout.map_or(-1, |t| t.as_millis() as libc::c_int);
    // SAFETY: the array is as long as the call is told, and lives through it.
    match done(unsafe { libc::poll(polled.as_mut_ptr(), N as libc::nfds_t, millis) }) {
        Err(error) if error.kind() != io::ErrorKind::Interrupted => Err(error),
        // Hang-ups and errors are readable: the read tells.
        _ => Ok(polled.map(|p| p.revents != 0)),
    }
}

/// Asks for a large receive buffer, beyond the system's limit if we may.
pub(crate) fn large_buffer(socket: &UdpSocket, octets: libc::c_int) {
    for option in [libc::SO_RCVBUF, libc::SO_RCVBUFFORCE] {
        let value: *const libc::c_int = &raw const octets;
        let size = size_of::<libc::c_int>() as libc::socklen_t;
        // It is a wish; what the buffer could not hold is counted, so a refusal does no harm.
        // SAFETY: the value is a `c_int` of the size told, and lives through the call.
        let _ = unsafe {
            libc::setsockopt(socket.as_raw_fd(), libc::SOL_SOCKET, option, value.cast(), size)
        };
    }
}

/// A socket that sends and receives ICMP, once it is connected. `std`'s type for it is that of UDP.
pub(crate) fn icmp_socket() -> io::Result<UdpSocket> {
    let kind = libc::SOCK_RAW | libc::SOCK_CLOEXEC;
    // SAFETY: no pointers are involved.
    let fd = done(unsafe { libc::socket(libc::AF_INET, kind, libc::IPPROTO_ICMP) })?;
    // SAFETY: the descriptor is new and nobody else's.
    Ok(unsafe { UdpSocket::from_raw_fd(fd) })
}

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

extern "C" fn note(_: libc::c_int) {
    INTERRUPTED.store(true, Relaxed);
}

/// From now on, an interrupt from the keyboard or a wish to terminate is only noted.
pub(crate) fn defer_interrupts() {
    let handler = note as extern "C" fn(libc::c_int) as libc::sighandler_t;
    for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP] {
        // SAFETY: the handler stores to an atomic and does nothing else.
        let _ = unsafe { libc::signal(signal, handler) };
    }
}

/// Whether one was noted.
pub(crate) fn interrupted() -> bool {
    INTERRUPTED.load(Relaxed)
}
