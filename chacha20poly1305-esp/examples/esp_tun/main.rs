//! A tunnel between two hosts: a TUN device on one side, ESP in UDP on the other.
//!
//! ```text
//! cargo build --release -p chacha20poly1305-esp --example esp_tun
//! sudo target/release/examples/esp_tun demo --bytes 200M --reorder 5 --duplicate 5 --drop 1
//! ```
//!
//! `demo` joins two network namespaces by a veth pair, starts an instance (`run`) in each, sends pings and
//! a TCP stream through the tunnel, and checks that every packet is accounted for: received, or counted
//! where it was dropped. `run` alone is one end of a tunnel; it ends when its standard input does.
//!
//! Linux only; needs root, for the TUN devices.
//!
//! Exit code 1: what came out is not what went in, or a packet is missing. Exit code 2: the tunnel could
//! not be set up.

#[cfg(target_os = "linux")]
mod demo;
#[cfg(target_os = "linux")]
mod faults;
#[cfg(target_os = "linux")]
mod gateway;
#[path = "../esp_pcap/keys.rs"]
#[cfg(target_os = "linux")]
mod keys;
#[cfg(target_os = "linux")]
mod namespace;
#[cfg(target_os = "linux")]
mod report;
#[cfg(target_os = "linux")]
mod sys;
#[cfg(target_os = "linux")]
mod traffic;

#[cfg(not(target_os = "linux"))]
fn main() -> std::process::ExitCode {
    eprintln!("esp_tun: TUN devices and network namespaces are Linux's");
    std::process::ExitCode::from(2)
}

#[cfg(target_os = "linux")]
fn main() -> std::process::ExitCode {
    use clap::Parser;

    /// ESP in UDP between TUN devices (RFC 7634, RFC 3948).
    #[derive(Parser)]
    #[command(max_term_width = 100)]
    enum Args {
        Demo(demo::Args),
        Run(gateway::Args),
        #[command(hide = true)]
        Traffic(traffic::Args),
    }

    let result = match Args::parse() {
        Args::Demo(args) => demo::run(&args),
        Args::Run(args) => gateway::run(&args),
        Args::Traffic(args) => traffic::run(&args),
    };
    match result {
        Ok(()) => std::process::ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("esp_tun: {error:#}");
            std::process::ExitCode::from(if error.is::<report::Unaccounted>() { 1 } else { 2 })
        }
    }
}
